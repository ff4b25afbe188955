"""What reads the change feed of a project: whole, by pages, and as Server-Sent Events."""

import collections
import json
import threading

import requests

from client import unique
from commenting import say

Message = collections.namedtuple("Message", "id event data")


def feed_path(project_id):
    return "/projects/%d/events" % project_id


def page(api, project_id, expect=200, timeout=30, headers=None, **params):
    """One answer; types may be a list."""
    return api.get(feed_path(project_id), expect, params=params, timeout=timeout, headers=headers)


def whole(api, project_id, limit=1000, after=None, **params):
    """All events behind `after`, and where the feed goes on."""
    events = []
    while True:
        asked = dict(params, limit=limit, **({"after": after} if after else {}))
        body = page(api, project_id, **asked).json()
        assert len(body["items"]) <= limit
        events += body["items"]
        after = body["next_position"]
        if body["caught_up"]:
            return events, after


def events(api, project_id, **params):
    return whole(api, project_id, **params)[0]


def types(items):
    return [item["type"] for item in items]


def offset(position):
    """Of the only record that the position names."""
    head, _, at = position.partition("-")
    assert head.startswith("p1."), position
    return int(at)


class Stream:
    """A stream of Server-Sent Events, read by one thread; last_id is what a browser would keep.
    expect: None takes any status."""

    def __init__(self, api, project_id, expect=200, last_id=None, timeout=60, **params):
        headers = {"Accept": "text/event-stream"}
        if api.token:
            headers["Authorization"] = "Bearer " + api.token
        if last_id:
            headers["Last-Event-ID"] = last_id
        self.last_id = last_id
        # A connection of its own: closing it is what a client that goes away does.
        self.answer = requests.get(api.url(feed_path(project_id)), params=params, headers=headers,
                                   stream=True, timeout=timeout)
        assert expect in (None, self.answer.status_code), self.answer.text[:2000]
        self._pieces = self.answer.iter_content(chunk_size=None)
        self._text = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.answer.close()

    def block(self):
        """The lines up to the next empty one; None at the stream's end."""
        while b"\n\n" not in self._text:
            piece = next(self._pieces, None)
            if piece is None:
                assert not self._text, "it ended amid a message: %r" % self._text
                return None
            self._text += piece
        block, self._text = self._text.split(b"\n\n", 1)
        return block.decode("utf-8").split("\n")

    def message(self):
        """The next message; None at the end. Heartbeats show nothing but may move last_id."""
        while True:
            lines = self.block()
            if lines is None:
                return None
            fields = dict(line.split(": ", 1) for line in lines if ": " in line)
            self.last_id = fields.get("id", self.last_id)
            if "data" in fields:
                return Message(fields["id"], fields["event"], json.loads(fields["data"]))

    def take(self, count):
        taken = []
        for _ in range(count):
            message = self.message()
            assert message is not None, "the stream ended after %d messages" % len(taken)
            taken.append(message)
        return taken

    def rest(self):
        """All messages up to the end."""
        return list(iter(self.message, None))


class Later:
    """A call that waits, on a thread of its own."""

    def __init__(self, call):
        self.value = self.error = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call):
        try:
            self.value = call()
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def result(self, timeout_s=60):
        self._thread.join(timeout_s)
        assert not self._thread.is_alive(), "it still waits"
        if self.error:
            raise self.error
        return self.value


def talked_about(world):
    """A project with one task, and a function that makes events there: (work, say_so)."""
    work = world.work(1)

    def say_so(count=1):
        for _ in range(count):
            say(world.admin, work.tasks[0]["id"], unique("word"))

    return work, say_so
