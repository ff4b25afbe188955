"""The channels of the WebSockets: frames, rights, replays (spec, "Events"; decisions, section 8).
Who gets a socket and what closes it: test_websocket_life.py."""

import threading

import pytest

from asyncapi import Description
from client import box
from commenting import say
from notified import Reviewed, told
from sockets import Socket, Sockets
from waiting import wait_until
from world import World


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


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_a_review_gives_the_lock_of_its_reviewer_back(world, sockets, verdict):
    scene = Reviewed(world)
    socket = sockets.open(scene.watcher)
    socket.subscribe(lock_channel(scene.task))
    lock(scene.reviewer.api, scene.task)
    getattr(scene.reviewer.api, verdict)(scene.task_id)
    frames = [socket.next() for _ in range(2)]
    assert [(frame["data"]["state"], frame["data"]["user_id"]) for frame in frames] == [
        ("locked", scene.reviewer.id), ("released", scene.reviewer.id)]
    assert scene.reviewer.api.task(scene.task_id)["lock"] is None


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


def test_a_notification_is_told_as_the_list_shows_it(world, sockets, description):
    case = Reviewed(world)
    channel = "user:%d:notify" % case.annotator.id
    wrapped = sockets.open(case.annotator)
    wrapped.subscribe(channel)
    bare = sockets.open(case.annotator, "/ws/notifications")
    alias = sockets.open(case.annotator, "/api/v1/ws/notifications")
    bystander = sockets.open(case.watcher, "/ws/notifications")
    case.reviewer.api.reject(case.task_id)
    frame = wrapped.next()
    listed, = told(case.annotator)
    assert (frame["channel"], frame["type"]) == (channel, "task.rejected")
    assert frame["data"] == bare.next() == alias.next() == listed
    assert not description.socket_errors("SocketNotificationFrame", frame)
    assert not description.socket_errors("SocketNotification", listed)
    case.mention_watcher()
    assert bystander.next()["type"] == "comment.mention", "the first that concerns this one"


def test_notifications_that_were_missed_come_after_the_last_one_heard(world, sockets):
    case = Reviewed(world)
    channel = "user:%d:notify" % case.annotator.id
    first = sockets.open(case.annotator)
    first.subscribe(channel)
    case.reviewer.api.reject(case.task_id)
    heard = first.next()
    first.close()
    say(case.reviewer.api, case.task_id, "@%s look" % case.annotator.username)
    again = sockets.open(case.annotator)
    again.subscribe(channel, after=heard["position"])
    assert again.next()["data"]["id"] == told(case.annotator)[0]["id"] != heard["data"]["id"]


def test_an_unsubscribed_channel_is_silent(world, sockets):
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    socket.subscribe(lock_channel(task))
    socket.subscribe(edit_channel(work))
    socket.unsubscribe(lock_channel(task))
    lock(annotator.api, task)
    annotator.api.save(task["id"], [box()])
    assert socket.next()["type"] == "annotation"


def test_a_channel_asked_for_again_goes_on_from_where_it_began(world, sockets):
    """Else what is on its way to the socket would be left out."""
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    begun = socket.subscribe(edit_channel(work))
    annotator.api.save(task["id"], [box()])
    socket.next()
    assert socket.subscribe(edit_channel(work)) == begun
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


# --- metrics ---

def test_metrics_tell_of_sockets_and_frames(world, sockets):
    work, task, annotator = world.started()
    socket = sockets.open(annotator)
    socket.subscribe(edit_channel(work))
    annotator.api.save(task["id"], [box()])
    heard = socket.next()
    metric = world.nobody.metric
    assert metric("annolog_realtime_sockets", socket="multiplexed") >= 1
    sent = metric("annolog_realtime_frames_sent_total")
    aged = metric("annolog_realtime_frame_age_seconds_count")
    annotator.api.save(task["id"], [box(), box()])
    assert {socket.next()["type"], socket.next()["type"]} == {"annotation"}
    assert metric("annolog_realtime_frames_sent_total") >= sent + 2
    assert metric("annolog_realtime_frame_age_seconds_count") > aged
    replayed = metric("annolog_realtime_frames_replayed_total")
    again = sockets.open(annotator)
    again.subscribe(edit_channel(work), after=heard["position"])
    again.next()
    assert metric("annolog_realtime_frames_replayed_total") > replayed
    wait_until(lambda: metric("annolog_realtime_lag_records") == 0, 10, "the feed is at the end")
