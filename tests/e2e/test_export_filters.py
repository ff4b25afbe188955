"""Exports of some statuses and classes (GET /projects/{id}/export?status=&class=)."""

import pytest

from client import box, error_locations
from exported import FORMATS, annotation_files, coco, export, labels, objects, voc, yolo


@pytest.fixture(scope="module")
def mixed(world):
    """Of three tasks the first is submitted, the second in progress, the third untouched."""
    work = world.work(3, classes=("car", "a, b", "dog"))
    annotator = world.member(work.project_id)
    first = annotator.api.next(work.project_id).json()
    annotator.api.submit(first["id"], [box("car"), box("a, b"), box("dog")])
    second = annotator.api.next(work.project_id).json()
    annotator.api.save(second["id"], [box("car")])
    return work


def images_and_boxes(api, project_id, kind, **params):
    """How many images and boxes an export holds, whatever its format."""
    if kind == "coco":
        body = coco(api, project_id, **params)
        return len(body["images"]), len(body["annotations"])
    if kind == "native_json":
        body = export(api, project_id, kind, **params).json()
        return len(body["tasks"]), len(body["annotations"])
    if kind == "voc":
        files = annotation_files(voc(api, project_id, **params))
        return len(files), sum(len(objects(root)) for root in files.values())
    files = labels(yolo(api, project_id, **params))
    return len(files), sum(map(len, files.values()))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("params, found", [
    ({}, (3, 4)),
    ({"status": "submitted"}, (1, 3)),
    ({"status": "in_progress,submitted"}, (2, 4)),
    ({"status": ["created", "submitted"]}, (2, 3)),
    ({"status": "returned"}, (0, 0)),
    ({"status": "reviewed"}, (0, 0)),
    ({"class": "car"}, (3, 2)),
    ({"class": ["a, b", "dog"]}, (3, 2)),
    ({"class": "dog", "status": "in_progress"}, (1, 0)),
])
def test_exports_can_be_of_some_statuses_and_classes(world, mixed, kind, params, found):
    assert images_and_boxes(world.admin, mixed.project_id, kind, **params) == found


def test_a_filter_moves_no_id(world, mixed):
    whole = coco(world.admin, mixed.project_id)
    some = coco(world.admin, mixed.project_id, **{"class": "dog"})
    assert some["categories"] == whole["categories"]
    (kept,) = some["annotations"]
    assert kept in whole["annotations"]
    lists = [yolo(world.admin, mixed.project_id, **params).read("classes.txt")
             for params in ({}, {"class": "dog"})]
    assert lists[0] == lists[1]


@pytest.mark.parametrize("params, where", [
    ({"status": "done"}, ("query", "status", 0)),
    ({"status": "pending,done"}, ("query", "status", 1)),
    ({"class": "cat"}, ("query", "class", 0)),
    ({"class": ["car", "Car"]}, ("query", "class", 1)),
    ({"class": "car,dog"}, ("query", "class", 0)),
    ({"class": ""}, ("query", "class", 0)),
])
def test_unknown_statuses_and_classes_are_named(world, mixed, params, where):
    answer = export(world.admin, mixed.project_id, "coco", 422, **params)
    assert error_locations(answer) == [where]
    if "class" in params and params["class"] == "cat":
        assert "cat" in answer.json()["detail"]["errors"][0]["msg"]
