"""Raw HTTP over a socket, for what no well-behaved client would send."""

import socket


class Wire:
    """One TCP connection with a deadline on every wait."""

    def __init__(self, service, timeout_s=30):
        self.socket = socket.create_connection(service.socket_address(), timeout=timeout_s)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends bytes; False when the other side has closed already."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def answer(self):
        """(status, headers, body) of the next answer; None when closed without one."""
        while b"\r\n\r\n" not in self.received:
            if not self._more():
                return None
        head, rest = self.received.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        while len(rest) < length and self._more():
            rest = self.received.split(b"\r\n\r\n", 1)[1]
        self.received = rest[length:]
        return int(lines[0].split(" ", 2)[1]), headers, rest[:length]

    def status(self):
        """The status of the next answer; 0 when the connection was closed without one."""
        got = self.answer()
        return got[0] if got else 0

    def closed(self):
        """Waits until the other side closes; True when it did within the deadline."""
        try:
            while self._more():
                pass
            return True
        except TimeoutError:
            return False

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self.received += data
        return bool(data)


def request(line, headers=(), body=b""):
    """Request bytes; headers is an iterable of (name, value)."""
    text = line + "\r\n" + "".join("%s: %s\r\n" % pair for pair in headers) + "\r\n"
    return text.encode("latin-1") + body
