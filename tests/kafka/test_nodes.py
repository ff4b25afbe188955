"""Several nodes over one log: any of them answers anything, each write counts once, roles may lie
apart."""

import concurrent.futures
import os
import signal
import time

import pytest

from client import Api, box, code_of, unique
from waiting import wait_until
from world import PASSWORD, World

ROLES = ("api,commands,projections,workers", "api,commands", "api", "commands,projections")


@pytest.fixture(scope="module")
def nodes(kafka_bootstrap, make_service, tmp_path_factory):
    """Four processes with different roles; the first three answer the interface."""
    shared = tmp_path_factory.mktemp("shared")
    settings = {
        "ANNOLOG_LOG": "kafka", "ANNOLOG_KAFKA_BOOTSTRAP": kafka_bootstrap,
        "ANNOLOG_KAFKA_PREFIX": unique("nodes"), "ANNOLOG_KEYS_DIR": str(shared / "keys"),
        "ANNOLOG_OBJECTS_DIR": str(shared / "objects"),
    }
    made = []
    for at, roles in enumerate(ROLES):
        database = made[0].database.url if made else None
        node = make_service({**settings, "ANNOLOG_ROLES": roles, "ANNOLOG_NODE_NAME": "n%d" % at},
                            database, tmp_path_factory.mktemp("node"))
        made.append(node.start())
    return made


@pytest.fixture(scope="module")
def world(nodes):
    return World(nodes[0])


@pytest.fixture(scope="module")
def apis(nodes, world):
    """The administrator at each of the nodes that answer."""
    return [Api(node, world.admin.token) for node in nodes[:3]]


def position(answer):
    return {"X-Event-Position": answer.headers["X-Event-Position"]}


def test_what_one_node_wrote_every_node_shows(apis):
    for at, api in enumerate(apis):
        made = api.post("/projects", {"name": unique("p"), "classes_config": [{"name": "a"}]}, 201)
        path = "/projects/%d" % made.json()["id"]
        for other in apis:
            assert other.get(path, headers=position(made)).json()["name"] == made.json()["name"]
        changed = apis[at - 1].patch(path, {"description": "by another"})
        for other in apis:
            assert other.get(path, headers=position(changed)).json()["description"] == "by another"


def test_what_was_just_made_is_found_at_every_node_without_a_position(apis):
    for at in range(12):
        made = apis[at % 3].post("/datasets", {"name": unique("d")}, 201).json()
        for other in apis:
            assert other.get("/datasets/%d" % made["id"]).json()["name"] == made["name"]
    apis[0].get("/datasets/%d" % (made["id"] + 1_000_000), 404)


def test_an_upload_is_known_at_every_node_as_soon_as_it_began(apis, world):
    dataset = world.dataset()
    for at in range(12):
        init = apis[at % 3].upload_init(dataset["id"], "%d.png" % at, b"12345").json()
        other = apis[(at + 1) % 3]
        too_early = other.upload_complete(dataset["id"], init["item_id"], 422).json()["detail"]
        assert too_early["errors"][0]["type"] == "object_missing"
        item = other.get("/datasets/%d/items/%d" % (dataset["id"], init["item_id"])).json()
        assert item["status"] == "pending"


def test_a_person_made_at_one_node_signs_in_and_becomes_a_member_at_others(apis, world):
    project, dataset = world.project(), world.dataset()
    world.link(dataset["id"], project["id"])
    for at in range(12):
        name = unique("new")
        body = {"username": name, "name": name, "role": "annotator", "password": PASSWORD}
        person = apis[at % 3].post("/users", body, 201).json()
        second, third = apis[(at + 1) % 3], apis[(at + 2) % 3]
        signed_in = second.login(name, PASSWORD).json()
        member = {"user_id": person["id"], "role": "annotator"}
        third.post("/projects/%d/members" % project["id"], member, 201)
        theirs = second.with_token(signed_in["access_token"])
        assert theirs.get("/datasets/%d" % dataset["id"]).json()["id"] == dataset["id"]
    second.login(name, "Wrong-pass-1", 401)
    second.login(unique("nobody"), PASSWORD, 401)


def test_a_days_work_over_alternating_nodes(apis, world):
    work = world.work(3)
    for at, task in enumerate(work.tasks):
        worker, reviewer = apis[at % 3], apis[(at + 1) % 3]
        shapes = {"shapes": [box("car")]}
        done = worker.post("/tasks/next", {"project_id": work.project_id})
        done = worker.post("/tasks/%d/annotations" % done.json()["id"], shapes, 201)
        reviewed = reviewer.post("/tasks/%d/review/approve" % done.json()["task"]["id"])
        for api in apis:
            seen = api.get("/tasks/%d" % task["id"], headers=position(reviewed)).json()
            assert seen["id"] == task["id"]
    for api in apis:
        done = api.all_pages("/tasks", {"project_id": work.project_id, "status": "completed"})
        assert len(done) == 3


def test_a_name_asked_for_at_all_nodes_at_once_is_given_once(apis):
    body = {"name": unique("same"), "classes_config": [{"name": "a"}]}
    with concurrent.futures.ThreadPoolExecutor(len(apis)) as pool:
        answers = list(pool.map(lambda api: api.post("/projects", body, (201, 409)), apis))
    assert sorted(a.status_code for a in answers) == [201, 409, 409]


def test_a_key_used_at_another_node_gives_the_first_outcome(apis):
    body = {"name": unique("keyed"), "classes_config": [{"name": "a"}]}
    key = unique("key")
    first = apis[0].post("/projects", body, 201, key=key)
    for api in apis:
        again = api.post("/projects", body, 201, key=key)
        assert again.json()["id"] == first.json()["id"]
        assert again.headers["Idempotency-Replayed"] == "true"
    other = apis[1].post("/projects", {**body, "name": unique("other")}, 422, key=key)
    assert code_of(other) == "IDEMPOTENCY_KEY_REUSED"


def test_a_member_made_at_one_node_works_and_ends_at_another(apis, world):
    project = world.project()
    person = world.member(project["id"])
    at_second = Api(apis[1].service, person.api.token)
    path = "/projects/%d" % project["id"]
    assert at_second.get(path).json()["id"] == project["id"], "seen at once, without a position"
    apis[2].delete("%s/members/%d" % (path, person.id), (200, 204))
    for api in apis:
        theirs = Api(api.service, person.api.token)
        wait_until(lambda they=theirs: they.call("GET", path).status_code == 404, 1,
                   "the removed member is out at every node within a second")


def test_a_node_that_slept_refuses_nothing_that_was_made_meanwhile(nodes, apis, world):
    sleeper = nodes[2]
    work = world.work(1)
    os.kill(sleeper.process.pid, signal.SIGSTOP)
    try:
        project = world.project()
        person = world.member(work.project_id)
    finally:
        os.kill(sleeper.process.pid, signal.SIGCONT)
    assert apis[2].get("/projects/%d" % project["id"]).json()["id"] == project["id"]
    Api(sleeper, person.api.token).get("/tasks/%d" % work.tasks[0]["id"], 200)


def test_a_large_dataset_linked_at_a_node_that_owns_nothing(apis, world):
    project, dataset = world.project(), world.dataset()
    folder = unique("bulk")
    items = [{"file_name": "%d.png" % n, "file_path": "%s/%d.png" % (folder, n), "width": 10,
              "height": 10} for n in range(1500)]
    apis[1].post("/datasets/%d/items/bulk" % dataset["id"], {"items": items})
    linked = apis[2].post("/datasets/%d/link" % dataset["id"], {"project_id": project["id"]}, 200)
    assert linked.json() == {"created_tasks": 1500, "existing_tasks": 0}
    for api in apis:
        page = api.get("/tasks", params={"project_id": project["id"], "offset": 0, "limit": 1},
                       headers=position(linked)).json()
        assert page["total"] == 1500
    again = apis[0].post("/datasets/%d/link" % dataset["id"], {"project_id": project["id"]}, 200)
    assert again.json() == {"created_tasks": 0, "existing_tasks": 1500}


def test_a_node_without_the_role_answers_only_operators(nodes):
    api = Api(nodes[3])
    assert api.get("/health", root=True).json()["status"] == "ok"
    assert "shards_assigned" in api.get("/metrics", root=True).text
    api.get("/projects", 404)


def test_a_node_with_other_keys_is_refused(nodes, make_service, tmp_path_factory):
    stranger = make_service({**nodes[0].settings,
                             "ANNOLOG_KEYS_DIR": str(tmp_path_factory.mktemp("keys"))},
                            nodes[0].database.url, tmp_path_factory.mktemp("stranger"))
    stranger.spawn()
    assert stranger.process.wait(timeout=60) == 1
    assert "wrapping key" in stranger.log_text()


def test_a_node_that_asks_for_other_shards_is_refused(nodes, make_service, tmp_path_factory):
    stranger = make_service({**nodes[0].settings, "ANNOLOG_SHARDS": "9"},
                            nodes[0].database.url, tmp_path_factory.mktemp("stranger"))
    stranger.spawn()
    assert stranger.process.wait(timeout=60) == 1
    assert "was created with 8 shards, 9 were asked for" in stranger.log_text()


def test_a_node_that_would_take_bodies_too_large_for_a_message_is_refused(nodes, make_service,
                                                                         tmp_path_factory):
    greedy = make_service({**nodes[0].settings, "ANNOLOG_MAX_BODY_BYTES": str(17 << 20)},
                          nodes[0].database.url, tmp_path_factory.mktemp("greedy"))
    greedy.spawn()
    assert greedy.process.wait(timeout=60) == 1
    assert "max_body_bytes is 17825792, with the log in Kafka 16777216 at most" in greedy.log_text()


def test_the_log_verifies_beside_the_nodes(nodes):
    done = nodes[0].command("log", "verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK:" in done.stdout


def test_whom_one_node_shuts_out_is_soon_out_at_all(nodes, apis, world):
    """Tokens and keys alike: deactivated, signed out, revoked."""
    def refused_everywhere(headers):
        return all(Api(node).get("/me", (200, 401), headers=headers).status_code == 401
                   for node in nodes[:3])

    def shut(person, act):
        headers = {"Authorization": "Bearer " + person.api.token}
        assert not refused_everywhere(headers)
        act(person)
        began = time.monotonic()
        wait_until(lambda: refused_everywhere(headers), 10, "all nodes refuse")
        return time.monotonic() - began

    def deactivate(person):
        apis[1].post("/users/%d/deactivate" % person.id, None, 200)

    def sign_out(person):
        Api(nodes[2], person.api.token).post("/auth/logout", None, 204)

    for act in (deactivate, sign_out):
        print("%s: %.3f s" % (act.__name__, shut(world.person(), act)))
    person = world.person()
    made = person.api.post("/api-keys", {"name": "script"}, 201).json()
    headers = {"X-API-Key": made["key"]}
    assert not refused_everywhere(headers)
    Api(nodes[1], person.api.token).delete("/api-keys/%d" % made["id"], 204)
    wait_until(lambda: refused_everywhere(headers), 10, "all nodes refuse the key")


def test_failed_sign_ins_are_counted_over_all_nodes(nodes, world):
    person = world.person()
    for node in nodes[:3]:
        Api(node).post("/auth/login", {"username": person.username, "password": "Wrong-pass-1"},
                       401)
    answer = Api(nodes[0]).login(person.username, PASSWORD, 401)
    assert code_of(answer) == "CAPTCHA_REQUIRED"
