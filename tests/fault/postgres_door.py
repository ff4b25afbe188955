"""A door before PostgreSQL that lets some connections through and keeps the others waiting."""

import socket
import threading


class PostgresDoor:
    """TCP in, the cluster's Unix socket out. After `passes` connections the next ones are accepted
    and hear nothing, until open() is called."""

    def __init__(self, folder, passes):
        self._path = "%s/.s.PGSQL.5432" % folder
        self._free = threading.Semaphore(passes)
        self._opened = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True, name="postgres-door").start()
        return self

    def __exit__(self, *_):
        self._opened.set()
        # close() alone would leave a thread that waits in accept() waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def through(self, conninfo):
        """The same database, through the door."""
        return "%s host=127.0.0.1 port=%d" % (conninfo, self.port)

    def open(self):
        self._opened.set()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        if not self._free.acquire(blocking=False):
            self._opened.wait()
        server = socket.socket(socket.AF_UNIX)
        try:
            with client, server:
                server.connect(self._path)
                back = threading.Thread(target=_pump, args=(server, client), daemon=True)
                back.start()
                _pump(client, server)
                back.join()
        except OSError:
            pass  # either side went away


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
