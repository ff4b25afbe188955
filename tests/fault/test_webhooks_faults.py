"""Webhooks whose receiver fails in every way, or while PostgreSQL is killed again and again: what
was acknowledged arrives, in the order of each task, under ids that stay; nothing arrives that
nobody did; healthy receivers wait for no other one. One that is disabled after long failure is told
of to its maker once, whatever is killed, and is told of new work once it is active again."""

import collections
import os
import random

import postgres
from client import box
from load import fault_seed
from review_work import (SETTINGS, Reviews, Told, one_in_two, publish_counts,
                         submitted_work)
from waiting import wait_until
from webhook_receiver import OK, Receiver
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "6"))
TASKS = 12
DEADLINE_S = 60


def test_everything_arrives_in_order_while_postgres_is_killed(make_service, cluster):
    """It loses what it has last committed: of what was made, sent and noted, and each time a
    webhook that was made in the last moment."""
    seed = fault_seed()
    chance = random.Random(seed)
    print("seed", seed)
    service = make_service(SETTINGS, database_url=postgres.Database(cluster.url).url).start()
    cluster.settings += ("fsync=off",)  # starts are quicker; the kernel is not killed
    world = World(service)
    reviews = Reviews(world, submitted_work(world, TASKS))
    with Receiver(one_in_two(chance)) as receiver:
        webhooks = [Told(reviews, receiver)]
        reviews.start()
        for _ in range(ROUNDS):
            reviews.go_on(chance.randrange(3, 20))
            webhooks.append(Told(reviews, receiver))
            cluster.kill9()
            reviews.go_on(chance.randrange(3, 20))
            with reviews.held():
                due = len(receiver.taken) + TASKS
                cluster.start()
                wait_until(lambda due=due: len(receiver.taken) >= due, DEADLINE_S, "told again")
        reviews.finish()
        deliveries = sum(told.prove() for told in webhooks)
        publish_counts(ROUNDS, deliveries, len(receiver.received))
    assert service.stop() == 0


# --- a receiver in trouble ---


def trouble(attempt, kinds):
    """Which of the kinds an attempt of the log met; None: it was taken."""
    assert (attempt["error"] is None) == (attempt["status_code"] == 200), attempt
    if attempt["error"] is None:
        return None
    return next((kind for kind in kinds if kind in attempt["error"]), attempt["error"])


def test_a_receiver_gets_everything_once_it_is_well_and_nobody_waits_for_it(make_service):
    service = make_service(SETTINGS).start()
    world = World(service)
    reviews = Reviews(world, submitted_work(world, TASKS))
    with Receiver() as healthy, Receiver(down=True) as bad:
        good_one, bad_one = Told(reviews, healthy), Told(reviews, bad)
        reviews.start()
        reviews.go_on(3 * TASKS)
        with reviews.held():
            good_one.prove(DEADLINE_S)
            waiting = bad_one.log()
            assert {one["status"] for one in waiting} == {"waiting"}
            assert len(waiting) == len(good_one.log())
            behind = [one for one in waiting if one["next_attempt_at"] is None]
            assert len(behind) == len(waiting) - TASKS, "one of each task is tried"
            assert all(one["attempt_count"] == 0 for one in behind)
            wait_until(lambda: bad_one.oldest()["attempt_count"] >= 15, DEADLINE_S,  # some 4 s
                       "it is tried again and again")
            assert {one["status_code"] for one in bad_one.oldest()["attempts"]} == {None}
        troubles = {
            "timed out": lambda got: bad.hang(),
            "status 500": lambda got: (500, {}, b"no"),
            "redirects are not followed": lambda got: (307, {"Location": healthy.url}, b""),
        }
        kinds = ["connect to", *troubles]
        for kind, answer in troubles.items():
            bad.answer = answer
            if bad.down:
                bad.come_up()
            reviews.go_on(TASKS)
            with reviews.held():
                wait_until(lambda kind=kind: [trouble(one, kinds) for one in
                                              bad_one.oldest()["attempts"]].count(kind) >= 2,
                           DEADLINE_S, "attempts that fail by: " + kind)
        assert not bad.taken
        bad.answer = lambda got: OK
        reviews.go_on(TASKS)
        reviews.finish()
        deliveries = bad_one.prove() + good_one.prove()
        assert len(good_one.of_this(healthy.received)) == len(healthy.received), "no redirected one"
        wait_until(lambda: not bad_one.log(status="waiting"), DEADLINE_S, "what came is noted")
        log, first = bad_one.log(), bad_one.oldest()
        assert {one["status"] for one in log} == {"delivered"}
        met = [trouble(one, kinds) for one in first["attempts"]]
        assert list(dict.fromkeys(met)) == [*kinds, None]
        assert [one["number"] for one in first["attempts"]] == list(range(1, len(met) + 1))
        attempts = sum(one["attempt_count"] for one in log + good_one.log())
        publish_counts(0, deliveries, attempts)
    assert service.stop() == 0


# --- a webhook that is disabled ---

class Hook:
    """A webhook of a project_admin's. The receiver refuses what comes for those in `refused`."""

    refused = set()  # ids

    def __init__(self, world, work, maker, receiver):
        self.world, self.maker, self.receiver = world, maker, receiver
        self.tasks = {task["id"] for task in work.tasks}
        body = {"project_id": work.project_id, "url": receiver.url,
                "events": ["task.approved", "task.reopened"]}
        self.id = maker.post("/webhooks", body, 201).json()["id"]
        self.path = "/webhooks/%d" % self.id

    @classmethod
    def answer(cls, got):
        return (500, {}, b"") if int(got.id.split("_")[1]) in cls.refused else OK

    def warned(self):
        """The service says that it will be disabled, and perhaps it is not yet."""
        return any("a webhook is disabled" in line and '"webhook":%d,' % self.id in line
                   for line in self.world.service.log_text().splitlines())

    def disabled(self):
        return self.maker.get(self.path).json()["disabled_reason"] == "failing"

    def notifications(self):
        return [one["payload"]["reason"] for one in self.maker.all_pages("/notifications")
                if one["type"] == "webhook.disabled" and one["target_id"] == self.id]

    def log(self, **params):
        return self.maker.all_pages(self.path + "/deliveries", params, limit=200)

    def taken(self):
        """The ids of what it took, by event and task."""
        taken = collections.defaultdict(set)
        for one in list(self.receiver.taken):
            if one.id.startswith("dlv_%d_" % self.id):
                taken[one.event, one.data["task_id"]].add(one.id)
        return taken

    def _tell(self, event, act, others):
        """Acts on each task, and waits until this one and the others have taken that."""
        before = [(hook, hook.taken()) for hook in (self, *others)]
        for task in self.tasks:
            act(task)
        wait_until(lambda: all(len(hook.taken()[event, task]) == len(taken[event, task]) + 1
                               for hook, taken in before for task in self.tasks), DEADLINE_S, event)

    def approve(self, *others):
        self._tell("task.approved", self.world.admin.approve, others)

    def reopen(self, *others):
        def reopen_and_hand_in(task):
            self.world.admin.post("/tasks/%d/reopen" % task)
            self.world.admin.submit(task, [box()])
        self._tell("task.reopened", reopen_and_hand_in, others)

    def prove_disabled(self):
        """It is, what waited is cancelled, nothing was taken."""
        wait_until(lambda: self.disabled() and self.notifications(), DEADLINE_S, "it is disabled")
        wait_until(lambda: not self.log(status="waiting"), DEADLINE_S, "nothing waits any more")
        assert {one["status"] for one in self.log()} == {"cancelled"}
        assert len(self.log()) == len(self.tasks) and not self.taken()


def test_a_disabled_webhook_is_told_of_once_whatever_is_killed(make_service):
    service = make_service({**SETTINGS, "ANNOLOG_WEBHOOK_DISABLE_AFTER_S": "1"}).start()
    world = World(service)
    work = submitted_work(world, TASKS)
    maker = world.member(work.project_id, "project_admin").api
    moments = (Hook.warned, Hook.disabled, Hook.notifications)
    with Receiver(Hook.answer) as receiver:
        healthy = Hook(world, work, maker, receiver)
        failing = []
        for moment in moments:
            failing.append(one := Hook(world, work, maker, receiver))
            Hook.refused = {one.id}
            healthy.approve()
            wait_until(lambda moment=moment, one=one: moment(one), DEADLINE_S, "the moment")
            service.kill9()
            service.start()
            one.prove_disabled()
            healthy.reopen()  # while it is disabled
            Hook.refused = set()
            assert maker.patch(one.path, {"active": True}).json()["disabled_at"] is None
            one.approve(healthy)
            assert {event for event, _ in one.taken()} == {"task.approved"}, "nothing of before"
            assert not one.disabled() and one.notifications() == ["failing"]
            one.reopen(healthy)
        service.kill9()
        service.start()
        assert [one.notifications() for one in failing] == [["failing"]] * len(failing)
        logs = [entry for one in (healthy, *failing) for entry in one.log()]
        publish_counts(len(moments) + 1, len(logs), sum(one["attempt_count"] for one in logs))
    assert service.stop() == 0
