"""Every route as every kind of caller, against a table that was written from the specification and
the decisions alone (permission_rules.py), not from the one in the code; and the row of the audit
that each call which writes leaves, whether it was refused or not, by the name of its action."""

import json
import os
import pathlib
import re

import pytest

import permission_rules as rules
from client import Api, box, code_of, now, unique
from test_audit import rows
from waiting import wait_until
from world import PASSWORD

# Of each route: what a row of the audit calls it. ANNOLOG_UPDATE_GOLDEN=1 writes what is found.
ACTIONS = pathlib.Path(__file__).parents[1] / "golden" / "audit_actions.json"
ROLES = ("viewer", "annotator", "reviewer", "project_admin")
# Routes that the specification does not name, and who may call them.
OWN_RULES = [
    rules.Rule("POST", "/users/{id}/password", rules.globals_()),  # the operator of the machine
    rules.Rule("GET", "/users/{id}", rules.ADMIN_ROLES),
    rules.Rule("GET", "/groups/{id}", rules.ADMIN_ROLES),
    rules.Rule("DELETE", "/users/{id}/oidc-account", rules.SUPER_ADMIN),
    rules.Rule("GET", "/auth/oidc", rules.ANYONE),
    rules.Rule("GET", "/auth/oidc/login", rules.ANYONE),
    rules.Rule("GET", "/auth/oidc/callback", rules.ANYONE),
    rules.Rule("GET", "/datasets/{id}/items/{id}", rules.DATASET_READERS),
    rules.Rule("GET", "/notifications/unread-count", rules.SIGNED_IN),
    rules.Rule("GET", "/health/{check}", rules.ANYONE),
    rules.Rule("GET", "/tasks/{id}/diff", rules.READERS),
    rules.Rule("GET", "/tasks/{id}/annotations/{annotation_id}", rules.READERS),
]
OPERATIONS = ("get", "post", "put", "patch", "delete")


def shape_of(path):
    return re.sub(r"\{[^}]*\}", "{}", path)


RULES = {(rule.method, shape_of(rule.path)): rule for rule in [*rules.RULES, *OWN_RULES]}


class Caller:
    def __init__(self, name, person, api, column=None):
        self.name, self.api, self.column = name, api, column
        self.role = person.role if person else None
        self.person = person


class Scene:
    """A project of `owner` with a member of every role, its dataset, and people who are not in it.
    What a call may use up is made anew for it."""

    def __init__(self, world):
        self.world = world
        owner = world.person("project_admin")
        self.owner = owner
        self.project_id = world.project(by=owner.api)["id"]
        self.dataset_id = world.dataset(by=owner.api)["id"]
        self.item_id = world.upload_images(self.dataset_id, 1)[0]["id"]
        world.link(self.dataset_id, self.project_id)
        root = world.person("super_admin")
        self.callers = [Caller("nobody", None, Api(world.service)),
                        Caller("owner", owner, owner.api, "owner"),
                        Caller("super_admin", root, root.api, "super_admin")]
        for role in ROLES:
            member = world.member(self.project_id, role)
            stranger = world.person(role)
            self.callers += [Caller("member " + role, member, member.api, role),
                             Caller("stranger " + role, stranger, stranger.api)]
        self.task_id = world.tasks_of(self.project_id, 1)[0]["id"]
        self.owner.api.post("/datasets/%d/backfill-dimensions" % self.dataset_id, None, 202,
                            params={"async": "true"})
        self.owner.api.post("/tasks/%d/lock" % self.task_id, None)
        self.job_id = self.archive_job()
        self.owner.api.save(self.task_id, [box() for _ in self.callers])  # some delete one
        self.webhook_id, self.delivery_id = self.webhook(), None

    def archive_job(self):
        """The owner's: a job of who was a super_admin when it was asked for."""
        role = "/users/%d/role" % self.owner.id
        self.world.admin.patch(role, {"role": "super_admin"})
        job = self.owner.api.post("/audit-logs/archive", {"before": now(ahead_s=-60)}, 202).json()
        self.world.admin.patch(role, {"role": "project_admin"})
        return job["job_id"]

    def checkpoint(self):
        return wait_until(lambda: self.world.admin.get("/audit/checkpoints").json()["items"], 30,
                          "a checkpoint is signed")[0]["number"]

    def spare_user(self):
        return self.world.person("viewer").id

    def spare_member(self):
        return self.world.member(self.project_id, "viewer").id

    def spare_dataset(self):
        dataset = self.world.dataset(by=self.owner.api)
        self.world.link(dataset["id"], self.project_id)
        return dataset["id"]

    def invitation(self):
        return self.owner.api.post("/users/invite", {
            "email": unique("walk") + "@example.org", "role": "viewer"}, 201).json()

    def notification(self):
        """One of the owner's: somebody names them."""
        self.world.admin.post("/tasks/%d/comments" % self.task_id,
                              {"body": "@" + self.owner.username}, 201)
        return self.owner.api.get("/notifications").json()["items"][0]["id"]

    def webhook(self):
        """Another one; those of earlier calls make room."""
        mine = {"project_id": self.project_id}
        made = self.owner.api.all_pages("/webhooks", mine)
        if len(made) > 30:
            for each in made:
                if each["id"] != self.webhook_id:
                    self.owner.api.delete("/webhooks/%d" % each["id"])
        return self.owner.api.post("/webhooks", self.webhook_body(), 201).json()["id"]

    def webhook_body(self):
        return {"project_id": self.project_id, "url": "http://127.0.0.1:9/", "events": ["*"]}

    def delivery(self):
        """Of the webhook that all callers ask about: a ping."""
        if not self.delivery_id:
            ping = self.owner.api.post("/webhooks/%d/test" % self.webhook_id, None, 202).json()
            self.delivery_id = ping["delivery_id"]
            path = "/webhooks/%d/deliveries/%s" % (self.webhook_id, self.delivery_id)
            wait_until(lambda: self.owner.api.get(path, None).status_code == 200, 20, "the ping")
        return self.delivery_id

    def parameter(self, name, path):
        if name == "webhook_id":
            return self.webhook_id if "deliveries" in path else self.webhook()
        if name == "user_id" and path.startswith("/projects"):
            return self.spare_member()
        if name == "dataset_id" and path.endswith("/link/{project_id}"):
            return self.spare_dataset()
        made = {"user_id": self.spare_user,
                "annotation_id": lambda: self.owner.api.annotations(self.task_id)[0]["id"],
                "comment_id": lambda: self.owner.api.post(
                    "/tasks/%d/comments" % self.task_id, {"body": "walk"}, 201).json()["id"],
                "batch_id": lambda: self.owner.api.post(
                    "/projects/%d/batches" % self.project_id, {}, 201).json()["id"],
                "key_id": lambda: self.owner.api.post(
                    "/api-keys", {"name": "walk"}, 201).json()["id"],
                "group_id": lambda: self.world.admin.post(
                    "/groups", {"name": unique("walk")}, 201).json()["id"],
                "invitation_id": lambda: self.invitation()["id"],
                "token": lambda: self.invitation()["token"],
                "notification_id": self.notification,
                "delivery_id": self.delivery,
                "number": self.checkpoint,
                "check": lambda: "live"}.get(name)
        return made() if made else getattr(self, name)

    def path(self, template):
        return re.sub(r"\{([^}]*)\}", lambda m: str(self.parameter(m.group(1), template)), template)

    def body(self, method, template):
        """Enough of one that the question who may is reached; nothing where the gate judges it."""
        return {
            ("POST", "/tasks/next"): {"project_id": self.project_id},
            ("POST", "/tasks/{task_id}/annotations"): {"shapes": []},
            ("PATCH", "/tasks/{task_id}/annotations/{annotation_id}"): {"class_name": "person"},
            ("POST", "/tasks/{task_id}/comments"): {"body": "walk"},
            ("POST", "/tasks/{task_id}/review/reject"): {"reason_type": "missing", "reason": "a"},
            ("POST", "/datasets/{dataset_id}/link"): {"project_id": self.project_id},
            ("POST", "/datasets/{dataset_id}/items/upload-init"): {
                "file_name": unique("walk") + ".png", "file_size": 10, "content_type": "image/png"},
            ("POST", "/datasets/{dataset_id}/items/bulk"): {"items": [
                {"file_name": "walk.png", "file_path": "walk/none.png"}]},
            ("POST", "/projects/{project_id}/guide-assets/upload-init"): {
                "file_name": "walk.png", "content_type": "image/png", "size": 10},
            ("POST", "/projects/{project_id}/batches/{batch_id}/transition"): {
                "target_status": "active"},
            ("DELETE", "/projects/{project_id}/batches/{batch_id}/tasks"): {
                "task_ids": [self.task_id]},
            ("POST", "/webhooks"): self.webhook_body(),
            ("POST", "/auth/login"): {"username": self.owner.username, "password": PASSWORD},
        }.get((method, template), {} if method in ("POST", "PATCH") else None)


def query(template):
    return {"/tasks": "project_id=%d", "/users/export": "format=json",
            "/dashboard": "view=projects", "/search": "q=walk",
            "/audit-logs/export": "format=json",
            "/tasks/{task_id}/diff": "from=" + now(),
            "/projects/{project_id}/export": "format=coco",
            "/projects/{project_id}/annotations/import": "format=coco&dry_run=true",
            "/projects/{project_id}/batches/{batch_id}/export": "format=coco"}.get(template)


def expected(caller, rule):
    """True, False, or None where any caller is welcome."""
    who = rule.callers
    if isinstance(who, rules.Anyone):
        return None
    if caller.person is None:
        return False
    if isinstance(who, rules.SignedIn):
        return True
    if isinstance(who, rules.Globals):
        return caller.role in who.roles
    if isinstance(who, rules.Project):
        return caller.column in who.columns
    if isinstance(who, rules.Dataset):
        named = {"owner": "creator", "super_admin": "super_admin", None: None}
        return named.get(caller.column, "member_of_linked_project") in who.who
    return caller.name == "owner" or caller.role in who.also


def refused(answer):
    """For who is asking, not for the thing's state: 401, a hidden 404, or the role's 403."""
    if answer.status_code in (401, 404):
        return True
    return answer.status_code == 403 and code_of(answer) == "FORBIDDEN"


def ask(scene, caller, method, template):
    api = caller.api
    if caller.person is None:
        api.session.cookies.clear()
    if template in ("/auth/logout", "/auth/logout-all") and caller.person:
        # These end the session that asks, and others of the same user.
        api = scene.world.person(caller.role).api
    path = scene.path(template)
    asked = query(template)
    if asked:
        path += "?" + (asked % scene.project_id if "%" in asked else asked)
    body = scene.body(method, template)
    return api.call(method, path, json=body) if body is not None else api.call(method, path)


@pytest.fixture(scope="module")
def service(make_service):
    """One that does not tire of invitations, signs often, and lets webhooks lead to nobody on this
    machine."""
    return make_service({"MAX_INVITATIONS_PER_DAY": "100000",
                         "ANNOLOG_CHECKPOINT_SECONDS": "1",
                         "ANNOLOG_AUDIT_ANONYMOUS_PER_MINUTE": "100000",
                         "WEBHOOK_ALLOW_PRIVATE": "on"}).start()


@pytest.fixture(scope="module")
def scene(world):
    return Scene(world)


def routes_of(world):
    paths = world.nobody.get("/openapi.json", root=True).json()["paths"]
    return [(method.upper(), path.removeprefix("/api/v1"))
            for path, operations in paths.items() if path.startswith("/api/v1/")
            for method in OPERATIONS if method in operations]


def test_every_route_has_a_rule(world):
    unknown = [route for route in routes_of(world) if (route[0], shape_of(route[1])) not in RULES]
    assert not unknown


def test_every_route_as_every_caller(scene, world):
    wrong, told = [], {}
    for method, template in routes_of(world):
        rule = RULES[(method, shape_of(template))]
        for caller in scene.callers:
            answer = ask(scene, caller, method, template)
            told[answer.headers["X-Request-Id"]] = (method, template, answer.status_code)
            may = expected(caller, rule)
            if may is None:
                good = not (answer.status_code == 401 and code_of(answer) == "NOT_AUTHENTICATED")
            else:
                good = refused(answer) != may
            if not good or answer.status_code >= 500:
                wrong.append("%s %s as %s: %d %s" % (method, template, caller.name,
                                                     answer.status_code, answer.text[:120]))
    print("%d calls" % len(told))
    assert not wrong, "\n".join(wrong)
    check_audit(told, rows(world))


def check_audit(told, audit):
    """`told`: of each request, by its id: method, route and status."""
    left, actions = {}, {}
    for row in audit:
        request = row["detail_json"].get("request_id")
        if request not in told:
            continue
        left.setdefault(request, []).append((row["method"], row["status_code"]))
        actions.setdefault("%s %s" % told[request][:2], set()).add(row["action"])
    wrong = {told[request]: left.get(request) for request in told
             if (told[request][0] != "GET" or request in left)
             and left.get(request) != [(told[request][0], told[request][2])]}
    assert not wrong
    found = {route: sorted(names) for route, names in sorted(actions.items())}
    if os.environ.get("ANNOLOG_UPDATE_GOLDEN"):
        ACTIONS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(ACTIONS.read_text(encoding="utf-8"))
