"""Reviews that go on whatever breaks, and what webhooks must have told of them."""

import contextlib
import threading

import requests

from client import box
from crowd import NOT_NOW
from oracle import publish
from waiting import wait_until
from webhook_receiver import OK

SETTINGS = {
    "WEBHOOK_ALLOW_PRIVATE": "on",
    # Never given up within a test.
    "ANNOLOG_WEBHOOK_RETRY_S": ",".join(["0.05", "0.1", "0.2"] + ["0.3"] * 200),
    "ANNOLOG_WEBHOOK_TIMEOUT_MS": "500",
}


def submitted_work(world, tasks):
    """A project whose tasks are all handed in."""
    work = world.work(tasks)
    for _ in range(tasks):
        task = world.admin.next(work.project_id).json()
        world.admin.submit(task["id"], [box()])
    return work


def one_in_two(chance):
    """The answers of a receiver that takes one call in two."""
    return lambda received: OK if chance.random() < 0.5 else (chance.choice([500, 503, 302]), {},
                                                              b"")


class Reviews(threading.Thread):
    """Approves and reopens tasks by turn until told to stop; remembers what was acknowledged."""

    def __init__(self, world, work):
        super().__init__(daemon=True)
        self.world, self.project_id = world, work.project_id
        self.done = {task["id"]: [] for task in work.tasks}  # events, in their order
        self.ended = threading.Event()
        self.count = 0
        self.failure = None
        self._gate, self._under_way = threading.Lock(), threading.Lock()

    def run(self):
        try:
            while not self.ended.is_set():
                for task in self.done:
                    if self.ended.is_set():
                        return
                    with self._gate:  # who holds the reviews need not race for them
                        pass
                    with self._under_way:
                        self._turn(task)
        except AssertionError as wrong:
            self.failure = wrong

    @contextlib.contextmanager
    def held(self):
        """Within, nothing is done and nothing is under way."""
        with self._gate, self._under_way:
            yield

    def go_on(self, count):
        """Returns after so many more reviews."""
        wanted = self.count + count
        wait_until(lambda: self.failure or self.count >= wanted, 120, "%d more reviews" % count)
        assert self.failure is None, self.failure

    def finish(self):
        self.ended.set()
        self.join(60)
        assert not self.is_alive() and self.failure is None, self.failure

    def _turn(self, task):
        approved = len(self.done[task]) % 2 == 0
        if not approved:
            self._until("/tasks/%d/reopen" % task, None, "reopen-%d-%d" % (task, self.count))
            self.done[task].append("task.reopened")
            # Reopened work is handed in again, so that it can be approved once more.
            self._until("/tasks/%d/annotations" % task, {"shapes": []},
                        "submit-%d-%d" % (task, self.count))
        else:
            self._until("/tasks/%d/review/approve" % task, None, "ok-%d-%d" % (task, self.count))
            self.done[task].append("task.approved")
        self.count += 1

    def _until(self, path, body, key):
        """Repeats the wish, under its key, until it is acknowledged."""
        while True:
            try:
                answer = self.world.admin.post(path, body, None, key=key, timeout=15)
            except requests.RequestException:
                continue
            if answer.status_code in NOT_NOW:
                continue
            assert answer.status_code in (200, 201), "%s: %d %s" % (path, answer.status_code,
                                                                    answer.text[:300])
            return


def publish_counts(kills, deliveries, attempts):
    publish({"kills": kills, "deliveries": deliveries, "attempts": attempts})


def first_of_each(received):
    """Each delivery when it came first, in the order of the coming."""
    first = {}
    for one in received:
        first.setdefault(one.id, one)
    return list(first.values())


class Told:
    """A webhook of the reviews' project, made now: it is told of what is done from now on."""

    def __init__(self, reviews, receiver):
        self.reviews, self.receiver = reviews, receiver
        self.api = reviews.world.admin.with_token(reviews.world.admin.token)
        body = {"project_id": reviews.project_id, "url": receiver.url,
                "events": ["task.approved", "task.reopened"]}
        with reviews.held():
            self.hook = self.api.post("/webhooks", body, 201).json()
            self.before = {task: len(done) for task, done in reviews.done.items()}
        self.path = "/webhooks/%d/deliveries" % self.hook["id"]

    def of_this(self, received):
        return [one for one in list(received) if one.id.startswith("dlv_%d_" % self.hook["id"])]

    def due(self):
        """Of each task, the events that it must be told."""
        return {task: done[self.before[task]:] for task, done in self.reviews.done.items()}

    def lacking(self):
        """Of each task that is not told of as it must be: what came first, and what must come."""
        came = {task: [] for task in self.before}
        for one in first_of_each(self.of_this(self.receiver.taken)):
            came[one.data["task_id"]].append(one.event)
        return {task: (came[task], due) for task, due in self.due().items() if came[task] != due}

    def prove(self, deadline_s=120):
        """Everything comes, in the order of each task, signed, under ids with one body each;
        nothing comes that nobody did. How many deliveries."""
        try:
            wait_until(lambda: not self.lacking(), deadline_s, "all is told")
        except TimeoutError as late:
            raise AssertionError("webhook %d: %s" % (self.hook["id"], self.lacking())) from late
        received = self.of_this(self.receiver.received)
        assert all(one.is_signed_with(self.hook["secret"]) for one in received)
        bodies = {(one.id, one.body) for one in received}
        assert len(bodies) == len({one.id for one in received}), "an id stands for one envelope"
        assert len(bodies) == sum(map(len, self.due().values())), "nothing that nobody did"
        return len(bodies)

    def log(self, **params):
        """Its deliveries, oldest first."""
        return self.api.all_pages(self.path, params, limit=200)[::-1]

    def oldest(self):
        """Its first delivery with all attempts."""
        return self.api.get(self.path + "/" + self.log()[0]["delivery_id"]).json()
