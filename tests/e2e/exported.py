"""Exports of a project, taken and read."""

import io
import xml.etree.ElementTree
import zipfile

FORMATS = ["coco", "voc", "yolo", "native_json"]


def export(api, project_id, kind="coco", expect=200, **params):
    return api.get("/projects/%d/export" % project_id, expect, params={"format": kind, **params})


def coco(api, project_id, **params):
    return export(api, project_id, "coco", **params).json()


def yolo(api, project_id, **params):
    return zipfile.ZipFile(io.BytesIO(export(api, project_id, "yolo", **params).content))


def voc(api, project_id, **params):
    return zipfile.ZipFile(io.BytesIO(export(api, project_id, "voc", **params).content))


def annotation_files(archive):
    """The XML of a VOC archive by image: {"day/a": root element}."""
    return {name[len("Annotations/"):-len(".xml")]:
            xml.etree.ElementTree.fromstring(archive.read(name))
            for name in archive.namelist() if name.startswith("Annotations/")}


def objects(root):
    """[(label, xmin, ymin, xmax, ymax)] of one VOC file."""
    return [(item.findtext("name"),
             *(int(item.findtext("bndbox/" + side)) for side in ("xmin", "ymin", "xmax", "ymax")))
            for item in root.findall("object")]


def labels(archive):
    return {name: archive.read(name).decode().splitlines()
            for name in archive.namelist()
            if name.startswith("labels/") and name.endswith(".txt")}
