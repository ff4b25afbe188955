"""A dataset is unlinked from a project: its tasks leave, and batches left empty by that."""

import concurrent.futures
import json
import threading

import pytest

from client import box, code_of, unique
from test_replay import replay
from waiting import wait_until


def path_of(work):
    return "/datasets/%d/link/%d" % (work.dataset_id, work.project_id)


def unlink(api, work, expect=204, **more):
    return api.delete(path_of(work), expect, **more)


def task_total(world, work):
    return len(world.admin.all_pages("/tasks", {"project_id": work.project_id}, limit=200))


def test_tasks_annotations_and_the_link_go(world):
    work, task, annotator = world.submitted([box()])
    unlink(world.admin, work)
    assert world.admin.all_pages("/tasks", {"project_id": work.project_id}) == []
    annotator.api.get("/tasks/%d" % task["id"], 404)
    annotator.api.get("/tasks/%d/annotations/page" % task["id"], 404)
    assert world.admin.get("/projects/%d/datasets" % work.project_id).json()["items"] == []
    assert world.admin.get("/datasets/%d" % work.dataset_id).json()["linked_project_count"] == 0
    assert task_total(world, work) == 0
    # Now nothing keeps the project, nor the dataset.
    world.admin.delete("/projects/%d" % work.project_id, 204)
    world.admin.delete("/datasets/%d" % work.dataset_id, 204)


def test_batches_that_lose_all_their_tasks_go(world):
    work = world.work(4)
    other = world.dataset()
    world.upload_images(other["id"], 2)
    world.link(other["id"], work.project_id)
    tasks = world.tasks_of(work.project_id, 6)
    mine = [task["id"] for task in tasks if task["dataset_id"] == work.dataset_id]
    theirs = [task["id"] for task in tasks if task["dataset_id"] == other["id"]]
    batches = "/projects/%d/batches" % work.project_id

    def batch(task_ids):
        body = {"name": unique("batch"), "task_ids": task_ids}
        return world.admin.post(batches, body, 201).json()

    gone, mixed, empty = batch(mine[:2]), batch([mine[2], theirs[0]]), batch([])
    unlink(world.admin, work)
    left = {one["id"]: one for one in world.admin.get(batches).json()["items"]}
    assert gone["id"] not in left
    assert left[mixed["id"]]["total_tasks"] == 1
    assert empty["id"] in left
    assert [task["id"] for task in world.tasks_of(work.project_id, 2)] == sorted(theirs)


def test_a_batch_that_keeps_only_done_work_goes_to_review(world):
    work = world.work(1)
    other = world.dataset()
    world.upload_images(other["id"], 2)
    world.link(other["id"], work.project_id)
    tasks = [task["id"] for task in world.tasks_of(work.project_id, 3)]
    annotator = world.member(work.project_id)
    batches = "/projects/%d/batches" % work.project_id
    made = world.admin.post(batches, {"task_ids": tasks, "annotator_id": annotator.id}, 201).json()
    path = "%s/%d" % (batches, made["id"])
    world.admin.post(path + "/transition", {"target_status": "active"}, 200)
    annotator.api.post("/tasks/%d/lock" % work.tasks[0]["id"], None, 200)
    annotator.api.submit(work.tasks[0]["id"], [box()])
    assert world.admin.get(path).json()["status"] == "annotating"
    world.admin.delete("/datasets/%d/link/%d" % (other["id"], work.project_id), 204)
    seen = world.admin.get(path).json()
    assert (seen["status"], seen["total_tasks"]) == ("reviewing", 1)
    assert seen["progress"]["submitted"] == 1


def test_linked_anew_each_item_is_a_new_task(world):
    work = world.work(3)
    before = {task["id"] for task in work.tasks}
    unlink(world.admin, work)
    made = world.link(work.dataset_id, work.project_id)
    assert made["created_tasks"] == 3
    tasks = world.tasks_of(work.project_id, 3)
    assert not before & {task["id"] for task in tasks}
    assert {task["status"] for task in tasks} == {"pending"}


def test_what_is_not_linked_is_not_found(world):
    work = world.work(1)
    unlink(world.admin, work)
    unlink(world.admin, work, 404)
    other = world.project()
    world.admin.delete("/datasets/%d/link/%d" % (work.dataset_id, other["id"]), 404)
    world.admin.delete("/datasets/%d/link/999999999" % work.dataset_id, 404)


def test_a_retry_is_answered_as_the_first_call(world):
    work = world.work(1)
    key = {"Idempotency-Key": unique("key")}
    unlink(world.admin, work, headers=key)
    again = unlink(world.admin, work, headers=key)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_link_is_told_again_whatever_became_of_it(world):
    key = {"Idempotency-Key": unique("key")}
    for _ in range(3):  # the project and its dataset lie in one shard or in two
        work, more = world.work(1), world.dataset()
        world.upload_images(more["id"], 1)
        path, body = "/datasets/%d/link" % more["id"], {"project_id": work.project_id}
        first = world.admin.post(path, body, 200, headers=key).json()
        world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
        again = world.admin.post(path, body, 200, headers=key)
        assert (again.json(), again.headers["Idempotency-Replayed"]) == (first, "true")
        assert code_of(world.admin.post(path, body, 409)) == "PROJECT_ARCHIVED"
        world.admin.patch("/projects/%d" % work.project_id, {"status": "in_progress"})
        world.admin.delete(path + "/%d" % work.project_id, 204)
        assert world.admin.post(path, body, 200, headers=key).json() == first
        key = {"Idempotency-Key": unique("key")}


def test_an_archived_project_keeps_its_datasets(world):
    work = world.work(1)
    world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
    assert code_of(unlink(world.admin, work, 409)) == "PROJECT_ARCHIVED"


def test_submits_and_the_unlinking_do_not_mind_each_other(world):
    """What was acknowledged happened once and before its task went; nothing happens to a task that
    is gone. The log tells the order."""
    work = world.work(60)
    ids = [task["id"] for task in world.tasks_of(work.project_id, 60)]
    batches = "/projects/%d/batches" % work.project_id
    people = world.members(work.project_id, 4)
    for person, part in zip(people, (ids[:15], ids[15:30])):  # the others are in no batch
        made = world.admin.post(batches, {"task_ids": part, "annotator_id": person.id}, 201).json()
        world.admin.post("%s/%d/transition" % (batches, made["id"]), {"target_status": "active"},
                         200)
    some_are_in = threading.Semaphore(0)

    def annotate(person):
        taken = []
        for _ in range(15):
            task = person.api.next(work.project_id, (200, 204))
            if task.status_code == 204:
                break
            answer = person.api.submit(task.json()["id"], [box()], (201, 404))
            if answer.status_code == 201:
                taken.append(task.json()["id"])
                some_are_in.release()
        return taken

    with concurrent.futures.ThreadPoolExecutor(len(people)) as pool:
        work_of_all = [pool.submit(annotate, person) for person in people]
        for _ in people:
            assert some_are_in.acquire(timeout=30)
        unlink(world.admin, work, (202, 204))
        acknowledged = [task for done in work_of_all for task in done.result(60)]
    wait_until(lambda: task_total(world, work) == 0, 20, "no tasks")

    submitted, gone = [], set()
    for line in replay(world.service, "--project", work.project_id, "--json"):
        event = json.loads(line)
        if event["type"] == "tasks.removed":
            assert not gone & set(event["data"]["task_ids"])
            gone |= set(event["data"]["task_ids"])
        elif event["type"] == "task.submitted":
            submitted.append(event["data"]["task_id"])
        assert event["data"].get("task_id") not in gone, event
    assert sorted(submitted) == sorted(acknowledged)
    assert gone == set(ids)
    assert world.admin.get(batches).json()["items"] == []
    world.admin.delete("/projects/%d" % work.project_id, 204)


@pytest.mark.parametrize("role, expect", [("reviewer", 403), ("annotator", 403)])
def test_it_is_for_whoever_administers_the_project(world, role, expect):
    work = world.work(1)
    person = world.member(work.project_id, role)
    unlink(person.api, work, expect)
    assert len(world.tasks_of(work.project_id, 1)) == 1
