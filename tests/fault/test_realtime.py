"""200 sockets and 20 streams listen while the service or PostgreSQL is killed in a loop: whoever
comes back with `after` has heard every frame of its channels in the end, in order. And one that
reads slowly."""

import itertools
import os
import re
import socket

import postgres
from client import box
from load import fault_seed
from oracle import publish
from racing import new_tasks
from realtime_oracle import RealtimeOracle, judge
from realtime_scene import SETTINGS, Scene
from socket_listeners import Heard, SocketCrowd
from sockets import Closed, Socket
from waiting import wait_until
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "8"))
POSTGRES_ROUNDS = 4


def test_listeners_miss_nothing_while_the_service_is_killed(make_service):
    service = make_service(SETTINGS).start()

    def kill_and_start():
        service.kill9()
        service.start()

    with Scene([service]) as scene:
        for _ in range(ROUNDS):
            scene.break_down("kill -9 of the service", kill_and_start)
        scene.prove()
        assert all(one.connections > 1 for one in scene.sockets.listeners)
    assert service.stop() == 0


def test_listeners_miss_nothing_while_postgres_is_killed(make_service, cluster):
    """It loses what it has last committed, and applies it again. Half of the listeners have missed
    that, and ask for it the moment when PostgreSQL comes back without it."""
    service = make_service(SETTINGS, database_url=postgres.Database(cluster.url).url).start()
    with Scene([service]) as scene:
        sockets = scene.sockets

        def kill_and_start():
            cluster.kill9()
            sockets.call_back()
            cluster.start()

        for at in range(POSTGRES_ROUNDS):
            sockets.send_away(*sockets.listeners[at % 2::2])
            scene.bustle.wait_for(3)
            scene.break_down("kill -9 of PostgreSQL", kill_and_start)
        scene.prove()
    service.close()


# --- a slow reader ---

FRAMES_A_STEP = 100  # of one call; more would come as one frame
MOST_STEPS = 1000  # 20 MB: more than the kernel and the service keep for a reader
QUICK = 10  # on the slow one's channel, and so many elsewhere


class Flood:
    """One project is drawn in as fast as its quick listeners hear of it, another one now and then;
    a reader of the former takes nothing."""

    def __init__(self, service):
        self.world = World(service)
        self.service = service
        self.quick = SocketCrowd([service], fault_seed(), threads=2)
        self.busy, self.calm = self._place(20), self._place(1)
        viewer = self.world.member(self.busy[0], "viewer")
        # Little waits in the reader's own kernel.
        self.slow = Socket(service, token=viewer.api.token,
                           sockopt=((socket.SOL_SOCKET, socket.SO_RCVBUF, 4096),))
        self.viewer, self.heard = viewer, Heard()
        self.heard.begin(self.slow.subscribe(self.channel(self.busy)))

    def _place(self, tasks):
        project_id = self.world.project()["id"]
        painter = self.world.member(project_id)
        listener = self.world.member(project_id, "viewer")
        place = project_id, painter, itertools.cycle(new_tasks(self.world, project_id, tasks))
        for _ in range(QUICK):
            self.quick.add(listener, [self.channel(place)])
        return place

    @staticmethod
    def channel(place):
        return "project:%d:annotation" % place[0]

    def draw(self, place, count):
        _, painter, tasks = place
        task = next(tasks)
        painter.api.post("/tasks/%d/lock" % task, None, 200)
        painter.api.save(task, [box() for _ in range(count)])

    def have_heard(self, place, count):
        self.quick.check()
        return all(len(heard.frames) == count for heard in self.quick.heard(self.channel(place)))

    def ended(self):
        """How many sockets the service has closed, by code."""
        text = self.world.nobody.get("/metrics", root=True).text
        found = re.findall(r'^annolog_realtime_closed_total\{code="(\d+)"\} (\d+)', text, re.M)
        return {code: int(count) for code, count in found if int(count)}

    def step(self, steps):
        """All quick ones hear all, and the slow one keeps nobody waiting."""
        self.draw(self.busy, FRAMES_A_STEP)
        self.draw(self.calm, 1)
        wait_until(lambda: self.have_heard(self.busy, steps * FRAMES_A_STEP)
                   and self.have_heard(self.calm, steps), 60, "all quick ones hear all")
        self.slow.say(type="pong")  # it lives

    def read_slow(self):
        """Takes what was on its way when it was closed; the code, 0: too late even for that."""
        wire = self.slow.connection.sock
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        try:
            while True:
                self._take(self.slow.frame())
        except Closed as closed:
            return closed.code

    def come_back(self, count):
        """Reads as others do, until it has as many frames as they."""
        self.slow = Socket(self.service, token=self.viewer.api.token)
        self.slow.subscribe(self.channel(self.busy), self.heard.after)
        while len(self.heard.frames) < count:
            self._take(self.slow.next())
        self.slow.close()

    def _take(self, message):
        if "data" in message:
            self.heard.take(message)


def test_a_slow_reader_is_closed_and_the_others_hear_everything_at_once(make_service):
    service = make_service(SETTINGS).start()
    flood = Flood(service)
    with flood.quick:
        flood.quick.wait_listening()
        steps = 0
        while not flood.ended():
            steps += 1
            assert steps <= MOST_STEPS, "nothing is too slow"
            flood.step(steps)
        assert flood.ended() == {"1013": 1}
        assert flood.read_slow() in (1013, 0)
        taken = len(flood.heard.frames)
        assert taken < steps * FRAMES_A_STEP
        flood.come_back(steps * FRAMES_A_STEP)
        assert all(one.connections == 1 and not one.ends for one in flood.quick.listeners)
        oracle = RealtimeOracle(flood.world, [service], flood.quick)
        frames = oracle.verify_sockets()
        judge(list(flood.heard.frames),
              oracle.must_have(flood.channel(flood.busy), flood.heard.begun), "the slow one")
    publish({"frames_of_the_channel": steps * FRAMES_A_STEP, "slow_reader_took": taken,
             "quick_readers": QUICK, "frames_heard": dict(frames)})
