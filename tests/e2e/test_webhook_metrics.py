"""What is counted of webhooks: deliveries and attempts by how they ended, and those that are
disabled."""

from test_webhooks import Case, arrived
from waiting import wait_until
from webhook_receiver import OK, Receiver
from world import World

DEADLINE_S = 30


def counts(world):
    of = world.nobody.metric
    return {
        "made": of("webhook_deliveries_made_total"),
        "delivered": of("webhook_deliveries_total", outcome="delivered"),
        "failed": of("webhook_deliveries_total", outcome="failed"),
        "taken": of("webhook_attempts_total", outcome="taken"),
        "refused": of("webhook_attempts_total", outcome="refused"),
        "disabled": of("webhooks_disabled_total"),
    }


def test_deliveries_attempts_and_disabled_ones_are_counted(make_service):
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on",
                            "ANNOLOG_WEBHOOK_RETRY_S": "0.05"}).start()
    world = World(service)
    with Receiver() as receiver:
        before = counts(world)
        Case(world, receiver.url).approve()
        arrived(receiver)
        wait_until(lambda: counts(world)["delivered"] == before["delivered"] + 1, DEADLINE_S,
                   "it is counted")
        receiver.answer = lambda received: (500, {}, b"no")
        failing = Case(world, receiver.url)
        failing.approve()
        failing.delivery("failed")
        receiver.answer = lambda received: (410, {}, b"gone")
        gone = Case(world, receiver.url)
        gone.approve()
        wait_until(lambda: counts(world)["disabled"] == before["disabled"] + 1, DEADLINE_S,
                   "it is disabled")
        receiver.answer = lambda received: OK
    after = counts(world)
    more = {name: after[name] - before[name] for name in before}
    # Two attempts were answered with 500, one with 410.
    assert more == {"made": 3, "delivered": 1, "failed": 2, "taken": 1, "refused": 3, "disabled": 1}
    service.stop()
