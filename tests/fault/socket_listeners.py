"""A crowd on the multiplexed socket that comes back: each listener keeps the last position of each
of its channels, reconnects with backoff to any node and goes on behind it. A few threads serve them
all. realtime_oracle.py judges what they heard."""

import collections
import json
import random
import selectors
import threading
import time

import websocket

from sockets import Closed, Socket
from waiting import wait_until

# Why a subscription, or its replay, can't be had for now.
NOT_NOW = ("READ_UNAVAILABLE", "READ_MODEL_BEHIND", "OVERLOADED")
HANDSHAKE_NOT_NOW = (429, 502, 503, 504)
# The connection broke, the service stops, or has no place or no way to judge for now.
COME_BACK = (0, 1001, 1013)
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2
SILENCE_S = 60  # far more than between two pings
MESSAGES_A_TURN = 100
TURN_S = 0.05

Frame = collections.namedtuple("Frame", "type data position")


class Unheard(Exception):
    """The service said what it must not."""


class Heard:
    """What a listener had of one channel."""

    def __init__(self):
        self.begun = None  # position of the first subscription: all behind it must come
        self.after = None  # what is named when it comes back
        self.frames = {}  # first sightings, in their order
        self.repeats = 0

    def begin(self, position):
        if self.begun is None:
            self.begun = self.after = position

    def take(self, message):
        frame = Frame(message["type"], message["data"], message["position"])
        self.after = frame.position
        if self.frames.setdefault(key_of(message["channel"], frame), frame) is not frame:
            self.repeats += 1


def key_of(channel, frame):
    """What tells a frame from the others of its channel. Positions of notifications name all
    shards, and so differ from one sighting to the next."""
    if channel.startswith("user:"):
        return frame.data["id"]
    return json.dumps(frame, sort_keys=True)


class SocketListener:
    """One client; it has a socket or waits until it is due to ask for one."""

    def __init__(self, nodes, person, channels, seed):
        self.nodes, self.person = nodes, person
        self.heard = {channel: Heard() for channel in channels}
        self.random = random.Random(seed)
        self.socket = None
        self.away = False  # it shall have none
        self.due = 0.0
        self.connections = self.refusals = 0
        self.ends = collections.Counter()  # of its sockets, by close code
        self._pause = FIRST_PAUSE_S
        self._again = []  # (when, channel): refused for now
        self._heard_at = 0.0

    def connect(self):
        """Whether that went well."""
        try:
            self.socket = Socket(self.random.choice(self.nodes), token=self.person.api.token)
            self._heard_at = time.monotonic()
            for channel in self.heard:
                self._subscribe(channel)
            self.socket.connection.settimeout(0)
        except (websocket.WebSocketException, OSError) as error:
            status = getattr(error, "status_code", None)
            if status is not None and status not in HANDSHAKE_NOT_NOW:
                raise
            self.hang_up()
            return False
        self.connections += 1
        return True

    def read(self):
        """Takes what there is; the close code when that was all."""
        try:
            for _ in range(MESSAGES_A_TURN):
                self._take(self.socket.frame())
        except BlockingIOError:
            return None
        except Closed as closed:
            if closed.code not in COME_BACK:
                raise
            return closed.code
        except (websocket.WebSocketConnectionClosedException, ConnectionError):  # at a pong
            return 0
        return None

    def look(self, now):
        """Asks once more for what was refused; False when the other side is silent."""
        due = [channel for when, channel in self._again if when <= now]
        self._again = [each for each in self._again if each[0] > now]
        try:
            for channel in due:
                self._subscribe(channel)
        except (websocket.WebSocketException, OSError):
            return False
        return now - self._heard_at < SILENCE_S

    def leave(self, code):
        self.ends[code] += 1
        self.hang_up()

    def hang_up(self):
        if self.socket:
            self.socket.connection.shutdown()
        self.socket = None
        self._again = []
        self.due = time.monotonic() + self.random.uniform(0.5, 1) * self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_S)

    def _subscribe(self, channel):
        after = self.heard[channel].after
        self.socket.say(type="subscribe", channel=channel, **({"after": after} if after else {}))

    def _take(self, message):
        self._heard_at = time.monotonic()
        if "data" in message:
            self.heard[message["channel"]].take(message)
        elif message["type"] == "ping":
            self.socket.say(type="pong")
        elif message["type"] == "subscribed":
            self.heard[message["channel"]].begin(message["position"])
            self._pause = FIRST_PAUSE_S
        elif message["type"] == "error" and message["code"] in NOT_NOW:
            self.refusals += 1
            self._again.append((self._heard_at + LONGEST_PAUSE_S / 4, message["channel"]))
        else:
            raise Unheard("%s was told %s" % (self.person.username, message))


class Ear(threading.Thread):
    """Serves some of the listeners."""

    def __init__(self, listeners, stopping):
        super().__init__(daemon=True, name="ear")
        self.listeners, self.stopping = listeners, stopping
        self.failure = None
        self._selector = selectors.DefaultSelector()
        self._wires = {}  # the TCP socket of each that has one; websocket-client forgets it

    def run(self):
        try:
            while not self.stopping.is_set():
                self._connect()
                self._look()
                until = time.monotonic() + TURN_S
                while not self.stopping.is_set() and time.monotonic() < until:
                    self._read()
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error
        finally:
            self._selector.close()
            for listener in self._wires:
                listener.hang_up()

    def _read(self):
        for key, _ in self._selector.select(TURN_S):
            code = key.data.read()
            if code is not None:
                self._leave(key.data, code)

    def _look(self):
        now = time.monotonic()
        for listener in list(self._wires):
            if listener.away or not listener.look(now):
                self._leave(listener, 0)

    def _connect(self):
        for listener in self.listeners:
            if self.stopping.is_set():
                return
            if listener in self._wires or listener.away or listener.due > time.monotonic():
                continue
            if listener.connect():
                wire = self._wires[listener] = listener.socket.connection.sock
                self._selector.register(wire, selectors.EVENT_READ, listener)

    def _leave(self, listener, code):
        self._selector.unregister(self._wires.pop(listener))
        listener.leave(code)


class SocketCrowd:
    """All listeners, from the start to the end of a `with`."""

    def __init__(self, nodes, seed, threads=4):
        self.nodes, self.seed = nodes, seed
        self.listeners = []
        self._stopping = threading.Event()
        self._threads = threads
        self._ears = []

    def add(self, person, channels):
        self.listeners.append(SocketListener(
            self.nodes, person, channels, "%d/%d" % (self.seed, len(self.listeners))))
        return self.listeners[-1]

    def __enter__(self):
        self._ears = [Ear(self.listeners[at::self._threads], self._stopping)
                      for at in range(self._threads)]
        for ear in self._ears:
            ear.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._stopping.set()
        for ear in self._ears:
            ear.join(timeout=60)
            assert not ear.is_alive(), "an ear hangs (seed %d)" % self.seed

    def check(self):
        for ear in self._ears:
            if ear.failure:
                raise AssertionError("seed %d: %r" % (self.seed, ear.failure)) from ear.failure

    def wait_listening(self, deadline_s=60):
        """Until everybody has been heard on every channel."""

        def all_listen():
            self.check()
            return all(heard.begun for one in self.listeners for heard in one.heard.values())

        wait_until(all_listen, deadline_s, "all listen to all channels")

    def send_away(self, *listeners):
        """Until call_back() they miss what happens."""
        for listener in listeners:
            listener.away = True
        wait_until(lambda: self.check() or not any(one.socket for one in listeners), 60,
                   "they are gone")

    def call_back(self):
        for listener in self.listeners:
            listener.away = False

    def heard(self, channel):
        """What each listener of the channel had of it."""
        return [one.heard[channel] for one in self.listeners if channel in one.heard]
