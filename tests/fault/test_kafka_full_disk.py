"""The log disk of one broker of three is full: writes go on, and it comes back with room."""

import errno
import os

import pytest

from kafka_cluster import KafkaCluster
from oracle import watched
from waiting import wait_until

DISK_MIB = 64
SMALL = 2  # the broker whose disk it is


@pytest.fixture
def cramped(annolog_binary, make_nodes):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    with KafkaCluster(3, small_disk=(SMALL, DISK_MIB)) as kafka:
        nodes = make_nodes(kafka.bootstrap)
        try:
            yield kafka, watched(nodes)
        finally:
            nodes.kill9()


def fill(path):
    """Takes all room that is left."""
    with open(path, "wb", buffering=0) as ballast:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    ballast.write(bytes(size))
            except OSError as full:
                assert full.errno == errno.ENOSPC


def test_the_full_disk_of_a_broker(cramped):
    kafka, (_, crowd, oracle) = cramped
    ballast = kafka.log_folder(SMALL) / "ballast"
    with crowd:
        crowd.wait_for(2)
        with oracle.fault("full disk of a broker"):
            fill(ballast)
            wait_until(lambda: not kafka.alive(SMALL), 120, "the broker gives up its disk")
            crowd.wait_for(3)
        crowd.rest()
        oracle.verify()
        crowd.go_on()
        with oracle.fault("room again, and its return"):
            ballast.unlink()
            kafka.start(SMALL)
            crowd.wait_for(3)
        kafka.wait_in_sync()
        crowd.wait_for(2)
        crowd.rest()
    oracle.prove()
