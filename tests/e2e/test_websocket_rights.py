"""What ends a right while somebody listens (decisions, sections 2, 5 and 8; docs/decisions/0029):
the socket is closed or the channel taken away, and nothing that happens later is heard. Who gets a
socket, and what else closes it: test_websocket_life.py."""

import threading

import pytest

from client import Api, box
from commenting import say
from feeds import offset
from sockets import Closed, Sockets
from world import PASSWORD


@pytest.fixture
def sockets(service):
    opened = Sockets(service)
    yield opened
    opened.close()


class Studio:
    """A project with one task, whose annotator draws; a reviewer hears it, and so may others."""

    def __init__(self, world, sockets, **project_fields):
        self.sockets = sockets
        self.work, self.task, self.annotator = world.started(**project_fields)
        self.project_id = self.work.project_id
        self.path = "/projects/%d" % self.project_id
        self.edits = "project:%d:annotation" % self.project_id
        self.channels = {self.edits, "task:%d:lock" % self.task["id"]}
        self.witness = sockets.open(world.member(self.project_id, "reviewer"))
        self.witness.subscribe(self.edits)
        self.draw()  # so all that came before has been told

    def listen(self, who=None, **options):
        """A socket with the channels of the project and of its task."""
        socket = self.sockets.open(who, **options)
        for channel in self.channels:
            socket.subscribe(channel)
        return socket

    def listen_to_predictions(self, who):
        return self.sockets.open(who, "/ws%s/preannotate" % self.path)

    def draw(self, count=1):
        """The witness has heard of it when this returns."""
        for _ in range(count):
            self.annotator.api.save(self.task["id"], [box()])
        for _ in range(count):
            assert self.witness.next()["channel"] == self.edits

    def call(self, person):
        say(self.annotator.api, self.task["id"], "@" + person.username)


@pytest.fixture
def studio(world, sockets):
    return Studio(world, sockets)


def all_heard(socket):
    """What came before the service closed the socket, and its code."""
    heard = []
    try:
        while True:
            heard.append(socket.next())
    except Closed as closed:
        return heard, closed.code


def lost(socket, first=None):
    """The channels of a studio that were taken away; nothing else comes amid."""
    told = [first or socket.next(), socket.next()]
    assert {(each["type"], each["code"]) for each in told} == {("error", "FORBIDDEN")}, told
    return {each["channel"] for each in told}


def expect_silence(socket):
    """Nothing waits to be read: a question is answered next."""
    socket.say(type="subscribe", channel="none")
    assert socket.next() == {"type": "error", "channel": "none", "code": "UNKNOWN_CHANNEL"}


def signed_in(world, person):
    """The same person with a session of its own, cookies and all."""
    browser = Api(world.service)
    browser.token = browser.login(person.username, PASSWORD).json()["access_token"]
    return person._replace(api=browser)


# --- sessions and keys ---

def show_a_cookie_twice(world, person):
    used = "annolog_refresh=" + person.api.session.cookies.get("annolog_refresh")
    person.api.post("/auth/refresh", None, 200)
    Api(world.service).post("/auth/refresh", None, 401, headers={"Cookie": used})


def revoke_the_key(_, person):
    [key] = person.api.get("/api-keys").json()["items"]
    person.api.delete("/api-keys/%d" % key["id"], (200, 204))


ENDS = {
    "signed out": lambda _, person: person.api.post("/auth/logout", None, (200, 204)),
    "a cookie shown twice": show_a_cookie_twice,
    "signed out everywhere": lambda _, person: person.api.post("/auth/logout-all", None, 200),
    "another password": lambda _, person: person.api.post(
        "/auth/me/password", {"old_password": PASSWORD, "new_password": "Better-pass-2"}, 200),
    "another password by the operator": lambda world, person: world.service.command(
        "user", "reset-password", person.username).check_returncode(),
    "deactivated": lambda world, person: world.admin.post("/users/%d/deactivate" % person.id),
    "erased": lambda world, person: world.admin.post(
        "/users/%d/erase" % person.id, {"reason": "asked to go"}, 200),
    "the key revoked": revoke_the_key,
}


@pytest.mark.parametrize("end", [end for end in ENDS if end != "the key revoked"])
def test_sockets_of_an_ended_session_are_closed_and_hear_nothing_more(world, sockets, studio, end):
    person = signed_in(world, world.person("super_admin"))
    world.add_member(studio.project_id, person, "viewer")
    socket = studio.listen(person)
    socket.subscribe("user:%d:notify" % person.id)
    notified = sockets.open(person, "/ws/notifications")
    jobs = sockets.open(person, "/ws/prediction-jobs")
    predictions = studio.listen_to_predictions(person)
    studio.draw()
    studio.call(person)
    assert {socket.next()["type"], socket.next()["type"]} == {"annotation", "comment.mention"}
    assert notified.next()["type"] == "comment.mention"
    assert jobs.next()["type"] == "subscribed"
    ENDS[end](world, person)
    studio.call(person)
    studio.draw(3)
    assert all_heard(socket) == all_heard(jobs) == ([], 4003)
    assert all_heard(notified) == all_heard(predictions) == ([], 1008)
    assert sockets.open(person).close_code() == 4003, "and there is no way back"


@pytest.mark.parametrize("end", ["signed out", "a cookie shown twice"])
def test_another_session_of_the_same_user_goes_on(world, studio, end):
    person = world.member(studio.project_id)
    one, other = signed_in(world, person), signed_in(world, person)
    socket, kept = studio.listen(one), studio.listen(other)
    ENDS[end](world, one)
    assert socket.close_code() == 4003
    studio.draw()
    assert kept.next()["type"] == "annotation"


def with_key(person):
    return {"X-API-Key": person.api.post("/api-keys", {"name": "watcher"}, 201).json()["key"]}


@pytest.mark.parametrize("end", ["the key revoked", "deactivated", "erased"])
def test_sockets_of_a_void_key_are_closed_and_hear_nothing_more(world, sockets, studio, end):
    person = world.member(studio.project_id)
    key = with_key(person)
    socket = studio.listen(header=key)
    notified = sockets.open(path="/ws/notifications", header=key)
    studio.call(person)
    assert notified.next()["type"] == "comment.mention"
    ENDS[end](world, person)
    studio.call(person)
    studio.draw(3)
    assert all_heard(socket) == ([], 4003)
    assert all_heard(notified) == ([], 1008)
    assert sockets.open(header=key).close_code() == 4003


def test_a_key_outlives_the_sessions_of_its_owner(world, studio):
    person = world.member(studio.project_id)
    keyed, own = studio.listen(header=with_key(person)), studio.listen(person)
    ENDS["signed out everywhere"](world, person)
    assert own.close_code() == 4003
    studio.draw()
    assert keyed.next()["type"] == "annotation"


# --- projects and roles ---

def test_amid_writes_a_member_hears_what_came_before_the_removal_and_no_more(world, studio):
    person = world.member(studio.project_id)
    socket, own = studio.listen(person), studio.listen_to_predictions(person)
    writer = threading.Thread(target=studio.draw, args=(100,))
    writer.start()
    heard = [socket.next() for _ in range(10)]
    removed = world.admin.delete(studio.path + "/members/%d" % person.id)
    while "data" in (last := socket.next()):
        heard.append(last)
    writer.join()
    assert lost(socket, last) == studio.channels
    expect_silence(socket)
    assert all_heard(own) == ([], 1008)
    places = [offset(frame["position"]) for frame in heard]
    assert places == sorted(set(places))
    assert places[-1] < offset(removed.headers["X-Event-Position"])
    assert socket.refusal(studio.edits, after=heard[0]["position"]) == "NOT_FOUND"


def test_an_archived_project_is_silent_for_those_who_see_it_no_more(world, studio):
    shut_out = [studio.listen(world.member(studio.project_id, role))
                for role in ("viewer", "annotator")] + [studio.listen(studio.annotator)]
    seeing = [studio.listen(world.member(studio.project_id, role))
              for role in ("reviewer", "project_admin")] + [studio.listen(world.admin)]
    own = studio.listen_to_predictions(world.member(studio.project_id, "viewer"))
    world.admin.patch(studio.path, {"status": "archived"})
    for socket in shut_out:
        assert lost(socket) == studio.channels
        assert socket.refusal(studio.edits) == "NOT_FOUND"
    assert own.close_code() == 1008
    world.admin.patch(studio.path, {"status": "in_progress"})
    studio.draw(2)
    for socket in seeing:
        assert [socket.next()["type"] for _ in range(2)] == ["annotation"] * 2
        expect_silence(socket)
    for socket in shut_out:
        expect_silence(socket)
        socket.subscribe(studio.edits)
    studio.draw()
    assert [socket.next()["type"] for socket in shut_out] == ["annotation"] * 3


@pytest.mark.parametrize("path", ["/users/{id}/role", "{project}/members/{id}"])
def test_a_lower_role_takes_away_the_sight_of_an_archived_project(world, studio, path):
    world.admin.patch(studio.path, {"status": "archived"})
    person = world.member(studio.project_id, "reviewer")
    socket, own = studio.listen(person), studio.listen_to_predictions(person)
    world.admin.patch(path.format(id=person.id, project=studio.path), {"role": "annotator"})
    assert lost(socket) == studio.channels
    assert own.close_code() == 1008


def test_a_deleted_project_is_lost_by_everyone(world, sockets):
    owner = world.person("project_admin")
    studio = Studio(world, sockets, by=owner.api)
    listeners = [studio.listen(each) for each in (owner, studio.annotator, world.admin)]
    own = studio.listen_to_predictions(world.admin)
    world.admin.delete("/datasets/%d/link/%d" % (studio.work.dataset_id, studio.project_id))
    world.admin.delete(studio.path)
    for socket in listeners:
        assert lost(socket) == studio.channels
        assert socket.refusal(studio.edits) == "NOT_FOUND"
        expect_silence(socket)
    assert own.close_code() == 1008
