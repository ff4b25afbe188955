"""What the tests of notifications share: how they are read, and a project where they come about."""

from client import box
from commenting import say

PATH = "/notifications"
ALL = PATH + "/read-all"
FIELDS = {"id", "type", "target_type", "target_id", "payload", "created_at", "read_at"}
PAYLOAD = {"project_id", "task_id", "batch_id", "display_id", "actor", "reason_type", "reason"}


def told(person, **params):
    """All that a person is told of, newest first."""
    return person.api.all_pages(PATH, params)


def types(person, **params):
    return [notification["type"] for notification in told(person, **params)]


def unread_count(person):
    count = person.api.get(PATH + "/unread-count").json()["unread_count"]
    assert person.api.get(PATH, params={"limit": 1}).json()["unread_count"] == count
    return count


def read(person, notification, expect=200, **more):
    return person.api.post("%s/%d/read" % (PATH, notification["id"]), None, expect, **more)


def read_all(person, **more):
    return person.api.post(ALL, None, 200, **more).json()


def mute(person, **types_by_name):
    wishes = {name.replace("__", "."): wish for name, wish in types_by_name.items()}
    return person.api.patch("/auth/me/preferences", {"notifications": wishes})


def about(notification):
    """Whose deed it was, and what it is about."""
    payload = notification["payload"]
    assert set(notification) == FIELDS and set(payload) == PAYLOAD
    return (notification["type"], notification["target_type"], notification["target_id"],
            payload["actor"] and payload["actor"]["id"])


class Reviewed:
    """A project with one submitted task, its annotator and reviewer, and one who only watches."""

    def __init__(self, world):
        self.world = world
        self.work, self.task, self.annotator = world.submitted([box()])
        self.project_id, self.task_id = self.work.project_id, self.task["id"]
        self.reviewer = world.member(self.project_id, "reviewer")
        self.watcher = world.member(self.project_id, "reviewer")

    def everyone(self):
        return self.annotator, self.reviewer, self.watcher

    def mention_watcher(self):
        say(self.annotator.api, self.task_id, "@" + self.watcher.username)

    def mentions(self, count):
        """So many more of the watcher's; all of them, oldest first."""
        for _ in range(count):
            self.mention_watcher()
        return list(reversed(told(self.watcher)))
