"""A crowd takes and submits a project's tasks: none twice, none lost, nobody starved
(decisions, section 5)."""

import collections
import json
import os
import threading

import pytest

from client import box
from exported import coco
from log_copies import run
from racing import registered
from test_concurrency import together
from waiting import wait_until

ANNOTATORS = 64
TASKS = int(os.environ.get("ANNOLOG_RACE_TASKS", "10000"))
# Of starving we speak when someone gets less than half of an equal share, or waits for one task
# while the others get sixteen each.
LEAST_SHARE = TASKS // ANNOTATORS // 2
LONGEST_WAIT = 16 * ANNOTATORS

Crowd = collections.namedtuple("Crowd", "owner project_id task_ids people")


def all_tasks(crowd):
    found = crowd.owner.api.all_pages("/tasks", {"project_id": crowd.project_id}, limit=200)
    assert sorted(task["id"] for task in found) == crowd.task_ids
    return found


def stats(owner):
    """Of all projects that the owner sees: of the race's alone."""
    return owner.api.get("/projects/stats").json()


@pytest.fixture(scope="module")
def crowd(world):
    owner = world.person("project_admin")
    project_id = world.project(by=owner.api)["id"]
    people = world.members(project_id, ANNOTATORS)
    world.link(registered(world, TASKS), project_id)
    wait_until(lambda: stats(owner)["total_tasks"] == TASKS, 60, "%d tasks" % TASKS)
    found = owner.api.all_pages("/tasks", {"project_id": project_id}, limit=200)
    assert {task["status"] for task in found} == {"pending"}
    return Crowd(owner, project_id, sorted(task["id"] for task in found), people)


class Race:
    """Everybody asks and submits until there is nothing left to ask for."""

    def __init__(self, project_id):
        self.project_id = project_id
        self.granted = 0  # tasks, to anyone
        self.longest_wait = 0  # for one task, in tasks granted to others
        self.lock = threading.Lock()

    def next(self, person):
        before = self.granted
        answer = person.api.next(self.project_id, (200, 204), timeout=60)
        if answer.status_code == 204:
            # What others hold they will submit.
            assert answer.headers["X-No-Task-Reason"] in ("all_done", "all_locked")
            return None
        with self.lock:
            self.longest_wait = max(self.longest_wait, self.granted - before)
            self.granted += 1
        task = answer.json()
        assert task["lock"]["user_id"] == task["assignee_id"] == person.id
        return task["id"]

    def run(self, person):
        """The annotation that the person made of each task: {task id: its id}."""
        made = {}
        while (task_id := self.next(person)) is not None:
            assert task_id not in made
            answer = person.api.submit(task_id, [box()], timeout=60).json()
            assert answer["task"]["status"] == "submitted"
            (annotation,) = answer["annotations"]
            made[task_id] = annotation["id"]
        return made


@pytest.fixture(scope="module")
def ended(crowd):
    """The race when it is over. shares: {task id: annotation id} of each person; takers: {task id:
    the person's id}."""
    race = Race(crowd.project_id)
    race.shares = together([lambda p=p: race.run(p) for p in crowd.people], workers=ANNOTATORS)
    race.takers = {task_id: person.id
                   for person, share in zip(crowd.people, race.shares) for task_id in share}
    return race


def test_no_task_is_done_twice_and_none_is_lost(crowd, ended):
    taken = [task_id for share in ended.shares for task_id in share]
    assert len(taken) == len(set(taken))
    assert sorted(taken) == crowd.task_ids
    made = {annotation_id for share in ended.shares for annotation_id in share.values()}
    assert len(made) == TASKS


def test_every_task_is_with_whoever_was_told_so(crowd, ended):
    for task in all_tasks(crowd):
        assert (task["status"], task["annotation_count"], task["lock"]) == ("submitted", 1, None)
        assert task["assignee_id"] == ended.takers[task["id"]]
        assert task["submitted_at"].endswith("Z")


def test_an_export_has_everybodys_boxes_and_no_others(crowd, ended):
    body = coco(crowd.owner.api, crowd.project_id)
    assert sorted(image["id"] for image in body["images"]) == crowd.task_ids
    boxes = {a["image_id"]: a["id"] for a in body["annotations"]}
    assert len(body["annotations"]) == len(boxes)
    assert boxes == {task_id: made for share in ended.shares for task_id, made in share.items()}


def test_all_counters_tell_the_same(crowd, ended):
    counted = stats(crowd.owner)
    assert counted["by_status"].pop("submitted") == TASKS
    assert set(counted["by_status"].values()) == {0}
    assert (counted["total_tasks"], counted["total_annotations"]) == (TASKS, TASKS)
    work = crowd.owner.api.get("/dashboard/admin").json()
    assert work["tasks"]["by_status"]["submitted"] == work["tasks"]["total"] == TASKS
    assert work["annotations"]["total"] == work["work"]["submitted"]["last_7_days"] == TASKS
    for person, share in zip(crowd.people, ended.shares):
        shown = person.api.get("/dashboard/annotator").json()
        assert shown["my_tasks"]["submitted"] == len(share)
        assert sum(shown["my_tasks"].values()) == len(share)
        assert shown["submitted"]["last_7_days"] == len(share)


def test_nobody_is_starved(ended):
    assert min(map(len, ended.shares)) >= LEAST_SHARE
    assert ended.longest_wait <= LONGEST_WAIT
    assert ended.granted == TASKS


def test_the_log_tells_of_every_task_once(world, crowd, ended):
    for kind in ("task.submitted", "task.annotations_added"):
        told = run(world.service, "tail", "--json", "--from", "1", "--type", kind)
        assert told.returncode == 0, told.stderr
        events = [json.loads(line) for line in told.stdout.splitlines()]
        assert sorted(event["data"]["task_id"] for event in events) == crowd.task_ids
        for event in events:
            assert event["actor"] == str(ended.takers[event["data"]["task_id"]])
