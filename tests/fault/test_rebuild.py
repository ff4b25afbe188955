"""Read models are a fold of the log: rebuilt from zero they answer the same."""

import hashlib
import threading

import pytest

import postgres
from client import box, code_of, polygon, unique
from load import Load, fault_seed
from world import World


def busy(world):
    """A little of everything; returns what to look at."""
    work = world.work(6, review_required=True, type_key="image-seg", classes=("car", "person"))
    annotator = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    ids = []
    for at in range(4):
        task = annotator.api.next(work.project_id).json()
        made = annotator.api.save(task["id"], [box(), polygon("person"), box("person", x=0.5)])
        first = made.json()["annotations"][0]
        path = "/tasks/%d/annotations/%d" % (task["id"], first["id"])
        annotator.api.patch(path, {"confidence": 0.25})
        if at == 1:
            annotator.api.delete(path)
        annotator.api.submit(task["id"])
        ids.append(task["id"])
    reviewer.api.approve(ids[0])
    reviewer.api.reject(ids[1], "wrong_label", "not a car")
    reviewer.api.approve(ids[2])
    reviewer.api.post("/tasks/%d/reopen" % ids[2], None, 200)
    annotator.api.next(work.project_id)
    path = "/projects/%d" % work.project_id
    world.admin.post(path + "/classes/rename", {"old_name": "car", "new_name": "vehicle"}, 200)
    world.admin.patch(path, {"description": "after", "annotation_guide": "# g"})
    gone = world.member(work.project_id, "viewer")
    world.admin.delete("%s/members/%d" % (path, gone.id))
    return work


def picture(world, work):
    """Everything the interface tells about this work; equal read models give equal pictures."""
    admin = world.admin
    seen = {
        "users": admin.get("/users").json(),
        "projects": admin.all_pages("/projects"),
        "project": admin.get("/projects/%d" % work.project_id).json(),
        "members": admin.get("/projects/%d/members" % work.project_id).json(),
        "datasets": admin.all_pages("/datasets"),
        "items": admin.all_pages("/datasets/%d/items" % work.dataset_id),
        "tasks": admin.all_pages("/tasks", {"project_id": work.project_id}, limit=2),
    }
    for task in seen["tasks"]:
        seen["task %d" % task["id"]] = admin.task(task["id"])
        seen["annotations %d" % task["id"]] = admin.annotations(task["id"])
    for kind in ("coco", "yolo", "native_json"):
        body = admin.get("/projects/%d/export" % work.project_id, params={"format": kind}).content
        seen[kind] = hashlib.sha256(body).hexdigest()
    without_urls(seen)
    # A login is itself recorded; taking the picture must not differ by it.
    for user in seen["users"]:
        user.pop("last_login_at", None)
    return seen


def without_urls(node):
    """Removes signed URLs, whose expiry differs from answer to answer."""
    if isinstance(node, dict):
        for name in [n for n in node if n.endswith("url") or n == "upload_url"]:
            del node[name]
        for value in node.values():
            without_urls(value)
    elif isinstance(node, list):
        for value in node:
            without_urls(value)


def assert_same(before, after):
    for name, value in before.items():
        assert after[name] == value, name
    assert after.keys() == before.keys()


@pytest.fixture
def lived(make_service):
    service = make_service().start()
    world = World(service)
    work = busy(world)
    return service, world, work, picture(world, work)


def test_a_rebuild_gives_the_same_answers(lived):
    service, world, work, before = lived
    assert service.stop() == 0
    done = service.command("projections", "rebuild")
    assert done.returncode == 0, done.stdout + done.stderr
    service.start()
    assert_same(before, picture(world, work))


def test_reads_never_stop_during_a_rebuild(lived):
    service, world, work, before = lived
    stop, wrong = threading.Event(), []
    path = "/projects/%d" % work.project_id

    def read():
        while not stop.is_set():
            answer = world.admin.get(path, None)
            if answer.status_code != 200:
                wrong.append((answer.status_code, answer.text[:200]))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    done = service.command("projections", "rebuild")
    stop.set()
    reader.join(timeout=60)
    assert not wrong
    assert_same(before, picture(world, work))
    if done.returncode != 0:
        assert (done.stdout + done.stderr).strip(), "a refusal says why"
        pytest.skip("a rebuild beside a running service was refused: %s"
                    % (done.stderr or done.stdout).strip()[:300])


def test_a_rebuild_beside_writers_never_shows_less_than_was_acknowledged(make_service):
    service = make_service().start()
    load = Load(World(service), fault_seed(), writers=4)
    with load:
        for _ in range(3):
            load.wait_for(60)
            done = service.command("projections", "rebuild")
            assert done.returncode == 0, done.stdout + done.stderr
            load.check()
            load.wait_for(20)
    load.verify()


def test_state_folded_again_decides_as_before(lived):
    service, world, work, before = lived
    holder = world.member(work.project_id)
    key = unique("next")
    held = holder.api.next(work.project_id, key=key).json()
    mark = unique("refold")
    made = world.admin.post("/projects", {"name": mark}, 201, key=mark).json()
    before = picture(world, work)
    assert service.stop() == 0
    folded = service.command("state", "refold")
    assert folded.returncode == 0, folded.stdout + folded.stderr
    assert service.command("log", "verify").returncode == 0
    service.start()
    assert_same(before, picture(world, work))
    again = world.admin.post("/projects", {"name": mark}, 201, key=mark)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["id"] == made["id"]
    assert holder.api.next(work.project_id, key=key).json()["id"] == held["id"]
    other = world.member(work.project_id)
    refused = other.api.post("/tasks/%d/lock" % held["id"], None, 409)
    assert code_of(refused) == "TASK_LOCKED"
    assert holder.api.save(held["id"], [box("vehicle")]).json()["task"]["annotation_count"] == 1
    world.admin.post("/projects/%d/members" % work.project_id,
                     {"user_id": holder.id, "role": "annotator"}, 409)


def test_a_lost_database_is_folded_again_from_the_log(lived, cluster_url):
    service, world, work, before = lived
    assert service.stop() == 0
    lost = service.database
    lost.drop()
    postgres.run_sql(cluster_url, "CREATE DATABASE " + lost.name)
    service.start()
    assert_same(before, picture(world, work))


def test_the_log_verifies_and_tells_its_size(lived):
    service, _, _, _ = lived
    assert service.stop() == 0
    for command in (("log", "verify"), ("log", "stat")):
        done = service.command(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.strip()


def test_migrate_on_a_current_database_changes_nothing(lived):
    service, world, work, before = lived
    assert service.stop() == 0
    for _ in range(2):
        done = service.command("migrate")
        assert done.returncode == 0, done.stdout + done.stderr
    service.start()
    assert_same(before, picture(world, work))
