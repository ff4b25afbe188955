"""Fixtures that the end-to-end and the fault tests share."""

import os

import pytest

import postgres
from service import Service, binary_path
from world import World


@pytest.fixture(scope="session")
def cluster_url():
    """ANNOLOG_TEST_DATABASE_URL, or a cluster started for this run."""
    given = os.environ.get("ANNOLOG_TEST_DATABASE_URL")
    if given:
        yield given
        return
    missing = postgres.Cluster.missing()
    if missing:
        pytest.skip("ANNOLOG_TEST_DATABASE_URL is not set and " + missing)
    cluster = postgres.Cluster()
    try:
        yield cluster.start().url
    finally:
        cluster.remove()


@pytest.fixture(scope="session")
def annolog_binary():
    path = binary_path()
    if not path.exists():
        pytest.skip("no binary at %s; build it or set ANNOLOG_BINARY" % path)
    return path


def service_maker(cluster_url, tmp_path_factory):
    """The life of a make_service fixture: makes services (not yet started), each over a fresh
    folder and database; all are closed after."""
    made = []

    def make(settings=None, database_url=None, folder=None):
        database = None
        if database_url is None:
            database = postgres.Database(cluster_url)
            database_url = database.url
        where = folder or tmp_path_factory.mktemp("annolog")
        service = Service(where, database_url, settings)
        service.database = database
        made.append(service)
        return service

    yield make
    for service in made:
        service.close()
        if service.database:
            service.database.drop()


@pytest.fixture(scope="module")
def make_service(annolog_binary, cluster_url, tmp_path_factory):
    yield from service_maker(cluster_url, tmp_path_factory)


@pytest.fixture(scope="module")
def service(make_service):
    """The module's service, running."""
    return make_service().start()


@pytest.fixture(scope="module")
def world(service):
    return World(service)


@pytest.fixture
def admin(world):
    return world.admin


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failing test shows what the running services wrote."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for live in Service.live:
            report.sections.append(("annolog log of %s" % live.folder, live.log_tail()))
