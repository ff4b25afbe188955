"""A TCP proxy that loses answers: the service has done the work, the client never hears of it."""

import random
import socket
import threading

from tcp_listener import TcpListener


class LossyProxy:
    """Stands between clients and a running service; base_url is where clients go.

    Requests all reach the service, whole. Of its answers a share is lost: the client's connection
    ends before the first byte of the answer, or in the middle of it."""

    def __init__(self, service, seed, share=0.2):
        self.service = service
        self.share = share
        self.passed = self.lost = 0
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._listener = TcpListener(self._serve)
        self.base_url = "http://127.0.0.1:%d" % self._listener.port

    def __enter__(self):
        self._listener.start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _serve(self, client):
        with client, socket.create_connection(self.service.socket_address(), 30) as server:
            client.settimeout(60)
            asking, answering = _Messages(client), _Messages(server)
            while True:
                asked = asking.next()
                if asked is None:
                    return
                server.sendall(asked)
                answer = answering.next()
                if answer is None:
                    return
                kept = self._kept(len(answer))
                client.sendall(answer[:kept])
                if kept < len(answer):
                    return

    def _kept(self, size):
        """How many bytes of an answer of this size reach the client."""
        with self._lock:
            if self._random.random() >= self.share:
                self.passed += 1
                return size
            self.lost += 1
            return self._random.choice((0, self._random.randrange(size)))


class _Messages:
    """Cuts a stream into HTTP messages: a head, and as many bytes as its Content-Length says."""

    def __init__(self, stream):
        self._stream, self._bytes = stream, b""

    def next(self):
        """The next whole message; None when the stream ends before it."""
        while b"\r\n\r\n" not in self._bytes:
            if not self._more():
                return None
        head = self._bytes.split(b"\r\n\r\n", 1)[0]
        size = len(head) + 4 + self._body_size(head)
        while len(self._bytes) < size:
            if not self._more():
                return None
        message, self._bytes = self._bytes[:size], self._bytes[size:]
        return message

    @staticmethod
    def _body_size(head):
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                return int(value)
            assert name.strip().lower() != b"transfer-encoding", "only sized messages are cut"
        return 0

    def _more(self):
        data = self._stream.recv(65536)
        self._bytes += data
        return bool(data)
