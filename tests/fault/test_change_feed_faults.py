"""Streams of a project's events while the service, PostgreSQL or nodes are killed under load: after
their return every listener has heard every event, in order."""

import postgres
from listeners import Listeners
from load import Load, fault_seed
from waiting import wait_until
from world import World


def must_be_told(load, told):
    """Every shape that was acknowledged is in the feed."""
    shapes = {shape["id"] for event in told if event["type"] == "task.annotations_added"
              for shape in event["data"]["annotations"]}
    assert {wish.acknowledged_id for wish in load.wishes("shape")} <= shapes


def test_listeners_miss_nothing_when_the_service_is_killed(make_service):
    service = make_service().start()
    world = World(service)
    load = Load(world, fault_seed())
    with Listeners(world, load.project_id, [service]) as listeners:
        with load:
            for _ in range(4):
                load.wait_for(40)
                service.kill9()
                service.start()
            load.wait_for(20)
        must_be_told(load, listeners.verify())
        assert all(listener.connections > 1 for listener in listeners.all)


def test_listeners_miss_nothing_when_postgres_is_killed(make_service, cluster):
    database = postgres.Database(cluster.url)
    service = make_service(database_url=database.url).start()
    world = World(service)
    load = Load(world, fault_seed())
    path = "/projects/%d" % load.project_id

    def readable():
        return world.admin.get(path, None).status_code == 200

    with Listeners(world, load.project_id, [service]) as listeners:
        with load:
            for _ in range(3):
                load.wait_for(40)
                cluster.kill9()
                load.wait_for(10)
                cluster.start()
                wait_until(readable, 60, "reads work again")
            load.wait_for(20)
        must_be_told(load, listeners.verify())
    service.close()


def test_listeners_of_other_nodes_miss_nothing_when_nodes_are_killed(make_nodes, kafka):
    nodes = make_nodes(kafka.bootstrap)
    writing, *listened_to = nodes.all
    world = World(writing)
    load = Load(world, fault_seed(), writers=3)
    with Listeners(world, load.project_id, listened_to, count=4) as listeners:
        with load:
            for node in listened_to * 2:
                load.wait_for(20)
                node.kill9()
                load.wait_for(10, deadline_s=180)
                node.start(120)
            load.wait_for(20)
        must_be_told(load, listeners.verify())
    nodes.stop()
