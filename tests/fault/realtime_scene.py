"""Four projects where people work, with 200 sockets and 20 streams of Server-Sent Events that
listen; what happens to the nodes meanwhile is the test's affair."""

import collections
import contextlib
import random

import requests

from bustle import Bustle
from client import Api
from listeners import Listeners
from load import fault_seed
from oracle import publish
from racing import new_tasks
from realtime_oracle import RealtimeOracle
from socket_listeners import SocketCrowd
from waiting import wait_until
from world import World

# Room for all of them on one node, and for those that it has not noticed to be gone.
SETTINGS = {"ANNOLOG_REALTIME_CONNECTIONS": "300", "ANNOLOG_REALTIME_CONNECTIONS_PER_USER": "20",
            "ANNOLOG_ACCESS_TOKEN_MINUTES": "120"}
PROJECTS = 4
TASKS = 6  # of each project
PEOPLE = 5  # of each project, who listen on sockets
SOCKETS = 10  # of each of them
LOCKS = 2  # tasks that each socket listens to
STREAMS = 5  # of each project


class Scene:
    """`with`: everybody listens and works. prove() is its end."""

    def __init__(self, nodes):
        self.nodes = list(nodes)
        self.seed = fault_seed()
        self.random = random.Random(self.seed)
        self.world = World(self.nodes[0])
        self.sockets = SocketCrowd(self.nodes, self.seed)
        self.bustle = Bustle(self.nodes, self.seed)
        self.streams = []
        self.faults = collections.Counter()
        self._members = []  # (person, project id)
        self._ends = contextlib.ExitStack()
        for _ in range(PROJECTS):
            self._furnish(self.world.project()["id"])

    def _furnish(self, project_id):
        tasks = new_tasks(self.world, project_id, TASKS)
        worker = self.world.member(project_id)
        people = self.world.members(project_id, PEOPLE, "viewer")
        for person in people:
            for _ in range(SOCKETS):
                locks = self.random.sample(tasks, LOCKS)
                self.sockets.add(person, [
                    "user:%d:notify" % person.id, "project:%d:annotation" % project_id,
                    *("task:%d:lock" % task for task in locks)])
        self.bustle.add(worker, tasks, [person.username for person in people])
        self.streams.append(Listeners(self.world, project_id, self.nodes, STREAMS))
        self._members += [(person, project_id) for person in (worker, *people)]
        self._members += [(one.person, project_id) for one in self.streams[-1].all]

    def __enter__(self):
        self._wait_known()
        with contextlib.ExitStack() as ends:
            for streams in self.streams:
                ends.enter_context(streams)
            ends.enter_context(self.sockets)
            self.sockets.wait_listening()
            ends.enter_context(self.bustle)
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_):
        self._ends.close()

    def _wait_known(self):
        """Every node has heard of all people and of what they may see."""
        for node in self.nodes:
            for person, project_id in self._members:
                api = Api(node, person.api.token)

                def knows(api=api, project_id=project_id):
                    try:
                        return api.get("/projects/%d" % project_id, None).status_code == 200
                    except requests.RequestException:
                        return False

                wait_until(knows, 60, "%s knows %s" % (node.folder, person.username))

    def go_on(self, most=6):
        """Some more rounds of work, or none."""
        self.bustle.wait_for(self.random.randrange(most))
        self.check()

    def check(self):
        self.sockets.check()
        self.bustle.check()
        for streams in self.streams:
            for one in streams.all:
                one.check()

    def break_down(self, what, *steps):
        """A fault and its end, with some work amid."""
        self.faults[what] += 1
        for step in steps:
            step()
            self.go_on()

    def prove(self):
        """The work ends; everybody must then hear what the log has."""
        self.bustle.wait_for(3)
        self.bustle.finish()
        oracle = RealtimeOracle(self.world, self.nodes, self.sockets)
        oracle.catch_up()
        frames = oracle.verify_sockets()
        events = sum(len(streams.verify()) * len(streams.all) for streams in self.streams)
        self._report(frames, events)
        assert all(frames[kind] for kind in ("annotation", "lock", "notify")), frames

    def _report(self, frames, events):
        everybody = self.sockets.listeners
        ends = sum((one.ends for one in everybody), collections.Counter())
        streams = [one for streams in self.streams for one in streams.all]
        publish({
            "faults": dict(self.faults),
            "calls": sum(worker.calls for worker in self.bustle.workers),
            "tries": sum(worker.tries for worker in self.bustle.workers),
            "sockets": len(everybody), "frames_heard": dict(frames),
            "repeats": sum(h.repeats for one in everybody for h in one.heard.values()),
            "connections": sum(one.connections for one in everybody),
            "ends_by_code": dict(ends), "refused_for_now": sum(o.refusals for o in everybody),
            "streams": len(streams), "stream_events_heard": events,
            "stream_connections": sum(one.connections for one in streams),
        })
