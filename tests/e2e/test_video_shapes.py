"""video_bbox and video_track: what is kept of them, and what is refused (specification, Video
geometries)."""

import json

import pytest

from client import error_locations
from exported import export
from test_annotation_import import bring, counts

CORNERS = {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}


def video_box(**more):
    return {"type": "video_bbox", "class_name": "car",
            "geometry": {"type": "video_bbox", "frame_index": 7, **CORNERS, **more}}


def track(*keyframes, **more):
    return {"type": "video_track", "class_name": "car",
            "geometry": {"type": "video_track", "track_id": "t1", "keyframes": list(keyframes),
                         **more}}


def keyframe(frame_index, **more):
    return {"frame_index": frame_index, "bbox": CORNERS, "source": "manual", "absent": False,
            "occluded": False, **more}


@pytest.fixture(scope="module")
def place(world):
    """Projects of the type `other` take every kind of shape."""
    return world.started(type_key="other")


def kept(place, shape):
    _, task, annotator = place
    made = annotator.api.save(task["id"], [shape]).json()["annotations"][0]
    read = next(a for a in annotator.api.annotations(task["id"]) if a["id"] == made["id"])
    assert read == made
    return made


def test_a_video_box_is_kept_as_it_is(place):
    made = kept(place, video_box())
    assert made["type"] == "video_bbox"
    assert made["geometry"] == video_box()["geometry"]


def test_a_track_is_kept_in_the_order_of_its_frames(place):
    made = kept(place, track(keyframe(9, occluded=True), keyframe(2, source="prediction")))
    assert made["type"] == "video_track"
    assert made["geometry"] == {"type": "video_track", "track_id": "t1", "keyframes": [
        keyframe(2, source="prediction"), keyframe(9, occluded=True)]}


def test_what_is_usual_may_be_left_out_of_a_keyframe(place):
    made = kept(place, track({"frame_index": 0, "bbox": CORNERS},
                             {"frame_index": 5, "absent": True}))
    first, second = made["geometry"]["keyframes"]
    assert first == keyframe(0)
    assert (second["absent"], second["source"]) == (True, "manual")


def test_where_it_was_last_seen_stays_with_an_absent_keyframe(place):
    sent = track(keyframe(0), keyframe(5, absent=True))
    assert kept(place, sent)["geometry"]["keyframes"] == sent["geometry"]["keyframes"]


def test_a_patch_replaces_the_geometry_by_one_of_its_kind(place):
    _, task, annotator = place
    made = kept(place, track(keyframe(1)))
    path = "/tasks/%d/annotations/%d" % (task["id"], made["id"])
    longer = track(keyframe(1), keyframe(4))["geometry"]
    assert annotator.api.patch(path, {"geometry": longer}).json()["geometry"] == longer
    annotator.api.patch(path, {"geometry": video_box()["geometry"]}, 422)


@pytest.mark.parametrize("shape, place_of_error", [
    (video_box(frame_index=-1), ("frame_index",)),
    (video_box(w=0), ("w",)),
    (video_box(x=0.8), ("w",)),
    (video_box(h=None), ("h",)),
    (track(), ("keyframes",)),
    (track(keyframe(0, absent=True)), ("keyframes",)),
    (track(keyframe(0), track_id=""), ("track_id",)),
    (track(keyframe(0), keyframe(0)), ("keyframes", 1, "frame_index")),
    (track(keyframe(0), {"frame_index": 1}), ("keyframes", 1, "bbox")),
    (track(keyframe(0, bbox={**CORNERS, "y": 2})), ("keyframes", 0, "bbox", "y")),
    (track(keyframe(0, source="guess")), ("keyframes", 0, "source")),
    (track(keyframe(0), keyframe(2, bbox={**CORNERS, "w": "wide"})), ("keyframes", 1, "bbox", "w")),
    (track(keyframe(0), {"bbox": CORNERS}), ("keyframes", 1, "frame_index")),
    (track(keyframes="none"), ("keyframes",)),
])
def test_what_is_wrong_is_refused_with_its_place(place, shape, place_of_error):
    _, task, annotator = place
    found = error_locations(annotator.api.save(task["id"], [shape], 422))
    assert ("body", "shapes", 0, "geometry", *place_of_error) in found


@pytest.mark.parametrize("type_key, box_suits, track_suits", [
    ("image-det", False, False), ("image-seg", False, False), ("image-kpt", False, False),
    ("video-det", True, False), ("video-track", True, True), ("other", True, True)])
def test_kinds_suit_the_type_of_the_project(world, type_key, box_suits, track_suits):
    _, task, annotator = world.started(type_key=type_key)
    annotator.api.save(task["id"], [video_box()], 201 if box_suits else 422)
    annotator.api.save(task["id"], [track(keyframe(0))], 201 if track_suits else 422)


def test_unknown_members_of_keyframes_are_named(place):
    _, task, annotator = place
    shape = track(keyframe(0), keyframe(5, abscent=True))
    path = "/tasks/%d/annotations?submit=false" % task["id"]
    answer = annotator.api.post(path, {"shapes": [shape]}, 201)
    assert answer.headers["X-Ignored-Fields"] == "shapes[0].geometry.keyframes[1].abscent"
    strict = annotator.api.post(path, {"shapes": [shape]}, 422,
                                headers={"Prefer": "handling=strict"})
    assert error_locations(strict) == [
        ("body", "shapes", 0, "geometry", "keyframes", 1, "abscent")]


@pytest.mark.parametrize("type_key", ["other", "video-track"])
def test_shapes_of_videos_come_back_and_go_elsewhere(world, type_key):
    work, task, annotator = world.started(type_key=type_key)
    annotator.api.submit(task["id"], [
        video_box(), track(keyframe(9, occluded=True), {"frame_index": 5, "absent": True},
                           keyframe(2, source="prediction"))])
    first = export(world.admin, work.project_id, "native_json").content
    assert counts(bring(world.admin, work.project_id, first, "native_json")) == (0, 2, 0)
    assert export(world.admin, work.project_id, "native_json").content == first
    other = world.project(type_key=type_key)["id"]
    world.link(work.dataset_id, other)
    for expected in ((2, 0, 0), (0, 2, 0)):
        assert counts(bring(world.admin, other, first, "native_json")) == expected
    there = export(world.admin, other, "native_json").content
    assert geometries(there) == geometries(first)


def geometries(document):
    return [each["geometry"] for each in json.loads(document)["annotations"]]
