"""Connections are shared among receivers: those that hang leave some for the others."""

from test_webhooks import Case, arrived
from webhook_receiver import Receiver
from world import World


def test_receivers_that_hang_never_have_all_connections(make_service):
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on", "ANNOLOG_WEBHOOK_TIMEOUT_MS": "60000",
                            "ANNOLOG_WEBHOOK_CONNECTIONS": "4",
                            "ANNOLOG_WEBHOOK_CONNECTIONS_EACH": "2"}).start()
    world = World(service)
    with Receiver() as slow:
        slow.answer = lambda got: slow.hang()
        cases = [Case(world, slow.url) for _ in range(2)]
        world.admin.post("/webhooks", {"url": slow.url, "events": ["task.approved"]}, 201)
        for case in cases:
            case.approve()
        arrived(slow, 3, taken=False)  # of four, two to the webhook that hears of all projects
        with Receiver() as other:
            Case(world, other.url).approve()
            arrived(other)
