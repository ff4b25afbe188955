"""Two nodes over one log in Kafka: who is shut out through one of them loses sockets and channels
of the other one, in the order of the log; and what a frame tells can be read at once on both. How
long the other node took is told at the end of the run, and not judged."""

import time

import pytest

from client import Api, box
from feeds import Later, offset
from nodes import EVERYTHING
from oracle import publish
from racing import new_tasks
from sockets import Socket
from test_websocket_rights import ENDS, expect_silence, signed_in, with_key
from waiting import wait_until
from world import World

PATIENCE_S = 60
TURNS = 20
FRAMES = 100
SHAPES = 3  # drawn after each removal


class Clock:
    """Longest and middle one of several delays."""

    def __init__(self):
        self.delays_ms = []

    def stop(self, began):
        self.delays_ms.append((time.monotonic() - began) * 1000)

    def told(self):
        ordered = sorted(self.delays_ms)
        return {"times": len(ordered), "greatest_ms": round(ordered[-1]),
                "median_ms": round(ordered[len(ordered) // 2])}


class Pair:
    """A project with one task, whose annotator draws at the first node; a viewer listens at the
    second one."""

    def __init__(self, nodes):
        self.here, self.there = nodes.all
        self.world = World(self.here)
        self.project_id = self.world.project()["id"]
        [self.task_id] = new_tasks(self.world, self.project_id, 1)
        self.path = "/projects/%d" % self.project_id
        self.edits = "project:%d:annotation" % self.project_id
        self.channels = {self.edits, "task:%d:lock" % self.task_id}
        self.annotator, self.viewer = self.member(), self.member("viewer")
        self.annotator.api.post("/tasks/%d/lock" % self.task_id, None, 200)
        self.sockets = []
        self.witness = self.open("/ws", self.viewer)
        self.witness.subscribe(self.edits)
        self.draw_and_hear()  # so all that came before has been told

    def at(self, node, person):
        return Api(node, person.api.token)

    def member(self, role="annotator"):
        """Both nodes know them when this returns."""
        person = self.world.member(self.project_id, role)
        api = self.at(self.there, person)
        wait_until(lambda: api.get(self.path, None).status_code == 200, PATIENCE_S,
                   "the other node knows the member")
        return person

    def remove(self, person):
        return self.world.admin.delete(self.path + "/members/%d" % person.id)

    def open(self, path, person=None, **options):
        token = person.api.token if person else None
        self.sockets.append(Socket(self.there, path, token, PATIENCE_S, **options))
        return self.sockets[-1]

    def listen(self, person=None, **options):
        """A socket of the second node, with the channels of the project and of its task."""
        socket = self.open("/ws", person, **options)
        for channel in self.channels:
            socket.subscribe(channel)
        return socket

    def draw(self, node=None):
        """The id of the new annotation."""
        api = self.at(node or self.here, self.annotator)
        return api.save(self.task_id, [box()]).json()["annotations"][0]["id"]

    def draw_and_hear(self):
        drawn = [self.draw() for _ in range(SHAPES)]
        assert [self.witness.next()["data"]["annotation_id"] for _ in drawn] == drawn

    def ids_at(self, node):
        return {each["id"] for each in self.at(node, self.viewer).annotations(self.task_id)}

    def close(self):
        for socket in self.sockets:
            socket.close()


@pytest.fixture(params=[EVERYTHING, "api"], ids=["equals", "reader"])
def pair(request, make_nodes, kafka):
    """Of equals each writes half of the shards; a reader hears of everything from the log alone."""
    made = Pair(make_nodes(kafka.bootstrap, roles=(EVERYTHING, request.param)))
    yield made
    made.close()


def test_a_member_removed_through_one_node_hears_nothing_more_on_the_other(pair):
    channels, own_sockets = Clock(), Clock()
    for _ in range(TURNS):
        person = pair.member()
        socket = pair.listen(person)
        own = pair.open("/ws%s/preannotate" % pair.path, person)
        began = time.monotonic()
        removed = Later(lambda one=person: pair.remove(one))
        told = [socket.next() for _ in pair.channels]
        channels.stop(began)
        assert own.close_code() == 1008
        own_sockets.stop(began)
        assert {each["channel"] for each in told} == pair.channels
        assert {each["code"] for each in told} == {"FORBIDDEN"}
        removed.result()
        pair.draw_and_hear()
        expect_silence(socket)
        assert socket.refusal(pair.edits) == "NOT_FOUND"
        pair.at(pair.there, person).get(pair.path, 404)
        socket.close()
    publish({"channels_lost": channels.told(), "sockets_closed": own_sockets.told()})


def test_amid_writes_nothing_is_heard_that_came_after_the_removal(pair):
    for _ in range(TURNS):
        person = pair.member()
        socket = pair.listen(person)
        drawing = Later(lambda: [pair.draw() for _ in range(4 * SHAPES)])
        heard = [socket.next() for _ in range(SHAPES)]
        removed = pair.remove(person)
        heard.append(socket.next())
        while "data" in heard[-1]:
            heard.append(socket.next())
        lost = {heard.pop()["channel"], socket.next()["channel"]}
        drawn = drawing.result()
        assert [pair.witness.next()["data"]["annotation_id"] for _ in drawn] == drawn
        assert lost == pair.channels
        expect_silence(socket)
        assert offset(heard[-1]["position"]) < offset(removed.headers["X-Event-Position"])
        socket.close()


def test_who_is_shut_out_through_one_node_loses_the_sockets_of_the_other(pair):
    told = {}
    for name, end in ENDS.items():
        clock = Clock()
        for _ in range(TURNS // 4):
            person = signed_in(pair.world, pair.member())
            shown = {"person": person}
            if name == "the key revoked":
                shown = {"header": with_key(person)}
            socket, own = pair.listen(**shown), pair.open("/ws/notifications", **shown)
            began = time.monotonic()
            ended = Later(lambda act=end, one=person: act(pair.world, one))
            assert (socket.close_code(), own.close_code()) == (4003, 1008), name
            clock.stop(began)
            ended.result()
            assert pair.open("/ws", **shown).close_code() == 4003, name
        told[name] = clock.told()
    publish(told)


def test_what_a_frame_tells_can_be_read_on_both_nodes_at_once(pair):
    heard, read = Clock(), Clock()
    nodes = pair.here, pair.there
    for at in range(FRAMES):
        began = time.monotonic()
        drawing = Later(lambda node=nodes[at % 2]: pair.draw(node))
        frame = pair.witness.next()
        heard.stop(began)
        reads = [Later(lambda node=node: pair.ids_at(node)) for node in nodes]
        told = frame["data"]["annotation_id"]
        for node, ids in zip(nodes, reads):
            assert told in ids.result(), "frame %d can't be read on %s" % (at, node.name)
        read.stop(began)
        for node in nodes:
            api = pair.at(node, pair.viewer)
            page = api.get("/tasks/%d/annotations/page" % pair.task_id, params={"limit": 1000},
                           headers={"X-Event-Position": frame["position"]}).json()
            assert told in {each["id"] for each in page["items"]}
        assert told == drawing.result()
    publish({"frames_heard": heard.told(), "and_read_on_both_nodes": read.told()})
