"""How a batch comes to review, and that B-DEFAULT takes no step (decisions, section 4)."""

import pytest

from client import box, code_of
from test_batches import ADMINS, EVERYONE, REASON, Crew, Place


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


def test_a_task_of_an_approved_batch_is_reopened_once_the_batch_is_in_review_again(crew):
    place = Place(crew, 1)
    batch = place.at("approved", *place.tasks)
    path = "/tasks/%d/reopen" % place.tasks[0]
    assert code_of(place.reviewer.api.post(path, None, 409)) == "BATCH_NOT_OPEN"
    assert place.task(place.tasks[0])["status"] == "completed"
    place.move(batch, "reviewing", reason=REASON)
    place.reviewer.api.post(path, None, 200)
    assert place.task(place.tasks[0])["status"] == "in_progress"


def test_review_begins_by_the_annotator_or_an_admin_once_no_task_is_open(crew):
    """One with tasks goes by itself; so those that are moved by somebody have lost theirs."""
    names = ("annotator", *ADMINS)
    others = [each for each in EVERYONE if each not in names]
    place = Place(crew, 1 + len(names))
    busy = place.at("annotating", place.tasks[-1])
    for name in others:
        answer = place.move(busy, "reviewing", 403, by=place.people[name])
        assert code_of(answer) == "FORBIDDEN", name
    for name, task_id in zip(names, place.tasks):
        answer = place.move(busy, "reviewing", 409, by=place.people[name])
        assert code_of(answer) == "BATCH_TASKS_OPEN", name
        batch = place.at("active", task_id)
        place.take_out(batch, [task_id])
        assert place.move(batch, "annotating").json()["status"] == "annotating"
        for other in others:
            place.move(batch, "reviewing", 403, by=place.people[other])
        moved = place.move(batch, "reviewing", by=place.people[name]).json()
        assert moved == place.see(batch)
        assert moved["status"] == "reviewing"


@pytest.mark.parametrize("name, get, patch, delete, move", [
    ("viewer", 404, 403, 403, 403), ("annotator", 404, 403, 403, 404),
    ("admin", 404, 404, 403, 404), ("owner", 404, 404, 404, 404), ("root", 404, 404, 404, 404),
    ("stranger", 404, 404, 404, 404)])
def test_the_default_batch_is_none_to_call_by_itself(crew, name, get, patch, delete, move):
    """It stands for the tasks without a batch: it has no page, no people, no steps, no end."""
    place = Place(crew, 1)
    by = place.people[name]
    url = place.url("B-DEFAULT")
    by.api.get(url, get)
    place.patch("B-DEFAULT", patch, by, name="x")
    by.api.delete(url, delete)
    place.move("B-DEFAULT", "active", move, by)
    assert place.unclassified() == 1
    assert place.task(place.tasks[0])["batch_id"] is None


def test_a_batch_begun_without_open_tasks_goes_on_to_review(crew):
    place = Place(crew, 1)
    batch = place.at("rejected", *place.tasks)
    assert place.move(batch, "active").json()["status"] == "active"
    assert place.see(batch)["status"] == "active"
    assert place.move(batch, "annotating", by=place.admin).json()["status"] == "reviewing"
    assert place.see(batch)["status"] == "reviewing"


def test_a_batch_that_lost_its_open_tasks_goes_to_review_when_it_is_begun(crew):
    place = Place(crew, 2)
    done, left = place.tasks
    batch = place.at("annotating", done, left)
    place.annotator.api.submit(place.next(place.annotator, batch).json()["id"], [box()])
    assert code_of(place.take_out(batch, [left], 409)) == "BATCH_NOT_FILLABLE"
    place.move(batch, "archived")
    place.move(batch, "active", reason=REASON)
    place.take_out(batch, [left])
    assert place.see(batch)["status"] == "active"
    assert place.move(batch, "annotating").json()["status"] == "reviewing"
