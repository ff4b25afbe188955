"""What the tests of comments and mentions share: a project with two tasks, and who writes in it."""

from world import PASSWORD


def path_of(task_id, comment_id=None):
    return "/tasks/%d/comments" % task_id + ("" if comment_id is None else "/%d" % comment_id)


def say(api, task_id, body="Look here", expect=201, key=None, **more):
    return api.post(path_of(task_id), {"body": body, **more}, expect, key=key)


def comments(api, task_id, limit=50, **params):
    return api.all_pages(path_of(task_id), params, limit=limit)


def bodies(api, task_id, **params):
    return [comment["body"] for comment in comments(api, task_id, **params)]


class Case:
    """A project with two tasks and people."""

    def __init__(self, world, **project_fields):
        self.world = world
        self.owner = world.person("project_admin")
        self.work = world.work(2, by=self.owner.api, **project_fields)
        self.project_id = self.work.project_id
        self.task_id, self.other_task_id = (task["id"] for task in self.work.tasks)
        self.annotator = world.member(self.project_id)

    def member(self, role="annotator", **fields):
        return self.world.member(self.project_id, role, **fields)

    def named(self, username, member=True):
        """The id of a user with that very username, who need not sign in."""
        user = self.world.admin.post("/users", {
            "username": username, "name": "Name of " + username, "role": "annotator",
            "password": PASSWORD}, 201).json()
        if member:
            self.world.admin.post("/projects/%d/members" % self.project_id,
                                  {"user_id": user["id"], "role": "annotator"}, 201)
        return user["id"]

    def mentions(self, body):
        return say(self.annotator.api, self.task_id, body).json()["mentions"]
