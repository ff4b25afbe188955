"""Connections are shared among receivers: those that hang leave some for the others."""

from test_webhooks import Case, arrived
from webhook_receiver import Receiver
from world import World


def test_receivers_that_hang_never_have_all_connections(make_service):
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on", "ANNOLOG_WEBHOOK_TIMEOUT_MS": "60000",
                            "ANNOLOG_WEBHOOK_CONNECTIONS": "4",
                            "ANNOLOG_WEBHOOK_CONNECTIONS_EACH": "2"}).start()
    world = World(service)
    with Receiver() as slow, Receiver() as quick:
        slow.answer = lambda got: slow.hang()
        heard = Case(world, quick.url)
        heard.approve()
        arrived(quick)
        cases = [Case(world, slow.url) for _ in range(4)]
        for case in cases:
            case.approve()
        arrived(slow, 3, taken=False)  # of four; the last place is for who answered soon
        heard.admin.post(heard.path + "/test", None, 202)
        arrived(quick, 2)
