"""Nodes and brokers that can't hear each other: links cut, replies lost, everything held up."""

import os

import pytest

from kafka_cluster import KafkaCluster
from kafka_proxy import KafkaProxy
from load import fault_seed
from namespaces import Namespaces
from oracle import watched

CUT_S = 15
HELD_S = 14  # longer than a command may take


def listeners(at, shown):
    """Brokers reach each other at their loopback ports, and nodes by a listener at `at` that calls
    itself `shown`. Kafka wants another port for each listener, whatever their addresses."""
    own = "PLAINTEXT://127.0.0.1:{port}"
    return [
        "listeners=%s,NODES://%s,CONTROLLER://127.0.0.1:{controller_port}" % (own, at),
        "advertised.listeners=%s,NODES://%s" % (own, shown),
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,NODES:PLAINTEXT",
        "inter.broker.listener.name=PLAINTEXT",
    ]


@pytest.fixture
def split(annolog_binary, cluster_url, make_nodes):
    if "host='/" not in cluster_url and "host=/" not in cluster_url:
        pytest.skip("PostgreSQL must be reached by a Unix socket, which is there in all namespaces")
    with Namespaces(3, 3) as spaces:
        here = spaces.net + "1{number}:9092"
        with KafkaCluster(3, listeners(here, here)) as kafka:
            bootstrap = ",".join("%s:9092" % spaces.here(broker) for broker in (1, 2, 3))
            nodes = make_nodes(bootstrap, places=[
                (spaces.launcher(at), spaces.inside(at)) for at in (1, 2, 3)])
            try:
                yield spaces, kafka, watched(nodes)
            finally:
                nodes.kill9()


def test_links_between_nodes_and_brokers_are_cut(split):
    spaces, _, (_, crowd, oracle) = split
    with crowd:
        for node, brokers in ((1, (1,)), (2, (3,)), (3, (1, 2, 3))):
            crowd.wait_for(2)
            with oracle.fault("a node does not hear %d of the brokers" % len(brokers)):
                for broker in brokers:
                    spaces.cut(node, broker)
                crowd.think(CUT_S)
            with oracle.fault("it hears again"):
                for broker in brokers:
                    spaces.heal(node, broker)
                crowd.wait_for(3)
            crowd.rest()
            oracle.verify()
            crowd.go_on()
        with oracle.fault("a node is unplugged"):
            spaces.unplug(1)
            crowd.think(CUT_S)
            crowd.wait_for(1)
        with oracle.fault("it is plugged in"):
            spaces.plug(1)
            crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


@pytest.fixture
def proxied(annolog_binary, make_nodes):
    # The whole of 127/8 is the loopback interface: nodes know .3, the proxy asks .2.
    net = "127.%d.%d." % divmod(os.getpid() % 65536, 256)
    with KafkaCluster(3, listeners(net + "2:909{number}", net + "3:909{number}")):
        places = [((net + "3", port), (net + "2", port)) for port in (9091, 9092, 9093)]
        with KafkaProxy(places, fault_seed()) as proxy:
            bootstrap = ",".join("%s:%d" % place for place, _ in places)
            nodes = make_nodes(bootstrap)
            try:
                yield proxy, watched(nodes)
            finally:
                nodes.kill9()


def test_replies_of_brokers_are_lost(proxied):
    proxy, (_, crowd, oracle) = proxied
    with crowd:
        crowd.wait_for(2)
        with oracle.fault("replies are lost"):
            proxy.share = 0.05
            crowd.wait_for(12)
        proxy.share = 0.0
        crowd.wait_for(2)
        crowd.rest()
        oracle.verify()
        crowd.go_on()
        for _ in range(2):
            with oracle.fault("no reply arrives for a time"):
                proxy.hold()
                crowd.think(HELD_S)
                proxy.flow()
                crowd.wait_for(3)
        crowd.rest()
    assert proxy.lost, "nothing was lost"
    oracle.prove()
    assert any(wish.unknown() for wish in crowd.wishes()), "no outcome was unknown"
