"""The WebSockets: channels, rights, replays, and what closes them (spec, "Events"; decisions,
section 8)."""

import threading

import pytest

from asyncapi import Description
from client import Api, box
from sockets import Closed, Socket, Sockets, refused_status
from waiting import wait_until
from world import PASSWORD, World


@pytest.fixture
def sockets(service):
    opened = Sockets(service)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def description(world):
    return Description(world.nobody.get("/asyncapi.json", root=True).json())


def lock_channel(task):
    return "task:%d:lock" % task["id"]


def edit_channel(work):
    return "project:%d:annotation" % work.project_id


def lock(api, task, expect=200):
    return api.post("/tasks/%d/lock" % task["id"], None, expect)


def annotation_path(annotation):
    return "/tasks/%d/annotations/%d" % (annotation["task_id"], annotation["id"])


# --- frames ---

def test_a_lock_is_told_from_taking_to_giving_back(world, sockets, description):
    work = world.work(1)
    annotator = world.member(work.project_id)
    task = work.tasks[0]
    socket = sockets.open(world.member(work.project_id, "viewer"))
    socket.subscribe(lock_channel(task))
    annotator.api.next(work.project_id)
    expires_at = lock(annotator.api, task).json()["expires_at"]
    annotator.api.delete("/tasks/%d/lock" % task["id"])
    lock(annotator.api, task)
    annotator.api.submit(task["id"], [box()])
    frames = [socket.next() for _ in range(5)]
    assert [frame["data"]["state"] for frame in frames] == [
        "locked", "renewed", "released", "locked", "released"]
    for frame in frames:
        assert not description.socket_errors("SocketLockFrame", frame)
        assert frame["channel"] == lock_channel(task)
        assert frame["type"] == "lock"
        assert frame["data"]["task_id"] == task["id"]
        assert frame["data"]["user_id"] == annotator.id
    assert frames[1]["data"]["expires_at"] == expires_at
    assert frames[2]["data"]["expires_at"] is None


def test_edits_are_told_to_whoever_sees_the_project(world, sockets, description):
    work, task, annotator = world.started()
    socket = sockets.open(world.member(work.project_id, "viewer"))
    socket.subscribe(edit_channel(work))
    made = annotator.api.save(task["id"], [box(), box("person")]).json()["annotations"]
    annotator.api.patch(annotation_path(made[0]), {"class_name": "person"})
    annotator.api.delete(annotation_path(made[1]), (200, 204))
    annotator.api.post(annotation_path(made[1]) + "/restore", None, 200)
    frames = [socket.next() for _ in range(5)]
    assert [(frame["data"]["action"], frame["data"]["annotation_id"]) for frame in frames] == [
        ("created", made[0]["id"]), ("created", made[1]["id"]), ("updated", made[0]["id"]),
        ("deleted", made[1]["id"]), ("restored", made[1]["id"])]
    for frame in frames:
        assert not description.socket_errors("SocketEditFrame", frame)
        assert frame["data"]["task_id"] == task["id"]
        assert frame["data"]["user_id"] == annotator.id


def test_what_a_frame_tells_can_be_read_at_once(world, sockets):
    work, task, annotator = world.started()
    viewer = world.member(work.project_id, "viewer")
    socket = sockets.open(viewer)
    socket.subscribe(edit_channel(work))
    for _ in range(20):
        annotator.api.save(task["id"], [box()])
        told = socket.next()["data"]["annotation_id"]
        assert told in {each["id"] for each in viewer.api.annotations(task["id"])}


def test_many_shapes_of_one_call_make_one_frame(world, sockets):
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    socket.subscribe(edit_channel(work))
    annotator.api.save(task["id"], [box()] * 101)
    annotator.api.save(task["id"], [box()])
    assert socket.next()["data"]["annotation_id"] is None
    assert socket.next()["data"]["annotation_id"] is not None


def test_an_unsubscribed_channel_is_silent(world, sockets):
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    socket.subscribe(lock_channel(task))
    socket.subscribe(edit_channel(work))
    socket.say(type="unsubscribe", channel=lock_channel(task))
    assert socket.next() == {"type": "unsubscribed", "channel": lock_channel(task)}
    lock(annotator.api, task)
    annotator.api.save(task["id"], [box()])
    assert socket.next()["type"] == "annotation"


# --- rights ---

def test_channels_are_for_whom_they_are_meant(world, sockets):
    work, task, annotator = world.started()
    stranger = world.person("reviewer")
    socket = sockets.open(stranger)
    assert socket.refusal(edit_channel(work)) == "NOT_FOUND"
    assert socket.refusal("project:%d:preannotate" % work.project_id) == "NOT_FOUND"
    assert socket.refusal(lock_channel(task)) == "NOT_FOUND"
    assert socket.refusal("task:9007199254740991:lock") == "NOT_FOUND"
    assert socket.refusal("project:9007199254740991:annotation") == "NOT_FOUND"
    assert socket.refusal("video-tracker-job:1") == "NOT_FOUND"
    assert socket.refusal("global:prediction-jobs") == "FORBIDDEN"
    assert socket.refusal("user:%d:notify" % annotator.id) == "FORBIDDEN"
    assert socket.refusal("project:1:edits") == "UNKNOWN_CHANNEL"
    socket.subscribe("user:%d:notify" % stranger.id)
    admin = sockets.open(world.admin)
    admin.subscribe("global:prediction-jobs")
    admin.subscribe(lock_channel(task))
    admin.subscribe("project:%d:preannotate" % work.project_id)
    assert admin.refusal("user:%d:notify" % stranger.id) == "FORBIDDEN"


def test_a_new_member_may_subscribe_at_once(world, sockets):
    work = world.work(1)
    person = world.person()
    socket = sockets.open(person)
    assert socket.refusal(edit_channel(work)) == "NOT_FOUND"
    world.add_member(work.project_id, person)
    socket.subscribe(edit_channel(work))


def test_a_socket_has_a_hundred_channels_at_most(world, sockets):
    socket = sockets.open(world.admin)
    for _ in range(50):
        project = world.project()["id"]
        socket.subscribe("project:%d:annotation" % project)
        socket.subscribe("project:%d:preannotate" % project)
    assert socket.refusal("global:prediction-jobs") == "TOO_MANY_CHANNELS"
    socket.subscribe("project:%d:annotation" % project)  # it has that one


def test_a_wish_that_is_none_is_told_and_nothing_else(world, sockets):
    socket = sockets.open(world.admin)
    socket.connection.send("{")
    assert socket.next() == {"type": "error", "code": "MALFORMED_JSON"}
    socket.say(type="shout", channel="x")
    assert socket.next() == {"type": "error", "code": "INVALID_MESSAGE"}
    socket.subscribe("global:prediction-jobs")


# --- replays ---

def test_after_a_position_what_was_missed_comes_again(world, sockets):
    work, task, annotator = world.started()
    first = sockets.open(annotator)
    position = first.subscribe(edit_channel(work))
    made = [annotator.api.save(task["id"], [box()]).json()["annotations"][0]["id"]
            for _ in range(3)]
    assert [first.next()["data"]["annotation_id"] for _ in made] == made
    again = sockets.open(annotator)
    again.subscribe(edit_channel(work), after=position)
    frames = [again.next() for _ in made]
    assert [frame["data"]["annotation_id"] for frame in frames] == made
    last = sockets.open(annotator)
    last.subscribe(edit_channel(work), after=frames[1]["position"])
    assert last.next()["data"]["annotation_id"] == made[2]
    made += [annotator.api.save(task["id"], [box()]).json()["annotations"][0]["id"]]
    assert last.next()["data"]["annotation_id"] == made[3]


def test_the_position_of_a_write_serves_as_after(world, sockets):
    work, task, annotator = world.started()
    written = lock(annotator.api, task).headers["X-Event-Position"]
    annotator.api.save(task["id"], [box()])
    socket = sockets.open(annotator)
    socket.subscribe(edit_channel(work), after=written)
    assert socket.next()["data"]["action"] == "created"


@pytest.mark.parametrize("after", ["yesterday", "p1", "p1.9999-1", "p2.1-1"])
def test_a_position_that_is_none_is_refused(world, sockets, after):
    work = world.work(1)
    assert sockets.open(world.admin).refusal(edit_channel(work), after=after) == "INVALID_POSITION"


def test_those_who_reconnect_amid_writes_see_every_frame_in_order(world, sockets):
    work, task, annotator = world.started()
    viewer = world.member(work.project_id, "viewer")
    position = sockets.open(viewer).subscribe(edit_channel(work))
    made = []

    def write():
        for _ in range(60):
            made.append(annotator.api.save(task["id"], [box()]).json()["annotations"][0]["id"])

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    while len(seen) < 60:
        socket = Socket(world.service, token=viewer.api.token)
        socket.subscribe(edit_channel(work), after=position)
        for _ in range(min(7, 60 - len(seen))):
            frame = socket.next()
            position = frame["position"]
            seen.append(frame["data"]["annotation_id"])
        socket.close()
    writer.join()
    assert seen == made


def test_frames_that_were_missed_over_a_kill_come_after_it(make_service):
    service = make_service().start()
    world = World(service)
    work, task, annotator = world.started()
    socket = Socket(service, token=annotator.api.token)
    position = socket.subscribe(edit_channel(work))
    made = annotator.api.save(task["id"], [box()]).json()["annotations"][0]["id"]
    service.kill9()
    assert socket.close_code() == 0
    service.start()
    again = Socket(service, token=annotator.api.token)
    again.subscribe(edit_channel(work), after=position)
    assert again.next()["data"]["annotation_id"] == made
    again.close()


# --- who gets a socket ---

@pytest.mark.parametrize("path,token,code", [
    ("/ws", None, 4001), ("/ws", "void", 4003), ("/api/v1/ws", None, 4001),
    ("/ws/prediction-jobs", None, 4001), ("/ws/prediction-jobs", "void", 4003),
    ("/ws/notifications", None, 1008), ("/ws/notifications", "void", 1008),
    ("/api/v1/ws/notifications", "void", 1008), ("/ws/projects/1/preannotate", None, 1008),
    ("/ws/video-tracker-jobs/1", "void", 1008), ("/api/v1/ws/video-tracker-jobs/1", None, 1008),
])
def test_without_a_valid_token_the_code_says_so(sockets, path, token, code):
    assert sockets.open(path=path, token=token).close_code() == code


def test_sockets_of_one_channel_are_for_those_who_may_see_it(world, sockets):
    work = world.work(1)
    path = "/ws/projects/%d/preannotate" % work.project_id
    assert sockets.open(world.person("reviewer"), path).close_code() == 1008
    assert sockets.open(world.person("project_admin"),
                        "/ws/prediction-jobs").close_code() == 1008
    assert sockets.open(world.admin, "/ws/video-tracker-jobs/1").close_code() == 1008
    open_one = sockets.open(world.admin, "/ws/prediction-jobs")
    assert open_one.next()["channel"] == "global:prediction-jobs"


def test_an_api_key_opens_a_socket_until_it_is_revoked(world, sockets):
    person = world.person()
    made = person.api.post("/api-keys", {"name": "watcher"}, 201).json()
    socket = sockets.open(header=["X-API-Key: " + made["key"]])
    socket.subscribe("user:%d:notify" % person.id)
    person.api.delete("/api-keys/%d" % made["id"], (200, 204))
    assert socket.close_code() == 4003


def test_pages_of_other_origins_get_no_socket(make_service, world, sockets):
    def opened_from(origin, at=sockets):
        return at.open(world.admin, origin=origin)

    assert refused_status(lambda: opened_from("https://evil.example")) == 403
    assert refused_status(lambda: opened_from("null")) == 403
    own = world.service.base_url
    opened_from(own).subscribe("global:prediction-jobs")
    other = make_service({"ANNOLOG_CORS_ORIGINS": "https://ui.example",
                          "PUBLIC_URL": "https://annolog.example"}).start()
    admin = World(other).admin
    for origin in ("https://ui.example", "https://annolog.example"):
        socket = Socket(other, token=admin.token, origin=origin)
        socket.subscribe("global:prediction-jobs")
        socket.close()


def test_a_browser_that_is_signed_in_watches_pre_annotation(world, sockets):
    work = world.work(1)
    person = world.member(work.project_id)
    browser = Api(world.service)
    browser.login(person.username, PASSWORD)
    cookie = browser.session.cookies.get("annolog_socket", path="/ws")
    path = "/ws/projects/%d/preannotate" % work.project_id
    socket = sockets.open(path=path, cookie="annolog_socket=" + cookie)
    elsewhere = sockets.open(path="/ws", cookie="annolog_socket=" + cookie)
    assert elsewhere.close_code() == 4001, "the others take a token alone"
    assert browser.get("/me", 401, headers={"Authorization": "Bearer " + cookie})
    unasked = sockets.open(path=path, cookie="annolog_socket=" + cookie, suppress_origin=True)
    assert unasked.close_code() == 1008, "a browser says where it comes from"
    browser.token = browser.post("/auth/refresh", None, 200).json()["access_token"]
    browser.post("/auth/logout", None, (200, 204))
    assert socket.close_code() == 1008


def test_a_plain_request_is_told_to_upgrade(world):
    for path in ("/ws", "/ws/notifications", "/api/v1/ws"):
        answer = world.admin.get(path, 426, root=True)
        assert answer.headers["Upgrade"] == "websocket"
    assert world.admin.get("/ws/projects/x/preannotate", 404, root=True)


def test_the_path_of_a_socket_is_not_in_the_description(world):
    paths = world.nobody.get("/openapi.json", root=True).json()["paths"]
    assert not [path for path in paths if "/ws" in path]


# --- what closes a socket ---

@pytest.mark.parametrize("end", [
    lambda world, person: person.api.post("/auth/logout", None, (200, 204)),
    lambda world, person: person.api.post("/auth/logout-all", None, 200),
    lambda world, person: person.api.post(
        "/auth/me/password", {"old_password": PASSWORD, "new_password": "Better-pass-2"}, 200),
    lambda world, person: world.admin.post("/users/%d/deactivate" % person.id, None),
], ids=["logout", "logout-all", "password", "deactivated"])
def test_sockets_of_an_ended_session_are_closed(world, sockets, end):
    person = world.person()
    other = sockets.open(world.person())
    socket = sockets.open(person)
    socket.subscribe("user:%d:notify" % person.id)
    own = sockets.open(person, "/ws/notifications")
    end(world, person)
    assert socket.close_code() == 4003
    assert own.close_code() == 1008
    assert other.refusal("global:prediction-jobs") == "FORBIDDEN"


def test_who_is_no_member_any_more_hears_nothing_more(world, sockets):
    work = world.work(1)
    person = world.member(work.project_id)
    socket = sockets.open(person)
    socket.subscribe(edit_channel(work))
    socket.subscribe(lock_channel(work.tasks[0]))
    path = "/ws/projects/%d/preannotate" % work.project_id
    own = sockets.open(person, path)
    world.admin.delete("/projects/%d/members/%d" % (work.project_id, person.id))
    lost = {socket.next()["channel"], socket.next()["channel"]}
    assert lost == {edit_channel(work), lock_channel(work.tasks[0])}
    assert own.close_code() == 1008
    socket.subscribe("user:%d:notify" % person.id)


def test_a_lower_role_takes_channels_away(world, sockets):
    person = world.person("super_admin")
    socket = sockets.open(person)
    socket.subscribe("global:prediction-jobs")
    world.admin.patch("/users/%d/role" % person.id, {"role": "reviewer"})
    assert socket.next() == {"type": "error", "channel": "global:prediction-jobs",
                             "code": "FORBIDDEN"}


def test_a_reauth_goes_on_with_a_new_token(world, sockets):
    person = world.person()
    browser = Api(world.service)
    browser.token = browser.login(person.username, PASSWORD).json()["access_token"]
    socket = sockets.open(browser)
    newer = browser.post("/auth/refresh", None, 200).json()["access_token"]
    socket.say(type="reauth", token=newer)
    answer = socket.next()
    assert answer["type"] == "reauthenticated"
    assert 1700 < answer["expires_in"] <= 1800
    socket.say(type="reauth", token=world.admin.token)
    assert socket.close_code() == 4003


@pytest.fixture(scope="module")
def hasty(make_service):
    """A service of short times and few places."""
    service = make_service({
        "ANNOLOG_REALTIME_PING_S": "1", "ANNOLOG_REALTIME_NOTIFICATION_PING_S": "1",
        "ANNOLOG_REALTIME_IDLE_S": "3", "ANNOLOG_REALTIME_CONNECTIONS": "3",
        "ANNOLOG_REALTIME_CONNECTIONS_PER_USER": "2", "ANNOLOG_ACCESS_TOKEN_MINUTES": "1",
    }).start()
    return World(service)


def wait_for_open(world, count):
    """Until so many sockets are open: a place is free once its socket has ended on both sides."""
    def open_now():
        lines = world.nobody.get("/metrics", root=True).text.splitlines()
        return sum(int(float(line.split()[-1])) for line in lines
                   if line.startswith("annolog_realtime_sockets{"))
    wait_until(lambda: open_now() == count, 20, "%d open sockets" % count)


def alone(world):
    wait_for_open(world, 0)
    world.login_admin()  # tokens are short, too


def test_pings_come_and_silence_closes(hasty):
    alone(hasty)
    socket = Socket(hasty.service, token=hasty.person().api.token)
    assert socket.frame()["type"] == "token-expiring"
    assert socket.frame() == {"type": "ping"}
    with pytest.raises(Closed) as closed:
        while True:
            assert socket.frame() == {"type": "ping"}
    assert closed.value.code == 1001


def test_the_socket_of_notifications_pings_and_needs_no_answer(hasty):
    alone(hasty)
    socket = Socket(hasty.service, "/ws/notifications", hasty.person().api.token)
    for _ in range(5):
        assert socket.frame() == {"type": "ping"}
    socket.close()


def test_a_token_that_ends_soon_is_told(hasty):
    alone(hasty)
    socket = Socket(hasty.service, token=hasty.person().api.token)
    said = socket.next()
    assert said["type"] == "token-expiring"
    assert 0 < said["expires_in"] <= 60
    socket.close()


def test_sockets_are_limited_by_user_and_in_all(hasty):
    alone(hasty)
    one, two = hasty.person(), hasty.person()
    held = [Socket(hasty.service, token=one.api.token) for _ in range(2)]
    for socket in held:
        assert socket.next()["type"] == "token-expiring"
    assert Socket(hasty.service, token=one.api.token).close_code() == 4029
    wait_for_open(hasty, 2)
    third = Socket(hasty.service, token=two.api.token)
    assert third.next()["type"] == "token-expiring"
    assert Socket(hasty.service, token=two.api.token).close_code() == 1013
    for socket in [*held, third]:
        socket.close()


def test_a_stop_closes_sockets_and_ends_in_time(make_service):
    service = make_service().start()
    world = World(service)
    held = [Socket(service, token=world.person().api.token) for _ in range(3)]
    for socket in held:
        socket.wish("global:prediction-jobs")
    codes = []
    readers = [threading.Thread(target=lambda s=s: codes.append(s.close_code())) for s in held]
    for reader in readers:
        reader.start()
    silent = Socket(service, token=world.person().api.token)
    assert silent.wish("global:prediction-jobs")["code"] == "FORBIDDEN"
    assert service.stop() == 0
    for reader in readers:
        reader.join()
    assert codes == [1001, 1001, 1001]


def test_metrics_tell_of_sockets_and_frames(world, sockets):
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    socket.subscribe(edit_channel(work))
    annotator.api.save(task["id"], [box()])
    socket.next()
    text = world.nobody.get("/metrics", root=True).text
    for name in ("annolog_realtime_sockets{socket=\"multiplexed\"}",
                 "annolog_realtime_frames_sent_total", "annolog_realtime_frames_replayed_total",
                 "annolog_realtime_frames_dropped_total", "annolog_realtime_frame_age_seconds"):
        assert name in text, name
