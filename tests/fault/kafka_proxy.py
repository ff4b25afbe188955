"""Stands between nodes and brokers: replies are lost with their connection, all is held up, a
coordinator says that it is none, or a broker that what it got is out of order."""

import random
import socket
import struct
import threading

from tcp_listener import TcpListener

# What a transaction is made of; replies to these are lost far more often than others.
PRODUCE, ADD_PARTITIONS, END_TXN, TXN_OFFSET_COMMIT = 0, 24, 26, 28
DEAR = {PRODUCE, ADD_PARTITIONS, END_TXN, TXN_OFFSET_COMMIT}
METADATA = 3
OFFSET_FETCH, NOT_COORDINATOR = 9, 16
OUT_OF_ORDER = 45
ROW = 4


class KafkaProxy:
    """For each (listen, broker) of places a listener. Requests all arrive, whole. While `share` is
    above 0 that share of the replies that matter is lost, and of others a tenth of it."""

    def __init__(self, places, seed):
        self.share = 0.0
        self.lost = {}  # by kind of request
        self.to_refuse = 0  # so many of the next replies that tell where a group stands
        self.disorder = 0.0  # so often replies to what goes into a topic of events, a few in a row
        self.disordered = 0
        self.freezes_at = None  # whichever broker next answers a request of this kind is frozen
        self.frozen = None  # from then on no reply of it arrives
        self._in_disorder = 0  # how many are left of that row
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._flowing = threading.Event()
        self._flowing.set()
        self._listeners = [
            TcpListener(lambda client, to=broker: self._serve(client, to), listen)
            for listen, broker in places]

    def __enter__(self):
        for listener in self._listeners:
            listener.start()
        return self

    def __exit__(self, *_):
        self._flowing.set()
        for listener in self._listeners:
            listener.close()

    def hold(self):
        """From now on no reply arrives, and no connection ends."""
        self._flowing.clear()

    def flow(self):
        self._flowing.set()

    def _is_frozen(self, broker, kind):
        with self._lock:
            if kind is not None and kind == self.freezes_at:
                self.freezes_at, self.frozen = None, broker
            return broker == self.frozen

    def _serve(self, client, broker):
        kinds = {}  # of requests whose replies are awaited, by correlation id
        with client, socket.create_connection(broker, 10) as server:
            server.settimeout(None)
            asking = threading.Thread(target=self._pass_requests, args=(client, server, kinds),
                                      daemon=True)
            asking.start()
            while True:
                frame = _frame(server)
                if frame is None:
                    break
                kind, version = kinds.pop(frame[4:8], (None, None))
                if self._is_frozen(broker, kind):
                    continue
                self._flowing.wait()
                if kind == OFFSET_FETCH:
                    frame = self._refused(frame, version)
                elif kind == PRODUCE:
                    frame = self._disordered(frame, version)
                kept = self._kept(kind, len(frame))
                client.sendall(frame[:kept])
                if kept < len(frame):
                    break
            _end(client)
            _end(server)
            asking.join(timeout=30)

    @staticmethod
    def _pass_requests(client, server, kinds):
        try:
            while True:
                frame = _frame(client)
                if frame is None:
                    break
                kinds[frame[8:12]] = struct.unpack(">hh", frame[4:8])
                server.sendall(frame)
        except OSError:
            pass
        _end(server)
        _end(client)

    def _refused(self, reply, version):
        """As of a broker that has just begun to coordinate the group, or has just ceased to."""
        with self._lock:
            if self.to_refuse == 0:
                return reply
            self.to_refuse -= 1
        assert version in (6, 7), "an OffsetFetch of version %d" % version
        # No tags, not throttled, no topics, the error, no tags.
        body = reply[4:8] + struct.pack(">bibhb", 0, 0, 1, NOT_COORDINATOR, 0)
        return struct.pack(">i", len(body)) + body

    def _disordered(self, reply, version):
        """As of a broker that misses what came before, which ends the producer's life."""
        length = struct.unpack(">h", reply[12:14])[0]  # after the correlation id: one topic
        with self._lock:
            if not reply[14:14 + length].endswith(b".events"):
                return reply
            if self._random.random() < self.disorder:
                self._in_disorder = ROW
            if self._in_disorder == 0:
                return reply
            self._in_disorder -= 1
            self.disordered += 1
        assert version == 7, "a Produce of version %d" % version
        at = 14 + length + 8  # after one partition's number
        return reply[:at] + struct.pack(">h", OUT_OF_ORDER) + reply[at + 2:]

    def _kept(self, kind, size):
        """How many bytes of a reply of this size arrive."""
        with self._lock:
            if self._random.random() >= self.share * (1 if kind in DEAR else 0.1):
                return size
            self.lost[kind] = self.lost.get(kind, 0) + 1
            return self._random.choice((0, self._random.randrange(size)))


def _end(stream):
    try:
        stream.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _frame(stream):
    """A request or reply with its length before it; None when the stream ends."""
    head = _exactly(stream, 4)
    body = head and _exactly(stream, struct.unpack(">i", head)[0])
    return head + body if body else None


def _exactly(stream, size):
    parts = []
    while size:
        part = stream.recv(min(size, 1 << 18))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
