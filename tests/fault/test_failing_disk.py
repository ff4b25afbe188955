"""A disk whose syncs fail, or that turns read-only: nothing acknowledged is lost, nothing that may
not be durable is acknowledged."""

import pytest
import requests

from client import box, unique
from faulty_disk import EIO, ENOSPC, EROFS, FaultyDisk, build
from load import Load, fault_seed
from service import ServiceDied
from waiting import wait_until
from world import World


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("faulty-disk"))


@pytest.fixture
def served(make_service, library, tmp_path):
    """A running service and its disk."""
    service = make_service()
    disk = FaultyDisk(service, library, tmp_path)
    return service.start(), disk


def ended(service):
    """The exit code, once the process has ended by itself."""
    wait_until(lambda: not service.running(), 30, "the service stops by itself")
    return service.process.returncode


def test_after_a_failed_sync_the_service_stops_and_nothing_acknowledged_is_lost(served):
    service, disk = served
    load = Load(World(service), fault_seed(), writers=4)
    with load:
        for _ in range(3):
            load.wait_for(40)
            seen = len(service.log_text())
            disk.fail("sync", EIO, service.data / "log")
            assert ended(service) > 0
            said = service.log_text()[seen:]
            assert "sync" in said.lower(), said
            disk.mend()
            service.start()
    load.verify()
    load.verify_replays()
    assert service.stop() == 0
    verified = service.command("log", "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_write_whose_sync_failed_is_not_acknowledged(served):
    service, disk = served
    world = World(service)
    _, task, annotator = world.started()
    disk.fail("sync", EIO, service.data / "log")
    try:
        answer = annotator.api.save(task["id"], [box()], None)
        assert answer.status_code >= 500, answer.text
    except requests.RequestException:
        pass  # the process was gone before it could answer
    assert ended(service) > 0
    disk.mend()
    service.start()
    # It may be there or not, but never half; and its repetition under the same key is its own.
    assert len(annotator.api.annotations(task["id"])) in (0, 1)


def test_a_read_only_log_folder_refuses_the_start_by_name(served):
    service, disk = served
    world = World(service)
    project = world.project()
    assert service.stop() == 0
    seen = len(service.log_text())
    disk.fail("write", EROFS, service.data / "log")
    with pytest.raises(ServiceDied) as died:
        service.start()
    assert died.value.exit_code > 0
    said = service.log_text()[seen:]
    assert str(service.data / "log") in said and "read-only" in said.lower(), said
    disk.mend()
    service.start()
    assert world.admin.get("/projects/%d" % project["id"]).json()["name"] == project["name"]


def refused_clearly(api, name, **more):
    answer = api.post("/projects", {"name": name}, None, **more)
    if answer.status_code == 201:
        return False
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.json()["detail"]["code"]
    return True


@pytest.mark.parametrize("error", [EROFS, ENOSPC], ids=["read-only", "full"])
def test_a_disk_that_takes_no_writes_refuses_them_serves_reads_and_comes_back(served, error):
    service, disk = served
    world = World(service)
    _, task, annotator = world.started()
    made = annotator.api.save(task["id"], [box()]).json()["annotations"][0]
    disk.fail("write", error, service.data / "log")
    key = unique("wish")
    wait_until(lambda: refused_clearly(world.admin, key, key=key), 30, "a write is refused")
    for _ in range(3):
        assert refused_clearly(world.admin, key, key=key)
        assert [a["id"] for a in annotator.api.annotations(task["id"])] == [made["id"]]
    assert service.running()
    health = world.nobody.get("/health", 503, root=True).json()
    assert health["checks"]["event-log"]["status"] == "error"
    disk.mend()
    wait_until(lambda: not refused_clearly(world.admin, key, key=key), 60, "writes work again")
    assert [p["name"] for p in world.admin.all_pages("/projects")].count(key) == 1
    service.restart()
    assert [p["name"] for p in world.admin.all_pages("/projects")].count(key) == 1
    assert [a["id"] for a in annotator.api.annotations(task["id"])] == [made["id"]]


@pytest.mark.parametrize("error", [EIO, ENOSPC], ids=["failing-sync", "full"])
def test_keys_and_objects_on_a_failing_disk_are_a_clear_refusal(served, error):
    service, disk = served
    world = World(service)
    what = "sync" if error == EIO else "write"
    disk.fail(what, error, service.data / "keys")
    name = unique("someone")
    body = {"username": name, "name": "N", "role": "viewer", "password": "Good-pass-1"}
    answer = world.admin.post("/users", body, None)
    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1, answer.text
    disk.mend()
    world.admin.post("/users", body, 201)
    assert world.nobody.login(name, "Good-pass-1").status_code == 200
    assert service.running()
