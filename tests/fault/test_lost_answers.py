"""A proxy loses a fifth of all answers; clients repeat under their key: effects equal intents."""

import threading

import pytest
import requests

import images
from client import Api, box, md5, unique, unique_seed
from load import NOT_NOW, Load, fault_seed, whole
from lossy_proxy import LossyProxy
from waiting import wait_until
from world import World

CLIENTS = 4
TASKS = 3  # for each client


@pytest.fixture
def served(make_service):
    service = make_service().start()
    seed = fault_seed()
    with LossyProxy(service, seed) as proxy:
        yield World(service), proxy, seed


class Insistent:
    """Calls as one user through the proxy: repeats each under one key until it hears an answer."""

    def __init__(self, proxy, api):
        self.api = Api(proxy, api.token)
        self.repeated = 0

    def call(self, method, path, body=None, expect=(200, 201, 204), **more):
        key = unique("intent")
        heard = []

        def acknowledged():
            try:
                answer = whole(self.api.call(method, path, None, key=key, json=body, timeout=15,
                                             **more))
            except requests.RequestException:
                answer = None
            if answer is None or answer.status_code in NOT_NOW:
                self.repeated += 1
                return False
            heard.append(answer)
            return True

        wait_until(acknowledged, 60, "%s %s under the key %s is answered" % (method, path, key))
        answer = heard[0]
        assert answer.status_code in expect, "%s %s answered %d after %d repetitions: %s" % (
            method, path, answer.status_code, self.repeated, answer.text[:1000])
        return answer.json() if answer.content else None

    def put(self, init, data):
        """An upload is its own repetition: the same bytes to the same place."""

        def stored():
            url = init["upload_url"].split("://", 1)[-1].split("/", 1)[1]
            try:
                answer = requests.put(self.api.service.base_url + "/" + url, data=data,
                                      headers=init["headers"], timeout=15)
            except requests.RequestException:
                return False
            assert answer.status_code in (200, 201, 204), answer.text
            return whole(answer) is not None

        wait_until(stored, 60, "an upload is answered")


class Client(threading.Thread):
    """One annotator's whole story, from an empty project to submitted tasks."""

    def __init__(self, proxy, person):
        super().__init__(daemon=True, name=person.username)
        self.person = person
        self.calls = Insistent(proxy, person.api)
        self.project = self.dataset = None
        self.items, self.tasks = [], {}  # task id -> {annotation id: version}
        self.failure = None

    def run(self):
        try:
            self._prepare()
            for _ in range(TASKS):
                self._annotate()
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _prepare(self):
        call = self.calls.call
        self.name = unique("story")
        self.project = call("POST", "/projects", {
            "name": self.name, "classes_config": [{"name": "car", "color": "#00AA00"}]})
        self.dataset = call("POST", "/datasets", {"name": self.name})
        items = "/datasets/%d/items" % self.dataset["id"]
        for at in range(TASKS):
            data = images.png(32, 24, unique_seed())
            init = call("POST", items + "/upload-init", {
                "file_name": "image-%d.png" % at, "file_size": len(data),
                "content_type": "image/png", "content_hash": md5(data)})
            self.calls.put(init, data)
            self.items.append(call("POST", "%s/upload-complete/%d" % (items, init["item_id"])))
        linked = call("POST", "/datasets/%d/link" % self.dataset["id"],
                      {"project_id": self.project["id"]})
        assert linked["created_tasks"] == TASKS, linked

    def _annotate(self):
        call = self.calls.call
        task = call("POST", "/tasks/next", {"project_id": self.project["id"]})
        path = "/tasks/%d/annotations" % task["id"]
        assert task["id"] not in self.tasks, "a submitted task was handed out again"
        shapes = self.tasks[task["id"]] = {}
        for at in range(3):
            made = call("POST", path, {"shapes": [box(x=0.1 * at, width=0.2)]},
                        params={"submit": "false"})["annotations"][0]
            shapes[made["id"]] = 1
        first, second, _ = shapes
        for confidence in (0.25, 0.5):
            changed = call("PATCH", "%s/%d" % (path, first), {"confidence": confidence})
            shapes[first] += 1
            assert changed["version"] == shapes[first]
        call("DELETE", "%s/%d" % (path, second))
        del shapes[second]
        call("POST", path, {"shapes": []})

    def verify(self, admin):
        """What the service holds is what was meant, once; told without the proxy."""
        for kind, mine in (("projects", self.project), ("datasets", self.dataset)):
            named = [e["id"] for e in admin.all_pages("/" + kind, limit=200)
                     if e["name"] == self.name]
            assert named == [mine["id"]], kind
        items = admin.all_pages("/datasets/%d/items" % self.dataset["id"])
        assert sorted(i["id"] for i in items) == sorted(i["id"] for i in self.items)
        tasks = admin.all_pages("/tasks", {"project_id": self.project["id"]})
        assert {t["id"]: t["status"] for t in tasks} == dict.fromkeys(self.tasks, "submitted")
        for task_id, shapes in self.tasks.items():
            found = {a["id"]: a["version"] for a in admin.annotations(task_id)}
            assert found == shapes, "annotations of task %d" % task_id
            assert admin.task(task_id)["annotation_count"] == len(shapes)


def test_effects_equal_intents_when_a_fifth_of_the_answers_is_lost(served):
    world, proxy, seed = served
    clients = [Client(proxy, person) for person in world.people(CLIENTS, "project_admin")]
    for client in clients:
        client.start()
    for client in clients:
        client.join(timeout=180)
        assert not client.is_alive(), "seed %d: a client hangs" % seed
        if client.failure:
            raise AssertionError("seed %d: %s" % (seed, client.failure)) from client.failure
    assert proxy.lost > 0 and sum(c.calls.repeated for c in clients) > 0
    for client in clients:
        client.verify(world.admin)
    world.service.restart()
    for client in clients:
        client.verify(world.admin)


def test_a_link_whose_answer_was_not_heard_is_told_again_as_it_was(served):
    world, _, _ = served
    work = world.work(2)
    other = world.project()
    path, body = "/datasets/%d/link" % work.dataset_id, {"project_id": other["id"]}
    key = unique("link")
    first = world.admin.post(path, body, 200, key=key).json()
    assert first == {"created_tasks": 2, "existing_tasks": 0}
    again = world.admin.post(path, body, 200, key=key)
    assert again.json() == first and again.headers["Idempotency-Replayed"] == "true"
    anew = world.admin.post(path, body, 200, key=unique("link")).json()
    assert anew == {"created_tasks": 0, "existing_tasks": 2}


def test_a_user_whose_creation_was_not_heard_of_is_made_once(served):
    world, proxy, _ = served
    calls = Insistent(proxy, world.admin)
    wanted = [unique("heard") for _ in range(12)]
    for name in wanted:
        calls.call("POST", "/users", {"username": name, "name": name, "role": "annotator",
                                      "password": "Good-pass-1"})
    made = [user["username"] for user in world.admin.get("/users").json()]
    assert sorted(set(wanted) & set(made)) == sorted(wanted)
    assert len(made) == len(set(made))
    for name in wanted:
        assert world.nobody.login(name, "Good-pass-1").json()["user"]["username"] == name


def test_answers_lost_under_load_and_a_kill_leave_each_effect_once(served):
    world, proxy, seed = served
    load = Load(world, seed, writers=4)
    for writer in load.writers:
        writer.person.api.service = proxy
    with load:
        for _ in range(3):
            load.wait_for(60)
            world.service.kill9()
            world.service.start()
    assert proxy.lost > 0
    for writer in load.writers:
        writer.person.api.service = world.service
    load.verify()
    load.verify_replays()
