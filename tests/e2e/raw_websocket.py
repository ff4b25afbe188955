"""A WebSocket by hand, for what no client library would send."""

import contextlib
import json
import struct

from wire import Wire, request

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # of that key, as the RFC computes it
FIN, RSV1, TEXT, BINARY, CLOSE, PING, PONG = 0x80, 0x40, 1, 2, 8, 9, 10


class RawSocket(Wire):
    """A WebSocket by hand: frames are sent as they are given."""

    def __init__(self, service, target, headers=(), timeout_s=30):
        super().__init__(service, timeout_s)
        self.send(request("GET %s HTTP/1.1" % target, [
            ("Host", "127.0.0.1"), ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
            ("Sec-WebSocket-Key", KEY), ("Sec-WebSocket-Version", "13"), *headers]))
        self.status_code, self.headers, _ = self.answer() or (0, {}, b"")

    def frame(self, first, payload=b"", mask=b"\x01\x02\x03\x04", length=None):
        """One frame; `length` may lie."""
        return self.send(self.bytes_of(first, payload, mask, length))

    @staticmethod
    def bytes_of(first, payload=b"", mask=b"\x01\x02\x03\x04", length=None):
        size = len(payload) if length is None else length
        head = bytes([first])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 1 << 16:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        return head + mask + masked

    def say(self, **message):
        return self.frame(FIN | TEXT, json.dumps(message).encode())

    def next(self):
        """(first byte, payload) of the next frame; None at the end."""
        while True:
            whole = _frame_in(self.received)
            if whole:
                first, payload, used = whole
                self.received = self.received[used:]
                return first, payload
            if not self._more():
                return None

    def message(self):
        """The next text message but {type: ping}."""
        while True:
            first, payload = self.next()
            if first & 0x0F == TEXT and json.loads(payload) != {"type": "ping"}:
                return json.loads(payload)

    def close_code(self):
        """The code that the service closes with; 0: it just ends the connection."""
        while True:
            got = self.next()
            if got is None:
                return 0
            if got[0] & 0x0F == CLOSE:
                return struct.unpack(">H", got[1][:2])[0] if len(got[1]) > 1 else 1005


def _frame_in(data):
    if len(data) < 2:
        return None
    size, head = data[1] & 0x7F, 2
    if size == 126:
        size, head = struct.unpack(">H", data[2:4].ljust(2, b"\0"))[0], 4
    elif size == 127:
        size, head = struct.unpack(">Q", data[2:10].ljust(8, b"\0"))[0], 10
    if len(data) < head + size:
        return None
    return data[0], data[head:head + size], head + size


def serves(one):
    """The socket takes wishes and answers them."""
    one.say(type="subscribe", channel="global:prediction-jobs")
    return one.message()["type"] == "subscribed"


@contextlib.contextmanager
def raw_sockets(world):
    """Opens multiplexed sockets of the admin and ends them all after."""
    made = []

    def make(**options):
        made.append(RawSocket(world.service, "/ws?token=" + world.admin.token, **options))
        assert made[-1].status_code == 101
        return made[-1]

    try:
        yield make
    finally:
        for one in made:
            one.socket.close()
