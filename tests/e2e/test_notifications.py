"""What people are told of: the right ones, once (specification, "Notification"; decisions,
section 8)."""

import pytest

from commenting import say
from notified import Reviewed, about, read_all, told, types
from test_batches import FEEDBACK, REASON, Crew, Place


@pytest.fixture
def case(world):
    return Reviewed(world)


class FreshPlace(Place):
    """A project with people of its own: what they are told of is all from here."""

    def __init__(self, world, count):
        super().__init__(Crew(world), count)


@pytest.fixture
def place(world):
    return FreshPlace(world, 2)


def test_a_rejection_is_told_to_the_assignee_with_its_reason(case):
    case.reviewer.api.reject(case.task_id, "wrong_label", "these are dogs")
    rejection, = told(case.annotator)
    assert about(rejection) == ("task.rejected", "task", case.task_id, case.reviewer.id)
    assert rejection["payload"] == {
        "project_id": case.project_id, "task_id": case.task_id, "batch_id": None,
        "display_id": case.task["display_id"],
        "actor": {"id": case.reviewer.id, "name": "Name of " + case.reviewer.username},
        "reason_type": "wrong_label", "reason": "these are dogs"}
    assert rejection["read_at"] is None
    assert rejection["created_at"] == case.world.admin.task(case.task_id)["reviewed_at"]
    assert not told(case.reviewer) and not told(case.watcher)


def test_a_rejection_is_told_to_who_handed_the_work_in_for_another(world):
    work, task, annotator = world.started()
    helper, reviewer = (world.member(work.project_id, "reviewer") for _ in range(2))
    annotator.api.delete("/tasks/%d/lock" % task["id"])
    helper.api.post("/tasks/%d/submit-for-review" % task["id"], None, 200)
    reviewer.api.reject(task["id"])
    assert types(annotator) == ["task.rejected"]
    rejection, = told(helper)
    assert about(rejection) == ("task.review_rejected", "task", task["id"], reviewer.id)
    assert rejection["payload"]["reason_type"] == "missing"
    assert not told(reviewer)


def test_an_approval_is_told_to_the_assignee(case):
    case.reviewer.api.approve(case.task_id)
    approval, = told(case.annotator)
    assert about(approval) == ("task.approved", "task", case.task_id, case.reviewer.id)
    assert approval["payload"]["reason_type"] is approval["payload"]["reason"] is None
    assert not told(case.reviewer) and not told(case.watcher)


def test_a_reopening_is_told_to_who_had_approved(case):
    case.reviewer.api.approve(case.task_id)
    case.annotator.api.post("/tasks/%d/reopen" % case.task_id, None, 200)
    reopening, = told(case.reviewer)
    assert about(reopening) == ("task.reopened", "task", case.task_id, case.annotator.id)
    assert types(case.annotator) == ["task.approved"]
    assert not told(case.watcher)


def test_one_who_reopens_what_they_approved_is_not_told(case):
    case.reviewer.api.approve(case.task_id)
    case.reviewer.api.post("/tasks/%d/reopen" % case.task_id, None, 200)
    assert not told(case.reviewer)


def test_a_mention_is_told_to_the_mentioned_once(case):
    names = " ".join("@" + person.username for person in case.everyone())
    comment = say(case.annotator.api, case.task_id, "%s, and again: %s" % (names, names)).json()
    for person in (case.reviewer, case.watcher):
        mention, = told(person)
        assert about(mention) == ("comment.mention", "comment", comment["id"], case.annotator.id)
        assert mention["payload"]["task_id"] == case.task_id
        assert mention["payload"]["display_id"] == case.task["display_id"]
    assert not told(case.annotator)
    case.annotator.api.delete("/tasks/%d/comments/%d" % (case.task_id, comment["id"]))
    assert types(case.watcher) == ["comment.mention"]


def test_a_batch_is_told_once_whatever_the_number_of_its_tasks(place):
    batch = place.staffed(*place.tasks)
    for person in (place.annotator, place.reviewer):
        assignment, = told(person)
        assert about(assignment) == ("task.assigned", "batch", batch["id"], place.owner.id)
        payload = assignment["payload"]
        assert (payload["batch_id"], payload["task_id"]) == (batch["id"], None)
        assert payload["display_id"] == batch["display_id"]
    place.patch(batch, annotator_id=place.other.id)
    assert types(place.other) == types(place.annotator) == types(place.reviewer) == [
        "task.assigned"]
    place.patch(batch, annotator_id=None, reviewer_id=place.second.id)
    assert types(place.second) == ["task.assigned"]
    assert types(place.other) == ["task.assigned"]
    assert not told(place.owner) and not told(place.viewer)


def test_bulk_changes_tell_each_new_person_of_each_batch(place):
    batches = [place.make(task_ids=[task_id]) for task_id in place.tasks]
    place.owner.api.post(place.url(tail="bulk-reassign"), {
        "batch_ids": [batch["id"] for batch in batches], "annotator_id": place.annotator.id}, 200)
    assert sorted(n["target_id"] for n in told(place.annotator)) == sorted(
        batch["id"] for batch in batches)
    assert not told(place.reviewer)


def test_a_rejected_batch_is_told_to_its_annotator_with_the_feedback(place):
    batch = place.at("reviewing", *place.tasks)
    for person in (place.annotator, place.reviewer):
        read_all(person)
    place.move(batch, "rejected", by=place.reviewer, review_feedback=FEEDBACK)
    rejection, = told(place.annotator, unread="true")
    assert about(rejection) == ("batch.rejected", "batch", batch["id"], place.reviewer.id)
    assert rejection["payload"]["reason"] == FEEDBACK
    assert rejection["payload"]["display_id"] == batch["display_id"]
    assert not told(place.reviewer, unread="true")


@pytest.mark.parametrize("status, target, kind, recipients", [
    ("archived", "active", "batch.unarchived", ("annotator", "reviewer")),
    ("approved", "reviewing", "batch.review_reopened", ("reviewer",)),
    ("rejected", "reviewing", "batch.review_reopened", ("reviewer",)),
])
def test_reverse_moves_are_told(world, status, target, kind, recipients):
    place = FreshPlace(world, 1)
    batch = place.at(status, *place.tasks)
    people = {name: getattr(place, name) for name in ("annotator", "reviewer", "other", "owner")}
    for person in people.values():
        read_all(person)
    place.move(batch, target, reason=REASON)
    for name, person in people.items():
        fresh = told(person, unread="true")
        assert [n["type"] for n in fresh] == ([kind] if name in recipients else []), name
        for notification in fresh:
            assert about(notification) == (kind, "batch", batch["id"], place.owner.id)
            assert notification["payload"]["reason"] == REASON


def test_a_refused_deed_tells_nobody(case):
    case.annotator.api.reject(case.task_id, expect=403)
    case.reviewer.api.post("/tasks/%d/review/reject" % case.task_id, {}, 422)
    assert not any(told(person) for person in case.everyone())


def test_a_retry_tells_once(case):
    for _ in range(2):
        case.reviewer.api.post("/tasks/%d/review/approve" % case.task_id, None, 200, key="same")
    assert types(case.annotator) == ["task.approved"]


def test_an_erased_person_is_named_no_more(case):
    case.reviewer.api.approve(case.task_id)
    case.world.admin.post("/users/%d/erase" % case.reviewer.id, {"reason": "asked for it"})
    approval, = told(case.annotator)
    assert approval["payload"]["actor"] == {"id": case.reviewer.id, "name": ""}
