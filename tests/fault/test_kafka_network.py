"""Nodes and brokers that can't hear each other: links cut, replies lost, everything held up."""

import os

import pytest
import requests

from client import Api
from kafka_cluster import KafkaCluster
from kafka_proxy import METADATA, KafkaProxy
from load import fault_seed
from namespaces import Namespaces
from oracle import watched
from waiting import wait_until

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


@pytest.fixture(scope="module")
def spaces(annolog_binary, cluster_url):
    """Namespaces of a node each; the brokers are outside."""
    if "host='/" not in cluster_url and "host=/" not in cluster_url:
        pytest.skip("PostgreSQL must be reached by a Unix socket, which is there in all namespaces")
    with Namespaces(3, 3) as made:
        here = made.net + "1{number}:9092"
        with KafkaCluster(3, listeners(here, here)):
            yield made


@pytest.fixture
def split(spaces, make_nodes):
    bootstrap = ",".join("%s:9092" % spaces.here(broker) for broker in (1, 2, 3))
    nodes = make_nodes(bootstrap, places=[
        (spaces.launcher(at), spaces.inside(at)) for at in (1, 2, 3)])
    try:
        yield spaces, watched(nodes)
    finally:
        nodes.kill9()
        spaces.heal_all()


def test_links_between_nodes_and_brokers_are_cut(split):
    spaces, (_, crowd, oracle) = split
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


def test_answers_of_a_broker_are_lost(split):
    """It hears all nodes and writes what they send; no node hears that it did."""
    spaces, (_, crowd, oracle) = split
    with crowd:
        for broker in (1, 2, 3):
            crowd.wait_for(2)
            with oracle.fault("the answers of a broker are lost"):
                for node in (1, 2, 3):
                    spaces.cut(node, broker)
                crowd.think(CUT_S)
            with oracle.fault("they come again"):
                for node in (1, 2, 3):
                    spaces.heal(node, broker)
                crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


def test_a_node_that_does_not_hear_a_broker_leaves_its_shards_to_others(split):
    spaces, (nodes, crowd, oracle) = split
    node = nodes.all[0]
    with crowd:
        crowd.wait_for(2)
        with oracle.fault("a node does not hear a broker"):
            spaces.cut(1, 1)
            wait_until(lambda: Api(node).metric("shards_assigned") == 0, 60,
                       "the node leaves its shards to others")
            crowd.wait_for(3)
            # Its session may have ended first, if that broker coordinates the group.
            wait_until(lambda: Api(node).metric("log_brokers_silent") == 1, 60, "it says so")
        with oracle.fault("others do its work"):
            crowd.wait_for(5)
        with oracle.fault("it hears it again"):
            spaces.heal(1, 1)
            wait_until(lambda: Api(node).metric("shards_assigned") > 0, 60, "it gets shards again")
            crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


def test_a_node_that_hears_nothing_does_not_answer_by_what_it_knew(split):
    spaces, (nodes, crowd, _) = split
    world, cut_off = crowd.world, nodes.all[0]
    other = Api(nodes.all[1], world.admin.token)
    project = world.project()
    person = world.member(project["id"])
    theirs = Api(cut_off, person.api.token)
    path = "/projects/%d" % project["id"]

    def status():
        try:
            return theirs.get(path, None, timeout=15).status_code
        except requests.RequestException:
            return None

    wait_until(lambda: status() == 200, 30, "a member reads")
    for broker in (1, 2, 3):
        spaces.cut(1, broker)

    def removed():  # the cut-off node's shards go to others first
        answer = other.call("DELETE", "%s/members/%d" % (path, person.id), None, timeout=15)
        return answer.status_code in (200, 204, 404)

    wait_until(removed, 60, "the member is removed at another node")
    wait_until(lambda: status() == 503, 30, "the cut-off node no longer lets them read")
    for _ in range(20):
        assert status() in (503, 404)
    Api(cut_off).get("/health/projections", 503, root=True)
    for broker in (1, 2, 3):
        spaces.heal(1, broker)
    wait_until(lambda: status() == 404, 60, "it has heard of it")
    wait_until(lambda: Api(cut_off).get("/health", root=True).json()["status"] == "ok", 60,
               "it is well again")


@pytest.fixture(scope="module")
def behind_a_proxy(annolog_binary):
    """Brokers, and for each the address that the proxy listens at and the broker's own."""
    # The whole of 127/8 is the loopback interface: nodes know .3, the proxy asks .2.
    net = "127.%d.%d." % divmod(os.getpid() % 65536, 256)
    with KafkaCluster(3, listeners(net + "2:909{number}", net + "3:909{number}")) as kafka:
        yield kafka, [((net + "3", port), (net + "2", port)) for port in (9091, 9092, 9093)]


@pytest.fixture
def proxied(behind_a_proxy, make_nodes):
    kafka, places = behind_a_proxy
    kafka.mend()
    with KafkaProxy(places, fault_seed()) as proxy:
        nodes = make_nodes(",".join("%s:%d" % place for place, _ in places))
        try:
            yield kafka, proxy, watched(nodes)
        finally:
            nodes.kill9()


def test_replies_of_brokers_are_lost(proxied):
    _, proxy, (_, crowd, oracle) = proxied
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


def test_a_node_that_begins_asks_another_broker_when_one_falls_silent(proxied):
    kafka, proxy, (nodes, _, _) = proxied
    node = nodes.all[0]
    nodes.kill9()
    proxy.freezes_at = METADATA
    node.spawn()
    wait_until(lambda: proxy.frozen, 60, "the node asks a broker for the cluster's topics")
    _, port = proxy.frozen
    kafka.kill9(port % 10)  # others lead its partitions
    node.start_serving(120)


def test_a_coordinator_that_does_not_know_at_first_where_a_group_stands(proxied):
    """Whoever gets shards at that moment must ask again, or their commands lie for ever."""
    _, proxy, (nodes, crowd, oracle) = proxied
    node = nodes.all[0]
    with crowd:
        crowd.wait_for(1)
        proxy.to_refuse = 6
        with oracle.fault("a node ends, and the coordinator refuses"):
            node.kill9()
            wait_until(lambda: proxy.to_refuse == 0, 60, "the coordinator was asked")
            crowd.wait_for(3)
        with oracle.fault("it begins anew"):
            node.spawn()
            node.start_serving(120)
            crowd.wait_for(2)
        crowd.rest()
    oracle.prove()


def test_producers_are_told_that_they_are_out_of_order(proxied):
    """Such a producer is given up and another one made, while answers to the first still come."""
    _, proxy, (_, crowd, oracle) = proxied
    with crowd:
        crowd.wait_for(1)
        with oracle.fault("brokers find producers out of order"):
            proxy.disorder = 0.05
            crowd.wait_for(8)
            proxy.disorder = 0.0
            crowd.wait_for(2)
        crowd.rest()
    assert proxy.disordered, "nothing was out of order"
    oracle.prove()
