"""Writers that keep their word, and an oracle that compares.

Every writer wishes one effect at a time under an idempotency key of its own and repeats the wish
until the service acknowledges it, whatever happens to the service meanwhile. The oracle remembers
each wish and each acknowledgement; verify() then demands that the service holds every acknowledged
effect exactly once, under the acknowledged id, and nothing that nobody wished for.
"""

import collections
import os
import random
import threading
import time

import requests

from audited import granted, granted_annotations
from client import Api, box, unique
from waiting import wait_until

# What a client repeats: no answer at all, or "not now". Everything else is a verdict.
NOT_NOW = (429, 500, 502, 503, 504)


def whole(answer):
    """The answer, or None when the connection ended amid it: then nothing was promised. Python's
    client takes a head that was cut off for a whole one, so its length must be there."""
    if answer.status_code == 204:
        return answer
    return answer if answer.headers.get("Content-Length") == str(len(answer.content)) else None


def fault_seed():
    """The seed of this run: ANNOLOG_FAULT_SEED, or a fresh one; print it with every failure."""
    return int(os.environ.get("ANNOLOG_FAULT_SEED", random.SystemRandom().randrange(1 << 32)))


class Wish:
    """One effect: a project with this name, or a shape with this mark on this task."""

    def __init__(self, person, kind, value, task_id=None):
        self.person, self.kind, self.value, self.task_id = person, kind, value, task_id
        self.key = unique("wish")
        self.acknowledged_id = None
        self.tries = 0

    def send(self):
        """One try. Returns the answer; raises what requests raises."""
        self.tries += 1
        if self.kind == "project":
            return self.person.api.post("/projects", {"name": self.value}, None, key=self.key,
                                        timeout=15)
        return self.person.api.save(self.task_id, [box(x=self.value, width=0.1)], None,
                                    key=self.key, timeout=15)

    def id_in(self, answer):
        body = answer.json()
        return body["id"] if self.kind == "project" else body["annotations"][0]["id"]


class Writer(threading.Thread):
    """One wish after another until told to stop; the last one is always brought to its end."""

    def __init__(self, load, person, task_id, seed):
        super().__init__(daemon=True, name="writer-%d" % person.id)
        self.load, self.person, self.task_id = load, person, task_id
        self.random = random.Random(seed)
        self.wishes = []
        self.failure = None

    def run(self):
        try:
            while not self.load.stopping.is_set():
                self._fulfil(self._next_wish())
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _next_wish(self):
        if self.random.random() < 0.25:
            wish = Wish(self.person, "project", unique("load"))
        else:
            # The mark: no two shapes of a task begin at the same place.
            mark = round(len(self.wishes) / 1_000_000 + 0.000001, 6)
            wish = Wish(self.person, "shape", mark, self.task_id)
        self.wishes.append(wish)
        return wish

    def _fulfil(self, wish):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                answer = whole(wish.send())
            except requests.RequestException:
                answer = None
            if answer is not None and answer.status_code == 201:
                wish.acknowledged_id = wish.id_in(answer)
                self.load.count()
                return
            if answer is not None and answer.status_code not in NOT_NOW:
                raise AssertionError("wish %s (%s, try %d) got %d: %s" % (
                    wish.key, wish.kind, wish.tries, answer.status_code, answer.text[:500]))
            self.load.failed_once.set()
            self.load.pause.wait(0.02)
        raise AssertionError("wish %s was not granted in 120 s" % wish.key)


class Witness(threading.Thread):
    """Reads while others write and things break: an answer of 200 shows every write that was
    acknowledged before it was asked for; any other answer is a clear 503."""

    LOOKED_AT = 100

    def __init__(self, load):
        super().__init__(daemon=True, name="witness")
        self.load = load
        self.api = Api(load.world.service, load.world.admin.token)
        self.answers = 0
        self.failure = None

    def run(self):
        try:
            while not self.load.stopping.is_set():
                for writer in self.load.writers:
                    self._look(writer)
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def _look(self, writer):
        promised = {wish.acknowledged_id for wish in writer.wishes[-self.LOOKED_AT:]
                    if wish.kind == "shape" and wish.acknowledged_id}
        try:
            answer = whole(self.api.get("/tasks/%d/annotations/page" % writer.task_id, None,
                                        params={"limit": 2 * self.LOOKED_AT}, timeout=15))
        except requests.RequestException:
            answer = None
        if answer is None or answer.status_code == 503:
            assert answer is None or int(answer.headers["Retry-After"]) >= 1
            self.load.pause.wait(0.02)
            return
        assert answer.status_code == 200, "a read answered %d: %s" % (
            answer.status_code, answer.text[:500])
        missing = promised - {shape["id"] for shape in answer.json()["items"]}
        assert not missing, "task %d was read without the acknowledged %s" % (
            writer.task_id, sorted(missing))
        self.answers += 1


class Load:
    """A crowd of writers, each with a task it holds in a project of its own kind."""

    def __init__(self, world, seed, writers=6):
        self.world = world
        self.seed = seed
        self.stopping = threading.Event()
        self.failed_once = threading.Event()
        self.pause = threading.Event()  # never set: a wait on it is a bounded pause
        self.acknowledged = 0
        self._lock = threading.Lock()
        work = world.work(writers)
        self.project_id = work.project_id
        self.writers = []
        for at in range(writers):
            person = world.member(work.project_id, "project_admin")
            task = person.api.next(work.project_id).json()
            self.writers.append(Writer(self, person, task["id"], seed + at))
        self.witness = Witness(self)

    def __enter__(self):
        for thread in (*self.writers, self.witness):
            thread.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.stopping.set()

    def count(self):
        with self._lock:
            self.acknowledged += 1

    def check(self):
        for thread in (*self.writers, self.witness):
            if thread.failure:
                raise AssertionError("seed %d: %s" % (self.seed, thread.failure))

    def wait_for(self, more, deadline_s=90):
        """Returns once so many more wishes were acknowledged."""
        goal = self.acknowledged + more

        def reached():
            self.check()
            return self.acknowledged >= goal

        wait_until(reached, deadline_s, "%d more acknowledged writes (seed %d)"
                   % (more, self.seed))

    def finish(self):
        """Ends all writers; every wish has then been acknowledged."""
        self.stopping.set()
        for writer in self.writers:
            writer.join(timeout=150)
            assert not writer.is_alive(), "a writer hangs (seed %d)" % self.seed
        self.witness.join(timeout=60)
        self.check()
        assert self.witness.answers, "nothing was read (seed %d)" % self.seed

    def wishes(self, kind=None):
        return [wish for writer in self.writers for wish in writer.wishes
                if kind in (None, wish.kind)]

    def verify(self):
        """Every acknowledged effect is there exactly once, under its id, and nothing else is; so is
        its row in the audit."""
        admin = self.world.admin
        by_name = {}
        for project in admin.all_pages("/projects", limit=200):
            by_name.setdefault(project["name"], []).append(project["id"])
        rows = collections.Counter(r["target_id"] for r in granted(admin, action="project.create"))
        for wish in self.wishes("project"):
            assert by_name.get(wish.value) == [wish.acknowledged_id], self._about(wish)
            assert rows[wish.acknowledged_id] == 1, self._about(wish)
        for writer in self.writers:
            wanted = sorted((w.value, w.acknowledged_id) for w in writer.wishes
                            if w.kind == "shape")
            found = sorted((round(a["geometry"]["x"], 6), a["id"])
                           for a in admin.annotations(writer.task_id))
            assert found == wanted, "task %d differs from the oracle (seed %d)" % (
                writer.task_id, self.seed)
            task = admin.task(writer.task_id)
            assert task["annotation_count"] == len(wanted)
            assert granted_annotations(admin, writer.task_id) == len(wanted), (
                "task %d has other rows in the audit (seed %d)" % (writer.task_id, self.seed))

    def verify_replays(self, count=30):
        """Repeating an acknowledged wish gives its first answer and changes nothing."""
        wishes = self.wishes()
        for wish in random.Random(self.seed).sample(wishes, min(count, len(wishes))):
            answer = wish.send()
            assert answer.status_code == 201, self._about(wish) + answer.text
            assert answer.headers["Idempotency-Replayed"] == "true"
            assert wish.id_in(answer) == wish.acknowledged_id, self._about(wish)
        self.verify()

    def _about(self, wish):
        return "%s %r acknowledged as %s after %d tries (seed %d) " % (
            wish.kind, wish.value, wish.acknowledged_id, wish.tries, self.seed)
