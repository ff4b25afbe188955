"""Where a proxy takes connections: each is served by a thread of its own."""

import socket
import threading


class TcpListener:
    """serve(client) is called with each connection; it may end by an OSError: either side went
    away, and the other one sees its connection end."""

    def __init__(self, serve, address=("127.0.0.1", 0)):
        self._serve = serve
        self._listener = socket.create_server(address, backlog=128)
        self.port = self._listener.getsockname()[1]

    def start(self):
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # close() alone would leave a thread that waits in accept() waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve_one, args=(client,), daemon=True).start()

    def _serve_one(self, client):
        try:
            self._serve(client)
        except OSError:
            pass
