"""How long a socket outlives the right to it: from sending the request that takes the right away
until the close of the socket has arrived, against the second that it may take."""

import select
import socket
import time

import row
import tasks

PEOPLE = 20
MAY_TAKE_MS = 1000
LET_IN_S = 0.1
CLOSE = 0x88  # the first byte of a close frame (RFC 6455, section 5.2)
RIGHT_LOST = 1008


class Listener:
    """A WebSocket of which only its end is awaited; made when the service has let it in."""

    def __init__(self, env, path, token):
        self._socket = socket.create_connection(("127.0.0.1", env.service.port), timeout=10)
        self._socket.sendall(
            f"GET {path}?token={token} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self._socket.recv(1)
            if not piece:
                raise RuntimeError(f"no socket of {path}: {head!r}")
            head += piece
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise RuntimeError(f"no socket of {path}: {head!r}")
        if select.select([self._socket], [], [], LET_IN_S)[0]:  # a refusal would be a close
            raise RuntimeError(f"{path} says something before its end")

    def wait_for_close(self):
        first, length = self._exactly(2)
        code = int.from_bytes(self._exactly(length)[:2], "big")
        if (first, code) != (CLOSE, RIGHT_LOST):
            raise RuntimeError(f"a frame {first:#x} with {code}, no close for a lost right")
        self._socket.close()

    def _exactly(self, count):
        held = b""
        while len(held) < count:
            piece = self._socket.recv(count - len(held))
            if not piece:
                raise RuntimeError("the socket ended without a close")
            held += piece
        return held


def ended_after_ms(listener, take_away):
    began = time.monotonic()
    take_away()
    listener.wait_for_close()
    return (time.monotonic() - began) * 1e3


def worst_removal(env, project, people):
    """The longest of one round, in which each person is removed and taken in again."""
    worst = 0
    for user, token in people.items():
        listener = Listener(env, f"/ws/projects/{project}/preannotate", token)
        member = f"/projects/{project}/members"
        worst = max(worst, ended_after_ms(
            listener, lambda: env.call("DELETE", f"{member}/{user}")))
        env.call("POST", member, {"user_id": user, "role": "annotator"})
    return worst


def worst_sign_out(env, names):
    worst, admin = 0, env.token
    for name in names:
        env.token = env.token_of(name, tasks.PASSWORD)
        listener = Listener(env, "/ws/notifications", env.token)
        worst = max(worst, ended_after_ms(listener, lambda: env.call("POST", "/auth/logout")))
    env.token = admin
    return worst


def run(env):
    project = tasks.make_project(env)
    tasks.annotators(env, project, PEOPLE)
    people = dict(list(env.once("annotators", dict).items())[:PEOPLE])
    names = [tasks.name_of(at) for at in range(PEOPLE)]
    removals = [worst_removal(env, project, people) for _ in range(env.samples)]
    sign_outs = [worst_sign_out(env, names) for _ in range(env.samples)]
    count = PEOPLE * env.samples
    return [
        row.Row(f"a removed member's socket is closed, the slowest of {count}", "a second",
                "ms", [(MAY_TAKE_MS, max(removals))], 1, more_is_better=False),
        row.Row(f"who signed out has their socket closed, the slowest of {count}", "a second",
                "ms", [(MAY_TAKE_MS, max(sign_outs))], 1, more_is_better=False),
    ]
