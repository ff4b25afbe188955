"""SIGTERM: intake stops, work in hand ends, exit 0 within 10 s, nothing acknowledged is lost."""

import pytest

import images
from client import unique_seed
from load import Load, fault_seed
from wire import Wire, request
from world import World


def test_sigterm_under_load_ends_cleanly_and_loses_nothing(make_service):
    service = make_service().start()
    load = Load(World(service), fault_seed())
    with load:
        for _ in range(3):
            load.wait_for(50)
            assert service.stop(deadline_s=10) == 0
            assert not service.address_file.exists()
            service.start()
    load.verify()
    load.verify_replays()


def test_idle_and_half_sent_requests_do_not_hold_the_stop_up(make_service):
    service = make_service().start()
    wires = [Wire(service) for _ in range(50)]
    try:
        for at, wire in enumerate(wires):
            if at % 2:
                wire.send(b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Le")
            else:
                wire.send(request("GET /health/live HTTP/1.1", [("Host", "x")]))
                assert wire.status() == 200
        assert service.stop(deadline_s=10) == 0
    finally:
        for wire in wires:
            wire.socket.close()


def test_a_half_sent_upload_does_not_hold_the_stop_up(make_service):
    service = make_service().start()
    world = World(service)
    dataset = world.dataset()
    data = images.bmp(400, 300, unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.bmp", data, "image/bmp").json()
    target = "/" + init["upload_url"].split("://", 1)[-1].split("/", 1)[1]
    head = [("Host", "%s:%d" % service.socket_address()), ("Content-Length", str(len(data)))]
    head += list(init["headers"].items())
    with Wire(service) as wire:
        wire.send(request("PUT %s HTTP/1.1" % target, head, data[:1000]))
        assert service.stop(deadline_s=10) == 0
    service.start()
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    world.admin.put_object(
        world.admin.upload_init(dataset["id"], "b.bmp", data, "image/bmp").json(), data)


@pytest.mark.parametrize("rounds", [5])
def test_many_clean_restarts_change_nothing(make_service, rounds):
    service = make_service().start()
    world = World(service)
    work = world.work(3)
    before = world.admin.all_pages("/tasks", {"project_id": work.project_id})
    for _ in range(rounds):
        service.restart()
        assert world.admin.all_pages("/tasks", {"project_id": work.project_id}) == before
