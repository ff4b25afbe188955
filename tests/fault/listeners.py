"""Readers of a project's change feed that are cut off again and again, come back with the last id
that they heard, and compare in the end: every event was heard, once, in the order of the log."""

import itertools
import threading

import requests

from client import Api
from feeds import Stream, events, offset
from waiting import wait_until

NOT_NOW = (429, 502, 503, 504)


class Listener(threading.Thread):
    """One reader. `services` are asked in turn: whichever is there."""

    def __init__(self, services, person, project_id, stopping):
        super().__init__(daemon=True, name="listener-%d" % person.id)
        self.services = itertools.cycle(services)
        self.person, self.project_id, self.stopping = person, project_id, stopping
        self.heard = []
        self.last_id = None
        self.connections = 0
        self.failure = None
        self._pause = threading.Event()  # never set: a wait on it is a bounded pause

    def run(self):
        try:
            while not self.stopping.is_set():
                self._listen(Api(next(self.services), self.person.api.token))
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _listen(self, api):
        try:
            with Stream(api, self.project_id, None, last_id=self.last_id, timeout=20) as stream:
                if stream.answer.status_code in NOT_NOW:
                    self._pause.wait(0.1)
                    return
                assert stream.answer.status_code == 200, stream.answer.text[:500]
                self.connections += 1
                self._take(stream)
        except requests.RequestException:
            self._pause.wait(0.05)

    def _take(self, stream):
        for message in iter(stream.message, None):
            self.heard.append(message.data)
            self.last_id = message.id
            if self.stopping.is_set():
                return

    def check(self):
        if self.failure:
            raise AssertionError("%s: %s" % (self.name, self.failure))
        places = [offset(event["position"]) for event in self.heard]
        assert places == sorted(set(places)), "%s heard out of order or twice" % self.name


class Listeners:
    """So many readers, each a member of the project."""

    def __init__(self, world, project_id, services, count=6):
        self.world, self.project_id = world, project_id
        self.stopping = threading.Event()
        services = list(services)
        self.all = [Listener(services[at % len(services):] + services[:at % len(services)],
                             person, project_id, self.stopping)
                    for at, person in enumerate(world.members(project_id, count, "viewer"))]

    def __enter__(self):
        for listener in self.all:
            listener.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()

    def verify(self):
        """All have heard what the feed tells now, and nothing else."""
        told = events(self.world.admin, self.project_id)
        for listener in self.all:
            wait_until(lambda one=listener: one.check() or len(one.heard) >= len(told), 60,
                       "%s hears %d events" % (listener.name, len(told)))
            assert listener.heard == told, listener.name
        return told
