"""What lies between two moments of a task (docs/decisions/0019)."""

import time

import pytest

from client import box, code_of, error_locations, now, polygon
from test_batches import Crew, Place


def diff(api, task_id, since=None, until=None, expect=200):
    params = {name: value for name, value in (("from", since), ("to", until)) if value}
    return api.get("/tasks/%d/diff" % task_id, expect, params=params)


class Case:
    def __init__(self, world):
        self.work, task, self.annotator = world.started(type_key="image-seg")
        self.api, self.id = self.annotator.api, task["id"]
        self.born = task["created_at"]
        answer = self.api.save(self.id, [box(), box("person"), polygon()])
        self.drawn = answer.headers["X-Event-Position"]
        self.one, self.two, self.three = answer.json()["annotations"]

    def url(self, annotation):
        return "/tasks/%d/annotations/%d" % (self.id, annotation["id"])


@pytest.fixture
def case(world):
    return Case(world)


def ids(annotations):
    return [annotation["id"] for annotation in annotations]


def test_what_was_added_removed_and_changed(case):
    case.api.patch(case.url(case.one), {"class_name": "person", "confidence": 0.5})
    case.api.delete(case.url(case.two))
    new = case.api.save(case.id, [box()]).json()["annotations"][0]
    found = diff(case.api, case.id, case.drawn).json()
    assert found["from"] == {"as_of": case.drawn, "version": 3}
    assert found["to"] == {"as_of": None, "version": 6}
    assert found["annotations"]["added"] == [new]
    assert found["annotations"]["removed"] == [case.two]
    (changed,) = found["annotations"]["changed"]
    assert changed["id"] == case.one["id"]
    assert changed["fields"] == ["class_id", "class_name", "confidence"]
    assert changed["before"] == case.one
    assert changed["after"] == case.api.get(case.url(case.one)).json()
    assert found["task"] == {}, "three came, one went, one came"


def test_what_changed_of_the_task(case):
    held = case.api.task(case.id)
    answer = case.api.submit(case.id)
    found = diff(case.api, case.id, case.drawn, answer.headers["X-Event-Position"]).json()
    after = case.api.task(case.id)
    assert found["task"] == {
        "status": {"before": "in_progress", "after": "submitted"},
        "submitted_at": {"before": None, "after": after["submitted_at"]},
        "lock": {"before": held["lock"], "after": None}}
    assert found["annotations"] == {"added": [], "removed": [], "changed": []}


def test_from_the_birth_everything_is_new(case):
    found = diff(case.api, case.id, case.born).json()
    assert ids(found["annotations"]["added"]) == ids([case.one, case.two, case.three])
    assert found["task"]["status"] == {"before": "pending", "after": "in_progress"}
    assert found["task"]["annotation_count"] == {"before": 0, "after": 3}


def test_what_came_and_went_is_no_difference(case):
    case.api.delete(case.url(case.one))
    case.api.post(case.url(case.one) + "/restore", None, 200)
    fleeting = case.api.save(case.id, [box()]).json()["annotations"][0]
    case.api.delete(case.url(fleeting))
    found = diff(case.api, case.id, case.drawn).json()
    assert found["annotations"] == {"added": [], "removed": [], "changed": []}
    assert found["to"]["version"] > found["from"]["version"]


def test_a_moment_with_itself_is_empty(case):
    for at in (case.drawn, case.born, now()):
        found = diff(case.api, case.id, at, at).json()
        assert found["task"] == {}
        assert found["annotations"] == {"added": [], "removed": [], "changed": []}
        assert found["from"] == found["to"]


def test_a_batch_changes_tasks_too(world):
    place = Place(Crew(world), 1)
    task_id = place.tasks[0]
    batch = place.staffed(task_id)
    joined = place.task(task_id)["updated_at"]
    time.sleep(0.005)
    place.patch(batch, annotator_id=None)
    found = diff(place.viewer.api, task_id, joined).json()
    assert found["task"] == {"assignee_id": {"before": place.annotator.id, "after": None},
                             "status": {"before": "assigned", "after": "pending"}}


@pytest.mark.parametrize("since, until, where", [
    (None, None, "from"), ("yesterday", None, "from"), ("2026-01-31", None, "from"),
    ("p1.9999-1", None, "from")])
def test_bad_moments_are_refused_with_their_field(case, since, until, where):
    answer = diff(case.api, case.id, since, until, 422)
    assert error_locations(answer) == [("query", where)]


def test_a_later_moment_does_not_lie_before(case):
    answer = diff(case.api, case.id, now(), "soon", 422)
    assert error_locations(answer) == [("query", "to")]
    answer = diff(case.api, case.id, now(), case.born, 422)
    assert error_locations(answer) == [("query", "to")]
    answer = diff(case.api, case.id, case.drawn, case.born, 422)
    assert error_locations(answer) == [("query", "to")]
    answer = diff(case.api, case.id, case.born, now(ahead_s=3600), 422)
    assert error_locations(answer) == [("query", "to")]


def test_before_the_task_was_there_is_nothing_to_compare(case):
    diff(case.api, case.id, "2020-01-01T00:00:00Z", None, 404)


def test_who_may_compare(world, case):
    viewer = world.member(case.work.project_id, "viewer")
    diff(viewer.api, case.id, case.born)
    diff(world.person("project_admin").api, case.id, case.born, None, 404)
    diff(world.nobody, case.id, case.born, None, 401)
    diff(world.admin, 999999999, case.born, None, 404)


def test_a_past_larger_than_memory_has_room_for_is_refused(world):
    """A past has room for 16 MiB; a call may have 8 MiB of JSON."""
    _, task, annotator = world.started()
    born = annotator.api.task(task["id"])["created_at"]
    for _ in range(3):
        annotator.api.save(task["id"], [box(attributes={"note": "x" * 7_000_000})])
    answer = diff(annotator.api, task["id"], born, None, 413)
    assert code_of(answer) == "PAST_TOO_LARGE"
    annotator.api.get("/tasks/%d" % task["id"], 413, params={"as_of": now()})
    assert annotator.api.task(task["id"])["annotation_count"] == 3
