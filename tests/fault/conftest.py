"""Fault tests use the harness and the fixtures of the end-to-end tests."""

import os
import sys

import pytest

_here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _here)
sys.path.insert(0, os.path.join(os.path.dirname(_here), "e2e"))
pytest.register_assert_rewrite("client", "world", "load", "oracle", "crowd", "nodes", "bustle",
                               "realtime_oracle", "realtime_scene", "socket_listeners")

# pylint: disable=wrong-import-position
from fixtures import *  # noqa: E402,F401,F403
from fixtures import service_maker  # noqa: E402
from kafka_cluster import KafkaCluster  # noqa: E402
from nodes import Nodes  # noqa: E402
import oracle  # noqa: E402
import postgres  # noqa: E402


@pytest.fixture
def make_service(annolog_binary, cluster_url, tmp_path_factory):
    """As the end-to-end tests', but closed after each test: what is broken here is not shared."""
    yield from service_maker(cluster_url, tmp_path_factory)


@pytest.fixture
def cluster():
    """A PostgreSQL of the test's own, to be killed."""
    missing = postgres.Cluster.missing()
    if missing:
        pytest.skip(missing)
    # A slow WAL writer: what a kill of PostgreSQL takes with it is then much, and surely something.
    made = postgres.Cluster(("wal_writer_delay=10s",))
    try:
        yield made.start()
    finally:
        made.remove()


@pytest.fixture(scope="module")
def kafka(annolog_binary):
    """Three brokers of the module's own."""
    with KafkaCluster(3) as cluster:
        yield cluster


@pytest.fixture
def make_nodes(make_service, tmp_path):
    """make_nodes(bootstrap, ...): nodes over a log and a database of the test's own, serving."""

    def make(bootstrap, **more):
        return Nodes(make_service, bootstrap, tmp_path, **more).start()

    return make


def pytest_terminal_summary(terminalreporter):
    for line in oracle.reports:
        terminalreporter.write_line("faults: " + line)
