"""What no well-behaved client sends to a WebSocket: broken frames, bombs, half of a handshake, a
client that vanishes. The rules are RFC 6455's; the usual list of such cases is in
websocket_cases.py, packed messages are in test_websocket_packing.py. After each the service serves
others as before."""

import contextlib
import json
import socket as sockets
import struct

import pytest

from raw_websocket import (
    ACCEPT, CLOSE, FIN, KEY, PING, PONG, TEXT, RawSocket, serves)
from waiting import wait_until
from wire import Wire, request
from world import World


@pytest.fixture
def target(world):
    return "/ws?token=" + world.admin.token


# --- handshake: RFC 6455, section 4 ---

def test_the_key_is_answered(raw):
    one = raw()
    assert one.headers["sec-websocket-accept"] == ACCEPT
    assert one.headers["upgrade"].lower() == "websocket"
    assert serves(one)


@pytest.mark.parametrize("missing", ["Upgrade", "Connection", "Sec-WebSocket-Key",
                                     "Sec-WebSocket-Version"])
def test_without_a_header_there_is_no_socket(service, target, missing):
    headers = [("Host", "127.0.0.1"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
               ("Sec-WebSocket-Key", KEY), ("Sec-WebSocket-Version", "13")]
    with Wire(service) as wire:
        wire.send(request("GET %s HTTP/1.1" % target,
                          [each for each in headers if each[0] != missing]))
        assert wire.status() == 426


@pytest.mark.parametrize("line,headers,status", [
    ("POST /ws HTTP/1.1", (), 405),
    ("GET /ws HTTP/1.0", (), 426),
    ("GET /ws HTTP/1.1", (("Sec-WebSocket-Version", "8"),), 426),
    ("GET /ws HTTP/1.1", (("Sec-WebSocket-Key", KEY[4:]),), 426),  # of 13 bytes
    ("GET /ws HTTP/1.1", (("Sec-WebSocket-Key", "?" + KEY[1:]),), 426),
])
def test_another_request_is_no_handshake(service, line, headers, status):
    usual = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Key": KEY, "Sec-WebSocket-Version": "13", **dict(headers)}
    with Wire(service) as wire:
        wire.send(request(line, usual.items()))
        assert wire.status() == status


def test_what_is_sent_before_the_answer_ends_it(service, target):
    with Wire(service) as wire:
        head = request("GET %s HTTP/1.1" % target, [
            ("Host", "127.0.0.1"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", KEY), ("Sec-WebSocket-Version", "13")])
        wire.send(head + bytes([FIN | PING, 0x80, 0, 0, 0, 0]))
        assert wire.closed()
        assert b"101" not in wire.received[:20]


# --- frames: sections 5 to 8 ---

@pytest.mark.parametrize("first,payload,code", [
    (FIN | TEXT, b" " * (64 * 1024 + 1), 1009),
    (CLOSE, b"", 1002),
    (FIN | PONG, b"x" * 126, 1002),
    (FIN | CLOSE, struct.pack(">H", 1015), 1002),
])
def test_a_broken_rule_closes_the_socket_with_its_code(raw, first, payload, code):
    one = raw()
    one.frame(first, payload)
    assert one.close_code() == code
    assert serves(raw())


def test_frames_must_be_masked(raw):
    one = raw()
    one.send(bytes([FIN | TEXT, 2]) + b"{}")
    assert one.close_code() == 1002


@pytest.mark.parametrize("mask", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x80\x00\x7f\x01"])
def test_any_mask_is_taken_off(raw, mask):
    one = raw()
    wish = json.dumps({"type": "subscribe", "channel": "global:prediction-jobs"}).encode()
    one.frame(FIN | TEXT, wish, mask)
    assert one.message()["type"] == "subscribed"


def test_a_mask_that_was_not_used_makes_no_message_of_it(raw):
    one = raw()
    one.send(bytes([FIN | TEXT, 0x82, 1, 2, 3, 4]) + b"{}")  # the payload is as it is
    assert one.message() == {"type": "error", "code": "MALFORMED_JSON"}


def test_a_length_may_be_written_long_only_when_it_is(raw):
    one = raw()
    one.send(bytes([FIN | TEXT, 0x80 | 126, 0, 2, 0, 0, 0, 0]) + b"{}")
    assert one.close_code() == 1002


@pytest.mark.parametrize("length", [64 * 1024 + 1, 1 << 31, 1 << 62])
def test_a_claimed_length_is_judged_before_its_bytes(raw, length):
    one = raw()
    one.frame(FIN | TEXT, b"", length=length)
    assert one.close_code() == 1009


def test_a_length_of_64_bits_has_no_sign(raw):
    one = raw()
    one.frame(FIN | TEXT, b"", length=(1 << 64) - 1)
    assert one.close_code() in (1002, 1009)


def test_a_message_may_come_byte_by_byte_with_pings_between(raw):
    one = raw()
    wish = json.dumps({"type": "subscribe", "channel": "global:prediction-jobs"}).encode()
    one.frame(TEXT, wish[:1])
    for at in range(1, len(wish) - 1):
        one.frame(0, wish[at:at + 1])
        if at % 10 == 0:
            one.frame(FIN | PING, b"still here")
            assert one.next() == (FIN | PONG, b"still here")
    one.frame(FIN | 0, wish[-1:])
    assert one.message()["type"] == "subscribed"


def test_pieces_are_judged_together(raw):
    one = raw()
    one.frame(TEXT, b" " * 40_000)
    one.frame(FIN | 0, b" " * 40_000)
    assert one.close_code() == 1009


def test_empty_pieces_go_on_until_somebody_has_enough(raw):
    one = raw()
    one.frame(TEXT, b"")
    for _ in range(2000):
        one.frame(0, b"")
    wish = json.dumps({"type": "subscribe", "channel": "global:prediction-jobs"}).encode()
    one.frame(FIN | 0, wish)
    assert one.message()["type"] == "subscribed"


def test_a_flood_of_messages_closes_the_socket(raw):
    one = raw()
    for _ in range(2000):
        if not one.say(type="pong"):
            break
    assert one.close_code() in (1008, 0)
    assert serves(raw())


# --- those who do nothing ---

def test_half_of_a_handshake_holds_up_nobody(service, raw):
    waiting = [Wire(service) for _ in range(20)]
    for wire in waiting:
        wire.send(b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: webso")
    assert serves(raw())
    for wire in waiting:
        wire.socket.close()


def test_who_shows_nothing_takes_no_place_from_others(make_service):
    """The service has closed them, and waits for their answer."""
    service = make_service({"ANNOLOG_REALTIME_CONNECTIONS": "1"}).start()
    world = World(service)
    nobodies = [RawSocket(service, "/ws") for _ in range(3)]
    assert [one.close_code() for one in nobodies] == [4001] * 3
    one = RawSocket(service, "/ws?token=" + world.admin.token)
    assert serves(one)
    more = RawSocket(service, "/ws?token=" + world.admin.token)
    assert more.close_code() == 1013
    for each in (*nobodies, one, more):
        each.socket.close()


def test_one_who_vanishes_gives_its_place_back(make_service):
    """Nothing comes from the client any more, not even the end of its connection."""
    service = make_service({"ANNOLOG_REALTIME_PING_S": "1", "ANNOLOG_REALTIME_IDLE_S": "2"}).start()
    world = World(service)
    one = RawSocket(service, "/ws?token=" + world.admin.token)
    assert serves(one)

    def is_gone():
        text = world.nobody.get("/metrics", root=True).text
        return 'annolog_realtime_sockets{socket="multiplexed"} 0' in text
    wait_until(is_gone, 20, "the socket is given up")
    one.socket.close()


def test_a_connection_that_is_reset_gives_its_place_back(make_service):
    service = make_service({"ANNOLOG_REALTIME_CONNECTIONS": "1"}).start()
    world = World(service)
    target = "/ws?token=" + world.admin.token
    one = RawSocket(service, target)
    assert serves(one)
    one.socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
    one.socket.close()

    def has_a_place():
        another = RawSocket(service, target)
        with contextlib.closing(another.socket):
            another.say(type="subscribe", channel="global:prediction-jobs")
            first, payload = another.next()
            return first & 0x0F == TEXT and json.loads(payload)["type"] == "subscribed"
    wait_until(has_a_place, 20, "the place is free again")
