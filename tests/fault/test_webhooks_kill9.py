"""kill -9 of the service again and again while webhooks are told of its work by a receiver that
takes one call in two: what was acknowledged arrives, in the order of each task, under ids that
stay; nothing arrives that nobody did."""

import os
import random
import threading

import requests

from client import box
from load import fault_seed
from waiting import wait_until
from webhook_receiver import OK, Receiver
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "6"))
TASKS = 12
NOT_NOW = (429, 500, 502, 503, 504)
SETTINGS = {
    "WEBHOOK_ALLOW_PRIVATE": "on",
    # Never given up within the test.
    "ANNOLOG_WEBHOOK_RETRY_S": ",".join(["0.05", "0.1", "0.2"] + ["0.3"] * 60),
    "ANNOLOG_WEBHOOK_TIMEOUT_MS": "500",
}


class Reviews(threading.Thread):
    """Approves and reopens tasks by turn until told to stop; remembers what was acknowledged."""

    def __init__(self, world, task_ids):
        super().__init__(daemon=True)
        self.world, self.task_ids = world, task_ids
        self.done = {task: [] for task in task_ids}  # events, in their order
        self.ended = threading.Event()
        self.count = 0
        self.failure = None

    def run(self):
        try:
            while not self.ended.is_set():
                for task in self.task_ids:
                    if self.ended.is_set():
                        return
                    self._turn(task)
        except AssertionError as wrong:
            self.failure = wrong

    def _turn(self, task):
        approved = len(self.done[task]) % 2 == 0
        action = "review/approve" if approved else "reopen"
        if not approved:
            self._until("/tasks/%d/reopen" % task, None, "reopen-%d-%d" % (task, self.count))
            self.done[task].append("task.reopened")
            # Reopened work is handed in again, so that it can be approved once more.
            self._until("/tasks/%d/annotations" % task, {"shapes": []},
                        "submit-%d-%d" % (task, self.count))
        else:
            self._until("/tasks/%d/%s" % (task, action), None, "ok-%d-%d" % (task, self.count))
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


def in_order(received, done):
    """Of one task: what came first, in the order of the first coming, is what was done."""
    first = []
    seen = set()
    for one in received:
        if one.id not in seen:
            seen.add(one.id)
            first.append(one.event)
    return first == done


def test_everything_arrives_in_order_whatever_is_killed(make_service):
    seed = fault_seed()
    chance = random.Random(seed)
    print("seed", seed)
    service = make_service(SETTINGS).start()
    world = World(service)
    work = world.work(TASKS)
    task_ids = [task["id"] for task in work.tasks]
    for _ in range(TASKS):
        task = world.admin.next(work.project_id).json()
        world.admin.submit(task["id"], [box()])

    def flaky(received):
        return OK if chance.random() < 0.5 else (chance.choice([500, 503, 302]), {}, b"")

    with Receiver(flaky) as receiver:
        hook = world.admin.post("/webhooks", {
            "project_id": work.project_id, "url": receiver.url,
            "events": ["task.approved", "task.reopened"]}, 201).json()
        reviews = Reviews(world, task_ids)
        reviews.start()
        for _ in range(ROUNDS):
            begun = reviews.count
            wait_until(lambda before=begun: reviews.failure
                       or reviews.count >= before + chance.randrange(3, 20), 120, "some reviews")
            service.kill9()
            service.start()
        reviews.ended.set()
        reviews.join(60)
        assert reviews.failure is None
        expected = sum(len(done) for done in reviews.done.values())

        def all_came():
            with_ids = {one.id for one in list(receiver.taken)}
            return len(with_ids) >= expected
        wait_until(all_came, 180, "%d deliveries" % expected)
        taken = list(receiver.taken)
        received = list(receiver.received)
        assert all(one.is_signed_with(hook["secret"]) for one in received)
        bodies = {}
        for one in received:
            assert bodies.setdefault(one.id, one.body) == one.body, "an id stands for one envelope"
        assert len({one.id for one in taken}) == expected, "nothing that nobody did"
        for task, done in reviews.done.items():
            of_task = [one for one in taken if one.data["task_id"] == task]
            assert in_order(of_task, done), "task %d, seed %d" % (task, seed)
    assert service.stop() == 0
