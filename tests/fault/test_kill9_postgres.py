"""kill -9 of PostgreSQL under load: commands go on, reads say 503, everything catches up alone."""

import pytest
import requests

import postgres
from client import box, unique
from load import Load, fault_seed
from postgres_door import PostgresDoor
from waiting import wait_until
from world import World


@pytest.fixture
def served(make_service, cluster):
    database = postgres.Database(cluster.url)
    service = make_service(database_url=database.url)
    service.start()
    yield service
    service.close()


def get(world, path):
    try:
        return world.admin.get(path, None, timeout=30)
    except requests.RequestException:
        return None


def refused_clearly(answer):
    return answer is not None and answer.status_code == 503 and \
        int(answer.headers["Retry-After"]) >= 1 and bool(answer.json()["detail"])


def readable(world, path):
    """The answer, once it is a 200."""
    answer = get(world, path)
    return answer if answer is not None and answer.status_code == 200 else None


def reads_again(world, path):
    wait_until(lambda: readable(world, path), 60, "reads work again")


def test_nothing_is_lost_when_postgres_is_killed_under_load(cluster, served):
    world = World(served)
    load = Load(world, fault_seed())
    path = "/projects/%d" % load.project_id
    with load:
        for _ in range(3):
            load.wait_for(40)
            cluster.kill9()
            wait_until(lambda: refused_clearly(get(world, path)), 60, "reads answer 503")
            assert world.nobody.get("/health/live", root=True).status_code == 200
            cluster.start()
            reads_again(world, path)
    load.verify()
    load.verify_replays()


def test_while_postgres_is_away_reads_are_503_and_commands_are_taken(cluster, served):
    world = World(served)
    work, task, annotator = world.started()
    cluster.stop()
    path = "/tasks/%d" % task["id"]
    wait_until(lambda: refused_clearly(get(world, path)), 60, "reads answer 503")
    health = world.nobody.get("/health", None, root=True)
    assert health.json()["status"] in ("degraded", "error")
    world.nobody.get("/health/live", root=True)
    key = unique("away")
    made = annotator.api.save(task["id"], [box()], 201, key=key).json()["annotations"][0]
    again = annotator.api.save(task["id"], [box()], 201, key=key).json()["annotations"][0]
    assert again["id"] == made["id"]
    name = unique("newcomer")
    body = {"username": name, "name": "New Comer", "role": "viewer", "password": "Passw0rd"}
    key = unique("user")
    user = world.admin.post("/users", body, 201, key=key).json()
    assert (user["username"], user["name"]) == (name, "New Comer")
    assert world.admin.post("/users", body, 201, key=key).json() == user
    cluster.start()
    reads_again(world, path)
    assert [a["id"] for a in annotator.api.annotations(task["id"])] == [made["id"]]
    assert world.admin.task(task["id"])["annotation_count"] == 1
    assert served.running()
    assert world.nobody.get("/health", root=True).json()["status"] in ("ok", "degraded")
    assert world.admin.get("/projects/%d" % work.project_id).status_code == 200


def test_what_postgres_lost_is_applied_again_before_it_is_read(cluster, served):
    world = World(served)
    _, task, annotator = world.started()
    made = []
    for _ in range(3):
        for _ in range(20):
            made += annotator.api.save(task["id"], [box()]).json()["annotations"]
        annotator.api.annotations(task["id"])  # the read models have them all
        cluster.kill9()
        cluster.start()
        path = "/tasks/%d/annotations/page" % task["id"]
        first = wait_until(lambda: readable(world, path), 60, "reads work again").json()
        assert {shape["id"] for shape in first["items"]} == {shape["id"] for shape in made}


def test_a_start_waits_for_postgres(cluster, served):
    world = World(served)
    project = world.project()
    assert served.stop() == 0
    cluster.stop()
    served.spawn()
    wait_until(lambda: "waiting for PostgreSQL" in served.log_text(), 60, "the wait is told")
    assert served.stop() == 0, "and can be ended"
    served.spawn()
    cluster.start()
    served.start_serving()
    assert world.admin.get("/projects/%d" % project["id"]).status_code == 200


@pytest.fixture
def silent_start(cluster, served):
    """A start during which PostgreSQL fell silent: the door that keeps it so, and who waits."""
    project = World(served).project()
    assert served.stop() == 0
    direct = served.database_url
    with PostgresDoor(cluster.folder, passes=1) as door:  # the migrations, and then nothing
        served.database_url = door.through(direct)
        served.spawn()
        wait_until(lambda: "waiting for PostgreSQL" in served.log_text(), 60, "the wait is told")
        yield door, project
        served.stop()
    served.database_url = direct


def test_a_start_waits_for_postgres_that_fell_silent_in_its_midst(silent_start, served):
    door, project = silent_start
    door.open()
    served.start_serving()
    assert World(served).admin.get("/projects/%d" % project["id"]).status_code == 200


@pytest.mark.usefixtures("silent_start")
def test_a_start_that_waits_in_its_midst_can_be_ended(served):
    assert served.stop() == 0


def test_a_start_does_not_wait_for_ever(cluster, served):
    assert served.stop() == 0
    cluster.stop()
    served.settings["ANNOLOG_DATABASE_WAIT_S"] = "1"
    served.spawn()
    assert served.process.wait(timeout=60) == 1
    assert "connection to server" in served.log_text()


def test_a_service_stops_cleanly_while_postgres_is_away(cluster, served):
    world = World(served)
    world.project()
    cluster.kill9()
    assert served.stop() == 0
    cluster.start()


def test_a_service_stops_in_time_while_postgres_is_silent(cluster, served):
    world = World(served)
    first = world.project()
    cluster.freeze()
    second = world.admin.post("/projects", {"name": unique("unseen")}, 201).json()
    assert served.stop() == 0
    cluster.thaw()
    served.start()
    for project in (first, second):
        assert world.admin.get("/projects/%d" % project["id"]).json()["name"] == project["name"]
