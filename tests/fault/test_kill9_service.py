"""kill -9 of the service again and again under load: acknowledged means there, exactly once."""

import os
import random

from load import Load, fault_seed
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "8"))


def test_acknowledged_writes_survive_kill_9_exactly_once(make_service):
    seed = fault_seed()
    moments = random.Random(seed)
    service = make_service().start()
    load = Load(World(service), seed)
    with load:
        for _ in range(ROUNDS):
            load.wait_for(moments.randrange(1, 60))
            service.kill9()
            service.start()
    load.verify()
    load.verify_replays()
    assert service.stop() == 0
    verified = service.command("log", "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    service.start()
    load.verify()


def test_a_service_killed_while_it_starts_starts_again(make_service):
    seed = fault_seed()
    service = make_service().start()
    load = Load(World(service), seed, writers=2)
    with load:
        load.wait_for(40)
        service.kill9()
        for _ in range(5):
            service.spawn()
            service.kill9()
        service.start()
        load.wait_for(10)
    load.verify()


def test_read_models_catch_up_by_themselves_after_a_kill(make_service):
    seed = fault_seed()
    service = make_service().start()
    load = Load(World(service), seed, writers=4)
    with load:
        load.wait_for(100)
        service.kill9()
        # The very first read after the start must already see all that was acknowledged.
        service.start()
        wishes = [wish for wish in load.wishes("project") if wish.acknowledged_id]
        for wish in wishes[-20:]:
            got = load.world.admin.get("/projects/%d" % wish.acknowledged_id).json()
            assert got["name"] == wish.value
    load.verify()
