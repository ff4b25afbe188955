"""Idempotency keys, event positions and cursors (decisions, section 1)."""

import base64

import pytest

from client import Api, code_of, error_locations, unique
from world import World


# --- idempotency keys ---

def test_a_retry_with_the_same_key_gives_the_first_outcome(world):
    key, body = unique("key"), {"name": unique("once")}
    first = world.admin.post("/projects", body, 201, key=key)
    again = world.admin.post("/projects", body, 201, key=key)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    names = [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    assert names.count(body["name"]) == 1


def test_the_same_key_with_another_body_is_422(world):
    key = unique("key")
    world.admin.post("/projects", {"name": unique("a")}, 201, key=key)
    other = unique("b")
    answer = world.admin.post("/projects", {"name": other}, 422, key=key)
    assert code_of(answer) == "IDEMPOTENCY_KEY_REUSED"
    names = [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    assert other not in names


def test_keys_of_two_callers_are_apart(world):
    key = unique("key")
    other = world.person("project_admin")
    mine = world.admin.post("/projects", {"name": unique("mine")}, 201, key=key).json()
    theirs = other.api.post("/projects", {"name": unique("theirs")}, 201, key=key)
    assert theirs.json()["id"] != mine["id"]
    assert "Idempotency-Replayed" not in theirs.headers


@pytest.mark.parametrize("key", ["", "x" * 129, "caf\xe9"])
def test_an_impossible_key_is_refused(world, key):
    name = unique("badkey")
    answer = world.admin.post("/projects", {"name": name}, (400, 422),
                              headers={"Idempotency-Key": key.encode("latin-1")})
    assert answer.json()["detail"]
    names = [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    assert name not in names


def test_a_key_of_128_characters_is_taken(world):
    key = unique("long").ljust(128, "k")
    first = world.admin.post("/projects", {"name": unique("p")}, 201, key=key)
    assert first.json()["id"]


def test_a_submission_is_replayed_with_the_same_annotation_ids(world):
    _, task, annotator = world.started()
    key = unique("key")
    shape = {"type": "bbox", "class_name": "car",
             "geometry": {"x": 0.1, "y": 0.1, "width": 0.2, "height": 0.2}}
    first = annotator.api.submit(task["id"], [shape], key=key)
    again = annotator.api.submit(task["id"], [shape], key=key)
    assert again.status_code == first.status_code
    assert again.headers["Idempotency-Replayed"] == "true"
    assert [a["id"] for a in again.json()["annotations"]] == \
        [a["id"] for a in first.json()["annotations"]]
    assert len(annotator.api.annotations(task["id"])) == 1


def test_next_is_replayed_with_the_same_task(world):
    work = world.work(2)
    annotator = world.member(work.project_id)
    key = unique("key")
    first = annotator.api.next(work.project_id, key=key).json()
    annotator.api.submit(first["id"])
    again = annotator.api.next(work.project_id, key=key)
    assert again.json()["id"] == first["id"]
    assert again.headers["Idempotency-Replayed"] == "true"


def test_keys_survive_a_restart(make_service):
    service = make_service().start()
    world = World(service)
    key, body = unique("key"), {"name": unique("kept")}
    first = world.admin.post("/projects", body, 201, key=key).json()
    service.restart()
    again = world.admin.post("/projects", body, 201, key=key)
    assert again.json()["id"] == first["id"]
    assert again.headers["Idempotency-Replayed"] == "true"


# --- positions ---

def test_every_write_answers_its_position(world):
    made = world.admin.post("/projects", {"name": unique("pos")}, 201)
    assert made.headers["X-Event-Position"]
    path = "/projects/%d" % made.json()["id"]
    changed = world.admin.patch(path, {"description": "later"})
    assert changed.headers["X-Event-Position"]
    assert changed.headers["X-Event-Position"] != made.headers["X-Event-Position"]


def test_a_read_with_a_position_sees_that_write(world):
    for turn in range(20):
        made = world.admin.post("/projects", {"name": unique("seen")}, 201)
        path = "/projects/%d" % made.json()["id"]
        patched = world.admin.patch(path, {"description": "turn %d" % turn})
        asked = {"X-Event-Position": patched.headers["X-Event-Position"]}
        assert world.admin.get(path, headers=asked).json()["description"] == "turn %d" % turn


def test_a_read_without_a_position_sees_all_acknowledged_writes(world):
    for _ in range(20):
        made = world.project()
        listed = world.admin.get("/projects", params={"limit": 200}).json()["items"]
        assert world.admin.get("/projects/%d" % made["id"]).json()["name"] == made["name"]
        if len(listed) < 200:
            assert made["id"] in [p["id"] for p in listed]


@pytest.mark.parametrize("position", ["rubbish", "x" * 3000, "-1", "%00", "AAAA"])
def test_an_impossible_position_is_a_clear_4xx(world, position):
    answer = world.admin.get("/me", (400, 422, 200), headers={"X-Event-Position": position})
    made = world.project()
    answer = world.admin.get("/projects/%d" % made["id"], (400, 422),
                             headers={"X-Event-Position": position})
    assert answer.json()["detail"]


# --- cursors ---

def cursor_of(api, path, **params):
    page = api.get(path, params={"limit": 1, **params}).json()
    assert page["next_cursor"], page
    return page["next_cursor"]


def is_invalid_cursor(answer):
    assert answer.status_code == 422, answer.text
    assert code_of(answer) == "INVALID_CURSOR"


def flipped(text, at):
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]


def test_an_altered_cursor_is_refused_wherever_it_was_altered(world):
    for _ in range(2):
        world.project()
    cursor = cursor_of(world.admin, "/projects")
    for at in range(0, len(cursor) - 1, 3):
        is_invalid_cursor(world.admin.get("/projects", 422, params={
            "limit": 1, "cursor": flipped(cursor, at)}))


@pytest.mark.parametrize("cursor", [
    "x", "null", "MQ==", base64.urlsafe_b64encode(b'{"id":1}').decode(), "' OR 1=1 --",
    "A" * 3000, "\u00fc", "-1",
])
def test_an_invented_cursor_is_refused(world, cursor):
    is_invalid_cursor(world.admin.get("/projects", 422, params={"cursor": cursor}))


def test_a_truncated_or_lengthened_cursor_is_refused(world):
    for _ in range(2):
        world.project()
    cursor = cursor_of(world.admin, "/projects")
    for bad in (cursor[:-3], cursor[: len(cursor) // 2], cursor + "AAAA"):
        is_invalid_cursor(world.admin.get("/projects", 422, params={"limit": 1, "cursor": bad}))


def test_a_cursor_of_another_list_is_refused(world):
    for _ in range(2):
        world.project()
        world.dataset()
    cursor = cursor_of(world.admin, "/datasets")
    is_invalid_cursor(world.admin.get("/projects", 422, params={"cursor": cursor}))


def test_a_cursor_is_bound_to_its_filters(world):
    one, two = world.work(2), world.work(2)
    cursor = cursor_of(world.admin, "/tasks", project_id=one.project_id)
    is_invalid_cursor(world.admin.get("/tasks", 422, params={
        "project_id": two.project_id, "limit": 1, "cursor": cursor}))
    is_invalid_cursor(world.admin.get("/tasks", 422, params={
        "project_id": one.project_id, "status": "pending", "limit": 1, "cursor": cursor}))


@pytest.mark.parametrize("spelled", [
    "project_id=%d&status=pending&sort=id", "sort=id&status=pending&project_id=%d",
    "&status=p%%65nding&&sort=i%%64&project_id=%d&"])
def test_a_cursor_is_bound_to_its_query_not_to_the_spelling(world, spelled):
    work = world.work(3)
    cursor = cursor_of(world.admin, "/tasks", sort="id", project_id=work.project_id,
                       status="pending")
    page = world.admin.get("/tasks?" + spelled % work.project_id,
                           params={"limit": 2, "cursor": cursor}).json()
    assert [task["id"] for task in page["items"]] == [task["id"] for task in work.tasks[1:]]


def test_names_of_a_page_s_own_parameters_may_be_spelled_otherwise(world):
    work = world.work(3)
    asked = {"project_id": work.project_id}
    cursor = cursor_of(world.admin, "/tasks", **asked)
    page = world.admin.get("/tasks?l%%69mit=1&%%63ursor=%s" % cursor, params=asked).json()
    rest = world.admin.get("/tasks", params={**asked, "cursor": page["next_cursor"]}).json()
    assert [task["id"] for task in page["items"] + rest["items"]] == [
        task["id"] for task in work.tasks[1:]]


def test_cursors_survive_a_restart(make_service):
    service = make_service().start()
    world = World(service)
    names = {world.project()["name"] for _ in range(3)}
    page = world.admin.get("/projects", params={"limit": 1}).json()
    service.restart()
    rest = Api(service, world.admin.token).get(
        "/projects", params={"limit": 1, "cursor": page["next_cursor"]}).json()
    assert rest["items"][0]["id"] != page["items"][0]["id"]
    assert rest["items"][0]["name"] in names


def test_empty_cursor_is_refused_or_starts_over(world):
    answer = world.admin.get("/projects", (200, 422), params={"cursor": ""})
    if answer.status_code == 422:
        assert code_of(answer) in ("INVALID_CURSOR", "VALIDATION_ERROR")


def test_wrong_limit_beside_a_good_cursor_is_named(world):
    for _ in range(2):
        world.project()
    cursor = cursor_of(world.admin, "/projects")
    assert ("query", "limit") in error_locations(
        world.admin.get("/projects", 422, params={"limit": 0, "cursor": cursor}))


def test_a_link_can_be_repeated_with_its_key_whatever_shards_it_touches(world):
    project = world.project()
    for _ in range(8):  # one of eight datasets in a row shares the project's shard
        path = "/datasets/%d/link" % world.dataset()["id"]
        key = unique("key")
        first = world.admin.post(path, {"project_id": project["id"]}, 200, key=key)
        again = world.admin.post(path, {"project_id": project["id"]}, 200, key=key)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json() == first.json()
