"""What becomes of a batch's tasks: offered, skipped, handed to another, filled in, taken out, reset
(specification, Batch; decisions 4 and 5)."""

import pytest

from client import Api, box, code_of, error_locations, unique, without_link
from test_batches import EVERYONE, MOVES, OWNERS, REASON, REVIEW, Crew, Place
from test_concurrency import together

OPEN = ("draft", "active")
CLOSED = ("draft", "approved", "rejected", "archived")


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


def skip(api, task_id, body=None, expect=200, **more):
    return api.post("/tasks/%d/skip" % task_id, body, expect, **more)


def begin(place, batch=None):
    """The annotator's next task, with one shape in it."""
    task_id = place.next(place.annotator, batch).json()["id"]
    place.annotator.api.save(task_id, [box()])
    return task_id


# --- skipping ---

@pytest.mark.parametrize("body", [None, {}, {"reason": None}, {"reason": "too dark: ü"}])
def test_a_skipped_task_is_free_again(crew, body):
    place = Place(crew, 1)
    task_id = begin(place)
    skipped = skip(place.annotator.api, task_id, body).json()
    assert without_link(skipped) == without_link(place.task(task_id))
    assert (skipped["status"], skipped["lock"], skipped["assignee_id"]) == ("pending", None, None)
    assert skipped["skipped_at"].endswith("Z")
    assert skipped["annotation_count"] == 1
    told = place.owner.api.get("/tasks/%d/history" % task_id).json()["items"]
    assert [entry["reason"] for entry in told if entry["type"] == "task.skipped"] == [
        (body or {}).get("reason")]
    assert place.next(place.other).json()["id"] == task_id


@pytest.mark.parametrize("in_batch", [False, True])
def test_a_skipped_task_is_offered_after_all_others(crew, in_batch):
    place = Place(crew, 4)
    batch = place.at("active", *place.tasks) if in_batch else None
    for _ in range(2):
        skip(place.annotator.api, place.next(place.annotator, batch).json()["id"])
    order = place.work_off(batch)
    assert order[:2] == place.tasks[2:]
    assert sorted(order[2:]) == place.tasks[:2]


def test_who_only_holds_the_lock_can_not_throw_anothers_work_back(crew):
    place = Place(crew, 1)
    task_id = begin(place)
    place.annotator.api.delete("/tasks/%d/lock" % task_id)
    place.other.api.post("/tasks/%d/lock" % task_id)
    assert code_of(skip(place.other.api, task_id, expect=409)) == "TASK_ASSIGNED"
    assert place.task(task_id)["assignee_id"] == place.annotator.id


def test_rejected_work_is_locked_by_its_assignee_and_reviewers_only(crew):
    place = Place(crew, 1)
    task_id = begin(place)
    place.annotator.api.submit(task_id)
    place.reviewer.api.reject(task_id)
    path = "/tasks/%d/lock" % task_id
    assert code_of(place.other.api.post(path, None, 409)) == "TASK_ASSIGNED"
    for person in (place.annotator, place.reviewer):
        person.api.post(path)
        person.api.delete(path)


@pytest.mark.parametrize("status, works", [
    ("pending", False), ("assigned", True), ("in_progress", True), ("submitted", False),
    ("review", False), ("rejected", True), ("completed", False)])
def test_only_unfinished_work_is_skipped(crew, status, works):
    place = Place(crew, 1, review_required=status == "review")
    task_id = place.tasks[0]
    if status == "assigned":
        place.at("active", task_id)
    elif status != "pending":
        place.next(place.annotator)
    if status in ("submitted", "review", "rejected", "completed"):
        place.annotator.api.submit(task_id, [box()])
    if status == "completed":
        place.reviewer.api.approve(task_id)
    if status == "rejected":
        place.reviewer.api.reject(task_id)
    before = without_link(place.task(task_id))
    assert before["status"] == status
    # A pending task has no assignee: that the caller is not it may be named first.
    skip(place.annotator.api, task_id, None,
         200 if works else (403, 409) if status == "pending" else 409)
    after = without_link(place.task(task_id))
    if not works:
        assert after == before
        return
    assert (after["status"], after["lock"]) == ("pending", None)
    assert (after["reject_reason"], after["reject_reason_type"]) == (None, None)


def test_only_the_assignee_skips(crew):
    place = Place(crew, 1)
    task_id = begin(place)
    before = without_link(place.task(task_id))
    skip(place.other.api, task_id, None, (403, 409))
    assert code_of(skip(place.viewer.api, task_id, None, 403)) == "FORBIDDEN"
    skip(place.stranger.api, task_id, None, 404)
    skip(place.annotator.api, 999999999, None, 404)
    answer = skip(place.annotator.api, task_id, {"reason": 5}, 422)
    assert ("body", "reason") in error_locations(answer)
    assert without_link(place.task(task_id)) == before


def test_a_skip_counts_once(crew):
    place = Place(crew, 1)
    batch = place.at("active", *place.tasks)
    task_id, key = begin(place, batch), unique("key")
    first = skip(place.annotator.api, task_id, {"reason": "dark"}, key=key)
    assert place.see(batch)["progress"]["in_progress"] == 0
    place.next(place.annotator, batch)
    again = skip(place.annotator.api, task_id, {"reason": "dark"}, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"  # and shows the task as it is now
    assert again.json()["id"] == first.json()["id"]
    assert place.task(task_id)["status"] == "in_progress"
    token = place.annotator.api.token
    answers = together([lambda: skip(Api(place.world.service, token), task_id, None,
                                     (200, 403, 409)) for _ in range(8)])
    assert [answer.status_code for answer in answers].count(200) == 1
    place.see(batch)


def test_nothing_is_skipped_in_an_archived_project(crew):
    place = Place(crew, 1)
    task_id = place.next(place.owner).json()["id"]
    place.owner.api.patch("/projects/%d" % place.id, {"status": "archived"})
    skip(place.owner.api, task_id, None, 409)


# --- the next task ---

@pytest.mark.parametrize("status", CLOSED)
def test_a_batch_that_is_not_at_work_gives_no_task(crew, status):
    place = Place(crew, 1)
    batch = place.at(status, *place.tasks)
    assert code_of(place.next(place.annotator, batch, 409)) == "BATCH_NOT_OPEN"
    assert place.next(place.annotator, expect=204).headers["X-No-Task-Reason"]
    assert place.see(batch) == batch


def test_next_keeps_to_the_batch_it_names_by_id_or_display_id(crew):
    place = Place(crew, 3)
    batch = place.at("active", place.tasks[2])
    loose = place.next(place.other).json()["id"]
    assert loose == place.tasks[0]
    assert code_of(place.next(place.other, batch, 403)) == "FORBIDDEN"
    free = place.patch(batch, annotator_id=None).json()
    for name in (batch["id"], batch["display_id"]):
        given = place.other.api.next(place.id, batch_id=name).json()
        assert (given["id"], given["batch_id"]) == (place.tasks[2], free["id"])
    answer = place.next(place.annotator, batch, 204)
    assert answer.headers["X-No-Task-Reason"] == "all_locked"
    assert 0 < int(answer.headers["Retry-After"]) <= 30 * 60


def test_own_batches_come_first_and_those_of_others_never(crew):
    place = Place(crew, 5)
    place.make(task_ids=place.tasks[:1])
    place.at("active", place.tasks[1])
    place.at("annotating", place.tasks[4])
    assert place.work_off(None, place.other) == place.tasks[2:4]
    new, _ = place.bring(1)
    order = place.work_off(None)
    assert (sorted(order[:2]), order[2:]) == ([place.tasks[1], place.tasks[4]], new)


def test_what_is_for_others_is_not_done(crew):
    place = Place(crew, 1)
    place.at("active", *place.tasks)
    answer = place.next(place.other, expect=204)
    assert answer.headers["X-No-Task-Reason"] == "none_assigned"
    assert "Retry-After" not in answer.headers


def test_a_batch_in_review_gives_back_only_what_was_rejected(crew):
    place = Place(crew, 2)
    batch = place.at("reviewing", *place.tasks)
    answer = place.next(place.annotator, batch, 204)
    assert answer.headers["X-No-Task-Reason"] == "all_done"
    place.reviewer.api.reject(place.tasks[1])
    assert place.next(place.annotator, batch).json()["id"] == place.tasks[1]
    place.see(batch)


def test_a_batch_that_is_not_there_is_404(crew):
    place, elsewhere = Place(crew, 1), Place(crew, 1)
    foreign = elsewhere.at("active", *elsewhere.tasks)
    for name in (foreign["id"], 999999999, "B-999999"):
        place.annotator.api.next(place.id, 404, batch_id=name)
    for bad in ("B-x", "x y", "", 1.5, 0, -1, True, [1]):
        answer = place.annotator.api.next(place.id, 422, batch_id=bad)
        assert ("body", "batch_id") in error_locations(answer), bad
    assert place.task(place.tasks[0])["status"] == "pending"


# --- other people ---

@pytest.mark.parametrize("field, name", [
    ("annotator_id", "viewer"), ("annotator_id", "stranger"), ("annotator_id", None),
    ("reviewer_id", "annotator"), ("reviewer_id", "stranger"), ("reviewer_id", None)])
def test_only_members_who_may_do_the_work_are_taken(crew, field, name):
    place = Place(crew)
    person = crew.people[name].id if name else 999999999
    batch = place.make()
    created = place.owner.api.post(place.url(), {field: person}, 422)
    for answer in (created, place.patch(batch, 422, **{field: person})):
        assert ("body", field) in error_locations(answer)
    assert place.see(batch) == batch


def test_tasks_follow_to_the_new_annotator(crew):
    place = Place(crew, 3)
    batch = place.at("active", *place.tasks)
    begun = begin(place, batch)
    after = place.patch(batch, by=place.admin, annotator_id=place.other.id).json()
    assert (after["annotator_id"], after["reviewer_id"]) == (place.other.id, place.reviewer.id)
    assert sorted(after["assigned_user_ids"]) == sorted([place.other.id, place.reviewer.id])
    for task in place.tasks_in(place.see(batch)):
        assert (task["assignee_id"], task["lock"]) == (place.other.id, None)
        assert task["assignee"]["username"] == place.other.username
        if task["id"] != begun:
            assert task["status"] == "assigned"
    place.annotator.api.save(begun, [box()], (403, 409))
    place.next(place.annotator, batch, 403)
    place.next(place.annotator, expect=204)
    assert len(place.annotator.api.annotations(begun)) == 1
    assert sorted(place.work_off(batch, place.other)) == place.tasks
    assert place.see(batch)["status"] == "reviewing"


def test_null_clears_and_what_is_not_named_stays(crew):
    place = Place(crew, 2)
    batch = place.staffed(*place.tasks)
    for change, annotator, reviewer, status in [
            ({"name": "Other name"}, place.annotator.id, place.reviewer.id, "assigned"),
            ({}, place.annotator.id, place.reviewer.id, "assigned"),
            ({"annotator_id": None}, None, place.reviewer.id, "pending"),
            ({"annotator_id": place.other.id, "reviewer_id": None}, place.other.id, None,
             "assigned"),
            ({"reviewer_id": place.second.id}, place.other.id, place.second.id, "assigned")]:
        after = place.patch(batch, **change).json()
        assert after == place.see(batch)
        assert (after["annotator_id"], after["reviewer_id"]) == (annotator, reviewer)
        assert sorted(after["assigned_user_ids"]) == sorted(
            each for each in (annotator, reviewer) if each)
        assert (after["annotator"] is None, after["reviewer"] is None) == (
            annotator is None, reviewer is None)
        assert after["name"] == "Other name"
        for task in place.tasks_in(batch):
            assert (task["assignee_id"], task["reviewer_id"]) == (annotator, reviewer)
            assert task["status"] == status


# --- in and out ---

@pytest.mark.parametrize("status", OPEN)
def test_tasks_are_filled_in_and_taken_out(crew, status):
    place = Place(crew, 6)
    first, second, third, fourth, *rest = place.tasks
    batch = place.at(status, first)
    answer = place.act(batch, "tasks", {"task_ids": [third, first]}, by=place.admin)
    assert answer.json() == place.see(batch)
    assert place.ids_in(batch) == [first, third]
    assert place.task(third)["assignee_id"] == place.annotator.id
    assert place.task(third)["status"] == "assigned"
    place.act(batch, "tasks", {"task_count": 2})
    place.act(batch, "tasks", {"dataset_id": place.dataset_id, "task_count": 1})
    assert place.ids_in(batch) == [first, second, third, fourth, rest[0]]
    answer = place.take_out(batch["display_id"], [first, fourth], by=place.admin)
    assert answer.json() == place.see(batch)
    assert place.ids_in(batch) == [second, third, rest[0]]
    assert place.task(first)["batch_id"] is None
    assert place.unclassified() == 3
    assert code_of(place.take_out(batch, [second, first], 409)) == "TASK_NOT_IN_BATCH"
    place.make(task_ids=[first])
    answer = place.act(batch, "tasks", {"task_ids": [fourth, first]}, 409)
    assert code_of(answer) == "TASK_IN_OTHER_BATCH"
    assert place.ids_in(batch) == [second, third, rest[0]]


@pytest.mark.parametrize("status", ["annotating", "reviewing", "approved", "rejected", "archived"])
def test_a_batch_that_is_further_takes_and_gives_no_tasks(crew, status):
    place = Place(crew, 2)
    batch = place.at(status, place.tasks[0])
    answers = [place.act(batch, "tasks", {"task_ids": place.tasks[1:]}, 409),
               place.take_out(batch, place.tasks[:1], 409)]
    assert [code_of(answer) for answer in answers] == ["BATCH_NOT_FILLABLE"] * 2
    assert place.see(batch) == batch
    assert place.unclassified() == 1


@pytest.mark.parametrize("status", ["draft", "annotating", "approved", "archived"])
def test_the_tasks_of_a_deleted_batch_become_unclassified(crew, status):
    place = Place(crew, 2)
    batch = place.at(status, *place.tasks)
    if status == "annotating":
        begin(place, batch)
    done = [place.task(task_id)["annotation_count"] for task_id in place.tasks]
    place.owner.api.delete(place.url(batch["display_id"]))
    for name in (batch["id"], batch["display_id"]):
        place.owner.api.get(place.url(name), 404)
        place.owner.api.delete(place.url(name), 404)
    assert (place.listed(), place.unclassified()) == ([], 2)
    assert place.world.admin.all_pages("/tasks", {"batch_id": batch["id"]}) == []
    tasks = [place.task(task_id) for task_id in place.tasks]
    assert [(task["batch_id"], task["annotation_count"]) for task in tasks] == [
        (None, count) for count in done]
    assert place.make(task_ids=place.tasks)["display_id"] != batch["display_id"]


def test_the_archive_leaves_tasks_as_they_are(crew):
    place = Place(crew, 2)
    batch = place.at("annotating", *place.tasks)
    place.annotator.api.save(place.next(place.annotator, batch).json()["id"], [box()])
    looked_at = ("id", "status", "assignee_id", "reviewer_id", "annotation_count")
    before = [[task[name] for name in looked_at] for task in place.tasks_in(batch)]
    place.move(batch, "archived")
    assert place.listed(status="archived") == [batch["id"]]
    assert place.move(batch, "active", reason=REASON).json()["annotator_id"] == place.annotator.id
    assert [[task[name] for name in looked_at] for task in place.tasks_in(batch)] == before
    assert place.next(place.annotator, batch).json()["annotation_count"] == 1


# --- reset ---

@pytest.mark.parametrize("status", ["active", "annotating", "reviewing", "approved", "rejected",
                                    "archived"])
def test_a_reset_brings_every_task_back(crew, status):
    place = Place(crew, 2, review_required=True)
    batch = place.at(status, *place.tasks)
    if status == "annotating":
        begin(place, batch)
    kept = [place.annotator.api.annotations(task_id) for task_id in place.tasks]
    after = place.act(batch, "reset", {"reason": "ten letters"}).json()
    assert after == place.see(batch)
    assert (after["status"], after["progress"]["pending"]) == ("draft", 2)
    assert [after[field] for field in REVIEW] == [None] * 3
    for task in place.tasks_in(batch):
        assert (task["status"], task["lock"]) == ("pending", None)
    assert [place.annotator.api.annotations(task_id) for task_id in place.tasks] == kept
    place.next(place.annotator, batch, 409)
    place.patch(batch, annotator_id=place.other.id)
    place.move(batch, "active")
    assert sorted(place.work_off(batch, place.other)) == place.tasks
    assert place.see(batch)["status"] == "reviewing"


@pytest.mark.parametrize("status", list(MOVES))
def test_a_reset_is_the_owners_in_every_status(crew, status):
    place = Place(crew, 1)
    batch = place.at(status, *place.tasks)
    for name in [each for each in EVERYONE if each not in OWNERS]:
        answer = place.act(batch, "reset", {"reason": "ten letters"}, 403, place.people[name])
        assert code_of(answer) == "FORBIDDEN", name
    assert place.see(batch) == batch


def test_a_reset_needs_a_reason_of_10_characters(crew):
    place = Place(crew, 1)
    batch = place.at("active", *place.tasks)
    for bad in ({}, {"reason": None}, {"reason": ""}, {"reason": "ü" * 9}, {"reason": "ü" * 2001}):
        place.act(batch, "reset", bad, (400, 422))
    assert place.see(batch) == batch
    place.act(batch, "reset", {"reason": "ü" * 10}, by=place.people["root"])
    answer = place.act(batch, "reset", {"reason": "ten letters"}, 409)
    assert code_of(answer) == "INVALID_TRANSITION"
    place.move(batch, "active")
    place.act(batch, "reset", {"reason": "ü" * 2000})
