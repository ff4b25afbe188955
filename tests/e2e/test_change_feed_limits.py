"""Places for streams and for calls that wait (docs/change-feed.md, "Limits"): so many of a user and
of the service, given back when their holder goes; and where a stream begins that comes back."""


import pytest
import requests

from client import code_of, error_locations
from feeds import Later, Stream, events, feed_path, page, talked_about, types
from waiting import wait_until
from world import World

AS_STREAM = {"Accept": "text/event-stream"}


@pytest.fixture(scope="module")
def narrow(make_service):
    """A service with three places, two for each user."""
    service = make_service()
    service.arguments = ["--event-readers", "3", "--event-readers-of-user", "2"]
    return World(service.start())


def taken(world):
    return world.nobody.metric("event_readers")


def expect_taken(world, count):
    wait_until(lambda: taken(world) == count, 20, "%d places are taken" % count)


@pytest.fixture
def talk(narrow):
    """In the narrow service, when all places are free: (work, say_so)."""
    expect_taken(narrow, 0)
    return talked_about(narrow)


def waiting_call(world, person, project_id):
    """It waits when this returns."""
    before = taken(world)
    call = Later(lambda: page(person.api.with_token(person.api.token), project_id, None,
                              after="now", wait=60, timeout=90))
    expect_taken(world, before + 1)
    return call


def expect_refusal(api, project_id, status, code):
    """Both ways to take a place, in the same words."""
    for headers, params in ((AS_STREAM, {}), (None, {"after": "now", "wait": 60})):
        answer = page(api, project_id, status, headers=headers, **params)
        assert code_of(answer) == code
        assert int(answer.headers["Retry-After"]) >= 1
        assert answer.headers["Content-Type"] == "application/json"


# --- how many ---

def test_streams_and_waiting_calls_of_a_user_share_its_places(narrow, talk):
    work, say_so = talk
    member, other = (narrow.member(work.project_id) for _ in range(2))
    with Stream(member.api, work.project_id, after="now") as stream:
        call = waiting_call(narrow, member, work.project_id)
        expect_refusal(member.api, work.project_id, 429, "TOO_MANY_STREAMS")
        assert taken(narrow) == 2, "who is refused takes no place"
        with Stream(other.api, work.project_id, after="now") as another:
            expect_refusal(member.api, work.project_id, 429, "TOO_MANY_STREAMS")
            say_so()
            for each in (stream, another):
                assert each.take(1)[0].event == "comment.added"
        assert types(call.result().json()["items"]) == ["comment.added"]
        expect_taken(narrow, 1)


def test_above_the_places_of_the_service_everybody_is_told_to_come_later(narrow, talk):
    work, _ = talk
    one, two, late = (narrow.member(work.project_id) for _ in range(3))
    streams = [Stream(each.api, work.project_id) for each in (one, one, two)]
    expect_refusal(one.api, work.project_id, 429, "TOO_MANY_STREAMS")
    for person in (two, late):
        expect_refusal(person.api, work.project_id, 503, "OVERLOADED")
        page(person.api, work.project_id)  # needs no place
        assert page(person.api, work.project_id, wait=60).json()["items"], "nor does what is there"
    streams[0].close()
    expect_taken(narrow, 2)
    with Stream(late.api, work.project_id) as stream:
        assert stream.take(1)[0].event == "project.created"
    for stream in streams[1:]:
        stream.close()


# --- places are given back ---

def test_a_waiting_call_that_is_given_up_leaves_its_place(narrow, talk):
    work, _ = talk
    with pytest.raises(requests.Timeout):
        page(narrow.admin, work.project_id, after="now", wait=60, timeout=2)
    expect_taken(narrow, 0)


def test_a_waiting_call_that_hears_nothing_leaves_its_place(narrow, talk):
    work, _ = talk
    assert page(narrow.admin, work.project_id, after="now", wait=1).json()["items"] == []
    assert taken(narrow) == 0


@pytest.mark.parametrize("end", [
    lambda world, work, member: world.admin.delete(
        "/projects/%d/members/%d" % (work.project_id, member.id)),
    lambda world, work, member: member.api.post("/auth/logout"),
    lambda world, work, member: world.admin.post("/users/%d/deactivate" % member.id),
], ids=["member", "session", "user"])
def test_who_loses_the_right_leaves_all_places(narrow, talk, end):
    work, _ = talk
    member = narrow.member(work.project_id)
    with Stream(member.api, work.project_id, after="now") as stream:
        call = waiting_call(narrow, member, work.project_id)
        end(narrow, work, member)
        assert stream.rest() == []
        assert call.result().status_code in (401, 404)
        expect_taken(narrow, 0)


def test_what_is_refused_for_another_reason_takes_no_place(narrow, talk):
    work, _ = talk
    stranger = narrow.person()
    for _ in range(4):
        page(stranger.api, work.project_id, 404, headers=AS_STREAM)
        page(narrow.nobody, work.project_id, 401, headers=AS_STREAM)
        answer = page(narrow.admin, work.project_id, 422, headers=AS_STREAM, limit=0)
        assert error_locations(answer) == [("query", "limit")]
        page(narrow.admin, work.project_id, 400, headers={**AS_STREAM, "Last-Event-ID": "x"})
    assert taken(narrow) == 0
    narrow.admin.call("HEAD", feed_path(work.project_id), None, headers=AS_STREAM)
    expect_taken(narrow, 0)


# --- where a stream begins ---

@pytest.fixture
def told(narrow, talk):
    """(work, the events of its feed)"""
    work, say_so = talk
    say_so(4)
    return work, events(narrow.admin, work.project_id)


@pytest.mark.parametrize("after", ["now", "last", "first", "yesterday", None])
def test_last_event_id_counts_more_than_after(narrow, told, after):
    work, known = told
    named = {"last": known[-1]["position"], "first": known[0]["position"]}.get(after, after)
    params = {"after": named} if named else {}
    with Stream(narrow.admin, work.project_id, last_id=known[-3]["position"], **params) as stream:
        assert [message.data for message in stream.take(2)] == known[-2:]


def test_an_empty_last_event_id_is_none(narrow, told):
    work, known = told
    headers = {**AS_STREAM, "Last-Event-ID": ""}
    with narrow.admin.get(feed_path(work.project_id), headers=headers, stream=True,
                          params={"after": known[-2]["position"]}) as answer:
        first = next(line for line in answer.iter_lines(1) if line.startswith(b"id: "))
    assert first.decode() == "id: " + known[-1]["position"]


def test_a_page_takes_no_notice_of_last_event_id(narrow, told):
    work, known = told
    for last_id in (known[-1]["position"], "yesterday"):
        headers = {"Last-Event-ID": last_id}
        assert page(narrow.admin, work.project_id, headers=headers).json()["items"] == known


@pytest.mark.parametrize("last_id", [
    "yesterday", "now", "p1", "p1.", "p1.0-", "p1.900-1", "p2.{shard}-1", "p1.{shard}-1x",
    "p1.{shard}--1", "p1.{shard}-99999999999999999999", "{shard}-1", "0",
    pytest.param("p1.{shard}-1" * 500, id="long")])
def test_a_last_event_id_that_was_never_given_is_refused_by_its_name(narrow, talk, last_id):
    work, _ = talk
    headers = {**AS_STREAM, "Last-Event-ID": last_id.format(shard=work.project_id % 8)}
    answer = page(narrow.admin, work.project_id, 400, headers=headers, after="now")
    assert code_of(answer) == "INVALID_POSITION"
    assert "Last-Event-ID" in answer.json()["detail"]["message"]
    assert taken(narrow) == 0


def test_a_last_event_id_that_is_not_reached_yet_is_for_later(narrow, talk):
    work, _ = talk
    beyond = "p1.%d-999999999" % (work.project_id % 8)
    answer = page(narrow.admin, work.project_id, 503, headers={**AS_STREAM,
                                                               "Last-Event-ID": beyond})
    assert code_of(answer) == "READ_MODEL_BEHIND" and int(answer.headers["Retry-After"]) >= 1
    assert taken(narrow) == 0
