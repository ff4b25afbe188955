"""Fixtures of the end-to-end tests: a cluster per run, one service per module, a fresh world."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
pytest.register_assert_rewrite("client", "world")



def pytest_collection_modifyitems(items):
    """Without a cluster the tests on Kafka are skipped, unless they are required."""
    if os.environ.get("ANNOLOG_TEST_LOG") != "kafka" or os.environ.get("ANNOLOG_TEST_KAFKA"):
        return
    if os.environ.get("ANNOLOG_REQUIRE_KAFKA"):
        pytest.exit("Kafka is required here: ANNOLOG_TEST_KAFKA names no cluster", 1)
    for item in items:
        item.add_marker(pytest.mark.skip(reason="no Kafka: ANNOLOG_TEST_KAFKA names no cluster"))


# pylint: disable=wrong-import-position
from fixtures import *  # noqa: E402,F401,F403
from raw_websocket import raw_sockets  # noqa: E402


@pytest.fixture
def raw(world):
    with raw_sockets(world) as opened:
        yield opened
