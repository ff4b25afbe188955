"""Webhooks lead out of the house: where the service itself could be reached is refused, when they
are made, changed and called."""

from test_webhooks import Case
from webhook_receiver import Receiver
from world import World


def test_by_default_nothing_inside_is_called(make_service):
    service = make_service({"ANNOLOG_WEBHOOK_RETRY_S": "0.05"}).start()
    admin = World(service).admin
    for host in ("127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.7.7", "172.20.1.1",
                 "169.254.169.254", "[fd00::1]", "[fe80::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
                 "2130706433", "0x7f.1", "224.0.0.1", "100.64.1.1"):
        answer = admin.post("/webhooks", {"url": "http://%s:9/" % host, "events": ["*"]}, 422)
        assert answer.json()["detail"]["errors"][0]["type"] == "private_address", host
    hook = admin.post("/webhooks", {"url": "https://example.org/", "events": ["*"]}, 201).json()
    answer = admin.patch("/webhooks/%d" % hook["id"], {"url": "http://10.0.0.1:9/"}, 422)
    assert answer.json()["detail"]["errors"][0]["type"] == "private_address"
    service.stop()


def test_an_address_that_is_private_by_now_is_refused_when_it_is_connected_to(make_service):
    """It was taken while the setting allowed it: what counts is the address at the connection."""
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on",
                            "ANNOLOG_WEBHOOK_RETRY_S": "0.05"}).start()
    with Receiver() as receiver:
        case = Case(World(service), receiver.url.replace("127.0.0.1", "localhost"))
        service.settings["WEBHOOK_ALLOW_PRIVATE"] = "off"
        service.restart()
        case.approve()
        told = case.delivery("failed")
        assert "private" in told["attempts"][0]["error"]
        assert receiver.received == []
    service.stop()
