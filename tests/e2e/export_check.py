#!/usr/bin/env python3
"""Reads exports with independent tools: COCO with pycocotools and datumaro, VOC and YOLO with
datumaro, the XML of VOC with expat besides.

    export_check.py FILE...        FILE is a COCO .json, a VOC or YOLO .zip or a native .json
    --strict                       missing packages are a failure, not a skip

Checks: a COCO file compared with itself by COCOeval gives AP 1.0; datumaro finds every image and
every box in it; a VOC or YOLO zip is read without the images, box for box; when a COCO file and
a VOC or YOLO zip are given together, they hold the same boxes. Exit 0: all held; 1: something
did not; 77: the packages (pycocotools, datumaro) are missing, nothing was checked.
"""

import argparse
import contextlib
import io
import json
import pathlib
import shlex
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

SKIPPED = 77
YOLO_FILES = "classes.txt obj.names obj.data train.txt images.meta data.yaml".split()
TOLERANCE_PX = 0.01
VOC_TOLERANCE_PX = 1.01  # whole pixels, and at least one


class Failed(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Failed(message)


def datumaro_boxes(dataset):
    """{item id: [(label, x, y, w, h)]}, in the reader's order."""
    from datumaro.components.annotation import AnnotationType

    labels = dataset.categories()[AnnotationType.label]
    boxes = {}
    for item in dataset:
        need(item.id not in boxes, f"datumaro sees the item {item.id} twice")
        boxes[item.id] = [
            (labels[a.label].name, *a.get_bbox())
            for a in item.annotations
            if a.type == AnnotationType.bbox
        ]
    return boxes


def check_coco(path):
    from datumaro.components.dataset import Dataset
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    document = json.loads(path.read_text(encoding="utf-8"))
    categories = {c["id"]: c["name"] for c in document["categories"]}
    images = {i["id"]: i for i in document["images"]}
    need(len(images) == len(document["images"]), "image ids repeat")
    need(len(categories) == len(document["categories"]), "category ids repeat")
    ids = [a["id"] for a in document["annotations"]]
    need(len(set(ids)) == len(ids), "annotation ids repeat")
    need(all(i >= 1 for i in [*ids, *categories, *images]), "an id is below 1")
    for a in document["annotations"]:
        need(a["image_id"] in images, f"annotation {a['id']} names no image")
        need(a["category_id"] in categories, f"annotation {a['id']} names no category")
        need(a["iscrowd"] == 0 and a["segmentation"] == [], f"annotation {a['id']} is no plain box")
        need(abs(a["area"] - a["bbox"][2] * a["bbox"][3]) < 1e-6, f"annotation {a['id']}: area")

    if ids:
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO(str(path))
            found = truth.loadRes([{**a, "score": 1.0} for a in document["annotations"]])
            evaluation = COCOeval(truth, found, "bbox")
            # By default only the 100 best boxes of an image and class count.
            evaluation.params.maxDets = [1, 10, max(100, len(ids))]
            evaluation.evaluate()
            evaluation.accumulate()
        precision = evaluation.eval["precision"][:, :, :, 0, 2]
        ap = precision[precision > -1].mean()
        need(abs(ap - 1.0) < 1e-9, f"compared with itself its AP is {ap}")

    stems = {pathlib.PurePosixPath(i["file_name"]).with_suffix("") for i in images.values()}
    if len(stems) < len(images):
        print(f"note {path}: images that differ in their extension only; datumaro can't hold both")
        return None
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder, "annotations")
        place.mkdir()
        pathlib.Path(folder, "images").mkdir()  # datumaro wants the folder, not the images
        (place / "instances_default.json").write_bytes(path.read_bytes())
        boxes = datumaro_boxes(Dataset.import_from(folder, "coco_instances"))
    need(len(boxes) == len(images), f"datumaro sees {len(boxes)} of {len(images)} images")
    count = sum(map(len, boxes.values()))
    need(count == len(ids), f"datumaro sees {count} of {len(ids)} boxes")
    print(f"ok   {path}: COCO, {len(images)} images, {len(ids)} boxes, AP 1.0 with itself")
    return boxes


def check_yolo(path):
    from datumaro.components.dataset import Dataset

    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            need(archive.testzip() is None, "the archive is damaged")
            names = archive.namelist()
            need(len(set(names)) == len(names), "the archive holds a name twice")
            archive.extractall(folder)
        for name in names:
            need(pathlib.Path(folder, name).is_file(), f"{name} is not where it should be")
        root = pathlib.Path(folder)
        for name in YOLO_FILES:
            need((root / name).is_file(), f"{name} is missing")
        images = (root / "train.txt").read_text(encoding="utf-8").splitlines()
        labels = [n for n in names if n.startswith("labels/")]
        need(len(images) == len(labels), f"{len(images)} images, {len(labels)} label files")
        complete_sizes(path, root, images)
        expected = sum(len((root / n).read_text(encoding="utf-8").splitlines()) for n in labels)
        boxes = datumaro_boxes(Dataset.import_from(folder, "yolo"))
    need(len(boxes) == len(images), f"datumaro sees {len(boxes)} of {len(images)} images")
    count = sum(map(len, boxes.values()))
    need(count == expected, f"datumaro sees {count} of {expected} boxes")
    print(f"ok   {path}: YOLO, {len(boxes)} images, {count} boxes, read without the images")
    return boxes


def check_voc(path):
    from datumaro.components.dataset import Dataset

    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        with zipfile.ZipFile(path) as archive:
            need(archive.testzip() is None, "the archive is damaged")
            names = archive.namelist()
            need(len(set(names)) == len(names), "the archive holds a name twice")
            archive.extractall(folder)
        lines = (root / "ImageSets/Main/default.txt").read_text(encoding="utf-8").split("\n")
        images = lines[:-1]
        files = {n for n in names if n.startswith("Annotations/")}
        need(files == {f"Annotations/{i}.xml" for i in images}, "images and XML files differ")
        need("labelmap.txt" in names, "labelmap.txt is missing")
        labels = {line.split(":")[0]
                  for line in (root / "labelmap.txt").read_text(encoding="utf-8").split("\n")
                  if line and not line.startswith("#")}
        expected = {i: voc_objects(root / f"Annotations/{i}.xml", labels) for i in images}
        boxes = datumaro_boxes(Dataset.import_from(folder, "voc"))
    need(boxes.keys() == expected.keys(), "datumaro sees other images")
    for item, objects in expected.items():
        need(boxes[item] == objects, f"{item}: datumaro sees {boxes[item]}, the XML has {objects}")
    count = sum(map(len, boxes.values()))
    print(f"ok   {path}: VOC, {len(boxes)} images, {count} boxes, read without the images")
    return boxes


def voc_objects(path, labels):
    """[(label, x, y, w, h)] of one XML file, its numbers checked."""
    root = xml.etree.ElementTree.parse(path).getroot()
    need(root.tag == "annotation", f"{path.name}: {root.tag} is no annotation")
    need(root.findtext("filename"), f"{path.name}: no filename")
    objects = []
    for item in root.findall("object"):
        label = item.findtext("name")
        need(label in labels, f"{path.name}: {label!r} is not in the label map")
        for flag in ("difficult", "truncated", "occluded"):
            need(item.findtext(flag) in ("0", "1"), f"{path.name}: {flag}")
        left, top, right, bottom = (int(item.findtext(f"bndbox/{side}"))
                                    for side in ("xmin", "ymin", "xmax", "ymax"))
        need(0 <= left < right <= int(root.findtext("size/width")), f"{path.name}: {left} {right}")
        need(0 <= top < bottom <= int(root.findtext("size/height")),
             f"{path.name}: {top} {bottom}")
        objects.append((label, left, top, right - left, bottom - top))
    return objects


def complete_sizes(path, root, images):
    """Without the image datumaro can't place boxes of an image of unknown size: calls it 1 x 1."""
    meta = root / "images.meta"
    known = {shlex.split(line)[0] for line in meta.read_text(encoding="utf-8").splitlines()}
    stems = [str(pathlib.PurePosixPath(i).with_suffix("")).removeprefix("labels/") for i in images]
    missing = [s for s in stems if s not in known]
    if missing:
        print(f"note {path}: {len(missing)} images of unknown size; datumaro needs those images")
        with meta.open("a", encoding="utf-8") as out:
            out.writelines(f"{shlex.quote(s)} 1 1\n" for s in missing)


def check_native(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    need(document["schema_version"].split(".")[0] == "1", "an unknown major schema version")
    tasks = {t["display_id"]: t["file_path"] for t in document["tasks"]}
    for a in document["annotations"]:
        match = a["task_match"]
        need(tasks.get(match["display_id"]) == match["file_path"], f"annotation {a['id']}: task")
    need(isinstance(document["predictions"], list), "predictions is no list")
    print(f"ok   {path}: native, {len(tasks)} tasks, {len(document['annotations'])} annotations")


def same_boxes(coco, others, kind, tolerance):
    need(coco.keys() == others.keys(), f"COCO and {kind} do not hold the same images")
    for item, boxes in coco.items():
        if not boxes:
            continue  # or of unknown size: COCO leaves those boxes out
        rest = list(others[item])
        need(len(boxes) == len(rest), f"{item}: {len(boxes)} boxes in COCO, {len(rest)} in {kind}")
        for box in boxes:
            twin = min(rest, key=lambda other: distance(box, other))
            need(distance(box, twin) < tolerance, f"{item}: COCO has {box}, {kind} only {rest}")
            rest.remove(twin)
    print(f"ok   COCO and {kind} hold the same {sum(map(len, coco.values()))} boxes")


def distance(one, other):
    """The most that two boxes differ by, in pixels; of different classes: without end."""
    if one[0] != other[0]:
        return float("inf")
    return max(abs(a - b) for a, b in zip(one[1:], other[1:], strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    try:
        import datumaro  # noqa: F401
        import pycocotools  # noqa: F401
    except ImportError as error:
        print(f"SKIP export check: {error}; install pycocotools and datumaro to run it")
        return 1 if options.strict else SKIPPED

    failed = False
    seen = {"coco": [], "voc": [], "yolo": []}
    for path in options.files:
        try:
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    is_voc = "labelmap.txt" in archive.namelist()
                if is_voc:
                    seen["voc"].append(check_voc(path))
                else:
                    seen["yolo"].append(check_yolo(path))
            elif b'"schema_version"' in path.open("rb").read(64):
                check_native(path)
            else:
                seen["coco"].append(check_coco(path))
        except Failed as error:
            failed = True
            print(f"FAIL {path}: {error}")
        except Exception as error:  # whatever a reader throws at the file is a finding
            failed = True
            print(f"FAIL {path}: {type(error).__name__}: {error}")
    for kind, tolerance in (("yolo", TOLERANCE_PX), ("voc", VOC_TOLERANCE_PX)):
        if len(seen["coco"]) != 1 or len(seen[kind]) != 1 or None in seen["coco"]:
            continue
        try:
            same_boxes(seen["coco"][0], seen[kind][0], kind.upper(), tolerance)
        except Failed as error:
            failed = True
            print(f"FAIL {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
