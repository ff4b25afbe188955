"""The change feed of a project: GET /projects/{project_id}/events (docs/change-feed.md)."""

import pytest

from client import box, code_of, error_locations, unique
from commenting import say
from feeds import Later, Stream, events, offset, page, talked_about, types, whole
from waiting import wait_until

SHOWN = {"id", "type", "version", "at", "actor", "project_id", "position", "data"}
OF_WHAT = {"task_id", "batch_id", "annotation_id"}


@pytest.fixture
def drawn(world):
    """A task that was drawn in, rejected and approved: (work, task id, annotator, reviewer)."""
    work, task, annotator = world.started(review_required=True)
    reviewer = world.member(work.project_id, "reviewer")
    first, second = annotator.api.save(task["id"], [box(), box("person")]).json()["annotations"]
    path = "/tasks/%d/annotations/%d"
    annotator.api.patch(path % (task["id"], first["id"]), {"class_name": "person"})
    annotator.api.delete(path % (task["id"], second["id"]))
    say(reviewer.api, task["id"], "Is that all?")
    annotator.api.submit(task["id"])
    reviewer.api.reject(task["id"])
    annotator.api.post("/tasks/%d/accept-rejection" % task["id"])
    annotator.api.submit(task["id"])
    reviewer.api.approve(task["id"])
    return work, task["id"], annotator, reviewer


DRAWN = ["project.created", "tasks.created", "project.member_added", "task.taken",
         "project.member_added", "task.annotations_added", "annotation.updated",
         "annotation.deleted", "comment.added", "task.submitted", "task.sent_to_review",
         "task.rejected", "task.rejection_accepted", "task.submitted", "task.sent_to_review",
         "task.approved"]


@pytest.fixture
def talk(world):
    """A project with one task, and a function that makes events there: (work, say_so)."""
    return talked_about(world)


# --- pages ---

def test_the_feed_tells_all_that_was_done(world, drawn):
    work, task_id, annotator, reviewer = drawn
    told = events(annotator.api, work.project_id)
    assert types(told) == DRAWN
    for event in told:
        assert SHOWN <= set(event) <= SHOWN | OF_WHAT, event
        assert event["project_id"] == work.project_id and event["version"] == 1
        assert event["type"].startswith("project") or event["type"] == "tasks.created" \
            or event["task_id"] == task_id
    assert [event["at"] for event in told] == sorted(event["at"] for event in told)
    by_type = {event["type"]: event for event in told}
    assert by_type["task.taken"]["actor"] == {"id": annotator.id,
                                              "name": "Name of " + annotator.username}
    assert by_type["task.rejected"]["actor"]["id"] == reviewer.id
    assert by_type["task.rejected"]["data"]["reason_type"] == "missing"
    added = by_type["task.annotations_added"]["data"]["annotations"]
    assert [shape["class_name"] for shape in added] == ["car", "person"]
    assert added[0]["type"] == "bbox" and added[0]["geometry"] == box()["geometry"]
    changed = by_type["annotation.updated"]
    assert (changed["annotation_id"], changed["data"]["class_name"]) == (added[0]["id"], "person")
    assert by_type["annotation.deleted"]["data"]["class_name"] == "person"
    assert by_type["tasks.created"]["data"]["tasks"] == [
        {"id": task_id, "display_id": work.tasks[0]["display_id"],
         "dataset_item_id": work.tasks[0]["dataset_item_id"]}]


def test_nothing_personal_is_told(world, drawn):
    work, _, annotator, _ = drawn
    person = world.person("viewer", email=unique("somebody") + "@example.org")
    world.add_member(work.project_id, person)
    annotator.api.patch("/auth/me", {"name": "Renamed"})
    answer = page(world.admin, work.project_id)
    assert "Is that all?" not in answer.text and "@" not in answer.text
    assert person.username not in answer.text

    def named_anew():
        taken = events(world.admin, work.project_id, types=["task.taken"])
        return taken[0]["actor"] == {"id": annotator.id, "name": "Renamed"}

    wait_until(named_anew, 20, "people have the name that they have now")


@pytest.mark.parametrize("limit", [1, 3, 16])
def test_pages_of_any_size_make_the_whole(drawn, limit):
    work, _, annotator, _ = drawn
    told, end = whole(annotator.api, work.project_id)
    places = [offset(event["position"]) for event in told]
    assert places == sorted(set(places)) and offset(end) >= places[-1]
    assert [event["id"].split("-")[1] for event in told] == [str(place) for place in places]
    assert events(annotator.api, work.project_id, limit=limit) == told
    assert events(annotator.api, work.project_id, after=told[4]["position"]) == told[5:]
    assert events(annotator.api, work.project_id, after=end) == []


def test_only_the_asked_types_are_told(drawn):
    work, _, annotator, _ = drawn
    wanted = ["task.submitted", "task.approved"]
    assert types(events(annotator.api, work.project_id, types=wanted)) == [
        "task.submitted", "task.submitted", "task.approved"]
    assert types(events(annotator.api, work.project_id, types=wanted, limit=1)) == [
        "task.submitted", "task.submitted", "task.approved"]
    assert events(annotator.api, work.project_id, types=["batch.created"]) == []


def test_what_was_acknowledged_is_in_the_page(world, talk):
    work, _ = talk
    after = page(world.admin, work.project_id, after="now").json()["next_position"]
    for _ in range(20):
        made = say(world.admin, work.tasks[0]["id"])
        body = page(world.admin, work.project_id, after=after).json()
        assert [e["data"]["comment_id"] for e in body["items"]] == [made.json()["id"]]
        position = made.headers["X-Event-Position"]
        assert events(world.admin, work.project_id, after=position) == []
        after = body["next_position"]


def test_many_tasks_are_told_at_once(world):
    work = world.work(5)
    body = {"name": "five", "task_ids": [task["id"] for task in work.tasks]}
    batch = world.admin.post("/projects/%d/batches" % work.project_id, body, 201).json()
    told = events(world.admin, work.project_id)
    assert types(told)[-2:] == ["batch.created", "batch.tasks_added"]
    assert told[-1]["batch_id"] == batch["id"]
    assert sorted(told[-1]["data"]["task_ids"]) == body["task_ids"]
    assert told[-2]["data"]["display_id"] == batch["display_id"]


def test_projects_of_one_shard_tell_their_own(world):
    by_shard = {}
    for _ in range(9):  # of eight shards
        project = world.project()
        pair = by_shard.setdefault(project["id"] % 8, [])
        pair.append(project)
        if len(pair) == 2:
            break
    for project in pair:
        world.admin.patch("/projects/%d" % project["id"], {"description": project["name"]})
    waiting = Later(lambda: page(world.admin, pair[0]["id"], after="now", wait=1))
    world.admin.patch("/projects/%d" % pair[1]["id"], {"description": "again"})
    assert waiting.result().json()["items"] == []
    for project in pair:
        told = events(world.admin, project["id"])
        assert {event["project_id"] for event in told} == {project["id"]}
        assert told[1]["data"] == {"description": project["name"]}


@pytest.mark.parametrize("asked, location", [
    ({"limit": 0}, "limit"), ({"limit": 1001}, "limit"), ({"wait": 61}, "wait"),
    ({"wait": -1}, "wait"), ({"types": "task.vanished"}, "types"),
    ({"types": "user.created"}, "types"), ({"after": "yesterday"}, "after"),
    ({"after": "p1."}, "after"), ({"after": "p1.0-"}, "after"), ({"after": "p1.900-1"}, "after")])
def test_a_bad_question_is_refused(world, talk, asked, location):
    work, _ = talk
    answer = page(world.admin, work.project_id, 422, **asked)
    assert [found[:2] for found in error_locations(answer)] == [("query", location)]


def test_a_position_of_another_log_is_refused(world, talk):
    work, _ = talk
    foreign = "p1.%d-1" % ((work.project_id + 1) % 8)
    assert error_locations(page(world.admin, work.project_id, 422, after=foreign)) == [
        ("query", "after")]
    beyond = "p1.%d-999999999" % (work.project_id % 8)
    answer = page(world.admin, work.project_id, 503, after=beyond)
    assert code_of(answer) == "READ_MODEL_BEHIND" and int(answer.headers["Retry-After"]) >= 1
    for last_id in ("garbage", foreign):
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last_id}
        assert code_of(page(world.admin, work.project_id, 400, headers=headers)) == \
            "INVALID_POSITION"


# --- waiting ---

def test_a_waiting_call_answers_as_soon_as_something_happens(world, talk):
    work, say_so = talk
    after = page(world.admin, work.project_id, after="now").json()["next_position"]
    for _ in range(5):
        # Were it not woken, the client would give up before.
        waiting = Later(lambda: page(world.admin, work.project_id, after=after, wait=60,
                                     timeout=40))  # pylint: disable=cell-var-from-loop
        say_so()
        body = waiting.result().json()
        assert types(body["items"]) == ["comment.added"]
        after = body["next_position"]


def test_a_waiting_call_that_hears_nothing_says_where_to_go_on(world, talk):
    work, say_so = talk
    body = page(world.admin, work.project_id, after="now", wait=1).json()
    assert body["items"] == [] and body["caught_up"]
    say_so()
    assert types(events(world.admin, work.project_id, after=body["next_position"])) == [
        "comment.added"]


def test_a_waiting_call_passes_what_was_not_asked_for(world, talk):
    work, say_so = talk
    waiting = Later(lambda: page(world.admin, work.project_id, after="now", wait=60, timeout=40,
                                 types=["project.updated"]))
    say_so(3)
    world.admin.patch("/projects/%d" % work.project_id, {"description": "new"})
    assert types(waiting.result().json()["items"]) == ["project.updated"]


def test_what_is_there_already_is_not_waited_for(world, talk):
    work, _ = talk
    body = page(world.admin, work.project_id, wait=60, timeout=40).json()
    assert types(body["items"])[0] == "project.created"


# --- streams ---

def test_a_stream_tells_what_the_page_tells(world, drawn):
    work, _, annotator, _ = drawn
    told = events(annotator.api, work.project_id)
    with Stream(annotator.api, work.project_id) as stream:
        assert stream.answer.headers["Content-Type"] == "text/event-stream"
        assert stream.answer.headers["Cache-Control"] == "no-store"
        assert stream.block() == ["retry: 2000"]
        messages = stream.take(len(told))
    assert [message.data for message in messages] == told
    assert [message.id for message in messages] == [event["position"] for event in told]
    assert [message.event for message in messages] == types(told)


def test_a_stream_goes_on_with_what_happens(world, talk):
    work, say_so = talk
    with Stream(world.admin, work.project_id, after="now") as stream:
        for count in (1, 3, 1):
            say_so(count)
            assert {message.event for message in stream.take(count)} == {"comment.added"}


def test_a_reader_that_comes_back_misses_nothing_and_hears_nothing_twice(world, talk):
    work, say_so = talk
    start = page(world.admin, work.project_id, after="now").json()["next_position"]
    last_id, heard = None, []
    for _ in range(4):
        say_so(5)
        with Stream(world.admin, work.project_id, after=start, last_id=last_id) as stream:
            heard += [message.data for message in stream.take(3)]
            last_id = stream.last_id
    with Stream(world.admin, work.project_id, after=start, last_id=last_id) as stream:
        heard += [message.data for message in stream.take(8)]
    assert heard == events(world.admin, work.project_id, after=start)


def test_a_stream_has_the_asked_types_alone(world, talk):
    work, say_so = talk
    with Stream(world.admin, work.project_id, types=["project.created", "project.updated"]) as one:
        assert one.take(1)[0].event == "project.created"
        say_so(3)
        world.admin.patch("/projects/%d" % work.project_id, {"description": "new"})
        assert one.take(1)[0].event == "project.updated"


def test_a_silent_stream_is_kept_open_and_moves_on(world, talk):
    work, say_so = talk
    with Stream(world.admin, work.project_id, after="now", types=["batch.created"]) as stream:
        assert stream.block() == ["retry: 2000"]
        say_so()
        position = page(world.admin, work.project_id, after="now").json()["next_position"]
        lines = stream.block()  # after 15 s
    assert lines[0] == ":" and lines[1].startswith("id: ")
    assert offset(lines[1].removeprefix("id: ")) >= offset(position)


def test_many_streams_hear_the_same(world, talk):
    work, say_so = talk
    listener = world.member(work.project_id, "viewer")
    streams = [Stream(listener.api, work.project_id, after="now") for _ in range(8)]
    say_so(10)
    heard = [[message.id for message in stream.take(10)] for stream in streams]
    for stream in streams:
        stream.close()
    assert all(ids == heard[0] for ids in heard)
