"""Compares what nodes answer with what a crowd was told, and says how long it had to wait."""

import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import statistics
import time

import requests

from audited import granted_annotations
from client import Api
from crowd import Crowd, same_answer
from load import fault_seed, whole
from waiting import wait_until
from world import World

reports = []  # lines for the end of the run


def publish(told):
    """What the running test has measured, for who looks at the end of the run or in the folder
    ANNOLOG_FAULT_REPORTS."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0].split("::")[-1]
    told = {"test": name, **told}
    reports.append(json.dumps(told))
    if os.environ.get("ANNOLOG_FAULT_REPORTS"):
        folder = pathlib.Path(os.environ["ANNOLOG_FAULT_REPORTS"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / (name + ".json")).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def watched(nodes, **more):
    """(nodes, crowd, oracle) for nodes that serve."""
    crowd = Crowd(World(nodes.serving()[0]), nodes.serving(), fault_seed(), **more)
    return nodes, crowd, Oracle(crowd, nodes)


class Oracle:
    """Looks while the crowd rests; a fault() is a span of time whose gaps are measured."""

    def __init__(self, crowd, nodes):
        self.crowd, self.nodes = crowd, nodes
        self.random = random.Random(crowd.seed)
        self.faults = []

    # --- what is there ---

    def verify(self, tasks=60):
        """At rest: one node is asked for everything, all are asked for a sample by position."""
        whole_picture = self.random.choice(self.nodes.serving())
        for node in self.nodes.serving():
            api = Api(node, self.crowd.world.admin.token)
            self._catch_up(api)
            if node is whole_picture:
                self._verify_projects(api)
                self._verify_tasks(api)
            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                list(pool.map(lambda task_id, a=api: self._verify_annotations(a, task_id),
                              self._sample(sorted(self.crowd.submitted), tasks)))

    def verify_replays(self, count=100):
        """Any acknowledged wish told again, anywhere, is answered as it was."""
        done = [wish for wish in self.crowd.wishes()
                if wish.answer and wish.answer.status in (200, 201)]
        places = [(wish, self.random.choice(self.nodes.serving()))
                  for wish in self._sample(done, count)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda place: self._verify_replay(*place), places))

    @staticmethod
    def _verify_replay(wish, node):
        api = Api(node, wish.client.person.api.token)
        heard = []

        def answered():
            heard[:] = [wish.send(api, 15)]
            return heard[0] is not None and heard[0].status_code != 503

        wait_until(answered, 60, "%s is answered again" % wish)
        same_answer(wish, heard[0])

    def _sample(self, things, count):
        return things if len(things) <= count else self.random.sample(things, count)

    def _get(self, api, path, position=None):
        """Reads until it is no longer "not now"."""
        heard = []

        def answered():
            try:
                answer = whole(api.get(path, None, timeout=15, headers={
                    "X-Event-Position": position} if position else {}))
            except requests.RequestException:
                return False
            heard[:] = [answer]
            return answer is not None and answer.status_code != 503

        wait_until(answered, 60, "%s answers GET %s at position %s" % (
            api.service.folder, path, position))
        assert heard[0].status_code == 200, "GET %s at %s: %d %s" % (
            path, api.service.folder, heard[0].status_code, heard[0].text[:300])
        return heard[0].json()

    def _catch_up(self, api):
        latest = {}
        for wish in self.crowd.wishes():
            if wish.answer and wish.answer.position and wish.answer.status < 300:
                latest.setdefault((wish.path, wish.client.at), wish)
                latest[(wish.path, wish.client.at)] = wish
        ended = sorted(latest.values(), key=lambda wish: wish.ended)
        for wish in ended[-80:]:
            self._get(api, "/projects/%d" % self.crowd.project_ids[0], wish.answer.position)

    def _verify_projects(self, api):
        found = {}
        for project in api.all_pages("/projects", limit=200):
            found.setdefault(project["name"], []).append(project)
        wanted = set(self.crowd.first_names)
        for client in self.crowd.clients:
            for project_id, name, version, description in client.projects:
                wanted.add(name)
                ours = [(p["id"], p["version"], p["description"]) for p in found.get(name, [])]
                assert ours == [(project_id, version, description)], \
                    "project %s of %s: %s was acknowledged, %s is there" % (
                        name, client.name, (project_id, version, description), ours)
        for name, ids in self.crowd.winners.items():
            there = [project["id"] for project in found.get(name, [])]
            assert len(ids) == 1 and there == ids, "%s: won by %s, there are %s: %s" % (
                name, ids, there, [str(w) for w in self.crowd.wishes("contest")
                                   if w.body["name"] == name])
            wanted.add(name)
        assert set(found) == wanted, "nobody was told of %s" % sorted(set(found) - wanted)

    def _verify_tasks(self, api):
        for project_id in self.crowd.project_ids:
            tasks = api.all_pages("/tasks", {"project_id": project_id}, limit=200)
            assert len(tasks) == self.crowd.tasks[project_id]
            for task in tasks:
                ids = self.crowd.submitted.get(task["id"], [])
                holder = self.crowd.holders.get(task["id"])
                about = "task %d, held by %s: %s" % (task["id"], holder and holder.name, task)
                assert task["annotation_count"] == len(ids), about
                if task["status"] == "in_progress" and not holder:
                    self._verify_straggler(task)
                    continue
                assert task["status"] == ("submitted" if ids else "pending"), about
        assert set(self.crowd.submitted) == set(self.crowd.holders)

    def _verify_straggler(self, task):
        """Nobody was told that he has it: only who was told "none left" by one node, while another
        one still had his question, may have it."""
        mine = [wish for wish in self.crowd.wishes("next")
                if wish.client.person.id == task["assignee_id"] and wish.straggler()
                and wish.body["project_id"] == task["project_id"]]
        assert mine, "nobody took task %d: %s" % (task["id"], task)

    def _verify_annotations(self, api, task_id):
        path = "/tasks/%d/annotations/page?limit=50" % task_id
        found = {(a["id"], a["version"]) for a in self._get(api, path)["items"]}
        wanted = {(annotation, 1) for annotation in self.crowd.submitted[task_id]}
        assert found == wanted, "task %d: %s at %s instead of %s" % (
            task_id, sorted(found), api.service.folder, sorted(wanted))
        # It was saved once, and submitted once.
        rows = granted_annotations(api, task_id)
        assert rows == 2, "task %d has %d rows in the audit at %s" % (
            task_id, rows, api.service.folder)

    def only_refused_by(self, stops):
        """No try failed but at a node while it was stopped (name, from, to), and there only for
        want of a connection or with 503 STOPPING."""
        for one in self.crowd.failed_tries():
            excused = one.outcome in ("ConnectionError", "503 STOPPING", "cut off") and any(
                name == one.node and began - 30 <= one.at <= ended for name, began, ended in stops)
            assert excused, "%s; stops: %s; all: %s" % (one, stops, self.crowd.failed_tries())

    # --- how long it took ---

    @contextlib.contextmanager
    def fault(self, what):
        began = time.monotonic()
        yield
        self.faults.append((what, began, time.monotonic()))

    def prove(self):
        """The crowd has gone: everything is checked, all nodes are stopped, the log is verified and
        the read models are compared with a rebuild."""
        self.crowd.check()
        self.report()
        self.verify(tasks=400)
        self.verify_replays()
        self.verify(tasks=10)
        self.nodes.stop()
        self.nodes.verify_log()
        self.nodes.verify_rebuild()
        assert not self.crowd.wrong, "\n".join(self.crowd.wrong)

    def report(self):
        """The longest time without any granted wish, and the longest that one had to wait, for
        each fault."""
        wishes = [wish for wish in self.crowd.wishes() if wish.ended]
        ends = sorted(wish.ended for wish in wishes)
        gaps, waits = collections.defaultdict(list), collections.defaultdict(list)
        slowest = {}
        for what, began, ended in self.faults:
            inside = [began, *(end for end in ends if began <= end <= ended), ended]
            gaps[what].append(max(b - a for a, b in zip(inside, inside[1:])))
            there = [w for w in wishes if w.ended >= began and w.began <= ended]
            waits[what].append(max(w.ended - w.began for w in there))
            slowest[what] = str(max(there, key=lambda w: w.ended - w.began))
        tries = collections.Counter(one.outcome for one in self.crowd.failed_tries())
        seconds = ends[-1] - ends[0]
        publish({
            "wishes": len(wishes), "wishes_per_s": round(len(wishes) / seconds, 1),
            "reads_by_position": self.crowd.looks, "reads_refused_for_now": self.crowd.unread,
            "unknown_outcomes_resolved": sum(wish.unknown() for wish in wishes),
            "failed_tries": dict(tries),
            "faults": {what: {
                "times": len(gaps[what]),
                "gap_s": {"median": round(statistics.median(gaps[what]), 2),
                          "max": round(max(gaps[what]), 2)},
                "longest_wait_s": {"median": round(statistics.median(waits[what]), 2),
                                   "max": round(max(waits[what]), 2)},
                "slowest_of_the_last": slowest[what],
            } for what in gaps},
        })
