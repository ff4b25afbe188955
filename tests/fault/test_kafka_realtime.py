"""200 sockets and 20 streams listen to nodes over one log in Kafka while an API node, a node that
projects or a broker is killed in a loop: in the end everybody has heard every frame, in order."""

import pytest

from realtime_scene import SETTINGS, Scene

KILLS_OF_EACH = 2


@pytest.fixture
def brokers(kafka):
    """All of them up, whatever another test left behind."""
    for broker in range(1, kafka.count + 1):
        kafka.start(broker)
    kafka.wait_in_sync()
    return kafka


def kill_in_turn(nodes, victims, what):
    """Everybody listens at the nodes that serve, while some nodes are killed and come back."""
    with Scene(nodes.serving()) as scene:
        for node in victims * KILLS_OF_EACH:
            scene.break_down(what, node.kill9, lambda one=node: one.start(120))
        scene.prove()
    nodes.stop()
    nodes.verify_log()
    return scene


def test_listeners_miss_nothing_while_api_nodes_are_killed(make_nodes, brokers):
    nodes = make_nodes(brokers.bootstrap, more=SETTINGS)
    scene = kill_in_turn(nodes, nodes.all, "kill -9 of an API node")
    assert all(one.connections > 1 for one in scene.sockets.listeners)


def test_listeners_miss_nothing_while_projecting_nodes_are_killed(make_nodes, brokers):
    nodes = make_nodes(brokers.bootstrap, more=SETTINGS,
                       roles=("api,commands",) * 2 + ("projections,workers",) * 2)
    kill_in_turn(nodes, nodes.all[2:], "kill -9 of a projections node")


def test_listeners_miss_nothing_while_brokers_are_killed(make_nodes, brokers):
    nodes = make_nodes(brokers.bootstrap, more=SETTINGS)
    with Scene(nodes.serving()) as scene:
        for broker in range(1, brokers.count + 1):
            scene.break_down("kill -9 of a broker", lambda one=broker: brokers.kill9(one),
                             lambda one=broker: brokers.start(one))
            brokers.wait_in_sync()
        scene.prove()
    nodes.stop()
    nodes.verify_log()
