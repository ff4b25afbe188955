"""COCO, VOC, YOLO and native exports of image projects (specification, Export; decisions, 7b)."""

import contextlib
import hashlib
import io
import json
import zipfile

import pytest

import images
from client import box, error_locations, polygon, unique_seed
from exported import FORMATS, annotation_files, coco, export, labels, objects, voc, yolo


@pytest.fixture(scope="module")
def done(world):
    """Three images of 200 x 100 with two boxes, one box and none; one more box was deleted."""
    work = world.work(3, width=200, height=100, classes=("car", "person", "dog"))
    annotator = world.member(work.project_id)
    plans = [[box("car", 0.1, 0.2, 0.3, 0.4), box("dog", 0.5, 0.5, 0.25, 0.5)],
             [box("person", 0.0, 0.0, 1.0, 1.0), box("car", 0.2, 0.2, 0.1, 0.1)], []]
    for shapes in plans:
        task = annotator.api.next(work.project_id).json()
        made = annotator.api.save(task["id"], shapes).json()["annotations"]
        for extra in [a for a in made if a["geometry"]["width"] == pytest.approx(0.1)]:
            annotator.api.delete("/tasks/%d/annotations/%d" % (task["id"], extra["id"]))
        annotator.api.submit(task["id"])
    return work


# --- coco ---

def test_coco_has_every_image_box_and_category(world, done):
    answer = export(world.admin, done.project_id, "coco")
    assert answer.headers["Content-Type"].startswith("application/json")
    body = answer.json()
    names = {c["id"]: c["name"] for c in body["categories"]}
    assert sorted(names.values()) == ["car", "dog", "person"]
    assert all(c >= 1 for c in names)
    assert sorted(i["file_name"] for i in body["images"]) == \
        sorted(t["file_name"] for t in done.tasks)
    assert all((i["width"], i["height"]) == (200, 100) for i in body["images"])
    assert {(i["id"], i["display_id"]) for i in body["images"]} == \
        {(t["id"], t["display_id"]) for t in done.tasks}
    files = {i["id"]: i["file_name"] for i in body["images"]}
    found = sorted((files[a["image_id"]], names[a["category_id"]], *a["bbox"])
                   for a in body["annotations"])
    first, second = (t["file_name"] for t in done.tasks[:2])
    wanted = sorted([(first, "car", 20, 20, 60, 40), (first, "dog", 100, 50, 50, 50),
                     (second, "person", 0, 0, 200, 100)])
    assert [row[:2] for row in found] == [row[:2] for row in wanted]
    for got, want in zip(found, wanted):
        assert got[2:] == pytest.approx(want[2:], abs=1e-6)


def test_coco_annotations_have_what_readers_need(world, done):
    body = coco(world.admin, done.project_id)
    ids = [a["id"] for a in body["annotations"]]
    assert len(set(ids)) == len(ids) == 3
    for annotation in body["annotations"]:
        assert annotation["id"] >= 1
        assert annotation["iscrowd"] == 0
        assert annotation["segmentation"] == []
        width, height = annotation["bbox"][2:]
        assert annotation["area"] == pytest.approx(width * height)
        assert "attributes" not in annotation
    assert {a["category_id"] for a in body["annotations"]} <= {c["id"] for c in body["categories"]}
    assert {a["image_id"] for a in body["annotations"]} <= {i["id"] for i in body["images"]}


def test_images_keep_their_folders(world):
    project, dataset = world.project(), world.dataset()
    world.admin.upload(dataset["id"], "one/two/a.png", images.png(seed=unique_seed()))
    world.link(dataset["id"], project["id"])
    world.tasks_of(project["id"], 1)
    assert [i["file_name"] for i in coco(world.admin, project["id"])["images"]] == ["one/two/a.png"]


def test_boxes_are_not_rounded(world):
    work, task, annotator = world.submitted([box("car", 1 / 3, 1 / 7, 1 / 9, 1 / 11)])
    got = coco(world.admin, work.project_id)["annotations"][0]["bbox"]
    assert got == pytest.approx([64 / 3, 48 / 7, 64 / 9, 48 / 11], rel=1e-9)
    assert task["image_width"] == 64
    assert annotator.api.annotations(task["id"])


def test_polygons_are_no_boxes(world):
    work, _, _ = world.submitted([box("car"), polygon("person")], type_key="image-seg")
    body = coco(world.admin, work.project_id)
    assert len(body["annotations"]) == 1
    with contextlib.closing(yolo(world.admin, work.project_id)) as archive:
        lines = labels(archive)
        assert sum(len(v) for v in lines.values()) == 1


def test_a_category_keeps_its_id_for_ever(world):
    work, _, _ = world.submitted([box("b")], classes=("a", "b", "c"))
    path = "/projects/%d" % work.project_id

    def ids():
        return {c["name"]: c["id"] for c in coco(world.admin, work.project_id)["categories"]}

    first = ids()
    assert first["a"] < first["b"] < first["c"]
    world.admin.post(path + "/classes/rename", {"old_name": "b", "new_name": "bee"}, 200)
    assert ids() == {"a": first["a"], "bee": first["b"], "c": first["c"]}
    world.admin.patch(path, {"classes_config": [{"name": "c"}, {"name": "bee"}]})
    assert ids() == {"bee": first["b"], "c": first["c"]}
    world.admin.patch(path, {"classes_config": [{"name": "c"}, {"name": "bee"}, {"name": "d"}]})
    last = ids()
    assert last["d"] > first["c"]
    assert coco(world.admin, work.project_id)["annotations"][0]["category_id"] == first["b"]


def test_attributes_come_only_when_asked_for(world):
    schema = {"attributes": [{"key": "colour", "label": "Colour", "input_type": "text",
                              "required": False, "applies_to": "*"}]}
    work, _, _ = world.submitted([box(attributes={"colour": "red"})], attribute_schema=schema)
    without = export(world.admin, work.project_id, "coco", include_attributes="false")
    assert "red" not in without.text
    withs = coco(world.admin, work.project_id, include_attributes="true")
    assert withs["annotations"][0]["attributes"] == {"colour": "red"}


# --- yolo ---

def test_yolo_has_its_files_and_a_label_file_per_image(world, done):
    answer = export(world.admin, done.project_id, "yolo")
    assert answer.headers["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    names = set(archive.namelist())
    assert {"classes.txt", "obj.names", "obj.data", "train.txt", "images.meta",
            "data.yaml"} <= names
    assert archive.read("classes.txt").decode().splitlines() == ["car", "person", "dog"]
    assert archive.read("obj.names") == archive.read("classes.txt")
    assert len(labels(archive)) == 3
    assert len(archive.read("train.txt").decode().splitlines()) == 3


def test_yolo_lines_are_centred_and_precise(world, done):
    found = labels(yolo(world.admin, done.project_id))
    lines = sorted(line for of_image in found.values() for line in of_image)
    assert sorted(len(v) for v in found.values()) == [0, 1, 2]
    wanted = sorted([(0, 0.25, 0.4, 0.3, 0.4), (1, 0.5, 0.5, 1, 1), (2, 0.625, 0.75, 0.25, 0.5)])
    assert len(lines) == 3
    for line, want in zip(lines, wanted):
        fields = line.split()
        assert len(fields) == 5
        assert int(fields[0]) == want[0]
        assert [float(f) for f in fields[1:]] == pytest.approx(want[1:], abs=1e-6)
        assert all(len(f.partition(".")[2]) >= 6 for f in fields[1:]), line


# --- voc ---

def test_voc_has_its_files_and_an_xml_file_per_image(world, done):
    answer = export(world.admin, done.project_id, "voc")
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"].endswith('_voc.zip"')
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    files = annotation_files(archive)
    names = [t["file_name"].rpartition(".")[0] for t in done.tasks]
    assert archive.read("ImageSets/Main/default.txt").decode().splitlines() == names
    assert list(files) == names
    assert archive.read("labelmap.txt").decode().splitlines() == [
        "# label:color_rgb:parts:actions", "background:0,0,0::", "car:0,170,0::",
        "person:0,170,1::", "dog:0,170,2::"]
    assert set(archive.namelist()) == {"ImageSets/Main/default.txt", "labelmap.txt",
                                       *("Annotations/%s.xml" % name for name in names)}


def test_voc_corners_are_whole_pixels_from_zero(world, done):
    files = annotation_files(voc(world.admin, done.project_id))
    first, second, third = (files[t["file_name"].rpartition(".")[0]] for t in done.tasks)
    assert sorted(objects(first)) == [("car", 20, 20, 80, 60), ("dog", 100, 50, 150, 100)]
    assert objects(second) == [("person", 0, 0, 200, 100)]
    assert objects(third) == []
    for task, root in zip(done.tasks, (first, second, third)):
        assert root.tag == "annotation"
        assert root.findtext("filename") == task["file_name"]
        assert (root.findtext("size/width"), root.findtext("size/height")) == ("200", "100")
    for item in first.findall("object"):
        assert [item.findtext(flag) for flag in ("difficult", "truncated", "occluded")] == ["0"] * 3


def test_voc_flags_and_attributes(world):
    schema = {"attributes": [
        {"key": key, "label": key, "input_type": kind, "required": False, "applies_to": "*"}
        for key, kind in (("occluded", "boolean"), ("difficult", "boolean"), ("note", "text"))]}
    shape = box(attributes={"occluded": True, "difficult": False, "note": "a < b & c"})
    work, _, _ = world.submitted([shape], attribute_schema=schema)
    for asked in (True, False):
        archive = voc(world.admin, work.project_id, include_attributes=str(asked).lower())
        (root,) = annotation_files(archive).values()
        (item,) = root.findall("object")
        assert [item.findtext(f) for f in ("occluded", "difficult", "truncated")] == ["1", "0", "0"]
        assert [(a.findtext("name"), a.findtext("value")) for a in item.iter("attribute")] == \
            ([("note", "a < b & c")] if asked else [])


def test_voc_keeps_folders_and_what_xml_must_escape(world):
    project, dataset = world.project(classes=("a<b",)), world.dataset()
    world.admin.upload(dataset["id"], "one/t&w o/a.png", images.png(seed=unique_seed()))
    world.link(dataset["id"], project["id"])
    world.tasks_of(project["id"], 1)
    archive = voc(world.admin, project["id"])
    files = annotation_files(archive)
    assert list(files) == ["one/t&w o/a"]
    assert files["one/t&w o/a"].findtext("filename") == "one/t&w o/a.png"
    assert b"a<b:0,170,0::\n" in archive.read("labelmap.txt")


# --- native ---

def test_native_json_has_its_envelope(world, done):
    body = export(world.admin, done.project_id, "native_json").json()
    assert body["schema_version"] == "1.0"
    meta = body["export_meta"]
    assert meta["platform"] and meta["platform_version"]
    assert done.project["display_id"] in json.dumps(meta)
    assert body["predictions"] == []
    assert len(body["annotations"]) == 3
    assert sorted(a["class_name"] for a in body["annotations"]) == ["car", "dog", "person"]
    for annotation in body["annotations"]:
        for field in ("confidence", "parent_prediction_id"):
            assert field in annotation
            assert annotation[field] is None


# --- all ---

@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_gives_the_same_bytes_again(world, done, kind):
    first, second = (export(world.admin, done.project_id, kind) for _ in range(2))
    assert hashlib.sha256(first.content).digest() == hashlib.sha256(second.content).digest()
    assert first.headers["X-Event-Position"] == second.headers["X-Event-Position"]


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_project_exports_well(world, kind):
    project = world.project()
    answer = export(world.admin, project["id"], kind)
    if kind == "coco":
        assert answer.json()["images"] == answer.json()["annotations"] == []
    elif kind == "yolo":
        assert labels(zipfile.ZipFile(io.BytesIO(answer.content))) == {}
    elif kind == "voc":
        assert annotation_files(zipfile.ZipFile(io.BytesIO(answer.content))) == {}
    else:
        assert answer.json()["annotations"] == []


@pytest.mark.parametrize("params, where", [
    ({}, "format"), ({"format": "pascal"}, "format"), ({"format": ""}, "format"),
    ({"format": "coco", "include_attributes": "maybe"}, "include_attributes"),
])
def test_export_parameters_are_validated(world, done, params, where):
    answer = world.admin.get("/projects/%d/export" % done.project_id, (400, 422), params=params)
    if answer.status_code == 422:
        assert ("query", where) in error_locations(answer)


@pytest.mark.parametrize("role, status", [("viewer", 403), ("annotator", 403), ("reviewer", 403),
                                          ("project_admin", 200)])
@pytest.mark.parametrize("kind", FORMATS)
def test_who_may_export(world, done, kind, role, status):
    person = world.member(done.project_id, role)
    export(person.api, done.project_id, kind, status)


@pytest.mark.parametrize("kind", ["voc", "yolo"])
def test_a_zip_for_a_video_track_project_is_400(world, kind):
    project = world.project(type_key="video-track")
    assert export(world.admin, project["id"], kind, 400).json()["detail"]
