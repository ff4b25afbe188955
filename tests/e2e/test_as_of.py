"""Tasks and annotations as they were (decisions, section 5; docs/decisions/0019)."""

import datetime
import time

import pytest

from client import box, code_of, error_locations, now, unique, without_link
from test_batches import Crew, Place


def then(api, task_id, as_of, expect=200):
    return api.get("/tasks/%d" % task_id, expect, params={"as_of": as_of})


def shapes_then(api, task_id, as_of, limit=1000):
    return api.all_pages("/tasks/%d/annotations/page" % task_id, {"as_of": as_of}, limit=limit)


class Walk:
    """A task through its work; after each step its position, its time and what was shown."""

    def __init__(self, world):
        self.world = world
        self.work, task, self.annotator = world.started(review_required=True)
        self.reviewer = world.member(self.work.project_id, "reviewer")
        self.api, self.id = self.annotator.api, task["id"]
        self.steps = []
        made = self.step(self.api.save(self.id, [box(), box("person")])).json()["annotations"]
        self.one, self.two = ("/tasks/%d/annotations/%d" % (self.id, a["id"]) for a in made)
        self.step(self.api.patch(self.one, {"class_name": "person"}))
        self.step(self.api.delete(self.two))
        self.step(self.api.submit(self.id))
        self.step(self.reviewer.api.reject(self.id))
        self.step(self.api.post(self.two + "/restore", None, 200))
        self.step(self.api.submit(self.id))
        self.step(self.reviewer.api.approve(self.id))

    def step(self, answer):
        task = self.api.task(self.id)
        self.steps.append((answer.headers["X-Event-Position"], task["updated_at"],
                           without_link(task), self.api.annotations(self.id)))
        time.sleep(0.005)  # so that each has a millisecond of its own
        return answer


@pytest.fixture(scope="module")
def walk(world):
    return Walk(world)


@pytest.fixture
def task(world):
    _, made, annotator = world.started()
    return annotator.api, made["id"]


def test_every_step_is_given_back_by_its_position(walk):
    for position, _, shown, shapes in walk.steps:
        seen = without_link(then(walk.api, walk.id, position).json())
        assert seen == shown
        assert shapes_then(walk.api, walk.id, position) == shapes


def test_every_step_is_given_back_by_its_time(walk):
    for _, at, shown, shapes in walk.steps:
        assert without_link(then(walk.api, walk.id, at).json()) == shown
        assert shapes_then(walk.api, walk.id, at) == shapes


def test_pages_of_the_past_go_on(walk):
    position, _, _, shapes = walk.steps[0]
    assert len(shapes) == 2
    assert shapes_then(walk.api, walk.id, position, limit=1) == shapes
    page = "/tasks/%d/annotations/page" % walk.id
    cursor = walk.api.get(page, params={"as_of": position, "limit": 1}).json()["next_cursor"]
    answer = walk.api.get(page, 422, params={"limit": 1, "cursor": cursor})
    assert code_of(answer) == "INVALID_CURSOR", "it is of another moment"


def test_one_annotation_as_it_was(walk):
    first, changed, deleted = (step[0] for step in walk.steps[:3])
    assert walk.api.get(walk.one, params={"as_of": first}).json()["class_name"] == "car"
    assert walk.api.get(walk.one, params={"as_of": changed}).json()["class_name"] == "person"
    assert walk.api.get(walk.two, params={"as_of": changed}).json()["version"] == 1
    walk.api.get(walk.two, 404, params={"as_of": deleted})
    assert walk.api.get(walk.two).json()["version"] == 3


def test_now_is_the_present(walk):
    shown = without_link(walk.api.task(walk.id))
    assert without_link(then(walk.api, walk.id, now()).json()) == shown
    assert then(walk.api, walk.id, now()).headers.get("ETag") is None


def test_a_history_ends_at_its_moment(walk):
    path = "/tasks/%d/history" % walk.id
    whole = walk.api.all_pages(path)
    for position, at, _, _ in walk.steps:
        for as_of in (position, at):
            told = walk.api.all_pages(path, {"as_of": as_of}, limit=2)
            assert told == whole[:len(told)]
            assert told[-1]["at"] == at
            assert all(item["at"] > at for item in whole[len(told):])
    walk.api.get(path, 404, params={"as_of": "2020-01-01T00:00:00Z"})
    answer = walk.api.get(path, 422, params={"as_of": "yesterday"})
    assert error_locations(answer) == [("query", "as_of")]


def test_what_knows_no_past_refuses_to_be_asked_for_it(walk):
    annotation_id = walk.one.rsplit("/", 1)[1]
    for path in ("/tasks", "/tasks/%d/comments" % walk.id,
                 "/annotations/%s/history" % annotation_id):
        answer = walk.api.get(path, 422, params={"as_of": now()})
        assert error_locations(answer) == [("query", "as_of")], path


def test_a_time_with_an_offset_is_the_same_time(walk):
    _, at, shown, _ = walk.steps[0]
    local = datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone(
        datetime.timezone(datetime.timedelta(hours=2)))
    assert without_link(
        then(walk.api, walk.id, local.isoformat(timespec="milliseconds")).json()) == shown


def test_before_it_was_it_is_not_found(walk):
    for as_of in ("2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z"):
        then(walk.api, walk.id, as_of, 404)
        walk.api.get(walk.one, 404, params={"as_of": as_of})
        walk.api.get("/tasks/%d/annotations/page" % walk.id, 404, params={"as_of": as_of})
    born = walk.api.task(walk.id)["created_at"]
    assert then(walk.api, walk.id, born).json()["version"] == 1
    assert shapes_then(walk.api, walk.id, born) == []
    walk.api.get(walk.one, 404, params={"as_of": born})


@pytest.mark.parametrize("as_of", [
    "", "yesterday", "2026-01-31", "2026-01-31T08:00:00", "2026-13-01T00:00:00Z", "1750000000",
    "p1", "p1.", "p1.0", "p1.0-", "p1.x-1", "p1.9999-1", "p2.0-1", "0", "null", "p1.0-1x",
    "2026-01-31T08:00:00Z'; DROP TABLE tasks; --"])
def test_a_bad_moment_is_refused_with_its_field(task, as_of):
    api, task_id = task
    for path in ("/tasks/%d" % task_id, "/tasks/%d/annotations/page" % task_id):
        assert error_locations(api.get(path, 422, params={"as_of": as_of})) == [("query", "as_of")]


def test_the_future_is_refused(task):
    api, task_id = task
    answer = then(api, task_id, now(ahead_s=3600), 422)
    assert error_locations(answer) == [("query", "as_of")]
    assert "future" in answer.json()["detail"]["errors"][0]["msg"]
    then(api, task_id, now(ahead_s=1))  # clocks differ a little


@pytest.mark.parametrize("tail, field", [("", "as_of"), ("/annotations/page", "as_of"),
                                         ("/diff", "from")])
def test_a_position_that_is_not_reached_is_503(task, tail, field):
    api, task_id = task
    shard, offset = api.post("/tasks/%d/lock" % task_id).headers["X-Event-Position"].rsplit("-", 1)
    far = "%s-%d" % (shard, int(offset) + 1_000_000)
    answer = api.get("/tasks/%d%s" % (task_id, tail), 503, params={field: far})
    assert code_of(answer) == "READ_MODEL_BEHIND" and int(answer.headers["Retry-After"]) >= 1


def test_a_position_of_another_shard_is_refused(world, task):
    api, task_id = task
    group = world.admin.post("/groups", {"name": unique("group")}, 201)
    directory = group.headers["X-Event-Position"]
    own = api.post("/tasks/%d/lock" % task_id).headers["X-Event-Position"]
    if directory.split("-")[0] != own.split("-")[0]:  # with one shard there is no other
        answer = then(api, task_id, directory, 422)
        assert error_locations(answer) == [("query", "as_of")]
    both = own + directory[len("p1"):]
    assert then(api, task_id, both).json()["id"] == task_id


def test_a_batch_shows_whose_the_task_was(world):
    place = Place(Crew(world), 1)
    batch = place.staffed(place.tasks[0])
    joined = place.task(place.tasks[0])
    time.sleep(0.005)
    given = place.patch(batch, annotator_id=place.other.id)
    api, task_id = place.owner.api, place.tasks[0]
    seen = then(api, task_id, joined["updated_at"]).json()
    assert seen["assignee_id"] == place.annotator.id
    assert seen["assignee"]["username"] == place.annotator.username
    assert without_link(seen) == without_link(joined)
    seen = then(api, task_id, given.headers["X-Event-Position"]).json()
    assert seen["assignee_id"] == place.other.id
    assert without_link(seen) == without_link(place.task(task_id))


def test_a_lock_that_had_ended_is_none(world):
    _, task, annotator = world.started()
    locked = annotator.api.task(task["id"])
    time.sleep(0.005)
    annotator.api.delete("/tasks/%d/lock" % task["id"])
    seen = then(annotator.api, task["id"], locked["updated_at"]).json()
    assert seen["lock"] == locked["lock"] and seen["lock"]["user_id"] == annotator.id
    assert then(annotator.api, task["id"], now()).json()["lock"] is None


def test_the_past_is_seen_by_those_who_see_the_present(world, walk):
    position = walk.steps[0][0]
    viewer = world.member(walk.work.project_id, "viewer")
    then(viewer.api, walk.id, position)
    stranger = world.person("reviewer")
    then(stranger.api, walk.id, position, 404)
    stranger.api.get(walk.one, 404, params={"as_of": position})
    then(world.nobody, walk.id, position, 401)


def test_classes_have_the_names_of_then(world):
    work, task, annotator = world.started()
    made = annotator.api.save(task["id"], [box("car")])
    then_at, shape = made.headers["X-Event-Position"], made.json()["annotations"][0]
    new = unique("vehicle")
    world.admin.post("/projects/%d/classes/rename" % work.project_id,
                     {"old_name": "car", "new_name": new})
    later = annotator.api.patch("/tasks/%d/annotations/%d" % (task["id"], shape["id"]),
                                {"confidence": 0.5}).headers["X-Event-Position"]
    for as_of, name in ((then_at, "car"), (later, new)):
        assert [a["class_name"] for a in shapes_then(annotator.api, task["id"], as_of)] == [name]
    kept = annotator.api.get("/annotations/%d/history" % shape["id"]).json()["items"]
    assert [e["after"]["class_name"] for e in kept if e["after"]] == ["car", new]
