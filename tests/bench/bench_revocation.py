"""How long a socket outlives the right to it: from sending the request that takes the right away
until the close of the socket has arrived, against the second that it may take."""

import socket
import time

import row
import tasks

PEOPLE = 20
MAY_TAKE_MS = 1000
CLOSE = 0x88  # the first byte of a close frame (RFC 6455, section 5.2)


class Listener:
    """A WebSocket of which only its end is awaited."""

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

    def wait_for_close(self):
        """Frames before it are passed over; they are short."""
        while True:
            first, length = self._exactly(2)
            size = length if length < 126 else int.from_bytes(self._exactly(2), "big")
            self._exactly(size)
            if first == CLOSE:
                self._socket.close()
                return

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
    removals, sign_outs = [], []
    for _ in range(env.samples):
        removals.append((MAY_TAKE_MS, worst_removal(env, project, people)))
        sign_outs.append((MAY_TAKE_MS, worst_sign_out(env, names)))
    return [
        row.Row(f"a removed member's socket is closed, the last of {PEOPLE}", "a second", "ms",
                removals, 1, more_is_better=False),
        row.Row(f"who signed out has their socket closed, the last of {PEOPLE}", "a second", "ms",
                sign_outs, 1, more_is_better=False),
    ]
