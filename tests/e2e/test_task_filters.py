"""Filters and orders of GET /tasks."""

import pytest

from client import box, code_of, error_locations


@pytest.fixture(scope="module")
def mixed(world):
    """Of four tasks the first holds a car, the second a car and a person."""
    work = world.work(4)
    annotator = world.member(work.project_id)
    first = annotator.api.next(work.project_id).json()
    annotator.api.submit(first["id"], [box("car")])
    second = annotator.api.next(work.project_id).json()
    annotator.api.save(second["id"], [box("car"), box("person")])
    annotator.api.delete("/tasks/%d/lock" % second["id"])
    return work


def listed(world, work, **params):
    asked = {"project_id": work.project_id, **params}
    found = [task["id"] for task in world.admin.all_pages("/tasks", asked, limit=2)]
    page = world.admin.get("/tasks", params={**asked, "offset": 0, "limit": 200}).json()
    assert [task["id"] for task in page["items"]] == found
    assert page["total"] == len(found)
    return [found_id - work.tasks[0]["id"] for found_id in found]


def places(work, *numbers):
    return [work.tasks[n]["id"] - work.tasks[0]["id"] for n in numbers]


@pytest.mark.parametrize("params, numbers", [
    ({}, (0, 1, 2, 3)),
    ({"sort": "-id"}, (3, 2, 1, 0)),
    ({"class": "car"}, (0, 1)),
    ({"class": "car", "sort": "-id"}, (1, 0)),
    ({"class": ["person", "car"], "sort": "-id"}, (1, 0)),
    ({"class": "person"}, (1,)),
    ({"class": ["person", "car"]}, (0, 1)),
    ({"class": "car", "status": "submitted"}, (0,)),
    ({"class": "car", "status": ["submitted", "in_progress"], "sort": "-id"}, (1, 0)),
    ({"q": "IMAGE-0002"}, (2,)),
    ({"q": "image-"}, (0, 1, 2, 3)),
    ({"q": "t-2"}, (1,)),
    ({"q": "image", "class": "person"}, (1,)),
    ({"q": "nowhere"}, ()),
    ({"skipped": "true"}, ()),
    ({"skipped": "false"}, (0, 1, 2, 3)),
    ({"batch_id": "none", "q": "image-0003"}, (3,)),
    ({"updated_before": "2000-01-01T00:00:00Z"}, ()),
    ({"updated_since": "2000-01-01T00:00:00Z", "sort": "-id"}, (3, 2, 1, 0)),
])
def test_filters_alone_and_together(world, mixed, params, numbers):
    assert listed(world, mixed, **params) == places(mixed, *numbers)


@pytest.fixture(scope="module")
def staffed(world):
    """The first of three tasks was approved by a reviewer, the second belongs to another annotator;
    the third, of another dataset, is in a batch."""
    work = world.work(2, review_required=True)
    first, second = (world.member(work.project_id) for _ in range(2))
    reviewer = world.member(work.project_id, "reviewer")
    done = first.api.next(work.project_id).json()["id"]
    first.api.submit(done, [box()])
    reviewer.api.approve(done)
    second.api.next(work.project_id)
    dataset = world.dataset()["id"]
    world.upload_images(dataset, 1)
    world.link(dataset, work.project_id)
    tasks = world.tasks_of(work.project_id, 3)
    batch = world.admin.post("/projects/%d/batches" % work.project_id,
                             {"task_ids": [tasks[2]["id"]]}, 201).json()
    values = {"first": first.id, "second": second.id, "reviewer": reviewer.id,
              "nobody": world.person().id, "own": work.dataset_id, "other": dataset,
              "batch": batch["id"], "display": batch["display_id"],
              "then": world.admin.task(tasks[2]["id"])["updated_at"]}
    return work._replace(tasks=tasks), values


@pytest.mark.parametrize("name, value, numbers", [
    ("assignee_id", "first", (0,)), ("assignee_id", "second", (1,)), ("assignee_id", "nobody", ()),
    ("reviewer_id", "reviewer", (0,)), ("reviewer_id", "first", ()),
    ("dataset_id", "own", (0, 1)), ("dataset_id", "other", (2,)),
    ("batch_id", "batch", (2,)), ("batch_id", "display", (2,)),
    ("updated_since", "then", (2,)), ("updated_before", "then", (0, 1)),
])
def test_people_datasets_batches_and_changes_narrow_the_list(world, staffed, name, value, numbers):
    work, values = staffed
    assert listed(world, work, **{name: values[value]}) == places(work, *numbers)


def test_the_order_of_change_goes_both_ways(world, mixed):
    up = listed(world, mixed, sort="updated_at")
    assert listed(world, mixed, sort="-updated_at") == up[::-1]
    assert up[-1] == places(mixed, 1)[0]


def test_a_skipped_task_is_found_until_it_is_submitted(world):
    work, task, annotator = world.started()
    annotator.api.post("/tasks/%d/skip" % task["id"], {"reason": "blurred"})
    assert listed(world, work, skipped="true") == [0]
    annotator.api.next(work.project_id)
    annotator.api.submit(task["id"])
    assert listed(world, work, skipped="true") == []


def test_a_class_filter_follows_deletion_restore_and_rename(world):
    work, task, annotator = world.started()
    made = annotator.api.save(task["id"], [box("car")]).json()["annotations"][0]
    path = "/tasks/%d/annotations/%d" % (task["id"], made["id"])
    assert listed(world, work, **{"class": "car"}) == [0]
    annotator.api.delete(path)
    assert listed(world, work, **{"class": "car"}) == []
    annotator.api.post(path + "/restore")
    world.admin.post("/projects/%d/classes/rename" % work.project_id,
                     {"old_name": "car", "new_name": "auto"})
    assert listed(world, work, **{"class": "auto"}) == [0]
    answer = world.admin.get("/tasks", 422, params={"project_id": work.project_id, "class": "car"})
    assert error_locations(answer)[0][-2:] == ("class", 0)


@pytest.mark.parametrize("params, place", [
    ({"offset": 0}, "offset"),
    ({"class": "car"}, "class"),
    ({"q": "car"}, "q"),
    ({"q": "%-", "project_id": 1}, "q"),
    ({"q": "", "project_id": 1}, "q"),
    ({"q": "x" * 101, "project_id": 1}, "q"),
    ({"q": "car", "project_id": 1, "offset": 10001}, "offset"),
    ({"class": "car", "project_id": 1, "offset": 10001}, "offset"),
    ({"sort": "name"}, "sort"),
    ({"skipped": "maybe"}, "skipped"),
    ({"updated_before": "yesterday"}, "updated_before"),
])
def test_what_makes_no_sense_is_422_and_says_where(world, params, place):
    answer = world.admin.get("/tasks", 422, params=params)
    assert ("query", place) in [found[:2] for found in error_locations(answer)]


@pytest.mark.parametrize("change", [{"sort": "updated_at"}, {"q": "image"}, {"class": "person"},
                                    {"skipped": "false"}])
def test_a_cursor_belongs_to_its_filters_and_order(world, mixed, change):
    asked = {"project_id": mixed.project_id, "limit": 1, "class": "car"}
    cursor = world.admin.get("/tasks", params=asked).json()["next_cursor"]
    answer = world.admin.get("/tasks", 422, params={**asked, **change, "cursor": cursor})
    assert code_of(answer) == "INVALID_CURSOR"


@pytest.mark.parametrize("sort", ["id", "-id", "updated_at", "-updated_at"])
def test_all_projects_in_any_order(world, mixed, sort):
    person = world.member(mixed.project_id, "viewer")
    found = [task["id"] for task in person.api.all_pages("/tasks", {"sort": sort}, limit=3)]
    assert sorted(found) == [task["id"] for task in mixed.tasks]
