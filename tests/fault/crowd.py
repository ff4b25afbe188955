"""Clients of several nodes that keep their word: each wish has an idempotency key and is repeated,
at another node, until its real outcome is known. Nothing that was answered is forgotten."""

import collections
import random
import threading
import time

import requests

from client import Api, box, unique
from load import whole
from waiting import wait_until

# No outcome: the client asks again. Nothing else is excused, least of all a 500.
NOT_NOW = (429, 502, 503, 504)
DEADLINE_S = 120
ITEMS = 6  # of each dataset

Try = collections.namedtuple("Try", "at node outcome")
Answer = collections.namedtuple("Answer", "status ids version position body")


class Broken(Exception):
    """A promise of the service was not kept."""


class Wish:
    """One request that is to take effect once, and all that was heard of it."""

    def __init__(self, client, kind, method, path, body, expect, **more):
        self.client, self.kind = client, kind
        self.method, self.path, self.body, self.expect, self.more = method, path, body, expect, more
        self.key = unique("wish")
        self.tries = []
        self.began = time.monotonic()
        self.ended = None
        self.answer = None

    def send(self, api, timeout):
        return whole(api.call(self.method, self.path, None, key=self.key, json=self.body,
                              timeout=timeout, **self.more))

    def read(self, answer):
        """What of an answer stays the same however often it is given."""
        body = answer.json() if answer.content else {}
        ids = [body.get("id")] if self.kind != "submit" and self.kind != "save" else \
            [shape["id"] for shape in body.get("annotations", [])]
        counts = [body[name] for name in ("created", "created_tasks") if name in body]
        return Answer(answer.status_code, [i for i in ids if i] + counts, body.get("version"),
                      answer.headers.get("X-Event-Position"), body)

    def straggler(self):
        """It was refused, which is not remembered, after another node was asked that did not
        answer: that one may still do it, late."""
        return self.answer and self.answer.status not in (200, 201) and any(
            not one.outcome[:1].isdigit() for one in self.tries)

    def unknown(self):
        return any("OUTCOME_UNKNOWN" in one.outcome for one in self.tries)

    def __str__(self):
        return "%s %s %s %s -> %s; tries: %s" % (
            self.kind, self.method, self.path, self.key, self.answer and self.answer[:4],
            ", ".join("%.2f %s %s" % (one.at, one.node, one.outcome) for one in self.tries[-12:]))


class Client(threading.Thread):
    """An annotator with an endless list of wishes; waits where the crowd rests."""

    def __init__(self, crowd, person, at):
        super().__init__(daemon=True, name="client-%d" % at)
        self.crowd, self.person, self.at = crowd, person, at
        self.random = random.Random("%d/%d" % (crowd.seed, at))
        self.apis = [Api(node, person.api.token) for node in crowd.nodes]
        self.wishes = []
        self.projects = []  # [id, name, version, description] as acknowledged
        self.done = 0
        self.resting = threading.Event()
        self.failure = None

    def run(self):
        stories = [self._project, self._patch, self._patch, self._contest, self._stale, self._task,
                   self._task, self._task]
        try:
            while not self.crowd.stopping.is_set():
                self.resting.clear()
                if not self.crowd.going.is_set():
                    self.resting.set()
                    self.crowd.going.wait(0.5)
                    continue
                self.random.choice(stories)()
                self.crowd.think(self.random.uniform(0, 0.3))
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error
        finally:
            self.resting.set()

    # --- stories ---

    def _project(self):
        name = unique("crowd")
        made = self.fulfil("project", "POST", "/projects", {"name": name}, (201,))
        self.projects.append([made.ids[0], name, 1, made.body["description"]])
        self._look("/projects/%d" % made.ids[0], made, lambda seen: seen["name"] == name)

    def _patch(self):
        if not self.projects:
            return
        project = self.random.choice(self.projects)
        path, text = "/projects/%d" % project[0], unique("text")
        done = self.fulfil("patch", "PATCH", path, {"description": text}, (200,))
        project[2:] = [project[2] + 1, text]
        if (done.version, done.body["description"]) != (project[2], text):
            raise Broken("version %d was expected, this is how it was answered: %s" % (
                project[2], self.wishes[-1]))
        self._look(path, done, lambda seen: seen["version"] == project[2])

    def _contest(self):
        name = self.crowd.contested_name()
        outcome = self.fulfil("contest", "POST", "/projects", {"name": name}, (201, 409))
        self.crowd.contested(name, outcome)

    def _stale(self):
        if self.projects:
            self.fulfil("stale", "PATCH", "/projects/%d" % self.random.choice(self.projects)[0],
                        {"description": "never"}, (412,), headers={"If-Match": '"999999999"'})

    def _task(self):
        project_id = self.random.choice(self.crowd.project_ids)
        given = self.fulfil("next", "POST", "/tasks/next", {"project_id": project_id}, (200, 204))
        if given.status == 204:
            self._supply(project_id)
            return
        task_id = given.ids[0]
        self.crowd.hold(task_id, self, self.wishes[-1])
        path = "/tasks/%d/annotations" % task_id
        saved = self.fulfil("save", "POST", path, {"shapes": [box(x=0.1)]}, (201,),
                            params={"submit": "false"})
        submitted = self.fulfil("submit", "POST", path, {"shapes": [box(x=0.2), box(x=0.3)]},
                                (201,))
        self.crowd.submitted[task_id] = saved.ids + submitted.ids
        self._look("/tasks/%d" % task_id, submitted, lambda seen: seen["status"] == "submitted")

    def _supply(self, project_id):
        made = self.fulfil("dataset", "POST", "/datasets", {"name": unique("crowd")}, (201,))
        place = unique("object")
        items = [{"file_name": "%d.png" % at, "file_path": "%s/%d.png" % (place, at), "width": 64,
                  "height": 48} for at in range(ITEMS)]
        path = "/datasets/%d" % made.ids[0]
        added = self.fulfil("items", "POST", path + "/items/bulk", {"items": items}, (200, 201))
        linked = self.fulfil("link", "POST", path + "/link", {"project_id": project_id}, (200,))
        if added.ids != [ITEMS]:
            raise Broken("%d items were to be made: %s" % (ITEMS, self.wishes[-2]))
        if linked.body != {"created_tasks": ITEMS, "existing_tasks": 0}:
            self.crowd.wrong.append("%d items of a new dataset, linked under one key: %s %s" % (
                ITEMS, linked.body, self.wishes[-1]))
        self.crowd.supplied(project_id, ITEMS)

    # --- how a wish is granted ---

    def fulfil(self, kind, method, path, body, expect, **more):
        wish = Wish(self, kind, method, path, body, expect, **more)
        self.wishes.append(wish)
        at = self.random.randrange(len(self.apis))
        while time.monotonic() < wish.began + DEADLINE_S:
            answer = self._try(wish, at, self.random.choice(self.crowd.patience))
            if answer is not None and answer.status_code == 202:  # of a node that stops: goes on
                self.crowd.think(0.1)
            elif answer is not None and answer.status_code not in NOT_NOW:
                if answer.status_code not in expect:
                    raise Broken("%d is no answer to %s: %s" % (answer.status_code, wish,
                                                                answer.text[:500]))
                wish.ended = time.monotonic()
                wish.answer = wish.read(answer)
                self.done += 1
                self._repeat(wish)
                return wish.answer
            at = (at + 1) % len(self.apis)
            retry_after = answer.headers.get("Retry-After") if answer is not None else None
            if answer is not None and answer.status_code in NOT_NOW and not retry_after:
                raise Broken("%d without Retry-After: %s" % (answer.status_code, wish))
            self.crowd.think(min(float(retry_after or 0.05), 2))
        raise Broken("no outcome in %d s: %s" % (DEADLINE_S, wish))

    def _try(self, wish, at, timeout):
        began = time.monotonic()
        try:
            answer = wish.send(self.apis[at], timeout)
            outcome = outcome_of(answer)
        except requests.RequestException as error:
            answer, outcome = None, type(error).__name__
        wish.tries.append(Try(began, self.crowd.nodes[at].name, outcome))
        return answer

    def _repeat(self, wish):
        """Now and then an acknowledged wish is told to another node again."""
        if self.random.random() > 0.05 or wish.answer.status not in (200, 201):
            return
        answer = self._try(wish, self.random.randrange(len(self.apis)), 15)
        if answer is not None and answer.status_code not in NOT_NOW:
            same_answer(wish, answer)

    def _look(self, path, written, holds):
        """What was acknowledged is seen through any node that is shown the position."""
        if self.random.random() > 0.2:
            return
        at = self.random.randrange(len(self.apis))
        try:
            answer = whole(self.apis[at].get(path, None, timeout=15, headers={
                "X-Event-Position": written.position}))
        except requests.RequestException:
            return
        if answer is None or answer.status_code == 503:
            self.crowd.unread += 1
            return
        if answer.status_code != 200 or not holds(answer.json()):
            raise Broken("%s was read at %s with position %s after %s: %d %s" % (
                path, self.crowd.nodes[at].name, written.position, self.wishes[-1],
                answer.status_code, answer.text[:500]))
        self.crowd.looks += 1


def outcome_of(answer):
    if answer is None:
        return "cut off"
    if answer.status_code < 400:
        return str(answer.status_code)
    try:
        detail = answer.json().get("detail")
    except ValueError:
        detail = None
    return "%d %s" % (answer.status_code,
                      detail.get("code") if isinstance(detail, dict) else detail)


def same_answer(wish, answer):
    again = wish.read(answer)
    if (again.status, again.ids) != (wish.answer.status, wish.answer.ids):
        raise Broken("told again it was answered %s %s: %s" % (again.status, again.ids, wish))
    if answer.headers.get("Idempotency-Replayed") != "true":
        raise Broken("told again it was not called a repetition: %s" % wish)


class Crowd:
    """The clients, what they know together, and how long they had to wait."""

    def __init__(self, world, nodes, seed, patience=(3, 15), clients=16, projects=4):
        self.patience = patience  # seconds that a client waits for an answer: one of these
        self.world, self.nodes, self.seed = world, nodes, seed
        self.going, self.stopping = threading.Event(), threading.Event()
        self._pause = threading.Event()  # never set: a wait on it is a bounded pause
        self._lock = threading.Lock()
        self._contests = 0
        self.winners = {}  # contested name -> ids
        self.holders = {}  # task id -> client
        self.submitted = {}  # task id -> ids of its annotations
        self.tasks = collections.Counter()  # by project
        self.looks = self.unread = 0
        self.wrong = []  # answers that do not say what they should
        self.project_ids = [world.project(classes=("car",))["id"] for _ in range(projects)]
        self.first_names = {p["name"] for p in world.admin.all_pages("/projects", limit=200)}
        people = world.people(clients, "super_admin")
        self.clients = [Client(self, person, at) for at, person in enumerate(people)]
        for node in nodes:
            wait_until(lambda n=node: all(
                Api(n, person.api.token).get("/projects", None).status_code == 200
                for person in people), 30, "%s knows all people" % node.name)

    def __enter__(self):
        self.going.set()
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.going.set()
        for client in self.clients:
            client.join(timeout=DEADLINE_S + 30)

    def think(self, seconds):
        self._pause.wait(seconds)

    @staticmethod
    def now():
        return time.monotonic()

    # --- what they know together ---

    def contested_name(self):
        """Each name is wished for by two or three clients."""
        with self._lock:
            self._contests += 1
            return "contest-%d-%d" % (self.seed, (self._contests - 1) * 2 // 5)

    def contested(self, name, outcome):
        with self._lock:
            ids = self.winners.setdefault(name, [])
            if outcome.status == 201:
                ids.append(outcome.ids[0])

    def hold(self, task_id, client, wish):
        with self._lock:
            other = self.holders.setdefault(task_id, client)
        if other is not client:
            raise Broken("task %d of %s was also given to %s: %s" % (task_id, other.name,
                                                                     client.name, wish))

    def supplied(self, project_id, count):
        with self._lock:
            self.tasks[project_id] += count

    # --- their course ---

    def only(self, *nodes):
        """From now on they know only these nodes; at rest."""
        self.nodes = nodes
        for client in self.clients:
            client.apis = [api for api in client.apis if api.service in nodes]

    def check(self):
        for client in self.clients:
            if client.failure:
                raise AssertionError("seed %d, %s: %s" % (self.seed, client.name, client.failure)
                                     ) from client.failure

    def wait_for(self, each=2, deadline_s=300):
        """Until every client has had so many more wishes granted."""
        goal = {client: client.done + each for client in self.clients}

        def reached():
            self.check()
            return all(client.done >= goal[client] for client in self.clients)

        wait_until(reached, deadline_s, "every client gets through")

    def rest(self):
        """All wishes come to their outcome, no new one begins."""
        self.going.clear()
        for client in self.clients:
            wait_until(client.resting.is_set, DEADLINE_S + 30, client.name + " rests")
        self.check()

    def go_on(self):
        self.going.set()

    def wishes(self, *kinds):
        return [wish for client in self.clients for wish in list(client.wishes)
                if not kinds or wish.kind in kinds]

    def failed_tries(self, since=0.0, until=float("inf")):
        return [one for wish in self.wishes() for one in list(wish.tries)
                if since <= one.at <= until and not one.outcome.isdigit()
                and not one.outcome.startswith(("409", "412"))]
