"""Who gets a WebSocket, and what closes it (spec, "Channels and sockets"; decisions, section 8).
What ends the right to one: test_websocket_rights.py."""

import threading

import pytest

from client import Api
from sockets import Closed, Socket, Sockets, refused_status
from waiting import wait_until
from world import PASSWORD, World


@pytest.fixture
def sockets(service):
    opened = Sockets(service)
    yield opened
    opened.close()


# --- who gets a socket ---

@pytest.mark.parametrize("path,token,code", [
    ("/ws", None, 4001), ("/ws", "void", 4003), ("/api/v1/ws", None, 4001),
    ("/ws/prediction-jobs", None, 4001), ("/ws/prediction-jobs", "void", 4003),
    ("/api/v1/ws/prediction-jobs", None, 4001), ("/api/v1/ws/projects/1/preannotate", "void", 1008),
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


@pytest.mark.parametrize("prefix", ["/ws", "/api/v1/ws"])
def test_a_browser_that_is_signed_in_watches_pre_annotation(world, sockets, prefix):
    work = world.work(1)
    person = world.member(work.project_id)
    browser = Api(world.service)
    browser.login(person.username, PASSWORD)
    cookie = browser.session.cookies.get("annolog_socket", path=prefix)
    path = prefix + "/projects/%d/preannotate" % work.project_id
    socket = sockets.open(path=path, cookie="annolog_socket=" + cookie)
    elsewhere = sockets.open(path="/ws", cookie="annolog_socket=" + cookie)
    assert elsewhere.close_code() == 4001, "the others take a token alone"
    browser.get("/me", 401, headers={"Authorization": "Bearer " + cookie})
    unasked = sockets.open(path=path, cookie="annolog_socket=" + cookie, suppress_origin=True)
    assert unasked.close_code() == 1008, "a browser says where it comes from"
    browser.token = browser.post("/auth/refresh", None, 200).json()["access_token"]
    browser.post("/auth/logout", None, (200, 204))
    assert socket.close_code() == 1008


def test_a_plain_request_is_told_to_upgrade(world):
    for path in ("/ws", "/ws/notifications", "/api/v1/ws"):
        answer = world.admin.get(path, 426, root=True)
        assert answer.headers["Upgrade"] == "websocket"
    world.admin.get("/ws/projects/x/preannotate", 404, root=True)


def test_the_path_of_a_socket_is_not_in_the_description(world):
    paths = world.nobody.get("/openapi.json", root=True).json()["paths"]
    assert not [path for path in paths if "/ws" in path]


# --- what closes a socket ---

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
