"""A webhook's receiver is down for minutes while the service, which keeps to its usual schedule of
attempts, is killed: afterwards everything arrives, in the order of each task, nothing is given up,
and nobody else has waited."""

import time
from datetime import datetime

from review_work import Reviews, Told, publish_counts, submitted_work
from waiting import wait_until
from webhook_receiver import Receiver
from world import World

TASKS = 4
OUTAGE_S = 110  # from the first attempt on: the third one comes before its end, the fourth after
WAITS_S = [5, 30, 120]  # docs/webhooks.md, give or take a fifth


def seconds(attempt):
    return datetime.fromisoformat(attempt["at"].replace("Z", "+00:00")).timestamp()


def test_a_receiver_that_is_down_for_minutes_gets_everything_afterwards(make_service):
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on"}).start()
    world = World(service)
    reviews = Reviews(world, submitted_work(world, TASKS))
    with Receiver() as healthy, Receiver(down=True) as bad:
        good_one, bad_one = Told(reviews, healthy), Told(reviews, bad)
        reviews.start()
        reviews.go_on(3 * TASKS)
        with reviews.held():
            good_one.prove()
            wait_until(lambda: bad_one.oldest()["attempt_count"] == 3, 90, "a third attempt")
            began = seconds(bad_one.oldest()["attempts"][0])
            service.kill9()
            service.start()
        reviews.go_on(TASKS)
        with reviews.held():
            good_one.prove()
            wait_until(lambda: time.time() > began + OUTAGE_S, OUTAGE_S, "minutes are over")
            assert not bad.taken
            assert {one["status"] for one in bad_one.log()} == {"waiting"}
            bad.come_up()
            bad_one.prove(180)
        reviews.go_on(TASKS)
        reviews.finish()
        deliveries = bad_one.prove() + good_one.prove()
        wait_until(lambda: not bad_one.log(status="waiting"), 60, "what came is noted")
        assert {one["status"] for one in bad_one.log()} == {"delivered"}
        attempts = bad_one.oldest()["attempts"]
        assert [one["number"] for one in attempts] == [1, 2, 3, 4], "all are remembered"
        assert [one["error"] is None for one in attempts] == [False, False, False, True]
        for wait_s, one, following in zip(WAITS_S, attempts, attempts[1:]):
            assert seconds(following) - seconds(one) > 0.79 * wait_s, "it is not pressed"
        hook = world.admin.get("/webhooks/%d" % bad_one.hook["id"]).json()
        assert hook["active"] and hook["disabled_at"] is None
        publish_counts(1, deliveries, sum(one["attempt_count"]
                                          for one in bad_one.log() + good_one.log()))
    assert service.stop() == 0
