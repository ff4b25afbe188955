"""Brokers end, freeze and hand over under load: writes go on or are refused for now."""

import pytest

from kafka_cluster import KafkaCluster
from oracle import watched

FROZEN_S = 30


@pytest.fixture
def three(make_nodes, kafka):
    kafka.mend()
    return watched(make_nodes(kafka.bootstrap))


@pytest.mark.parametrize("what, end", (("kill -9 of a broker", KafkaCluster.kill9),
                                       ("SIGTERM of a broker", KafkaCluster.stop)),
                         ids=("kill9", "stop"))
def test_each_broker_ends_and_comes_back(three, kafka, what, end):
    _, crowd, oracle = three
    with crowd:
        for broker in (1, 2, 3):
            crowd.wait_for(2)
            with oracle.fault(what):
                end(kafka, broker)
                crowd.wait_for(3)
            with oracle.fault("its return"):
                kafka.start(broker)
                crowd.wait_for(3)
            kafka.wait_in_sync()
            crowd.rest()
            oracle.verify()
            crowd.go_on()
        crowd.wait_for(2)
        crowd.rest()
    oracle.prove()


def test_a_frozen_broker(three, kafka):
    _, crowd, oracle = three
    with crowd:
        for broker in (2, 3):
            crowd.wait_for(2)
            with oracle.fault("SIGSTOP of a broker"):
                kafka.pause(broker)
                crowd.think(FROZEN_S)
                crowd.wait_for(2)
            with oracle.fault("SIGCONT"):
                kafka.resume(broker)
                crowd.wait_for(3)
            kafka.wait_in_sync()
        crowd.rest()
    oracle.prove()


def test_all_brokers_killed_at_once(three, kafka):
    """Nothing can be written; what was acknowledged before is there after, and writes go on."""
    _, crowd, oracle = three
    with crowd:
        crowd.wait_for(3)
        with oracle.fault("kill -9 of all brokers"):
            for broker in (1, 2, 3):
                kafka.kill9(broker)
            kafka.start_all()
            crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


@pytest.mark.parametrize("end", (KafkaCluster.kill9, KafkaCluster.pause), ids=("gone", "frozen"))
def test_nodes_that_are_told_to_stop_while_no_broker_answers_stop(three, kafka, end):
    nodes, crowd, _ = three
    with crowd:
        crowd.wait_for(1)
        crowd.rest()
    for broker in (1, 2, 3):
        end(kafka, broker)
    for node in nodes.all:
        node.process.terminate()
    codes = [node.process.wait(timeout=30) for node in nodes.all]
    assert codes == [0, 0, 0]
    kafka.start_all()
    nodes.verify_log()
