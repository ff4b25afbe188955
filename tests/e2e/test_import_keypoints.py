"""Keypoints as native JSON: taken away and brought back (docs/decisions, 0020)."""

import pytest

from exported import export
from test_annotation_import import bring, counts

POINTS = [
    [{"name": "nose", "x": 1 / 3, "y": 1 / 7, "visible": True},
     {"name": "left \"eye\" \u00e9", "x": 0, "y": 1, "visible": False}],
    [{"name": "nose", "x": 0.123456789, "y": 0.5, "visible": False}]]


@pytest.fixture(name="posed")
def fixture_posed(world):
    work, task, annotator = world.started(type_key="image-kpt")
    shapes = [{"type": "keypoint", "class_name": "car", "geometry": {"points": points},
               "attributes": {"occluded": True}} for points in POINTS]
    annotator.api.submit(task["id"], shapes)
    return work, task


def geometries(world, task):
    return [a["geometry"]["points"] for a in world.admin.annotations(task["id"])]


def exported(world, project_id):
    return export(world.admin, project_id, "native_json", include_attributes="true").content


def test_they_are_there_already_and_the_bytes_are_the_same(world, posed):
    work, _ = posed
    first = exported(world, work.project_id)
    assert counts(bring(world.admin, work.project_id, first, "native_json")) == (0, 2, 0)
    assert exported(world, work.project_id) == first


def test_another_project_of_the_images_gets_them_to_the_last_digit(world, posed):
    work, task = posed
    other = world.project(type_key="image-kpt")
    world.link(work.dataset_id, other["id"])
    theirs, = world.tasks_of(other["id"], 1)
    first = exported(world, work.project_id)
    assert counts(bring(world.admin, other["id"], first, "native_json")) == (2, 0, 0)
    assert geometries(world, theirs) == geometries(world, task)
    assert sorted(map(str, geometries(world, theirs))) == sorted(map(str, POINTS))
    assert counts(bring(world.admin, other["id"], first, "native_json")) == (0, 2, 0)
