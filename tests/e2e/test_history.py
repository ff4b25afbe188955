"""What happened to tasks, annotations and batches (specification, Tasks, Batches; decisions,
section 5; docs/decisions/0019)."""

import math

import pytest

from client import box, code_of, error_locations, now, polygon, unique
from commenting import say
from test_audit import row_of
from test_batches import Crew, Place
from waiting import wait_until
from world import World

ITEM = {"seq", "at", "actor", "type", "annotation_id", "version", "before", "after", "reason"}
ROW = {"id", "actor_id", "actor", "actor_email", "actor_role", "proof", "action", "target_type",
       "target_id", "project_id", "method", "path", "status_code", "ip", "detail_json",
       "created_at"}


def history(api, task_id, limit=50):
    return api.all_pages("/tasks/%d/history" % task_id, limit=limit)


def types(items):
    return [item["type"] for item in items]


def annotation_url(task_id, annotation):
    return "/tasks/%d/annotations/%d" % (task_id, annotation["id"])


@pytest.fixture
def drawn(world):
    """A task in work with two annotations, one changed, one deleted:
    (work, task id, annotations, annotator)."""
    work, task, annotator = world.started(review_required=True)
    made = annotator.api.save(task["id"], [box(), box("person")]).json()["annotations"]
    annotator.api.patch(annotation_url(task["id"], made[0]), {"class_name": "person"})
    annotator.api.delete(annotation_url(task["id"], made[1]))
    return work, task["id"], made, annotator


# --- of a task ---

def test_a_task_tells_its_whole_life(world, drawn):
    work, task_id, _, annotator = drawn
    reviewer = world.member(work.project_id, "reviewer")
    annotator.api.submit(task_id)
    reviewer.api.reject(task_id)
    annotator.api.post("/tasks/%d/accept-rejection" % task_id)
    annotator.api.submit(task_id)
    reviewer.api.approve(task_id)
    reviewer.api.post("/tasks/%d/reopen" % task_id)
    items = history(annotator.api, task_id)
    assert types(items) == [
        "tasks.created", "task.taken", "annotation.created", "annotation.created",
        "annotation.updated", "annotation.deleted", "task.submitted", "task.sent_to_review",
        "task.rejected", "task.rejection_accepted", "task.submitted", "task.sent_to_review",
        "task.approved", "task.reopened"]
    assert [item["seq"] for item in items] == list(range(1, len(items) + 1))
    assert all(set(item) == ITEM for item in items)
    assert [item["at"] for item in items] == sorted(item["at"] for item in items)
    assert items[-1]["version"] == annotator.api.task(task_id)["version"]
    taken, rejected = items[1], items[8]
    assert taken["actor"] == {"id": annotator.id, "name": "Name of " + annotator.username,
                              "username": annotator.username}
    assert taken["before"]["status"] == "pending" and taken["after"]["status"] == "in_progress"
    assert taken["after"]["assignee_id"] == annotator.id
    assert rejected["actor"]["id"] == reviewer.id
    assert rejected["after"]["reject_reason_type"] == "missing"
    assert "annotation_count" not in rejected["after"]


def test_every_revision_of_an_annotation_is_there(drawn):
    _, task_id, made, annotator = drawn
    items = [item for item in history(annotator.api, task_id) if item["annotation_id"]]
    created, _, updated, deleted = items
    assert created["before"] is None and created["after"] == made[0]
    assert updated["before"] == made[0]
    assert updated["after"] == annotator.api.annotations(task_id)[0]
    assert updated["version"] == 2
    assert deleted["annotation_id"] == made[1]["id"]
    assert deleted["before"] == made[1] and deleted["after"] is None
    annotator.api.post(annotation_url(task_id, made[1]) + "/restore", None, 200)
    restored = history(annotator.api, task_id)[-1]
    assert restored["type"] == "annotation.restored"
    assert restored["before"] is None and restored["after"]["version"] == 3


def test_pages_go_from_the_oldest_to_the_newest(drawn):
    _, task_id, _, annotator = drawn
    whole = history(annotator.api, task_id)
    for limit in (1, 2, 5, 6, 200):
        assert history(annotator.api, task_id, limit) == whole
    page = annotator.api.get("/tasks/%d/history" % task_id, params={"limit": 2}).json()
    annotator.api.save(task_id, [box()])
    rest = annotator.api.get("/tasks/%d/history" % task_id,
                             params={"limit": 200, "cursor": page["next_cursor"]}).json()
    assert rest["items"][:len(whole) - 2] == whole[2:]
    assert types(rest["items"])[-1] == "annotation.created"
    assert rest["next_cursor"] is None


@pytest.mark.parametrize("params, where", [
    ({"limit": 0}, "limit"), ({"limit": 201}, "limit"), ({"limit": "x"}, "limit")])
def test_a_bad_query_is_refused_with_its_field(drawn, params, where):
    _, task_id, _, annotator = drawn
    answer = annotator.api.get("/tasks/%d/history" % task_id, 422, params=params)
    assert ("query", where) in error_locations(answer)


def test_a_foreign_cursor_is_refused(world, drawn):
    _, task_id, _, annotator = drawn
    path = "/tasks/%d/history" % task_id
    cursor = annotator.api.get(path, params={"limit": 1}).json()["next_cursor"]
    for api in (world.admin, annotator.api):
        sent = cursor if api is world.admin else cursor + "x"
        assert code_of(api.get(path, 422, params={"cursor": sent})) == "INVALID_CURSOR"


def test_locks_are_told_and_renewals_are_not(world):
    _, task, annotator = world.started()
    path = "/tasks/%d/lock" % task["id"]
    for _ in range(3):
        annotator.api.post(path)
    annotator.api.delete(path)
    items = history(annotator.api, task["id"])
    assert types(items) == ["tasks.created", "task.taken", "task.unlocked"]
    assert items[-1]["before"]["lock"]["user_id"] == annotator.id
    assert items[-1]["after"]["lock"] is None


def test_a_batch_is_told_where_it_changed_the_task(world):
    place = Place(Crew(world), 2)
    task_id, completed = place.tasks
    batch = place.staffed(task_id, completed)
    place.move(batch, "active")
    place.work_off(batch)
    place.reviewer.api.approve(completed)
    place.act(batch, "reset", {"reason": "all over again"})
    place.patch(batch, annotator_id=place.other.id)
    place.take_out(batch, [completed])
    place.owner.api.delete(place.url(batch))
    items = history(place.owner.api, task_id)
    assert types(items) == [
        "tasks.created", "batch.tasks_added", "task.taken", "annotation.created", "task.submitted",
        "batch.reset", "batch.assigned", "batch.deleted"]
    reset, assigned, deleted = items[-3:]
    assert reset["before"]["status"] == "submitted" and reset["after"]["status"] == "pending"
    assert assigned["after"] == {"assignee_id": place.other.id, "status": "assigned"}
    assert deleted["before"] == {"batch_id": batch["id"]}
    assert deleted["after"] == {"batch_id": None}
    assert items[-1]["version"] == place.task(task_id)["version"]
    assert types(history(place.owner.api, completed))[-1] == "batch.tasks_removed"


def test_who_may_read_it(world, drawn):
    work, task_id, made, _ = drawn
    paths = ("/tasks/%d/history" % task_id, "/annotations/%d/history" % made[0]["id"],
             annotation_url(task_id, made[0]))
    for role in ("viewer", "annotator", "reviewer", "project_admin"):
        member = world.member(work.project_id, role)
        stranger = world.person(role)
        for path in paths:
            member.api.get(path)
            assert code_of(stranger.api.get(path, 404)) == "NOT_FOUND"
    for path in paths:
        world.nobody.get(path, 401)
    world.admin.get("/tasks/999999999/history", 404)
    world.admin.get("/annotations/999999999/history", 404)


def test_an_erased_person_is_named_no_more(world):
    work, task, annotator = world.started()
    annotator.api.submit(task["id"], [box()])
    world.admin.post("/users/%d/erase" % annotator.id, {"reason": "asked for it"})

    def nameless():
        actor = history(world.admin, task["id"])[1]["actor"]
        return actor["name"] == "" and actor

    assert wait_until(nameless, 10, "the actor's name to go") == {
        "id": annotator.id, "name": "", "username": ""}


# --- of an annotation ---

def test_an_annotation_tells_its_revisions_the_work_and_what_was_said(world, drawn):
    work, task_id, (one, two), annotator = drawn
    reviewer = world.member(work.project_id, "reviewer")
    say(annotator.api, task_id, "of one", annotation_id=one["id"])
    said = say(annotator.api, task_id, "gone", annotation_id=one["id"]).json()
    annotator.api.delete("/tasks/%d/comments/%d" % (task_id, said["id"]))
    say(annotator.api, task_id, "of the task")
    annotator.api.submit(task_id)
    reviewer.api.reject(task_id)
    items = annotator.api.get("/annotations/%d/history" % one["id"]).json()["items"]
    assert [(item["kind"], item["type"]) for item in items] == [
        ("task_event", "annotation.created"), ("task_event", "annotation.updated"),
        ("audit", "annotation.update"), ("comment", "comment.added"),
        ("task_event", "task.submitted"), ("task_event", "task.sent_to_review"),
        ("task_event", "task.rejected")]
    assert (items[2]["status_code"], items[2]["actor"]["id"]) == (200, annotator.id)
    assert items[3]["comment"]["body"] == "of one"
    assert items[3]["actor"]["id"] == annotator.id
    assert items[1]["before"]["class_name"] == "car"
    assert items[1]["after"]["class_name"] == "person"
    deleted = annotator.api.get("/annotations/%d/history" % two["id"]).json()["items"]
    assert types(deleted)[:2] == ["annotation.created", "annotation.deleted"]


def test_work_before_an_annotation_is_not_its_history(world):
    _, task, annotator = world.submitted([box()])
    world.admin.approve(task["id"])
    world.admin.post("/tasks/%d/reopen" % task["id"])
    made = annotator.api.save(task["id"], [box()]).json()["annotations"][0]
    items = annotator.api.get("/annotations/%d/history" % made["id"]).json()["items"]
    assert types(items) == ["annotation.created"]


# --- one annotation ---

def test_one_annotation_is_read_with_its_version(drawn):
    _, task_id, (one, two), annotator = drawn
    answer = annotator.api.get(annotation_url(task_id, one))
    assert answer.json() == annotator.api.annotations(task_id)[0]
    assert answer.headers["ETag"] == '"2"'
    annotator.api.get(annotation_url(task_id, two), 404)
    annotator.api.get(annotation_url(task_id + 1_000_000, one), 404)
    annotator.api.get("/tasks/%d/annotations/999999999" % task_id, 404)


# --- of shapes that have hundreds of kilobytes ---

MOST_BYTES = 9 * 1024 * 1024  # 8 MiB of shapes, and what stands around them


def heavy(radius):
    """A polygon of half a megabyte."""
    points = [(0.5 + radius * math.cos(i * math.tau / 10_000),
               0.5 + radius * math.sin(i * math.tau / 10_000)) for i in range(10_000)]
    return polygon(points=points)


def pages(api, path, limit):
    """All items, and of how many items each page was."""
    items, lengths, cursor = [], [], None
    while not lengths or cursor:
        answer = api.get(path, params={"limit": limit, **({"cursor": cursor} if cursor else {})})
        assert len(answer.content) < MOST_BYTES
        page = answer.json()
        items += page["items"]
        lengths.append(len(page["items"]))
        cursor = page["next_cursor"]
    return items, lengths


def test_pages_end_by_bytes_too(world):
    _, task, annotator = world.started(type_key="image-seg")
    api, made = annotator.api, []
    for turn in range(4):
        shapes = [heavy(0.1 + 0.015 * (turn * 6 + i)) for i in range(6)]
        made += api.save(task["id"], shapes).json()["annotations"]
    items, lengths = pages(api, "/tasks/%d/history" % task["id"], 200)
    assert [item["seq"] for item in items] == list(range(1, 2 + 24 + 1))
    assert [item["after"] for item in items[2:]] == made
    assert len(lengths) == 2
    found, lengths = pages(api, "/tasks/%d/annotations/page" % task["id"], 1000)
    assert sorted(found, key=lambda a: a["id"]) == made
    assert len(lengths) == 2
    then = api.all_pages("/tasks/%d/annotations/page" % task["id"], {"as_of": now()}, limit=1000)
    assert then == found
    for turn in range(11):
        api.patch(annotation_url(task["id"], made[0]),
                  {"class_name": ("person", "car")[turn % 2]})
    say(api, task["id"], "heavy", annotation_id=made[0]["id"])
    path = "/annotations/%d/history" % made[0]["id"]
    items, lengths = pages(api, path, 200)
    changes = ["annotation.updated", "annotation.update"]  # what happened, and the request
    assert types(items) == ["annotation.created"] + changes * 11 + ["comment.added"]
    assert len(lengths) == 2
    assert pages(api, path, 3) == (items, [3] * 8)


# --- of a batch ---

def trace(api, place, batch, limit=50):
    return api.all_pages(place.url(batch, "audit-logs"), limit=limit)


def test_a_batch_tells_who_asked_for_what(world):
    place = Place(Crew(world), 3)
    batch = place.staffed(*place.tasks[:2])
    place.patch(batch, name="another name")
    place.patch(batch, annotator_id=place.other.id)
    place.act(batch, "tasks", {"task_ids": [place.tasks[2]]})
    place.take_out(batch, [place.tasks[0]])
    place.move(batch, "active")
    place.next(place.other, batch)
    place.owner.api.post(place.url(batch, "reset"), {"reason": "short"}, 422)
    place.act(batch, "reset", {"reason": "all over again"})
    rows = trace(world.admin, place, batch)
    assert [(row["action"], row["status_code"]) for row in rows] == [
        ("batch.reset", 200), ("batch.reset", 422), ("batch.transition", 200),
        ("batch.remove_tasks", 200), ("batch.add_tasks", 200), ("batch.update", 200),
        ("batch.update", 200), ("batch.create", 201)]
    assert all(set(row) == ROW for row in rows)
    assert all(row["target_type"] == "batch" and row["target_id"] == batch["id"] for row in rows)
    assert [row["created_at"] for row in rows] == sorted(
        (row["created_at"] for row in rows), reverse=True)
    reset = rows[0]
    assert reset["actor_id"] == place.owner.id
    assert reset["actor"]["username"] == place.owner.username
    assert reset["detail_json"]["reason"] == "all over again"
    assert reset["detail_json"]["display_id"] == batch["display_id"]
    assert reset["detail_json"]["request_id"]
    for limit in (1, 2, 8, 200):
        assert trace(world.admin, place, batch, limit) == rows
    assert trace(world.admin, place, batch["display_id"]) == rows


def test_the_trace_of_a_deleted_batch_ends_with_its_deletion(world):
    place = Place(Crew(world), 1)
    batch, kept = place.staffed(place.tasks[0]), place.make()
    before = trace(world.admin, place, batch)
    place.owner.api.delete(place.url(batch), 204)
    for name in (batch, batch["display_id"]):
        rows = trace(world.admin, place, name)
        assert rows[0]["action"] == "batch.delete"
        assert rows[0]["actor_id"] == place.owner.id
        assert rows[1:] == before
    place.owner.api.post(place.url("", "bulk-delete"), {"batch_ids": [kept["id"], 999999999]})
    assert [row["action"] for row in trace(world.admin, place, kept)] == [
        "batch.bulk_delete", "batch.create"]
    world.admin.get(place.url(999999999, "audit-logs"), 404)
    world.admin.get(place.url("B-999", "audit-logs"), 404)
    Place(Crew(world)).owner.api.get(place.url(batch, "audit-logs"), 404)


@pytest.mark.parametrize("call, action", [
    ("bulk-archive", "batch.bulk_archive"), ("bulk-activate", "batch.bulk_activate"),
    ("bulk-delete", "batch.bulk_delete"), ("bulk-reassign", "batch.bulk_reassign"),
    ("distribute-batches", "batch.distribute")])
def test_a_call_about_many_batches_leaves_one_row_that_names_all(world, call, action):
    place = Place(Crew(world), 3)
    batches = [place.staffed(place.tasks[0]), place.make(task_ids=place.tasks[1:]), place.make()]
    body = {"batch_ids": [batch["id"] for batch in batches]}
    if call == "bulk-reassign":
        body |= {"annotator_id": place.annotator.id, "reviewer_id": place.reviewer.id}
    if call == "distribute-batches":
        body = {"annotator_ids": [place.annotator.id], "reviewer_ids": [place.reviewer.id],
                "scope": "all"}
    answer = place.owner.api.post(place.url("", call), body, 200)
    row = row_of(world, answer, project_id=place.id)
    assert (row["action"], row["target_type"], row["status_code"]) == (action, "project", 200)
    assert sorted(row["detail_json"]["batch_ids"]) == sorted(b["id"] for b in batches)
    for batch in batches:
        assert trace(world.admin, place, batch)[0] == row


def test_only_a_super_admin_reads_the_trace(world):
    place = Place(Crew(world))
    batch = place.make()
    url = place.url(batch, "audit-logs")
    place.root.api.get(url)
    for name in ("viewer", "annotator", "reviewer", "admin", "owner"):
        assert code_of(getattr(place, name).api.get(url, 403)) == "FORBIDDEN"
    place.stranger.api.get(url, 404)
    world.admin.get(place.url(999999999, "audit-logs"), 404)
    answer = world.admin.get(url, 422, params={"limit": 201})
    assert error_locations(answer) == [("query", "limit")]


# --- for ever ---

def test_histories_outlive_a_restart(make_service):
    service = make_service().start()  # its own
    world = World(service)
    _, task, _ = world.submitted([box()], name=unique("kept"))
    kept = history(world.admin, task["id"])
    service.restart()
    world.login_admin()
    assert history(world.admin, task["id"]) == kept
