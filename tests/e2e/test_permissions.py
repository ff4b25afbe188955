"""Who may do what: the table of decisions, section 2, asked of the running service.

Rows are actions, columns callers. Every cell is one request by one caller against a fresh target;
what is allowed must not be 401, 403 or 404, what is not allowed must be 403 naming the role needed
(404 where the caller may not even see the project).
"""

import pytest

from client import box, code_of, unique

CALLERS = ["viewer", "annotator", "reviewer", "project_admin", "owner", "super_admin"]


class Scene:
    """A project with one caller of every kind; tasks are taken from it one by one."""

    def __init__(self, world):
        self.world = world
        self.owner = world.person("project_admin")
        self.project = world.project(by=self.owner.api)
        self.id = self.project["id"]
        self.callers = {"owner": self.owner, "super_admin": world.person("super_admin")}
        for role in ("viewer", "annotator", "reviewer", "project_admin"):
            self.callers[role] = world.member(self.id, role)
        self.dataset = world.dataset()
        world.link(self.dataset["id"], self.id)
        self.known = set()

    def new_task(self):
        self.world.upload_images(self.dataset["id"], 1)
        tasks = self.world.tasks_of(self.id, len(self.known) + 1)
        new = next(task for task in tasks if task["id"] not in self.known)
        self.known = {task["id"] for task in tasks}
        return new["id"]

    def submitted_by(self, person):
        self.new_task()
        task_id = person.api.next(self.id).json()["id"]
        person.api.submit(task_id, [box()])
        return task_id


@pytest.fixture(scope="module")
def scene(world):
    return Scene(world)


def read_project(scene, api, who):
    return api.get("/projects/%d" % scene.id, None)


def read_members(scene, api, who):
    return api.get("/projects/%d/members" % scene.id, None)


def read_tasks(scene, api, who):
    return api.get("/tasks", None, params={"project_id": scene.id})


def read_task(scene, api, who):
    return api.get("/tasks/%d" % scene.new_task(), None)


def read_annotations(scene, api, who):
    return api.get("/tasks/%d/annotations/page" % scene.new_task(), None)


def next_task(scene, api, who):
    scene.new_task()
    return api.next(scene.id, None)


def lock_task(scene, api, who):
    return api.post("/tasks/%d/lock" % scene.new_task(), None, None)


def annotate(scene, api, who):
    task_id = scene.new_task()
    taken = api.next(scene.id, None)
    return api.save(taken.json()["id"] if taken.ok else task_id, [box()], None)


def approve(scene, api, who):
    return api.approve(scene.submitted_by(scene.callers["annotator"]), None)


def reject(scene, api, who):
    return api.reject(scene.submitted_by(scene.callers["annotator"]), expect=None)


def edit_in_review(scene, api, who):
    task_id = scene.submitted_by(scene.callers["annotator"])
    annotation = scene.world.admin.annotations(task_id)[0]
    return api.patch("/tasks/%d/annotations/%d" % (task_id, annotation["id"]),
                     {"class_name": "person"}, None)


def change_settings(scene, api, who):
    return api.patch("/projects/%d" % scene.id, {"description": unique("by")}, None)


def change_classes(scene, api, who):
    classes = [{"name": "car"}, {"name": "person"}, {"name": unique("class")}]
    return api.patch("/projects/%d" % scene.id, {"classes_config": classes}, None)


def rename_class(scene, api, who):
    extra = unique("old")
    classes = [{"name": "car"}, {"name": "person"}, {"name": extra}]
    scene.owner.api.patch("/projects/%d" % scene.id, {"classes_config": classes})
    return api.post("/projects/%d/classes/rename" % scene.id,
                    {"old_name": extra, "new_name": unique("new")}, None)


def add_member(scene, api, who):
    person = scene.world.person("viewer")
    return api.post("/projects/%d/members" % scene.id,
                    {"user_id": person.id, "role": "viewer"}, None)


def change_member(scene, api, who):
    person = scene.world.member(scene.id, "annotator")
    return api.patch("/projects/%d/members/%d" % (scene.id, person.id), {"role": "viewer"}, None)


def remove_member(scene, api, who):
    person = scene.world.member(scene.id, "annotator")
    return api.delete("/projects/%d/members/%d" % (scene.id, person.id), None)


def export(scene, api, who):
    return api.get("/projects/%d/export" % scene.id, None, params={"format": "coco"})


def archive_and_back(scene, api, who):
    answer = api.patch("/projects/%d" % scene.id, {"status": "completed"}, None)
    scene.owner.api.patch("/projects/%d" % scene.id, {"status": "in_progress"})
    return answer


def create_user(scene, api, who):
    body = {"username": unique("u"), "name": "N", "role": "viewer", "password": "Good-pass-1"}
    return api.post("/users", body, None)


def list_users(scene, api, who):
    return api.get("/users", None)


def create_project(scene, api, who):
    return api.post("/projects", {"name": unique("by")}, None)


def create_dataset(scene, api, who):
    return api.post("/datasets", {"name": unique("by")}, None)


ADMINS = {"project_admin", "owner", "super_admin"}
REVIEWERS = ADMINS | {"reviewer"}
ANNOTATORS = REVIEWERS | {"annotator"}
ALL = set(CALLERS)

TABLE = [
    (read_project, ALL),
    (read_members, ALL),
    (read_tasks, ALL),
    (read_task, ALL),
    (read_annotations, ALL),
    (next_task, ANNOTATORS),
    (lock_task, ANNOTATORS),
    (annotate, ANNOTATORS),
    (approve, REVIEWERS),
    (reject, REVIEWERS),
    (edit_in_review, REVIEWERS),
    (change_settings, ADMINS),
    (change_classes, ADMINS),
    (rename_class, ADMINS),
    (add_member, ADMINS),
    (change_member, ADMINS),
    (remove_member, ADMINS),
    (export, ADMINS),
    (archive_and_back, {"owner", "super_admin"}),
    (create_user, {"super_admin"}),
    (list_users, ADMINS),
    (create_project, ADMINS),
    (create_dataset, ADMINS),
]


@pytest.mark.parametrize("who", CALLERS)
@pytest.mark.parametrize("action, allowed", TABLE, ids=[row[0].__name__ for row in TABLE])
def test_the_permission_table(scene, action, allowed, who):
    answer = action(scene, scene.callers[who].api, who)
    if who in allowed:
        assert answer.ok, "%s: %d %s" % (who, answer.status_code, answer.text[:500])
    elif action is edit_in_review and who == "annotator" and answer.status_code == 409:
        assert code_of(answer) == "TASK_NOT_EDITABLE"  # its status is named before the role
    else:
        assert answer.status_code == 403, "%s: %d %s" % (who, answer.status_code, answer.text)
        assert code_of(answer) == "FORBIDDEN"
        assert any(role in answer.text for role in (
            "annotator", "reviewer", "project_admin", "owner", "super_admin"))


def test_the_effective_role_is_the_lower_of_global_and_project_role(world):
    work = world.work(1)
    person = world.person("project_admin")
    world.add_member(work.project_id, person, "viewer")
    person.api.get("/projects/%d" % work.project_id)
    person.api.next(work.project_id, 403)
    person.api.patch("/projects/%d" % work.project_id, {"description": "x"}, 403)


def test_a_forbidden_write_leaves_no_trace(world):
    work, task, annotator = world.started()
    viewer = world.member(work.project_id, "viewer")
    viewer.api.save(task["id"], [box()], 403)
    viewer.api.delete("/tasks/%d/lock" % task["id"], 403)
    assert annotator.api.annotations(task["id"]) == []
    assert annotator.api.task(task["id"])["lock"]["user_id"] == annotator.id


def test_linking_needs_both_the_dataset_and_the_project(world):
    admin_of_project = world.person("project_admin")
    project = world.project(by=admin_of_project.api)
    foreign = world.dataset()
    admin_of_project.api.post("/datasets/%d/link" % foreign["id"],
                              {"project_id": project["id"]}, (403, 404))
    own = world.dataset(by=admin_of_project.api)
    world.link(own["id"], project["id"], by=admin_of_project.api)
    other = world.project()
    admin_of_project.api.post("/datasets/%d/link" % own["id"], {"project_id": other["id"]},
                              (403, 404))
