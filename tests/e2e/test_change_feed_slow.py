"""A stream whose reader takes nothing: it is ended, and nobody waits for it meanwhile."""

import itertools
import socket

from client import box
from feeds import Stream, feed_path, types, whole
from racing import new_tasks
from waiting import wait_until
from wire import Wire, request
from world import World

SHAPES_AT_ONCE = 200
MOST_EVENTS = 300  # 15 MB: more than the kernel and the service keep for a reader
QUICK = 5


def open_streams(world):
    return world.nobody.metric("event_readers")


def stream_without_reader(service, token, project_id):
    wire = Wire(service)
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.send(request("GET /api/v1%s HTTP/1.1" % feed_path(project_id), [
        ("Host", "x"), ("Accept", "text/event-stream"), ("Authorization", "Bearer " + token)]))
    return wire


def test_a_stream_that_nobody_reads_is_ended_and_the_others_hear_everything(make_service):
    service = make_service()
    service.arguments = ["--request-timeout-s", "5"]
    world = World(service.start())
    project_id = world.project()["id"]
    painter, viewer = world.member(project_id), world.member(project_id, "viewer")
    tasks = itertools.cycle(new_tasks(world, project_id, 10))
    streams = [Stream(viewer.api, project_id, after="now") for _ in range(QUICK)]
    with stream_without_reader(service, viewer.api.token, project_id):
        wait_until(lambda: open_streams(world) == QUICK + 1, 20, "all streams are open")
        heard = 0
        while open_streams(world) > QUICK:
            assert heard < MOST_EVENTS, "nothing is too slow"
            task = next(tasks)
            painter.api.post("/tasks/%d/lock" % task, None, 200)
            painter.api.save(task, [box() for _ in range(SHAPES_AT_ONCE)])
            for stream in streams:
                told = stream.message()
                while told.event != "task.annotations_added":
                    told = stream.message()
                assert len(told.data["data"]["annotations"]) == SHAPES_AT_ONCE
            heard += 1
    assert types(whole(viewer.api, project_id)[0]).count("task.annotations_added") == heard
    for stream in streams:
        stream.close()
    wait_until(lambda: open_streams(world) == 0, 20, "no stream is left")
    assert service.stop() == 0
