"""The usual list of what a WebSocket server must stand: the cases of the Autobahn test suite by
their numbers, as far as a service has them that doesn't send messages back. A text message that is
none of ours is answered by an error, which stands for the echo. Left out: 9 (its messages are
larger than the service takes), 12 and 13 (packed messages: test_websocket_packing.py)."""

import dataclasses
import itertools
import struct

from raw_websocket import BINARY, CLOSE, FIN, PING, PONG, TEXT

CONTINUED = 0
ANSWER = "answer"  # to a text message
LARGEST = 64 * 1024  # bytes of a message


@dataclasses.dataclass(frozen=True)
class Case:
    """`send` are frames, (first byte, payload), of `chop` bytes a piece (0: in one). `hear` is what
    the service sends until it closes with `code`; None: it goes on, and a close of 1000 is
    answered."""
    number: str
    send: tuple
    hear: tuple = ()
    code: int | None = None
    chop: int = 0


def text(payload=b"", *, more=False, reserved=0):
    return (0 if more else FIN) | reserved << 4 | TEXT, payload


def going_on(payload=b"", *, more=False):
    return (0 if more else FIN) | CONTINUED, payload


def ping(payload=b"", *, more=False, reserved=0):
    return (0 if more else FIN) | reserved << 4 | PING, payload


def pong(payload=b"", *, more=False):
    return (0 if more else FIN) | PONG, payload


def close(code=None, reason=b"", reserved=0):
    payload = b"" if code is None else struct.pack(">H", code) + reason
    return FIN | reserved << 4 | CLOSE, payload


def octets(payload):
    """A text message of one byte a frame."""
    pieces = [payload[at:at + 1] for at in range(len(payload))] or [b""]
    last = len(pieces) - 1
    return tuple((text if at == 0 else going_on)(piece, more=at < last)
                 for at, piece in enumerate(pieces))


def numbered(section, rows):
    return [dataclasses.replace(case, number=f"{section}.{at}") for at, case in enumerate(rows, 1)]


def case(*send, hear=(), code=None, chop=0):
    return Case("", send, tuple(hear), code, chop)


# --- 1: messages of every length ---

SIZES = [(0, 0), (125, 0), (126, 0), (127, 0), (128, 0), (LARGEST - 1, 0), (LARGEST, 0),
         (LARGEST, 997)]

MESSAGES = [
    *numbered("1.1", [case(text(b"*" * size), hear=[ANSWER], chop=chop) for size, chop in SIZES]),
    # Nobody sends the service bytes that are no text.
    *numbered("1.2", [case((FIN | BINARY, b"\xfe" * size), code=1003, chop=chop)
                      for size, chop in SIZES]),
]


# --- 2: pings and pongs ---

PINGS = numbered("2", [
    case(ping(), hear=[pong()]),
    case(ping(b"Hello, world!"), hear=[pong(b"Hello, world!")]),
    case(ping(bytes.fromhex("00fffefdfcfb00ff")), hear=[pong(bytes.fromhex("00fffefdfcfb00ff"))]),
    case(ping(b"\xfe" * 125), hear=[pong(b"\xfe" * 125)]),
    case(ping(b"\xfe" * 126), code=1002),
    case(ping(b"\xfe" * 125), hear=[pong(b"\xfe" * 125)], chop=1),
    case(pong()),
    case(pong(b"nobody asked")),
    case(pong(b"nobody asked"), ping(b"asked"), hear=[pong(b"asked")]),
    case(*[ping(b"%d" % at) for at in range(10)], hear=[pong(b"%d" % at) for at in range(10)]),
    case(*[ping(b"%d" % at) for at in range(10)], hear=[pong(b"%d" % at) for at in range(10)],
         chop=1),
])


# --- 3: reserved bits ---

RESERVED = numbered("3", [
    case(text(b"a", reserved=1), code=1002),
    case(text(b"a"), text(b"b", reserved=2), ping(), hear=[ANSWER], code=1002),
    case(text(b"a"), text(b"b", reserved=3), ping(), hear=[ANSWER], code=1002, chop=3),
    case(text(b"a"), text(b"b", reserved=4), ping(), hear=[ANSWER], code=1002, chop=1),
    case((FIN | 5 << 4 | BINARY, b"\0" * 24), code=1002),
    case(ping(b"a", reserved=6), code=1002),
    case(close(1000, reserved=7), code=1002),
])


# --- 4: opcodes that mean nothing yet ---

def of_no_meaning(opcodes):
    a, b, c, d, e = ((FIN | opcode, payload) for opcode, payload
                     in zip(opcodes, (b"", b"payload", b"", b"payload", b"payload")))
    return [case(a, code=1002), case(b, code=1002),
            case(text(b"a"), c, ping(), hear=[ANSWER], code=1002),
            case(text(b"a"), d, ping(), hear=[ANSWER], code=1002),
            case(text(b"a"), e, ping(), hear=[ANSWER], code=1002, chop=1)]


OPCODES = [*numbered("4.1", of_no_meaning((3, 4, 5, 6, 7))),
           *numbered("4.2", of_no_meaning((11, 12, 13, 14, 15)))]


# --- 5: messages in pieces ---

IN_TWO = (text(b"fragment1", more=True), going_on(b"fragment2"))
WITH_PING = (IN_TWO[0], ping(b"ping"), IN_TWO[1])
IN_FIVE = [text(b"fragment1", more=True), going_on(b"fragment2", more=True), ping(b"one"),
           going_on(b"fragment3", more=True), going_on(b"fragment4", more=True), ping(b"two"),
           going_on(b"fragment5")]
OF_NOTHING = [(going_on(b"of nothing"), text(b"a")),
              (going_on(b"of nothing", more=True), text(b"a"))]

PIECES = numbered("5", [
    case(ping(b"a", more=True), going_on(b"b"), code=1002),
    case(pong(b"a", more=True), going_on(b"b"), code=1002),
    *[case(*IN_TWO, hear=[ANSWER], chop=chop) for chop in (0, 9, 1)],
    *[case(*WITH_PING, hear=[pong(b"ping"), ANSWER], chop=chop) for chop in (0, 9, 1)],
    *[case(*frames, code=1002, chop=chop) for frames in OF_NOTHING for chop in (0, 9, 1)],
    case(*IN_TWO, going_on(b"of nothing", more=True), text(b"a"), hear=[ANSWER], code=1002),
    case(going_on(b"a", more=True), text(b"b"), going_on(b"c", more=True), text(b"d"), code=1002),
    case(going_on(b"a"), text(b"b"), going_on(b"c"), text(b"d"), code=1002),
    case(text(b"a", more=True), text(b"b"), code=1002),
    *[case(*IN_FIVE, hear=[pong(b"one"), pong(b"two"), ANSWER], chop=chop) for chop in (9, 0)],
])


# --- 6: UTF-8 (RFC 3629) ---

GREETING = "Hello-µ@ßöäüàá-UTF-8!!".encode()
COSMOS = "κ\u1f79σμε".encode()  # of two and three bytes each
SURROGATE = bytes.fromhex("eda080")
BEYOND = bytes.fromhex("f4908080")  # one more than the last code point
# Byte sequences by section: those that are text, and those that aren't.
WHOLE = {
    "6.7": ["00", "c280", "e0a080", "f0908080"],
    "6.9": ["7f", "dfbf", "efbfbf", "f48fbfbf"],
    "6.11": ["ed9fbf", "ee8080", "efbfbd", "f48fbfbf"],
    "6.22": [chr(plane << 16 | end).encode().hex()
             for plane in range(17) for end in (0xfffe, 0xffff)],
    "6.23": [chr(code).encode().hex() for code in range(0xfff9, 0x10000)],
}
STARTS = (range(0xc0, 0xe0), range(0xe0, 0xf0), range(0xf0, 0xf8), range(0xf8, 0xfc),
          range(0xfc, 0xfe))  # of sequences of two bytes, three, …
CUT_SHORT = ["c0", "e080", "f08080", "f8808080", "fc80808080",
             "df", "efbf", "f7bfbf", "fbbfbfbf", "fdbfbfbfbf"]
LONELY = ["d800", "db7f", "db80", "dbff", "dc00", "df80", "dfff"]
BROKEN = {
    "6.8": ["f888808080", "fc8480808080"],
    "6.10": ["f7bfbfbf", "fbbfbfbfbf", "fdbfbfbfbfbf"],
    "6.12": ["80", "bf", *["80bf" * (size // 2) + "80" * (size % 2) for size in range(2, 7)],
             bytes(range(0x80, 0xc0)).hex()],
    "6.13": ["".join(f"{start:02x}20" for start in starts) for starts in STARTS],
    "6.14": CUT_SHORT,
    "6.15": ["".join(CUT_SHORT)],
    "6.16": ["fe", "ff", "fefeffff"],
    "6.17": ["c0af", "e080af", "f08080af", "f8808080af", "fc80808080af"],
    "6.18": ["c1bf", "e09fbf", "f08fbfbf", "f887bfbfbf", "fc83bfbfbfbf"],
    "6.19": ["c080", "e08080", "f0808080", "f880808080", "fc8080808080"],
    "6.20": [chr(int(code, 16)).encode("utf-8", "surrogatepass").hex() for code in LONELY],
    "6.21": [(chr(high) + chr(low)).encode("utf-8", "surrogatepass").hex()
             for high, low in itertools.product((0xd800, 0xdb7f, 0xdb80, 0xdbff),
                                                (0xdc00, 0xdfff))],
}


def judged(payload):
    """A message of which Python says whether it is text."""
    try:
        payload.decode()
        return case(text(payload), hear=[ANSWER])
    except UnicodeDecodeError:
        return case(text(payload), code=1007)


def sections(table, **expected):
    for section, rows in table.items():
        yield from numbered(section, [case(text(bytes.fromhex(row)), **expected) for row in rows])


UTF_8 = [
    *numbered("6.1", [
        case(text(), hear=[ANSWER]),
        case(text(more=True), going_on(more=True), going_on(), hear=[ANSWER]),
        case(text(more=True), going_on(b"middle", more=True), going_on(), hear=[ANSWER])]),
    *numbered("6.2", [
        case(text(GREETING), hear=[ANSWER]),
        case(text(GREETING[:12], more=True), going_on(GREETING[12:]), hear=[ANSWER]),
        case(*octets(GREETING), hear=[ANSWER]),
        case(*octets(COSMOS), hear=[ANSWER])]),
    *numbered("6.3", [
        case(text(COSMOS + SURROGATE + b"edited"), code=1007),
        case(*octets(COSMOS + SURROGATE + b"edited"), code=1007)]),
    # Judged as soon as it is seen: the message never ends, or its end comes byte by byte.
    *numbered("6.4", [
        case(text(COSMOS, more=True), going_on(BEYOND, more=True), code=1007),
        case(text(COSMOS + BEYOND[:2], more=True), code=1007),
        case(text(COSMOS + BEYOND + b"edited"), code=1007, chop=1),
        case(text(COSMOS, more=True), going_on(BEYOND + b"edited"), code=1007, chop=1)]),
    *numbered("6.5", [case(text(COSMOS[:at], more=True), going_on(COSMOS[at:]), hear=[ANSWER])
                      for at in range(1, 6)]),
    *numbered("6.6", [judged(COSMOS[:size]) for size in range(1, len(COSMOS) + 1)]),
    *sections(WHOLE, hear=[ANSWER]),
    Case("6.11.5", (text(BEYOND),), code=1007),
    *sections(BROKEN, code=1007),
]


# --- 7: the end ---

HELLO = text(b"Hello World!")
CODES_TO_SEND = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
CODES_OF_NOBODY = (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999)

ENDS = [
    *numbered("7.1", [
        case(HELLO, hear=[ANSWER]),
        case(close(1000), close(1000), code=1000),
        case(close(1000), ping(), code=1000),
        case(close(1000), HELLO, code=1000),
        case(text(b"a", more=True), close(1000), going_on(b"b"), code=1000),
        case(text(b"*" * LARGEST), close(1000), ping(), hear=[ANSWER], code=1000)]),
    *numbered("7.3", [
        case(close(), code=1000),
        case((FIN | CLOSE, b"a"), code=1002),
        case(close(1000), code=1000),
        case(close(1000, b"Hello World!"), code=1000),
        case(close(1000, b"*" * 123), code=1000),
        case(close(1000, b"*" * 124), code=1002)]),
    Case("7.5.1", (close(1000, COSMOS + SURROGATE),), code=1002),
    *numbered("7.7", [case(close(code), code=code) for code in CODES_TO_SEND]),
    *numbered("7.9", [case(close(code), code=1002) for code in CODES_OF_NOBODY]),
    # Of these the RFC says nothing.
    *numbered("7.13", [case(close(code), code=code) for code in (5000, 65535)]),
]


# --- 10: a message in packets' sizes ---

PACKETS = [Case("10.1.1", tuple(
    (text if at == 0 else going_on)(b"*" * min(1300, LARGEST - at), more=at + 1300 < LARGEST)
    for at in range(0, LARGEST, 1300)), (ANSWER,))]

CASES = [*MESSAGES, *PINGS, *RESERVED, *OPCODES, *PIECES, *UTF_8, *ENDS, *PACKETS]
