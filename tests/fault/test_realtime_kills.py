"""kill -9 of the service again and again while many sockets listen: with `after`, each has seen
every frame of its channel at least once and in order."""

import os
import random
import threading

import requests
from websocket import WebSocketException

from client import box, unique
from load import NOT_NOW, fault_seed, whole
from sockets import Closed, Socket
from waiting import wait_until
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "8"))
PAUSE_S = 0.1  # before another try
WATCHERS = int(os.environ.get("ANNOLOG_FAULT_SOCKETS", "200"))


class Annotator(threading.Thread):
    """Saves one shape after another, each until it is acknowledged."""

    def __init__(self, api, task_id):
        super().__init__(daemon=True)
        self.api, self.task_id = api, task_id
        self.saved = []  # ids, in the order of the log
        self.enough = threading.Event()

    def run(self):
        while not self.enough.is_set():
            self.saved.append(self.save(unique("shape")))

    def save(self, key):
        while True:
            try:
                answer = whole(self.api.save(self.task_id, [box()], None, key=key, timeout=15))
            except requests.RequestException:
                self.enough.wait(PAUSE_S)
                continue
            if answer is None or answer.status_code in NOT_NOW:
                continue
            assert answer.status_code == 201, answer.text
            return answer.json()["annotations"][0]["id"]


class Watcher(threading.Thread):
    """Listens to a channel; cut off, again from the last position that it has."""

    def __init__(self, service, token, channel, position):
        super().__init__(daemon=True)
        self.service, self.token, self.channel = service, token, channel
        self.position = position
        self.told = []  # ids, as they came
        self.away = threading.Event()  # never set: only waited for
        self.last_id = None  # there is no more behind it

    def run(self):
        while self.last_id is None or self.last_id not in self.told:
            try:
                self.listen()
            except (Closed, OSError, WebSocketException):
                self.away.wait(PAUSE_S)

    def listen(self):
        socket = Socket(self.service, token=self.token, timeout_s=5)
        try:
            answer = socket.wish(self.channel, self.position)
            if answer["type"] != "subscribed":
                return
            while self.last_id is None or self.last_id not in self.told:
                frame = socket.next()
                self.told.append(frame["data"]["annotation_id"])
                self.position = frame["position"]
        finally:
            socket.close()


def test_sockets_miss_no_frame_over_kills(make_service):
    moments = random.Random(fault_seed())
    places = str(2 * WATCHERS)
    service = make_service({"ANNOLOG_REALTIME_CONNECTIONS": places,
                            "ANNOLOG_REALTIME_CONNECTIONS_PER_USER": places}).start()
    world = World(service)
    work, task, annotator = world.started()
    channel = "project:%d:annotation" % work.project_id
    first = Socket(service, token=world.admin.token)
    position = first.subscribe(channel)
    first.close()
    watchers = [Watcher(service, world.admin.token, channel, position) for _ in range(WATCHERS)]
    writer = Annotator(annotator.api, task["id"])
    for thread in [*watchers, writer]:
        thread.start()
    for _ in range(ROUNDS):
        wanted = len(writer.saved) + moments.randrange(1, 40)
        wait_until(lambda at=wanted: len(writer.saved) >= at, 120, "shapes are saved")
        service.kill9()
        service.start()
    writer.enough.set()
    writer.join(timeout=60)
    for watcher in watchers:
        watcher.last_id = writer.saved[-1]
    for watcher in watchers:
        watcher.join(timeout=120)
        assert not watcher.is_alive(), "it has %d of %d" % (len(watcher.told), len(writer.saved))
    for watcher in watchers:
        assert list(dict.fromkeys(watcher.told)) == writer.saved
