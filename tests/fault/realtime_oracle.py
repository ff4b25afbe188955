"""What every channel must have told, made from the log alone, and whether everybody heard it."""

import collections
import json

import requests

from client import Api
from notified import told
from socket_listeners import Frame, key_of
from waiting import wait_until

LOCKS = {"task.taken": "locked", "task.locked": "locked", "task.lock_renewed": "renewed",
         "task.unlocked": "released", "task.submitted": "released", "task.skipped": "released",
         "task.approved": "released", "task.rejected": "released", "task.lock_expired": "expired"}
EDITS = {"annotation.updated": "updated", "annotation.deleted": "deleted",
         "annotation.restored": "restored"}
NAMED_ONE_BY_ONE = 100  # annotations of one call
PATIENCE_S = 120  # for the last frames, when nothing happens any more


class Record:
    """A line of `annolog log tail --json`."""

    def __init__(self, line):
        event = json.loads(line)
        self.shard = int(event["partitionkey"].removeprefix("shard/"))
        self.offset = int(event["sequence"])
        self.type, self.data, self.time = event["type"], event["data"], event["time"]
        self.actor = int(event.get("actor", "0"))

    def position(self, last=True):
        """Of several frames only the last says that the whole event is there."""
        return "p1.%d-%d" % (self.shard, self.offset if last else self.offset - 1)

    def notification_id(self):
        return self.offset * 4096 + self.shard

    def told(self):
        """(channel, data) of each frame, but those of notifications."""
        task = self.data.get("task_id")
        if self.type in LOCKS:
            return [("task:%d:lock" % task, {
                "task_id": task, "state": LOCKS[self.type],
                "user_id": self.data.get("user_id") or self.data["reviewer_id"],
                "expires_at": self.data.get("expires_at")})]
        if self.type in EDITS:
            return [self._edit(EDITS[self.type], self.data["annotation_id"])]
        if self.type == "task.annotations_added":
            ids = [shape["annotation_id"] for shape in self.data["annotations"]]
            return [self._edit("created", each) for each in (
                ids if len(ids) <= NAMED_ONE_BY_ONE else [None])]
        return []

    def _edit(self, action, annotation):
        return "project:%d:annotation" % self.data["project_id"], {
            "task_id": self.data["task_id"], "user_id": self.actor, "action": action,
            "annotation_id": annotation, "at": self.time}

    def called(self):
        """Who is told that somebody has called them by name."""
        if self.type != "comment.added":
            return []
        return [user for user in self.data["mentions"] if user != self.data["author_id"]]


def places(position):
    """The offset of each shard that the position names."""
    pairs = (pair.split("-") for pair in position.split(".")[1:])
    return {int(shard): int(offset) for shard, offset in pairs}


class RealtimeOracle:
    """Made when nobody writes any more. Of notifications it knows those of mentions."""

    def __init__(self, world, nodes, crowd):
        self.world, self.nodes, self.crowd = world, nodes, crowd
        self.frames = collections.defaultdict(list)  # channel -> (shard, offset, key)
        self.notifications = collections.defaultdict(list)  # user -> ids
        self.ends = {}
        for line in self._log():
            self._add(Record(line))

    def _log(self):
        done = self.nodes[0].command("log", "tail", "--from", "1", "--json")
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        return done.stdout.splitlines()

    def _add(self, record):
        self.ends[record.shard] = record.offset
        frames = record.told()
        for at, (channel, data) in enumerate(frames):
            frame = Frame("lock" if channel.startswith("task:") else "annotation", data,
                          record.position(at + 1 == len(frames)))
            self.frames[channel].append((record.shard, record.offset, key_of(channel, frame)))
        for user in record.called():
            number = record.notification_id()
            self.notifications[user].append(number)
            self.frames["user:%d:notify" % user].append((record.shard, record.offset, number))

    def catch_up(self):
        """Until every node shows all that the log has."""
        position = "p1" + "".join(".%d-%d" % place for place in sorted(self.ends.items()))
        for node in self.nodes:
            api = Api(node, self.world.admin.token)

            def shows_all(api=api):
                try:
                    return api.get("/projects", None, params={"limit": 1}, timeout=15, headers={
                        "X-Event-Position": position}).status_code == 200
                except requests.RequestException:
                    return False

            wait_until(shows_all, PATIENCE_S, "%s shows all" % node.folder)

    def must_have(self, channel, begun):
        """The keys of the channel's frames behind the position, in the order of the log."""
        first = places(begun)
        return [key for shard, offset, key in self.frames[channel] if offset > first.get(shard, 0)]

    def verify_sockets(self):
        """Waits for the last frames, ends the listeners and judges; tells how many frames each
        kind of channel had, over all listeners."""
        wanted = [(one, channel, heard, self.must_have(channel, heard.begun))
                  for one in self.crowd.listeners for channel, heard in one.heard.items()]

        def all_heard():
            self.crowd.check()
            return all(len(heard.frames) >= len(keys) for _, _, heard, keys in wanted)

        try:
            wait_until(all_heard, PATIENCE_S, "every listener has heard everything")
        except TimeoutError:
            pass  # what is missing is named below
        self.crowd.stop()
        self.crowd.check()
        counts = collections.Counter()
        for one, channel, heard, keys in wanted:
            about = "%s of %s (seed %d)" % (channel, one.person.username, self.crowd.seed)
            if channel.startswith("user:"):
                self._judge_notifications(heard, keys, about)
            else:
                judge(list(heard.frames), keys, about)
            counts[channel.split(":")[-1]] += len(keys)
        self._verify_notifications()
        return counts

    def _judge_notifications(self, heard, keys, about):
        """Shards have no order among themselves."""
        for shard in self.ends:
            judge([key for key in heard.frames if key % 4096 == shard],
                  [key for key in keys if key % 4096 == shard], about)
        for key, frame in heard.frames.items():
            assert frame.type == frame.data["type"]
            assert places(frame.position)[key % 4096] == key // 4096, "%s: %s" % (about, frame)

    def _verify_notifications(self):
        """REST lists what the log says, as the sockets told it."""
        for person in {one.person.id: one.person for one in self.crowd.listeners}.values():
            listed = {each["id"]: each for each in told(person)}
            assert sorted(listed) == sorted(self.notifications[person.id]), person.username
            for heard in self.crowd.heard("user:%d:notify" % person.id):
                for key, frame in heard.frames.items():
                    assert frame.data == listed[key], person.username


def judge(heard, wanted, about):
    """First sightings: all of them, in order, and nothing else."""
    if heard == wanted:
        return
    there, true = set(heard), set(wanted)
    missing = [key for key in wanted if key not in there]
    made_up = [key for key in heard if key not in true]
    assert not missing, "%s: %d of %d frames never came, the first: %s" % (
        about, len(missing), len(wanted), missing[0])
    assert not made_up, "%s: told what never happened: %s" % (about, made_up[0])
    at = next(at for at, (one, other) in enumerate(zip(heard, wanted)) if one != other)
    raise AssertionError("%s: out of order, frame %d is %s, not %s" % (
        about, at, heard[at], wanted[at]))
