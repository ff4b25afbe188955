"""How long deliveries are held up, as an operator sees it (docs/operations.md), or a receiver
wants it."""

import threading

import pytest

from client import now
from test_webhooks import DEADLINE_S, Case, arrived
from waiting import wait_until
from webhook_receiver import OK, Receiver
from world import World


def lag_s(world):
    return world.nobody.metric("webhook_lag_seconds")


def test_the_lag_rises_while_deliveries_are_held_up_and_falls_when_they_arrive(make_service):
    world = World(make_service({
        "WEBHOOK_ALLOW_PRIVATE": "on",
        "ANNOLOG_WEBHOOK_CONNECTIONS_EACH": "1",  # the second ping is due, and waits
        "ANNOLOG_WEBHOOK_TIMEOUT_MS": "30000",
    }).start())
    go_on = threading.Event()
    with Receiver(lambda got: OK if go_on.wait(30) else (500, {}, b"no")) as receiver:
        case = Case(world, receiver.url)
        for _ in range(2):
            case.admin.post(case.path + "/test", None, 202)
        wait_until(lambda: lag_s(world) > 0, DEADLINE_S, "it rises")
        go_on.set()
        arrived(receiver, 2)
        wait_until(lambda: lag_s(world) == 0, DEADLINE_S, "it falls")


@pytest.mark.parametrize("wanted", ["100000", "9999999999999999"])
def test_a_receiver_that_wants_to_wait_for_ever_waits_a_day_at_most(make_service, wanted):
    world = World(make_service({"WEBHOOK_ALLOW_PRIVATE": "on"}).start())
    with Receiver() as well, Receiver(lambda got: (429, {"Retry-After": wanted}, b"")) as busy:
        case = Case(world, busy.url)
        case.make(well.url)
        case.approve()
        arrived(busy, taken=False)
        arrived(well)
        told = wait_until(lambda: case.deliveries()[0]["attempt_count"] and case.deliveries()[0],
                          DEADLINE_S, "an attempt is noted")
        assert now(ahead_s=86_000) < told["next_attempt_at"] < now(ahead_s=86_500)
