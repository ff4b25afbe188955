"""Fixtures of the Kafka tests: the end-to-end tests' harness, the cluster that ANNOLOG_TEST_KAFKA
names, and a log of the module's own in it."""

import os
import pathlib
import sys

import pytest

_here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(_here), str(_here.parent / "e2e")]
pytest.register_assert_rewrite("client", "world", "reading")

# pylint: disable=wrong-import-position
from client import unique  # noqa: E402
from fetched import need, python_packages, skip_or_fail  # noqa: E402
from fixtures import *  # noqa: E402,F401,F403
from reading import Reader  # noqa: E402
from story import Story  # noqa: E402
from world import World  # noqa: E402


def pytest_configure(config):
    # kafka-python's own affair.
    config.addinivalue_line("filterwarnings",
                            "ignore:(open|read)_text is deprecated:DeprecationWarning")


@pytest.fixture(scope="session")
def kafka_bootstrap():
    given = os.environ.get("ANNOLOG_TEST_KAFKA")
    if not given:
        skip_or_fail("ANNOLOG_TEST_KAFKA names no cluster")
    return given


@pytest.fixture(scope="session")
def python_clients():
    """kafka-python and the CloudEvents SDK, importable."""
    lines = (_here / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    sys.path.insert(0, str(need(python_packages, "kafka", pins)))


@pytest.fixture(scope="module")
def kafka_service(kafka_bootstrap, python_clients, make_service):
    """A service whose log is in Kafka, under topics of its own that are deleted after."""
    prefix = unique("kafka-test")
    reader = Reader(kafka_bootstrap, prefix)
    service = make_service({"ANNOLOG_LOG": "kafka", "ANNOLOG_KAFKA_BOOTSTRAP": kafka_bootstrap,
                            "ANNOLOG_KAFKA_PREFIX": prefix})
    service.reader = reader
    try:
        yield service.start()
    finally:
        if service.running():
            service.stop()
        reader.close()


@pytest.fixture(scope="module")
def story(kafka_service):
    """What was done through the interface, and when."""
    return Story(World(kafka_service))


@pytest.fixture(scope="module")
def written_records(kafka_service, story):
    """All records of the log's events, in the order of their partitions and offsets."""
    return kafka_service.reader.records("events")
