"""An HTTP receiver of webhooks in a thread: it remembers all that comes, and answers as it is told.
Signatures are checked by the rules of Standard Webhooks, written here from the specification."""

import base64
import hashlib
import hmac
import http.server
import json
import ssl
import threading
import time

OK = (200, {}, b"taken")


class Received:
    """One request: the envelope and what it came with."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.envelope = json.loads(body)
        self.id = headers["webhook-id"]
        self.event = self.envelope["event"]
        self.data = self.envelope["data"]

    def signatures(self):
        return self.headers["webhook-signature"].split(" ")

    def is_signed_with(self, secret):
        assert secret.startswith("whsec_")
        key = base64.b64decode(secret.removeprefix("whsec_"))
        text = b".".join([self.id.encode(), self.headers["webhook-timestamp"].encode(), self.body])
        wanted = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return wanted in self.signatures()


class Server(http.server.ThreadingHTTPServer):
    """All connections of a service may come at once."""

    daemon_threads = True
    request_queue_size = 128


class Receiver:
    """Runs inside `with`. `answer(received)` gives (status, headers, body); it may wait.
    `certificate`: a PEM file with its key, for TLS. `down`: its port refuses connections until it
    comes up."""

    def __init__(self, answer=None, certificate=None, down=False):
        self.answer = answer or (lambda received: OK)
        self.certificate = certificate
        self.down = down
        self.received = []
        self.taken = []  # those that were answered with 2xx
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = None

    def __enter__(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver._handle(self, Received(self.path, self.headers, body))

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self._server = Server(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.server_bind()
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
            # Each connection shakes hands in its own thread, so that none holds up the others.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        if not self.down:
            self.come_up()
        return self

    def come_up(self):
        self.down = False
        self._server.server_activate()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.closing.set()
        if not self.down:
            self._server.shutdown()
        self._server.server_close()

    @property
    def url(self):
        scheme, host = ("https", "localhost") if self.certificate else ("http", "127.0.0.1")
        return "%s://%s:%d/hook" % (scheme, host, self._server.server_port)

    def hang(self):
        """Waits as long as the receiver runs; for `answer`."""
        self.closing.wait()
        return OK

    def _handle(self, handler, received):
        with self._lock:
            self.received.append(received)
        status, headers, body = self.answer(received)
        if status < 300:
            with self._lock:
                self.taken.append(received)
        try:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:  # the sender did not wait for it
            handler.close_connection = True

    def events(self, taken=True):
        with self._lock:
            return [one.event for one in (self.taken if taken else self.received)]


def is_recent(received, within_s=60):
    return abs(time.time() - int(received.headers["webhook-timestamp"])) < within_s
