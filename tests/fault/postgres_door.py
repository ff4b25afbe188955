"""A door before PostgreSQL that lets some connections through and keeps the others waiting."""

import socket
import threading

from tcp_listener import TcpListener


class PostgresDoor:
    """TCP in, the cluster's Unix socket out. After `passes` connections the next ones are accepted
    and hear nothing, until open() is called."""

    def __init__(self, folder, passes):
        self._path = "%s/.s.PGSQL.5432" % folder
        self._free = threading.Semaphore(passes)
        self._opened = threading.Event()
        self._listener = TcpListener(self._serve)

    def __enter__(self):
        self._listener.start()
        return self

    def __exit__(self, *_):
        self._opened.set()
        self._listener.close()

    def through(self, conninfo):
        """The same database, through the door."""
        return "%s host=127.0.0.1 port=%d" % (conninfo, self._listener.port)

    def open(self):
        self._opened.set()

    def _serve(self, client):
        if not self._free.acquire(blocking=False):
            self._opened.wait()
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._path)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join()


def _pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    finally:
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
