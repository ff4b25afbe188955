"""Who may hear what happens in a project, for how long, and how many at once; restarts."""

import pytest

from client import code_of
from commenting import say
from feeds import Later, Stream, events, feed_path, page, talked_about, whole
from waiting import wait_until
from world import PASSWORD, World


@pytest.fixture
def talk(world):
    """A project with one task, and a function that makes events there: (work, say_so)."""
    return talked_about(world)


def test_members_hear_and_strangers_do_not(world, talk):
    work, _ = talk
    viewer = world.member(work.project_id, "viewer")
    assert events(viewer.api, work.project_id) == events(world.admin, work.project_id)
    stranger = world.person("annotator")
    page(stranger.api, work.project_id, 404)
    Stream(stranger.api, work.project_id, 404).close()
    page(world.nobody, work.project_id, 401)
    world.admin.get(feed_path(999_999_999), 404)


def test_an_archived_project_is_silent_for_annotators(world, talk):
    work, _ = talk
    annotator = world.member(work.project_id)
    admin = world.member(work.project_id, "project_admin")
    with Stream(annotator.api, work.project_id, after="now") as stream:
        world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
        assert {message.event for message in stream.rest()} <= {"project.updated"}
    page(annotator.api, work.project_id, 404)
    assert events(admin.api, work.project_id)[-1]["data"] == {"status": "archived"}


def test_a_removed_member_is_cut_off(world, talk):
    work, say_so = talk
    member = world.member(work.project_id)
    with Stream(member.api, work.project_id, after="now") as stream:
        say_so()
        assert stream.take(1)[0].event == "comment.added"
        waiting = Later(lambda: page(member.api, work.project_id, None, after="now", wait=60))
        removed = world.admin.delete("/projects/%d/members/%d" % (work.project_id, member.id))
        say_so(5)
        assert stream.rest() == [], "nothing behind the end of the right"
    assert waiting.result().status_code == 404
    assert removed.status_code == 204


def test_a_session_that_ends_ends_its_stream(world, talk):
    work, _ = talk
    member = world.member(work.project_id)
    with Stream(member.api, work.project_id, after="now") as stream:
        member.api.post("/auth/logout")
        assert stream.rest() == []
    token = world.nobody.login(member.username, PASSWORD).json()["access_token"]
    with Stream(member.api.with_token(token), work.project_id, after="now") as stream:
        world.admin.post("/users/%d/deactivate" % member.id)
        assert stream.rest() == []


def test_one_user_has_so_many_streams_and_a_gone_reader_leaves_its_place(world, talk):
    work, _ = talk
    member = world.member(work.project_id)
    streams = [Stream(member.api, work.project_id) for _ in range(10)]
    answer = page(member.api, work.project_id, 429, after="now", wait=5)
    assert code_of(answer) == "TOO_MANY_STREAMS" and int(answer.headers["Retry-After"]) >= 1
    headers = {"Accept": "text/event-stream"}
    assert code_of(page(member.api, work.project_id, 429, headers=headers)) == "TOO_MANY_STREAMS"
    page(member.api, work.project_id)  # a page that does not wait needs no place
    page(world.admin, work.project_id, after="now", wait=1)
    for stream in streams:
        stream.close()

    def served():
        return page(member.api, work.project_id, None, after="now", wait=1).status_code == 200

    wait_until(served, 20, "the places are free again")


# --- restarts ---

def test_positions_outlive_restarts_and_rebuilds(make_service):
    service = make_service().start()
    world = World(service)
    work = world.work(2)
    say(world.admin, work.tasks[0]["id"])
    told, end = whole(world.admin, work.project_id)
    stream = Stream(world.admin, work.project_id, after="now")
    waiting = Later(lambda: page(world.admin, work.project_id, after="now", wait=60))
    assert stream.block() == ["retry: 2000"]
    service.restart()
    assert stream.rest() == [], "it ended as a whole answer"
    assert waiting.result().json()["items"] == []
    world.login_admin()
    assert events(world.admin, work.project_id) == told
    say(world.admin, work.tasks[1]["id"])
    done = service.command("projections", "rebuild")
    assert done.returncode == 0, done.stderr
    again = events(world.admin, work.project_id)
    assert again[:-1] == told and again[-1]["type"] == "comment.added"
    assert events(world.admin, work.project_id, after=end) == again[-1:]
    service.close()
