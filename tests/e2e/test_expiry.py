"""What ends by itself: a task lock, a signed URL, an access token. Their shortest life is one
minute, so this module waits for that minute once, for all of them together."""

import types

import pytest

import images
from client import code_of, md5, unique_seed
from postgres import run_sql
from sockets import Socket
from waiting import wait_until
from world import World

LIFE_S = 60
DEADLINE_S = LIFE_S + 60


@pytest.fixture(scope="module")
def short(make_service):
    """A service of one-minute lives, with a lock, a URL and a token that began just now."""
    service = make_service({"ANNOLOG_TASK_LOCK_MINUTES": "1", "ANNOLOG_SIGNED_URL_MINUTES": "1",
                            "ANNOLOG_ACCESS_TOKEN_MINUTES": "1"}).start()
    world = World(service)
    work = world.work(1)
    one = world.member(work.project_id)
    task = one.api.next(work.project_id).json()
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.png", data, content_hash=md5(data)).json()
    two = world.member(work.project_id)
    held = two.api.next(work.project_id, 204)
    left = world.started()[1]
    return types.SimpleNamespace(world=world, work=work, one=one, two=two, task=task, data=data,
                                 dataset=dataset, init=init, held=held, left=left)


def test_a_held_task_is_promised_for_when_its_lock_ends(short):
    assert short.held.headers["X-No-Task-Reason"] == "all_locked"
    assert 0 < int(short.held.headers["Retry-After"]) <= LIFE_S


def test_an_expired_token_is_401(short):
    wait_until(lambda: short.one.api.get("/me", None).status_code == 401, DEADLINE_S,
               "the token has expired")
    answer = short.one.api.get("/me", 401)
    assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="annolog"')


def test_an_expired_url_is_refused(short):
    # Other bytes than promised: a try before the end must not become the item.
    def refused():
        answer = short.world.admin.signed("PUT", short.init["upload_url"], data=b"x")
        return answer.status_code in (401, 403, 410)

    wait_until(refused, DEADLINE_S, "the URL has expired")
    short.world.admin.signed("PUT", short.init["upload_url"], (401, 403, 410), data=short.data)
    short.world.login_admin()
    short.world.admin.upload_complete(short.dataset["id"], short.init["item_id"], 422)


def test_an_expired_lock_is_as_no_lock(short):
    short.world.login_admin()
    other = short.world.member(short.work.project_id)
    path = "/tasks/%d/lock" % short.task["id"]

    def taken():
        answer = other.api.post(path, None, (200, 401, 409))
        if answer.status_code == 401:
            other.api.token = short.world.nobody.login(
                other.username, "Good-pass-1").json()["access_token"]
        elif answer.status_code == 409:
            assert code_of(answer) == "TASK_LOCKED"
        return answer.status_code == 200

    wait_until(taken, DEADLINE_S, "the lock has expired")
    task = other.api.task(short.task["id"])
    assert task["lock"]["user_id"] == other.id


def test_a_lock_that_nobody_gave_back_is_cleared_away_and_the_task_stays_as_it_was(short):
    def cleared():
        return run_sql(short.world.service.database_url,
                       "SELECT count(*) FROM read_live.tasks WHERE id = %d AND version = %d AND "
                       "lock_user_id IS NULL AND lock_expires_at_ms IS NULL"
                       % (short.left["id"], short.left["version"])) == "1"

    wait_until(cleared, DEADLINE_S, "the lock is cleared away")
    admin = short.world.login_admin()
    shown = admin.get("/tasks/%d" % short.left["id"]).json()
    assert shown["lock"] is None
    assert [shown[name] for name in ("version", "updated_at", "status", "assignee_id")] == [
        short.left[name] for name in ("version", "updated_at", "status", "assignee_id")]
    told = admin.get("/tasks/%d/history" % short.left["id"]).json()["items"]
    assert [entry["type"] for entry in told] == ["tasks.created", "task.taken"]


def test_who_watches_a_task_is_told_that_its_lock_has_expired(short):
    task_id = short.left["id"]
    socket = Socket(short.world.service, token=short.world.login_admin().token,
                    timeout_s=DEADLINE_S)
    try:
        assert socket.next()["type"] == "token-expiring"  # in less than five minutes
        # From the first record of its shard on: both frames are sent again.
        socket.subscribe("task:%d:lock" % task_id, after="p1.%d-1" % (task_id % 8))
        frames = [socket.next()["data"] for _ in range(2)]
    finally:
        socket.close()
    assert [(data["state"], data["user_id"], data["task_id"]) for data in frames] == [
        (state, short.left["assignee_id"], task_id) for state in ("locked", "expired")]
    assert frames[1]["expires_at"] is None
