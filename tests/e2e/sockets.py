"""A client of the service's WebSockets, by websocket-client (Debian's python3-websocket)."""

import collections
import json
import urllib.parse

import websocket
from websocket import _abnf

TIMEOUT_S = 20
# "Try again later" is registered (IANA, WebSocket close codes), but websocket-client 1.2 takes it
# for a broken rule.
_abnf.VALID_CLOSE_STATUS += (1013,)


class Closed(Exception):
    """The service has closed the socket; code 0: without saying why."""

    def __init__(self, code, reason):
        super().__init__("closed with %d: %s" % (code, reason))
        self.code = code


class Socket:
    """One WebSocket. `token`: an access token; None sends none."""

    def __init__(self, service, path="/ws", token=None, timeout_s=TIMEOUT_S, **options):
        query = "?" + urllib.parse.urlencode({"token": token}) if token is not None else ""
        url = service.base_url.replace("http://", "ws://", 1) + path + query
        self.connection = websocket.create_connection(url, timeout=timeout_s, **options)
        self.left = collections.deque()  # frames that came before an answer

    def say(self, **message):
        self.connection.send(json.dumps(message))

    def frame(self):
        """The next message, whatever it is."""
        try:
            opcode, data = self.connection.recv_data()
        except (websocket.WebSocketConnectionClosedException, ConnectionError):
            raise Closed(0, "the connection broke") from None
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            code = int.from_bytes(data[:2], "big") if len(data) > 1 else 1005
            raise Closed(code, data[2:].decode())
        assert opcode == websocket.ABNF.OPCODE_TEXT
        return json.loads(data)

    def next(self):
        """The next message but pings, which are answered."""
        return self.left.popleft() if self.left else self.received()

    def received(self):
        while True:
            message = self.frame()
            if message != {"type": "ping"}:
                return message
            self.say(type="pong")

    def wish(self, channel, after=None):
        """Subscribes; returns the answer."""
        self.say(type="subscribe", channel=channel, **({"after": after} if after else {}))
        return self.answer(channel)

    def answer(self, channel):
        """What a wish about the channel is answered; frames of others are left for next()."""
        while True:
            message = self.received()
            if "data" not in message or message["channel"] == channel:
                return message
            self.left.append(message)

    def subscribe(self, channel, after=None):
        answer = self.wish(channel, after)
        assert answer["type"] == "subscribed", answer
        assert answer["channel"] == channel
        return answer["position"]

    def unsubscribe(self, channel):
        """Frames of the channel that come before the answer are left out."""
        self.say(type="unsubscribe", channel=channel)
        answer = self.answer(channel)
        while "data" in answer:
            answer = self.answer(channel)
        assert answer == {"type": "unsubscribed", "channel": channel}
        self.left = collections.deque(
            frame for frame in self.left if frame["channel"] != channel)

    def refusal(self, channel, **more):
        """The code by which a subscription is refused."""
        answer = self.wish(channel, **more)
        assert answer["type"] == "error", answer
        assert answer["channel"] == channel
        return answer["code"]

    def close_code(self):
        """Reads on until the service closes."""
        try:
            while True:
                self.next()
        except Closed as closed:
            return closed.code

    def close(self):
        self.connection.close(timeout=1)


class Sockets:
    """Opens sockets and closes them all at the end of a test: places are few."""

    def __init__(self, service):
        self.service = service
        self.opened = []

    def open(self, person_or_api=None, path="/ws", **options):
        api = getattr(person_or_api, "api", person_or_api)
        token = api.token if api is not None else options.pop("token", None)
        socket = Socket(self.service, path, token, **options)
        self.opened.append(socket)
        return socket

    def close(self):
        for socket in self.opened:
            socket.close()


def refused_status(call):
    """The HTTP status by which a handshake is refused."""
    try:
        call()
    except websocket.WebSocketBadStatusException as refused:
        return refused.status_code
    raise AssertionError("the handshake was answered")
