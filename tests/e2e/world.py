"""What a test needs around it: people, projects, datasets, tasks. Everything is made through the
interface and has a name of its own, so tests share one service without meeting."""

import collections
import concurrent.futures

import images
from client import Api, unique, unique_seed
from service import ADMIN_PASSWORD, ADMIN_USERNAME
from waiting import wait_until

PASSWORD = "Good-pass-1"

Person = collections.namedtuple("Person", "id username role api")
Work = collections.namedtuple("Work", "project project_id dataset_id items tasks")


class World:
    """Made once per service; admin is the first super_admin."""

    def __init__(self, service):
        self.service = service
        self.nobody = Api(service)
        self.login_admin()

    def login_admin(self):
        """Also soon after a kill -9: until the brokers give the dead node up its shards have no
        leader, and writes are answered 503."""
        def logged_in():
            answer = self.nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD, (200, 503))
            return answer.json() if answer.status_code == 200 else None
        answer = wait_until(logged_in, 60, "the admin can log in")
        self.admin = Api(self.service, answer["access_token"])
        self.admin_id = answer["user"]["id"]
        return self.admin

    def person(self, role="annotator", **fields):
        """A new user with that global role, logged in."""
        username = unique(role)
        body = {"username": username, "name": "Name of " + username, "role": role,
                "password": PASSWORD, **fields}
        user = self.admin.post("/users", body, 201).json()
        token = self.nobody.login(username, PASSWORD).json()["access_token"]
        return Person(user["id"], username, role, Api(self.service, token))

    def people(self, count, role="annotator"):
        """So many persons, made side by side."""
        return self._side_by_side(lambda: self.person(role), count)

    def project(self, by=None, classes=("car", "person"), **fields):
        body = {"name": unique("project"),
                "classes_config": [{"name": name, "color": "#00AA%02X" % at, "aliases": []}
                                   for at, name in enumerate(classes)],
                **fields}
        return (by or self.admin).post("/projects", body, 201).json()

    def add_member(self, project_id, person, role=None):
        body = {"user_id": person.id, "role": role or person.role}
        return self.admin.post("/projects/%d/members" % project_id, body, (200, 201)).json()

    def member(self, project_id, role="annotator", **fields):
        """A new person, already a member with the role."""
        person = self.person(role, **fields)
        self.add_member(project_id, person)
        return person

    def members(self, project_id, count, role="annotator"):
        """So many members, made side by side."""
        return self._side_by_side(lambda: self.member(project_id, role), count)

    @staticmethod
    def _side_by_side(make, count):
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            return list(pool.map(lambda _: make(), range(count)))

    def dataset(self, by=None, **fields):
        return (by or self.admin).post("/datasets", {"name": unique("dataset"), **fields},
                                       201).json()

    def upload_images(self, dataset_id, count, width=64, height=48):
        made = []
        for at in range(count):
            data = images.png(width, height, unique_seed())
            made.append(self.admin.upload(dataset_id, "image-%04d.png" % at, data))
        return made

    def link(self, dataset_id, project_id, by=None):
        path = "/datasets/%d/link" % dataset_id
        return (by or self.admin).post(path, {"project_id": project_id}, (200, 201)).json()

    def tasks_of(self, project_id, count):
        """All tasks of the project once there are so many; ordered by id."""

        def listed():
            found = self.admin.all_pages("/tasks", {"project_id": project_id}, limit=200)
            return found if len(found) >= count else None

        found = wait_until(listed, 20, "%d tasks in project %d" % (count, project_id))
        assert len(found) == count
        return sorted(found, key=lambda task: task["id"])

    def work(self, count=1, width=64, height=48, **project_fields):
        """A project with `count` image tasks, all pending."""
        project = self.project(**project_fields)
        dataset = self.dataset()
        items = self.upload_images(dataset["id"], count, width, height)
        self.link(dataset["id"], project["id"])
        tasks = self.tasks_of(project["id"], count)
        return Work(project, project["id"], dataset["id"], items, tasks)

    def started(self, annotator=None, **project_fields):
        """A project with one task, held by its annotator: (work, task, annotator)."""
        work = self.work(1, **project_fields)
        annotator = annotator or self.member(work.project_id)
        task = annotator.api.next(work.project_id).json()
        return work, task, annotator

    def submitted(self, shapes=(), **project_fields):
        """A project with one submitted task: (work, task, annotator)."""
        work, task, annotator = self.started(**project_fields)
        annotator.api.submit(task["id"], shapes)
        return work, annotator.api.task(task["id"]), annotator

    def in_review(self, shapes=(), **project_fields):
        return self.submitted(shapes, review_required=True, **project_fields)
