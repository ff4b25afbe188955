"""Packed messages of a WebSocket (RFC 7692): small windows, and bombs that are not unpacked."""

import json
import os
import zlib

import pytest

from client import box
from raw_websocket import FIN, RSV1, TEXT, serves

DEFLATE = "permessage-deflate; client_max_window_bits"


def memory_of(service):
    """Resident bytes of the service."""
    with open("/proc/%d/statm" % service.process.pid, encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def packed(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -10)
    return (packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


@pytest.fixture
def packing(raw):
    def make():
        one = raw(headers=[("Sec-WebSocket-Extensions", DEFLATE)])
        agreed = one.headers["sec-websocket-extensions"]
        assert agreed.startswith("permessage-deflate")
        assert "client_max_window_bits=10" in agreed
        return one
    return make


def test_packed_messages_are_understood_and_answered(packing):
    one = packing()
    for _ in range(3):
        wish = {"type": "subscribe", "channel": "x" * 60, "more": "y" * 3000}
        one.frame(FIN | RSV1 | TEXT, packed(json.dumps(wish).encode()))
        assert one.message() == {"type": "error", "channel": "x" * 60, "code": "UNKNOWN_CHANNEL"}


def test_long_frames_come_packed_and_short_ones_as_they_are(packing, world):
    work = world.work(1)
    task_id = world.admin.next(work.project_id).json()["id"]
    world.admin.submit(task_id, [box()])
    one = packing()
    one.say(type="subscribe", channel="user:%d:notify" % world.admin.get("/me").json()["id"])
    first, payload = one.next()
    assert first == FIN | TEXT
    assert json.loads(payload)["type"] == "subscribed"
    why = "The outline is loose. " * 20 + "Look again."
    world.member(work.project_id, "reviewer").api.reject(task_id, reason=why)
    first, payload = one.next()
    assert first == FIN | RSV1 | TEXT
    said = zlib.decompressobj(-15).decompress(payload + b"\0\0\xff\xff")
    assert len(payload) < len(said)
    assert json.loads(said)["data"]["payload"]["reason"] == why


def test_a_bomb_is_not_unpacked(packing, service):
    before = memory_of(service)
    for size in (64 * 1024 + 1, 1 << 20, 64 << 20):
        one = packing()
        bomb = packed(b" " * size)
        one.frame(FIN | RSV1 | TEXT, bomb)
        assert one.close_code() == 1009
    assert memory_of(service) - before < 32 << 20


def test_a_bomb_in_pieces_is_not_unpacked(packing):
    one = packing()
    bomb = packed(b" " * (1 << 20))
    one.frame(RSV1 | TEXT, bomb[:100])
    one.frame(FIN | 0, bomb[100:])
    assert one.close_code() == 1009


@pytest.mark.parametrize("payload", [b"\xff\xff\xff\xff", b"\x07", bytes(range(256))])
def test_what_does_not_unpack_closes_the_socket(packing, payload):
    one = packing()
    one.frame(FIN | RSV1 | TEXT, payload)
    assert one.close_code() in (1002, 1007, 1009, 0)
    assert serves(packing())


@pytest.mark.parametrize("offer", [
    "permessage-deflate; client_max_window_bits=99", "permessage-deflate; unknown",
    "permessage-deflate; server_max_window_bits=1", "x-webkit-deflate-frame", "permessage-deflate",
    ", ,", "permessage-deflate; server_no_context_takeover; server_no_context_takeover"])
def test_an_odd_offer_gets_a_socket_that_works(raw, offer):
    one = raw(headers=[("Sec-WebSocket-Extensions", offer)])
    assert serves(one)
