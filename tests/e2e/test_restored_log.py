"""An older log beside newer read models, as a restored backup leaves it: what came after the backup
never happened, for anybody."""

import shutil

import pytest

from client import box, unique
from log_copies import RocksdbPlace
from sockets import Socket
from world import World


@pytest.fixture
def restored(make_service):
    """(service, project's id, a member of after the backup, their API key)."""
    service = make_service(RocksdbPlace.settings).start()
    work = World(service).work(1)
    assert service.stop() == 0
    backup = service.folder / "backup"
    shutil.copytree(service.data / "log", backup)

    world = World(service.start())
    late = world.member(work.project_id)
    key = late.api.post("/api-keys", {"name": "late"}, 201).json()["key"]
    for _ in range(20):  # longer than the log will be for a while
        world.admin.patch("/projects/%d" % work.project_id, {"description": unique("text")})
    assert service.stop() == 0

    shutil.rmtree(service.data / "log")
    shutil.copytree(backup, service.data / "log")
    return service.start(), work.project_id, late, key


def test_an_older_log_brings_nothing_of_its_lost_future_back(restored):
    service, project_id, late, key = restored
    world = World(service)
    world.nobody.call("GET", "/me", 401, headers={"X-API-Key": key})
    late.api.get("/projects/%d" % project_id, 401)
    world.nobody.login(late.username, "Whatever-1", 401)
    assert late.username not in [user["username"] for user in world.admin.get("/users").json()]
    members = world.admin.get("/projects/%d/members" % project_id).json()["items"]
    assert late.id not in [member["user_id"] for member in members]


def test_what_happens_next_is_told_though_it_has_places_of_that_future(restored):
    service, project_id, _, _ = restored
    world = World(service)
    annotator = world.member(project_id)
    socket = Socket(service, token=world.admin.token)
    channel = "project:%d:annotation" % project_id
    socket.subscribe(channel)
    task = annotator.api.next(project_id).json()
    annotator.api.save(task["id"], [box()])
    assert socket.next()["channel"] == channel
