"""People at work in several projects, so that sockets and streams have something to tell. Each
repeats a call under one key, at any node, until its outcome is known."""

import random
import threading
import time

import requests

from client import Api, box, unique
from crowd import NOT_NOW
from load import whole
from waiting import wait_until

DEADLINE_S = 120


class Worker(threading.Thread):
    """The only annotator of a project: locks tasks, draws, changes, deletes, gives them back, skips
    them, and calls by name who listens."""

    def __init__(self, bustle, person, tasks, listeners):
        super().__init__(daemon=True, name="worker-%d" % person.id)
        self.bustle, self.tasks, self.listeners = bustle, tasks, listeners
        self.random = random.Random("%d/%d" % (bustle.seed, len(bustle.workers)))
        self.apis = [Api(node, person.api.token) for node in bustle.nodes]
        self.rounds = self.calls = self.tries = 0
        self.failure = None

    def run(self):
        try:
            while not self.bustle.stopping.is_set():
                self._round()
                self.rounds += 1
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _round(self):
        path = "/tasks/%d" % self.random.choice(self.tasks)
        self._tell("POST", path + "/lock", 200)
        shapes = [box(x=0.1 * at) for at in range(self.random.randint(1, 3))]
        made = self._tell("POST", path + "/annotations", 201, {"shapes": shapes},
                          params={"submit": "false"}).json()["annotations"]
        if self._now_and_then():
            self._tell("PATCH", "%s/annotations/%d" % (path, made[0]["id"]), 200,
                       {"class_name": "person"})
        if self._now_and_then():
            self._tell("DELETE", "%s/annotations/%d" % (path, made[-1]["id"]), 204)
        if self._now_and_then():
            self._tell("POST", path + "/comments", 201,
                       {"body": "@" + self.random.choice(self.listeners)})
        if self._now_and_then():
            self._tell("DELETE", path + "/lock", 204)
        elif self._now_and_then():
            self._tell("POST", path + "/skip", 200, {"reason": "another one first"})

    def _now_and_then(self):
        return self.random.random() < 0.5

    def _tell(self, method, path, expect, body=None, **more):
        key = unique("wish")
        until = time.monotonic() + DEADLINE_S
        self.calls += 1
        if body is not None:
            more["json"] = body
        while time.monotonic() < until:
            self.tries += 1
            try:
                answer = whole(self.random.choice(self.apis).call(method, path, None, key=key,
                                                                  timeout=15, **more))
            except requests.RequestException:
                answer = None
            if answer is not None and answer.status_code not in (202, *NOT_NOW):
                assert answer.status_code == expect, "%s %s under %s: %d %s" % (
                    method, path, key, answer.status_code, answer.text[:500])
                return answer
            self.bustle.pause.wait(0.05)
        raise AssertionError("%s %s under %s: no outcome in %d s" % (method, path, key, DEADLINE_S))


class Bustle:
    """All workers, from the start to the end of a `with`."""

    def __init__(self, nodes, seed):
        self.nodes, self.seed = nodes, seed
        self.workers = []
        self.stopping = threading.Event()
        self.pause = threading.Event()  # never set: a wait on it is a bounded pause

    def add(self, person, tasks, listeners):
        """listeners: names of members who are called."""
        self.workers.append(Worker(self, person, tasks, listeners))

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()

    def check(self):
        for worker in self.workers:
            if worker.failure:
                raise AssertionError("seed %d, %s: %s" % (self.seed, worker.name, worker.failure)
                                     ) from worker.failure

    def wait_for(self, rounds, deadline_s=DEADLINE_S + 30):
        """Until each worker has done so many more."""
        goals = [(worker, worker.rounds + rounds) for worker in self.workers]

        def reached():
            self.check()
            return all(worker.rounds >= goal for worker, goal in goals)

        wait_until(reached, deadline_s, "all workers get on (seed %d)" % self.seed)

    def finish(self):
        """All calls come to their outcome, and no new one begins."""
        self.stopping.set()
        for worker in self.workers:
            worker.join(timeout=DEADLINE_S + 30)
            assert not worker.is_alive(), "a worker hangs (seed %d)" % self.seed
        self.check()
