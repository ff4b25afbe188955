"""Who may be named in a batch, and what a batch's project and dataset must be (specification,
Batch; decisions, sections 2 to 4)."""

import pytest

from client import box, code_of, error_locations, unique
from test_batches import Crew, Place


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


@pytest.mark.parametrize("change", ["deactivated", "lowered", "unknown"])
def test_who_cannot_work_is_named_nowhere(crew, change):
    place = Place(crew, 1)
    batch = place.staffed(*place.tasks)
    annotator, reviewer = place.world.member(place.id), place.world.member(place.id, "reviewer")
    ids = {"annotator_id": annotator.id, "reviewer_id": reviewer.id}
    for person in (annotator, reviewer):
        if change == "deactivated":
            place.world.admin.post("/users/%d/deactivate" % person.id)
        elif change == "lowered":
            place.world.admin.patch("/users/%d/role" % person.id, {"role": "viewer"})
    if change == "unknown":
        ids = {"annotator_id": 2**40, "reviewer_id": 2**40}
    for member, value in ids.items():
        for answer in (place.owner.api.post(place.url(), {member: value}, 422),
                       place.owner.api.patch(place.url(batch), {member: value}, 422),
                       place.owner.api.post(place.url("bulk-reassign"),
                                            {"batch_ids": [batch["id"]], member: value}, 422)):
            assert error_locations(answer) == [("body", member)]
        people = {member + "s": [value]}
        answer = place.owner.api.post(place.url("distribute-batches"), people, 422)
        assert error_locations(answer) == [("body", member + "s", 0)]
    assert place.see(batch)["version"] == batch["version"]


@pytest.mark.parametrize("change", ["deactivated", "lowered"])
def test_a_batch_is_not_activated_for_who_cannot_work(crew, change):
    place = Place(crew, 1)
    annotator = place.world.member(place.id)
    batch = place.make(task_ids=place.tasks, annotator_id=annotator.id)
    if change == "deactivated":
        place.world.admin.post("/users/%d/deactivate" % annotator.id)
    else:
        place.world.admin.patch("/users/%d/role" % annotator.id, {"role": "viewer"})
    step = {"target_status": "active"}
    answer = place.owner.api.post(place.url(batch, "transition"), step, 409)
    assert code_of(answer) == "BATCH_NEEDS_ANNOTATOR"
    for named in (batch["id"], batch["display_id"]):
        answer = place.owner.api.post(place.url("bulk-activate"), {"batch_ids": [named]}, 200)
        assert [one["code"] for one in answer.json()["failed"]] == ["BATCH_NEEDS_ANNOTATOR"]
    place.owner.api.patch(place.url(batch), {"annotator_id": place.annotator.id}, 200)
    place.owner.api.post(place.url(batch, "transition"), step, 200)


def test_a_retry_is_told_of_its_batch_though_its_people_have_left(crew):
    place = Place(crew)
    body = {"annotator_id": place.world.member(place.id).id}
    key = {"Idempotency-Key": unique("batch")}
    made = place.owner.api.post(place.url(), body, 201, headers=key)
    place.world.admin.post("/users/%d/deactivate" % body["annotator_id"])
    again = place.owner.api.post(place.url(), body, 201, headers=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["id"] == made.json()["id"]
    place.owner.api.post(place.url(), body, 422)


def test_a_batch_of_a_dataset_without_tasks_here_is_refused(crew):
    place = Place(crew, 1)
    batch = place.make()
    for dataset in (place.world.dataset()["id"], 2**40):
        for answer in (place.owner.api.post(place.url(), {"dataset_id": dataset}, 422),
                       place.owner.api.post(place.url(batch, "tasks"), {"dataset_id": dataset},
                                            422)):
            assert error_locations(answer) == [("body", "dataset_id")]
    place.make(task_ids=place.tasks)
    assert place.make(dataset_id=place.dataset_id)["total_tasks"] == 0, "all are elsewhere"


def test_an_archived_project_does_not_show_itself_to_annotators(crew):
    place = Place(crew, 1)
    task = place.tasks[0]
    place.owner.api.patch("/projects/%d" % place.id, {"status": "archived"})
    for who, seen in (("annotator", 404), ("reviewer", 409)):
        api = getattr(place, who).api
        api.post("/tasks/%d/lock" % task, None, seen)
        api.submit(task, [box()], expect=seen)
        api.post("/tasks/%d/comments" % task, {"body": "x"}, seen)
        api.post("/tasks/next", {"project_id": place.id}, 409)
