"""A project that changes while people work in it: datasets are linked while items arrive, members
leave, roles change, the project is archived (decisions, sections 3, 5 and 6)."""

import threading

import pytest

from client import box, code_of, unique
from racing import connections, new_tasks
from test_concurrency import together


# --- datasets ---

def item(folder, number):
    return {"file_name": "%04d.png" % number, "file_path": "%s/%04d.png" % (folder, number),
            "file_size": 1000, "width": 640, "height": 480}


def test_items_that_arrive_while_their_dataset_is_linked_become_tasks_once(world):
    owner = world.person("project_admin")
    projects = [world.project(by=owner.api)["id"] for _ in range(2)]
    dataset_id, folder = world.dataset(by=owner.api)["id"], unique("arriving")
    path = "/datasets/%d" % dataset_id
    calls, per_call = 20, 10

    def arrive(api, first):
        for call in range(first, calls, 2):
            items = [item(folder, call * per_call + at) for at in range(per_call)]
            said = api.post(path + "/items/bulk", {"items": items}).json()
            assert said["errors"] == said["duplicates"] == []

    apis = connections(owner.api, 8)
    together([lambda a=a, at=at: arrive(a, at) for at, a in enumerate(apis[:2])] +
             [lambda a=a, at=at: world.link(dataset_id, projects[at % 2], by=a)
              for at, a in enumerate(apis[2:])])
    count = calls * per_call
    items = owner.api.all_pages(path + "/items", limit=200)
    assert len(items) == count
    for project_id in projects:
        tasks = world.tasks_of(project_id, count)
        assert sorted(t["dataset_item_id"] for t in tasks) == sorted(i["id"] for i in items)
        again = world.link(dataset_id, project_id, by=owner.api)
        assert (again["created_tasks"], again["existing_tasks"]) == (0, count)
        (linked,) = owner.api.get("/projects/%d/datasets" % project_id).json()["items"]
        assert (linked["items_count"], linked["tasks_in_project"]) == (count, count)
    assert owner.api.get(path).json()["linked_project_count"] == 2


# --- people and the project ---

class Leaving:
    """People submit task after task until something takes the right from them."""

    def __init__(self, world, tasks=40, people=2):
        self.world = world
        self.owner = world.person("project_admin")
        self.project_id = world.project(by=self.owner.api)["id"]
        self.tasks = new_tasks(world, self.project_id, tasks)
        self.people = world.members(self.project_id, people)
        self.submitted = threading.Semaphore(0)
        self.over = threading.Event()

    def url(self, tail=""):
        return "/projects/%d%s" % (self.project_id, tail)

    def work(self, person, refusals):
        """The tasks that were submitted; ends with the first refusal or when nothing is left."""
        done = []
        while True:
            was_over = self.over.is_set()
            answer = person.api.next(self.project_id, (200, 204, *refusals))
            if answer.status_code == 204:
                return done
            if answer.status_code == 200:
                assert not was_over, "a task was handed out"
                task_id = answer.json()["id"]
                was_over = self.over.is_set()
                answer = person.api.submit(task_id, [box()], (201, *refusals))
            if answer.status_code in refusals:
                return done
            assert not was_over, "a submission was taken"
            done.append(task_id)
            self.submitted.release()

    def end(self, how, after):
        """Takes the right from them once so many tasks are submitted."""
        for _ in range(after):
            assert self.submitted.acquire(timeout=60)
        how()
        self.over.set()
        return []

    def check(self, done):
        """What was acknowledged is there, and nothing else is."""
        assert len(done) == len(set(done))
        tasks = self.world.tasks_of(self.project_id, len(self.tasks))
        assert sorted(t["id"] for t in tasks if t["status"] == "submitted") == sorted(done)
        assert sum(t["annotation_count"] for t in tasks) == len(done)
        return tasks


@pytest.mark.parametrize("after", [0, 1, 12])
def test_whoever_is_no_member_any_more_takes_and_submits_nothing(world, after):
    case = Leaving(world)
    leaver, stayer = case.people
    path = case.url("/members/%d" % leaver.id)
    left, stayed, _ = together([
        lambda: case.work(leaver, (404,)), lambda: stays(case, stayer),
        lambda: case.end(lambda: case.owner.api.delete(path), after)])
    leaver.api.next(case.project_id, 404)
    for task in case.check(left + stayed):
        assert task["status"] == "submitted" or task["lock"]["user_id"] == leaver.id, task
        if task["status"] != "submitted":  # held when the right was taken
            case.owner.api.delete("/tasks/%d/lock" % task["id"])
            stayer.api.post("/tasks/%d/lock" % task["id"], None, 200)
            stayer.api.submit(task["id"], [box()])
            stayed.append(task["id"])
    assert sorted(left + stayed) == case.tasks


def stays(case, person):
    done = []
    while (answer := person.api.next(case.project_id, (200, 204))).status_code == 200:
        done.append(answer.json()["id"])
        person.api.submit(done[-1], [box()])
        case.submitted.release()
    return done


@pytest.mark.parametrize("after", [0, 1, 12])
def test_an_archived_project_takes_nothing_more(world, after):
    case = Leaving(world)
    results = together([
        *[lambda p=p: case.work(p, (404, 409)) for p in case.people],
        lambda: case.end(lambda: case.owner.api.patch(case.url(), {"status": "archived"}), after)])
    done = [task_id for result in results for task_id in result]
    case.check(done)
    case.owner.api.patch(case.url(), {"status": "in_progress"})
    for person in case.people:
        done += stays(case, person)
    case.check(done)
    assert sorted(done) == case.tasks


def test_whoever_is_a_viewer_now_approves_nothing(world):
    case = Leaving(world, tasks=24, people=1)
    stays(case, case.people[0])
    reviewer = world.member(case.project_id, "reviewer")
    demoted, first, approved = threading.Event(), threading.Event(), []

    def approve():
        for task_id in case.tasks:
            was_demoted = demoted.is_set()
            answer = reviewer.api.approve(task_id, (200, 403))
            if answer.status_code == 403:
                assert code_of(answer) == "FORBIDDEN"
                continue
            assert not was_demoted
            approved.append(task_id)
            first.set()

    def demote():
        assert first.wait(60)
        case.owner.api.patch(case.url("/members/%d" % reviewer.id), {"role": "viewer"})
        demoted.set()

    together([approve, demote])
    tasks = world.tasks_of(case.project_id, len(case.tasks))
    assert [t["id"] for t in tasks if t["status"] == "completed"] == approved
    assert approved
