"""Reassigning batches of thousands of tasks: whoever reads afterwards sees all of it
(docs/decisions, 0024)."""

import pytest

from client import unique
from test_batches import Crew, Place
from test_dataset_changes import register

TASKS, BATCH = 4000, 1000


@pytest.fixture(scope="module")
def place(world):
    place = Place(Crew(world))
    dataset, folder = world.dataset(), unique("big")
    for first in range(0, TASKS, 2000):
        register(world, dataset, ["%s/%d.png" % (folder, at) for at in range(first, first + 2000)])
    world.link(dataset["id"], place.id)
    world.tasks_of(place.id, TASKS)
    place.batches = [place.make(task_count=BATCH) for _ in range(TASKS // BATCH)]
    return place


def reassign(place, **people):
    answer = place.owner.api.post(place.url("", "bulk-reassign"), {
        "batch_ids": [batch["id"] for batch in place.batches], **people}, 200).json()
    assert len(answer["succeeded"]) == len(place.batches)


def last_task_of(place, api):
    """By its own page: the newest tasks, which follow their batch last."""
    page = {"project_id": place.id, "batch_id": place.batches[-1]["id"], "limit": 1}
    return api.get_when_shown("/tasks", params=page).json()["items"][0]


def test_lists_show_it_at_once(place):
    for person in (place.annotator, place.other):
        reassign(place, annotator_id=person.id)
        task = last_task_of(place, person.api)
        assert (task["assignee_id"], task["status"]) == (person.id, "assigned")


def test_one_task_shows_it_at_once(place):
    task = last_task_of(place, place.owner.api)["id"]
    for person in (place.annotator, place.other):
        reassign(place, annotator_id=person.id)
        shown = place.owner.api.get_when_shown("/tasks/%d" % task).json()
        assert shown["assignee_id"] == person.id


def test_batches_and_counts_show_it_at_once(place):
    reassign(place, annotator_id=None)
    batch = place.owner.api.get_when_shown(place.url(place.batches[-1])).json()
    assert batch["progress"]["pending"] == BATCH
    reassign(place, annotator_id=place.annotator.id)
    shown = place.annotator.api.get_when_shown("/dashboard/annotator").json()
    assert shown["my_tasks"]["assigned"] == TASKS


def test_work_that_follows_at_once_is_the_new_persons(place):
    reassign(place, annotator_id=place.other.id)
    place.owner.api.post(place.url("", "bulk-activate"),
                         {"batch_ids": [batch["id"] for batch in place.batches]})
    got = place.other.api.next(place.id).json()
    assert got["assignee_id"] == place.other.id
    place.annotator.api.next(place.id, expect=204)
    reassign(place, annotator_id=place.annotator.id)
    shown = place.owner.api.get_when_shown("/tasks/%d" % got["id"]).json()
    assert (shown["assignee_id"], shown["lock"]) == (place.annotator.id, None)
