"""Nodes over one log in Kafka end, freeze and come back under load: nothing lost, nothing twice."""

import pytest

from nodes import freeze, thaw
from oracle import watched

FROZEN_S = 30  # far longer than a session


@pytest.fixture
def three(make_nodes, kafka):
    return watched(make_nodes(kafka.bootstrap))


def test_a_node_killed_again_and_again(three):
    nodes, crowd, oracle = three
    with crowd:
        for node in nodes.all:
            crowd.wait_for(2)
            with oracle.fault("kill -9 of a node"):
                node.kill9()
                crowd.wait_for(3)
            with oracle.fault("its return"):
                node.start()
                crowd.wait_for(3)
            crowd.rest()
            oracle.verify()
            crowd.go_on()
        crowd.wait_for(2)
        crowd.rest()
    oracle.prove()


def test_a_rolling_restart_fails_no_write(make_nodes, kafka):
    nodes, crowd, oracle = watched(make_nodes(kafka.bootstrap), patience=(30,))
    stops = []  # (name, from, to)
    with crowd:
        for node in nodes.all:
            crowd.wait_for(2)
            with oracle.fault("SIGTERM of a node"):
                began = crowd.now()
                assert node.stop() == 0, node.log_tail()
                crowd.wait_for(3)
            with oracle.fault("its return"):
                node.start()
                stops.append((node.name, began, crowd.now()))
                crowd.wait_for(3)
        crowd.rest()
    oracle.prove()
    oracle.only_refused_by(stops)


def test_a_frozen_node_commits_nothing_when_it_wakes(three):
    nodes, crowd, oracle = three
    sleeper = nodes.all[1]
    with crowd:
        crowd.wait_for(2)
        with oracle.fault("SIGSTOP of a node"):
            freeze(sleeper)
            crowd.think(FROZEN_S)
        with oracle.fault("SIGCONT"):
            thaw(sleeper)
            crowd.wait_for(5)
        crowd.rest()
        oracle.verify()
        crowd.only(sleeper)  # it answers for every shard, and the others are not asked
        crowd.go_on()
        crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


def test_a_node_ends_in_time_though_no_broker_answers(three, kafka):
    nodes, crowd, oracle = three
    leaver = nodes.all[0]
    brokers = range(1, kafka.count + 1)
    with crowd:
        crowd.wait_for(2)
        with oracle.fault("SIGTERM of a node while all brokers are frozen"):
            for broker in brokers:
                kafka.pause(broker)
            try:
                assert leaver.stop(deadline_s=15) == 0
            finally:
                for broker in brokers:
                    kafka.resume(broker)
            crowd.wait_for(2)
        with oracle.fault("its return"):
            leaver.start()
            crowd.wait_for(3)
        crowd.rest()
    oracle.prove()


def test_a_projections_node_killed_again_and_again(make_nodes, kafka):
    nodes, crowd, oracle = watched(make_nodes(
        kafka.bootstrap, roles=("api,commands",) * 2 + ("projections,workers",) * 2))
    with crowd:
        for node in nodes.all[2:] * 2:
            crowd.wait_for(2)
            with oracle.fault("kill -9 of a projections node"):
                node.kill9()
                crowd.wait_for(3)
            crowd.rest()
            oracle.verify()
            crowd.go_on()
            with oracle.fault("its return"):
                node.start()
                crowd.wait_for(3)
        crowd.rest()
    oracle.prove()
