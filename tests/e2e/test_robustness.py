"""Hostile and broken clients: a clear 4xx or a closed connection, and others undisturbed."""

import json
import pathlib
import re

import pytest

from client import Api, unique
from waiting import wait_until
from wire import Wire, request

HOST = ("Host", "localhost")


def still_serves(world):
    world.admin.get("/me")


def exchange(world, data):
    with Wire(world.service) as wire:
        wire.send(data)
        return wire.answer()


def post_raw(world, body, path="/projects", expect=None):
    return world.admin.call("POST", path, expect, data=body,
                            headers={"Content-Type": "application/json"})


def memory_kib(service):
    status = pathlib.Path("/proc/%d/status" % service.process.pid).read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1))


# --- the head of a request ---

def test_a_flood_of_headers_is_431(world):
    headers = [HOST] + [("X-Flood-%d" % at, "x" * 500) for at in range(2000)]
    with Wire(world.service) as wire:
        wire.send(request("GET /health HTTP/1.1", headers))
        assert wire.status() in (431, 0)
    still_serves(world)


def test_one_huge_header_is_431(world):
    with Wire(world.service) as wire:
        wire.send(request("GET /health HTTP/1.1", [HOST, ("X-Big", "x" * 200_000)]))
        assert wire.status() in (431, 0)
    still_serves(world)


def test_a_moderate_flood_gets_its_answer(world):
    got = exchange(world, request("GET /health HTTP/1.1", [HOST, ("X-Big", "x" * 20_000)]))
    assert got is not None and got[0] in (200, 431)


def test_a_huge_target_is_refused(world):
    with Wire(world.service) as wire:
        wire.send(request("GET /%s HTTP/1.1" % ("a" * 200_000), [HOST]))
        assert wire.status() in (400, 404, 414, 431, 0)
    still_serves(world)


@pytest.mark.parametrize("line", [
    "GARBAGE", "GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/9.9", "GET / FTP/1.0",
    "\x00\x01\x02", "G\x00T / HTTP/1.1", "GET /\x00 HTTP/1.1", "GET / HTTP/1.1 extra",
    "GET http://[bad HTTP/1.1", "\x16\x03\x01\x02\x00\x01\x00", "PRI * HTTP/2.0",
])
def test_a_garbage_request_line_is_refused(world, line):
    with Wire(world.service) as wire:
        wire.send(request(line, [HOST]))
        status = wire.status()
        assert status == 0 or 400 <= status < 600
        assert status != 500
    still_serves(world)


@pytest.mark.parametrize("header", ["no colon here", ": no name", "Bad Name: x", "X: a\x00b",
                                    "Content-Length: -1", "Content-Length: x",
                                    "Content-Length: 99999999999999999999999",
                                    "Transfer-Encoding: gzip, identity"])
def test_a_broken_header_is_refused(world, header):
    data = ("POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n" % header).encode("latin-1")
    with Wire(world.service) as wire:
        wire.send(data)
        status = wire.status()
        assert status == 0 or 400 <= status <= 501 and status != 500, status
    still_serves(world)


def smuggled(first, second, body):
    return ("POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "%s\r\n%s\r\n\r\n" % (first, second)).encode("latin-1") + body


@pytest.mark.parametrize("first, second", [
    ("Content-Length: 5", "Transfer-Encoding: chunked"),
    ("Transfer-Encoding: chunked", "Content-Length: 5"),
    ("Content-Length: 5", "Content-Length: 50"),
])
def test_two_framings_of_one_body_are_refused_and_nothing_is_smuggled(world, first, second):
    inner = request("GET /health HTTP/1.1", [HOST])
    with Wire(world.service) as wire:
        wire.send(smuggled(first, second, b"0\r\n\r\n" + inner))
        got = wire.answer()
        assert got is None or got[0] == 400, got
        assert wire.answer() is None, "a second answer to one refused request"
    still_serves(world)


def test_a_header_that_never_ends_is_closed(make_service):
    service = make_service({"ANNOLOG_REQUEST_TIMEOUT_S": "2"}).start()
    with Wire(service, timeout_s=90) as wire:
        wire.send(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        assert wire.closed()


def test_a_body_that_never_ends_is_closed(make_service):
    service = make_service({"ANNOLOG_REQUEST_TIMEOUT_S": "2"}).start()
    head = [HOST, ("Content-Type", "application/json"), ("Content-Length", "1000")]
    with Wire(service, timeout_s=90) as wire:
        wire.send(request("POST /api/v1/auth/login HTTP/1.1", head, b'{"username": '))
        assert wire.closed()


def test_an_idle_connection_is_closed(make_service):
    service = make_service({"ANNOLOG_IDLE_TIMEOUT_S": "2"}).start()
    with Wire(service, timeout_s=90) as wire:
        wire.send(request("GET /health/live HTTP/1.1", [HOST]))
        assert wire.status() == 200
        assert wire.closed()


def test_connections_above_the_limit_are_turned_away_and_room_comes_back(make_service):
    service = make_service({"ANNOLOG_MAX_CONNECTIONS": "20"}).start()
    wires = [Wire(service) for _ in range(40)]
    served = 0
    for wire in wires:
        wire.socket.settimeout(0.5)
        try:
            wire.send(request("GET /health/live HTTP/1.1", [HOST]))
            served += wire.status() == 200
        except TimeoutError:
            pass
    assert 1 <= served <= 20
    for wire in wires:
        wire.socket.close()

    def room():
        with Wire(service, timeout_s=5) as wire:
            wire.send(request("GET /health/live HTTP/1.1", [HOST]))
            try:
                return wire.status() == 200
            except TimeoutError:
                return False

    wait_until(room, 30, "a new connection is served")


def test_pipelined_requests_are_answered_in_order(world):
    with Wire(world.service) as wire:
        one = request("GET /health/live HTTP/1.1", [HOST, ("X-Request-Id", "first")])
        two = request("GET /api/v1/me HTTP/1.1", [HOST, ("X-Request-Id", "second")])
        wire.send(one + two)
        status, headers, _ = wire.answer()
        assert (status, headers["x-request-id"]) == (200, "first")
        status, headers, _ = wire.answer()
        assert (status, headers["x-request-id"]) == (401, "second")


def test_http_1_0_without_keep_alive_is_closed_after_the_answer(world):
    with Wire(world.service) as wire:
        wire.send(request("GET /health/live HTTP/1.0", [HOST]))
        assert wire.status() == 200
        assert wire.closed()


def test_expect_100_continue_is_honoured(world):
    body = json.dumps({"username": "x", "password": "y"}).encode()
    head = [HOST, ("Content-Type", "application/json"), ("Content-Length", str(len(body))),
            ("Expect", "100-continue")]
    with Wire(world.service) as wire:
        wire.send(request("POST /api/v1/auth/login HTTP/1.1", head))
        status = wire.status()
        if status == 100:
            wire.send(body)
            status = wire.status()
        assert status in (401, 417, 422)


def test_a_chunked_json_body_is_read(world):
    body = json.dumps({"name": unique("chunked")}).encode()

    def pieces():
        for at in range(0, len(body), 3):
            yield body[at:at + 3]

    world.admin.call("POST", "/projects", 201, data=pieces(),
                     headers={"Content-Type": "application/json"})


@pytest.mark.parametrize("chunk", [b"zz\r\nabc\r\n", b"-1\r\n\r\n", b"ffffffffffffffffff\r\nabc",
                                   b"3\r\nabcdef\r\n0\r\n\r\n"])
def test_broken_chunks_are_refused(world, chunk):
    head = [HOST, ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
    with Wire(world.service) as wire:
        wire.send(request("POST /api/v1/auth/login HTTP/1.1", head, chunk))
        status = wire.status()
        assert status == 0 or 400 <= status < 500, status
    still_serves(world)


# --- traversal that a client library would tidy away ---

@pytest.mark.parametrize("target", [
    "/../../../../etc/passwd", "/docs/../../etc/passwd", "/docs/%2e%2e/%2e%2e/etc/passwd",
    "/objects/../../../etc/passwd", "/objects/..%2f..%2f..%2fetc%2fpasswd",
    "/objects/%00", "/api/v1/../../etc/passwd", "//etc/passwd", "/docs/..\\..\\etc\\passwd",
])
def test_no_path_leads_out(world, target):
    status, _, body = exchange(world, request("GET %s HTTP/1.1" % target, [HOST]))
    assert 400 <= status < 500
    assert b"root:" not in body


# --- bodies ---

def test_ten_megabytes_of_brackets_are_refused(world):
    before = memory_kib(world.service)
    answer = post_raw(world, b"[" * 10_000_000)
    assert answer.status_code in (400, 413, 422)
    assert memory_kib(world.service) - before < 200_000
    still_serves(world)


@pytest.mark.parametrize("body", [
    b'{"name":' * 50_000, b"[" * 60_000 + b"]" * 60_000,
    b'{"name": "x", "rendering_config": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}",
], ids=["objects", "closed-brackets", "in-a-free-field"])
def test_deep_json_is_a_clear_4xx(world, body):
    answer = post_raw(world, body)
    assert answer.status_code in (400, 413, 422)
    assert answer.json()["detail"]
    still_serves(world)


@pytest.mark.parametrize("raw", [
    b"\xff\xfe", b"\xc3\x28", b"\xe2\x82", b"\xf0\x28\x8c\xbc", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\xf8\x88\x80\x80\x80",
], ids=lambda raw: raw.hex())
def test_bad_utf8_is_refused(world, raw):
    answer = post_raw(world, b'{"name": "a' + raw + b'b"}')
    assert answer.status_code in (400, 422)
    answer.content.decode("utf-8")
    assert answer.json()["detail"]


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\udc00\\ud800", "\\u12", "\\uZZZZ"])
def test_nul_and_broken_escapes_are_refused(world, escape):
    name = '"a%sb"' % escape
    answer = post_raw(world, b'{"name": ' + name.encode() + b"}")
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]


@pytest.mark.parametrize("field", ["username", "name"])
def test_nul_in_a_user_is_refused(world, field):
    body = {"username": unique("nul"), "name": "N", "role": "viewer", "password": "Good-pass-1"}
    world.admin.post("/users", {**body, field: "a\u0000b"}, (400, 422))


@pytest.mark.parametrize("query", ["q=%00", "status=%ff%fe", "limit=%31", "limit=1&limit=2",
                                   "&&&=&", "a" * 3000, "cursor=%", "limit=1%00"])
def test_odd_queries_are_a_clear_answer(world, query):
    answer = world.admin.get("/tasks?" + query, (200, 400, 414, 422))
    assert answer.json()


def test_a_repeated_member_never_harms(world):
    answer = post_raw(world, b'{"name": "one", "name": "%s"}' % unique("two").encode())
    assert answer.status_code in (201, 400, 409, 422)


def test_thousands_of_unknown_members_stay_bounded(world):
    body = {"unknown-%d" % at: 0 for at in range(20_000)}
    answer = world.admin.post("/projects", {"name": unique("many"), **body}, (201, 413, 422))
    if answer.status_code == 201:
        assert len(answer.headers.get("X-Ignored-Fields", "")) < 16_384


# --- slow and idle ones ---

def test_idle_connections_disturb_nobody(world):
    idle = []
    try:
        for _ in range(500):
            wire = Wire(world.service)
            wire.send(b"GET /health HTTP/1.1\r\nHost")
            idle.append(wire)
        api = Api(world.service, world.admin.token)
        for _ in range(50):
            api.get("/me")
        assert world.project()["id"]
    finally:
        for wire in idle:
            wire.socket.close()


def test_a_client_that_leaves_in_the_middle_disturbs_nobody(world):
    head = [HOST, ("Content-Type", "application/json"), ("Content-Length", "1000"),
            ("Authorization", "Bearer " + world.admin.token)]
    for _ in range(50):
        with Wire(world.service) as wire:
            wire.send(request("POST /api/v1/projects HTTP/1.1", head, b'{"name": "half'))
    wait_until(lambda: world.admin.get("/me").status_code == 200, 10, "the service answers")
    assert "half" not in [p["name"] for p in world.admin.all_pages("/projects", limit=200)]


def test_a_reader_that_never_reads_disturbs_nobody(world):
    work = world.work(3)
    one = request("GET /api/v1/projects/%d/export?format=coco HTTP/1.1" % work.project_id,
                  [HOST, ("Authorization", "Bearer " + world.admin.token)])
    with Wire(world.service, timeout_s=2) as wire:
        for _ in range(2000):
            try:
                if not wire.send(one):
                    break
            except TimeoutError:
                break
        still_serves(world)
