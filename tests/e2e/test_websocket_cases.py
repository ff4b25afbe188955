"""Each of the cases in websocket_cases.py, on a socket of its own."""

import json
import struct

import pytest

from raw_websocket import CLOSE, FIN, TEXT
from websocket_cases import ANSWER, CASES


def sent(one, case):
    """False when the service ended it before all was sent."""
    data = b"".join(one.bytes_of(first, payload) for first, payload in case.send)
    chop = case.chop or len(data)
    return all(one.send(data[at:at + chop]) for at in range(0, len(data), chop))


def heard(one):
    """What comes until the service closes, and its code."""
    got = []
    while True:
        frame = one.next()
        if frame is None:
            return got, 0
        first, payload = frame
        if first == FIN | CLOSE:
            one.frame(first, payload)
            return got, struct.unpack(">H", payload[:2])[0] if payload else 1000
        if first == FIN | TEXT:
            message = json.loads(payload)
            if message["type"] == "ping":
                continue
            assert message == {"type": "error", "code": "MALFORMED_JSON"}
        got.append(ANSWER if first == FIN | TEXT else frame)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.number)
def test_a_case_of_the_autobahn_suite(raw, case):
    one = raw()
    assert sent(one, case) or case.code
    if case.code is None:
        one.frame(FIN | CLOSE, struct.pack(">H", 1000))
    assert heard(one) == (list(case.hear), case.code or 1000)
    assert one.closed()


def test_no_two_cases_have_one_number():
    assert len({case.number for case in CASES}) == len(CASES)
