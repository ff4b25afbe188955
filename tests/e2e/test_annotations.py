"""Shapes: what is taken, what is refused, and how they change (decisions, section 5)."""

import json

import pytest

from client import box, code_of, error_locations, polygon

FIELDS = ("id", "task_id", "class_name", "geometry", "attributes", "source",
          "parent_prediction_id", "confidence", "group_id", "version", "created_by", "updated_by",
          "created_at", "updated_at", "deleted_at")


def bbox(x, y, width, height):
    return {"x": x, "y": y, "width": width, "height": height}


def path_of(task, annotation):
    return "/tasks/%d/annotations/%d" % (task["id"], annotation["id"])


@pytest.fixture(scope="module")
def seg(world):
    """A segmentation task, held by an annotator; tests only add shapes without submitting."""
    return world.started(type_key="image-seg", classes=("car", "person", "Straße 日本"))


# --- submit ---

def test_a_submission_answers_annotations_and_task(world):
    _, task, annotator = world.started()
    answer = annotator.api.submit(task["id"], [box("car", attributes={}), box("person", x=0.5)])
    body = answer.json()
    assert body["task"]["id"] == task["id"]
    assert body["task"]["status"] == "submitted"
    assert body["task"]["lock"] is None
    assert body["task"]["submitted_at"].endswith("Z")
    assert body["task"]["annotation_count"] == 2
    assert [a["class_name"] for a in body["annotations"]] == ["car", "person"]
    first = body["annotations"][0]
    for field in FIELDS:
        assert field in first, field
    assert first.get("type", first.get("annotation_type")) == "bbox"
    assert first["source"] == "manual"
    assert first["version"] == 1
    assert first["created_by"] == annotator.id
    assert first["deleted_at"] is None
    assert first["geometry"]["width"] == pytest.approx(0.3)


def test_what_was_submitted_is_what_is_read(world, seg):
    _, task, annotator = seg
    shape = polygon("Straße 日本", [(0, 0), (1, 0), (1, 1), (0.123456789012, 1)])
    made = annotator.api.save(task["id"], [shape]).json()["annotations"][0]
    read = next(a for a in annotator.api.annotations(task["id"]) if a["id"] == made["id"])
    assert read == made
    assert read["geometry"]["points"] == shape["geometry"]["points"]
    assert read["class_name"] == "Straße 日本"


def test_no_shapes_just_submits(world):
    _, task, annotator = world.started()
    body = annotator.api.submit(task["id"], []).json()
    assert body["annotations"] == []
    assert body["task"]["status"] == "submitted"


def test_submit_false_saves_and_keeps_the_lock(world):
    _, task, annotator = world.started()
    body = annotator.api.save(task["id"], [box()]).json()
    assert body["task"]["status"] == "in_progress"
    assert body["task"]["lock"]["user_id"] == annotator.id
    assert body["task"]["submitted_at"] is None
    assert len(annotator.api.annotations(task["id"])) == 1


def test_with_review_required_a_submission_ends_in_review(world):
    _, task, annotator = world.started(review_required=True)
    assert annotator.api.submit(task["id"]).json()["task"]["status"] == "review"


# --- geometry tables ---

GOOD_BOXES = [
    (0, 0, 1, 1), (0.25, 0.5, 0.5, 0.5), (0, 0, 1e-6, 1e-6), (0.999, 0.999, 0.001, 0.001),
    (0, 0, 1, 1.0000000005), (-0.0000000005, 0, 0.5, 0.5), (0.1, 0.2, 0.30000000000000004, 0.4),
]

BAD_BOXES = [
    ("x", (-0.01, 0, 0.5, 0.5)), ("y", (0, -1, 0.5, 0.5)), ("width", (0, 0, 0, 0.5)),
    ("height", (0, 0, 0.5, 0)), ("width", (0, 0, -0.1, 0.5)), ("width", (0.6, 0, 0.5, 0.5)),
    ("height", (0, 0.6, 0.5, 0.5)), ("x", (1.5, 0, 0.1, 0.1)), ("width", (0, 0, 1.000001, 1)),
    ("x", ("0.1", 0, 0.5, 0.5)), ("y", (0, None, 0.5, 0.5)), ("height", (0, 0, 0.5, [0.5])),
    ("x", (True, 0, 0.5, 0.5)), ("x", (1e300, 0, 0.5, 0.5)),
]


@pytest.mark.parametrize("values", GOOD_BOXES)
def test_a_box_inside_the_image_is_taken_and_lies_inside_exactly(seg, values):
    _, task, annotator = seg
    shape = {**box(), "geometry": bbox(*values)}
    got = annotator.api.save(task["id"], [shape]).json()["annotations"][0]["geometry"]
    assert got["x"] >= 0 and got["y"] >= 0 and got["width"] > 0 and got["height"] > 0
    assert got["x"] + got["width"] <= 1 + 1e-15 and got["y"] + got["height"] <= 1 + 1e-15
    for name, value in zip(("x", "y", "width", "height"), values):
        assert got[name] == pytest.approx(value, abs=2e-9)


@pytest.mark.parametrize("field, values", BAD_BOXES)
def test_a_box_outside_the_image_is_refused_with_its_path(seg, field, values):
    _, task, annotator = seg
    found = error_locations(annotator.api.save(
        task["id"], [{**box(), "geometry": bbox(*values)}], 422))
    assert all(loc[:4] == ("body", "shapes", 0, "geometry") for loc in found), found


@pytest.mark.parametrize("geometry", [
    None, {}, [], "box", 7, {"x": 0.1}, {"x": 0.1, "y": 0.1, "width": 0.1},
    {"x": 0.1, "y": 0.1, "w": 0.1, "h": 0.1}, {"points": [[0, 0], [1, 0], [1, 1]]},
])
def test_a_box_without_its_members_is_refused(seg, geometry):
    _, task, annotator = seg
    found = error_locations(annotator.api.save(task["id"], [{**box(), "geometry": geometry}], 422))
    assert all(loc[:4] == ("body", "shapes", 0, "geometry") for loc in found), found


GOOD_POLYGONS = [
    [(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (1, 1), (0, 1)],
    [(0.1, 0.1), (0.9, 0.9), (0.9, 0.1), (0.1, 0.9)],
    [(at / 1000, (at * 7 % 1000) / 1000) for at in range(1000)],
]

BAD_POLYGONS = [
    [], [(0, 0)], [(0, 0), (1, 1)], [(0, 0), (1, 0), (1, 1.1)], [(0, 0), (1, 0), (-0.1, 1)],
    [(0, 0), (1, 0), (1,)], [(0, 0), (1, 0), (1, "1")], [(0, 0), (1, 0), (1, None)],
]


@pytest.mark.parametrize("points", GOOD_POLYGONS, ids=len)
def test_a_polygon_of_three_points_or_more_is_taken(seg, points):
    _, task, annotator = seg
    made = annotator.api.save(task["id"], [polygon("car", points)]).json()["annotations"][0]
    assert len(made["geometry"]["points"]) == len(points)


@pytest.mark.parametrize("points", BAD_POLYGONS, ids=str)
def test_an_impossible_polygon_is_refused(seg, points):
    _, task, annotator = seg
    found = error_locations(annotator.api.save(task["id"], [polygon("car", points)], 422))
    assert all(loc[:4] == ("body", "shapes", 0, "geometry") for loc in found), found


NOSE = {"name": "nose", "x": 0.5, "y": 0.5, "visible": True}


@pytest.mark.parametrize("kind, points, places", [
    ("polygon", [(0, 0), (1, "1"), (1, 1), (1,), None], [(1,), (3,), (4,)]),
    ("keypoint", [NOSE, {**NOSE, "y": "0.5"}, {**NOSE, "visible": 1}],
     [(1, "y"), (2, "visible")]),
    ("polygon", "none", [()]), ("keypoint", {"x": 1}, [()])])
def test_every_bad_point_is_named(seg, kind, points, places):
    _, task, annotator = seg
    shape = {"type": kind, "class_name": "car", "geometry": {"points": points}}
    found = error_locations(annotator.api.save(task["id"], [shape], 422))
    assert found == [("body", "shapes", 0, "geometry", "points", *place) for place in places]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "0x1", "01",
                                    "1.", ".5", "+1", "1e", "9" * 400])
def test_numbers_that_are_none_are_a_clear_4xx(seg, number):
    _, task, annotator = seg
    text = json.dumps({"shapes": [box(x=77)]}).replace("77", number)
    before = len(annotator.api.annotations(task["id"]))
    answer = annotator.api.call(
        "POST", "/tasks/%d/annotations" % task["id"], (400, 422), data=text,
        params={"submit": "false"}, headers={"Content-Type": "application/json"})
    assert code_of(answer) in ("MALFORMED_JSON", "VALIDATION_ERROR")
    assert len(annotator.api.annotations(task["id"])) == before


# --- refusals of a whole call ---

@pytest.mark.parametrize("change, where", [
    ({"class_name": "lorry"}, "class_name"), ({"class_name": "CAR"}, "class_name"),
    ({"class_name": ""}, "class_name"), ({"class_name": None}, "class_name"),
    ({"class_name": 3}, "class_name"), ({"type": "circle"}, "type"), ({"type": None}, "type"),
    ({"attributes": []}, "attributes"), ({"attributes": "x"}, "attributes"),
])
def test_one_bad_shape_refuses_the_whole_call(seg, change, where):
    _, task, annotator = seg
    before = len(annotator.api.annotations(task["id"]))
    shapes = [box(), {**box(), **change}, box()]
    found = error_locations(annotator.api.save(task["id"], shapes, 422))
    assert ("body", "shapes", 1, where) in found, found
    assert all(loc[2] == 1 for loc in found)
    assert len(annotator.api.annotations(task["id"])) == before


def test_members_that_a_kind_has_no_use_for_are_named(world):
    _, task, annotator = world.started(type_key="image-kpt", classes=("car", "person"))
    named = {"name": "nose", "x": 0.5, "y": 0.5, "visible": True}
    points = {"type": "keypoint", "class_name": "car",
              "geometry": {"points": [named, dict(named, name="ear", visble=False)], "width": 1}}
    path = "/tasks/%d/annotations?submit=false" % task["id"]
    answer = annotator.api.post(path, {"shapes": [points]}, 201)
    ignored = {"shapes[0].geometry.width", "shapes[0].geometry.points[1].visble"}
    assert set(answer.headers["X-Ignored-Fields"].split(", ")) == ignored
    strict = {"Prefer": "handling=strict"}
    refused = annotator.api.post(path, {"shapes": [points]}, 422, headers=strict)
    geometry = ("body", "shapes", 0, "geometry")
    assert set(error_locations(refused)) == {(*geometry, "width"),
                                             (*geometry, "points", 1, "visble")}
    made = answer.json()["annotations"][0]
    change = {"geometry": {"points": [named], "track_id": "t", "y": 0.5}}
    changed = annotator.api.patch(path_of(task, made), change)
    assert set(changed.headers["X-Ignored-Fields"].split(", ")) == {"geometry.track_id",
                                                                   "geometry.y"}
    annotator.api.patch(path_of(task, made), change, 422, headers=strict)
    back = annotator.api.patch(path_of(task, made), {"geometry": made["geometry"]}, headers=strict)
    assert "X-Ignored-Fields" not in back.headers


def test_every_bad_shape_is_named(seg):
    _, task, annotator = seg
    shapes = [box(x=-1), box(), box("lorry"), polygon("car", [(0, 0)])]
    found = error_locations(annotator.api.save(task["id"], shapes, 422))
    assert {loc[2] for loc in found} == {0, 2, 3}


@pytest.mark.parametrize("kind", ["video_bbox", "video_track"])
def test_a_kind_must_suit_the_project(seg, kind):
    _, task, annotator = seg
    shape = {"type": kind, "class_name": "car", "attributes": {},
             "geometry": {"type": kind, "frame_index": 0, "x": 0, "y": 0, "w": 1, "h": 1}}
    found = error_locations(annotator.api.save(task["id"], [shape], 422))
    assert all(loc[:3] == ("body", "shapes", 0) for loc in found)


@pytest.mark.parametrize("body", [{}, {"shapes": None}, {"shapes": {}}, {"shapes": "x"},
                                  {"shapes": [1]}, {"shapes": [None]}])
def test_the_body_is_validated(seg, body):
    _, task, annotator = seg
    path = "/tasks/%d/annotations" % task["id"]
    found = error_locations(annotator.api.post(path, body, 422))
    assert all(loc[:2] == ("body", "shapes") for loc in found)
    assert annotator.api.task(task["id"])["status"] == "in_progress"


def test_5000_shapes_are_taken_and_5001_are_not(world):
    _, task, annotator = world.started()
    found = error_locations(annotator.api.save(task["id"], [box()] * 5001, 422))
    assert ("body", "shapes") in found
    assert annotator.api.annotations(task["id"]) == []
    made = annotator.api.save(task["id"], [box()] * 5000).json()["annotations"]
    assert len({a["id"] for a in made}) == 5000
    assert annotator.api.task(task["id"])["annotation_count"] == 5000


def test_a_submitted_task_takes_no_more_from_its_annotator(world):
    work, _, annotator = world.submitted()
    answer = annotator.api.save(work.tasks[0]["id"], [box()], 409)
    assert code_of(answer) == "TASK_NOT_EDITABLE"


# --- page ---

def test_the_page_is_newest_first_and_complete_at_every_limit(world):
    _, task, annotator = world.started()
    for _ in range(4):
        annotator.api.save(task["id"], [box(), box(), box()])
    path = "/tasks/%d/annotations/page" % task["id"]
    whole = annotator.api.get(path).json()["items"]
    assert len(whole) == 12
    order = [(a["created_at"], a["id"]) for a in whole]
    assert order == sorted(order, reverse=True)
    for limit in (1, 3, 5, 12, 1000):
        walked = annotator.api.all_pages(path, limit=limit)
        assert [a["id"] for a in walked] == [a["id"] for a in whole], limit


@pytest.mark.parametrize("limit, status", [(0, 422), (1, 200), (1000, 200), (1001, 422)])
def test_the_page_limit_is_1_to_1000(seg, limit, status):
    _, task, annotator = seg
    annotator.api.get("/tasks/%d/annotations/page" % task["id"], status, params={"limit": limit})
