"""One batch: how it is made and how it moves (specification, Batch; decisions, section 4)."""

import collections
import re

import pytest

from client import box, code_of, error_locations
from world import Person

FIELDS = ("id", "display_id", "project_id", "name", "status", "annotator_id", "reviewer_id",
          "annotator", "reviewer", "assigned_user_ids", "total_tasks", "progress",
          "review_feedback", "reviewed_at", "reviewed_by", "created_by", "version", "created_at",
          "updated_at")
TASK_STATUSES = ("pending", "assigned", "in_progress", "submitted", "review", "rejected",
                 "completed")
REVIEW = ("review_feedback", "reviewed_at", "reviewed_by")
MOVES = {
    "draft": ["active", "archived"],
    "active": ["annotating", "archived"],
    "annotating": ["archived", "reviewing"],
    "reviewing": ["approved", "archived", "rejected"],
    "approved": ["archived", "reviewing"],
    "rejected": ["active", "archived", "reviewing"],
    "archived": ["active"],
}
MEMBERS = {"viewer": "viewer", "annotator": "annotator", "other": "annotator",
           "reviewer": "reviewer", "second": "reviewer", "admin": "project_admin"}
EVERYONE = (*MEMBERS, "owner", "root")
ADMINS, OWNERS = ("admin", "owner", "root"), ("owner", "root")
JUDGES = ("reviewer", *ADMINS)
FEEDBACK, REASON, WHY = "the wheels are missing", "x", {"reason": "x"}


class Crew:
    """People whom the projects of a module share; `other` and `second` have no batch."""

    def __init__(self, world):
        self.world = world
        self.people = {name: world.person(role) for name, role in MEMBERS.items()}
        self.people["owner"] = world.person("project_admin")
        self.people["stranger"] = world.person("project_admin")
        self.people["root"] = Person(world.admin_id, "admin", "super_admin", world.admin)


class Place:
    """A project of the crew's with `count` unclassified tasks, whose ids `tasks` are."""

    def __init__(self, crew, count=0, **fields):
        self.world, self.people = crew.world, crew.people
        vars(self).update(crew.people)  # place.owner, place.annotator and so on
        self.id = self.world.project(by=self.owner.api, **fields)["id"]
        for name in MEMBERS:
            self.world.add_member(self.id, self.people[name])
        self.tasks, self.dataset_id = self.bring(count) if count else ([], None)

    def bring(self, count):
        """New tasks of a new dataset: (their ids, the dataset's)."""
        known = self.world.admin.all_pages("/tasks", {"project_id": self.id}, limit=200)
        dataset_id = self.world.dataset()["id"]
        self.world.upload_images(dataset_id, count)
        self.world.link(dataset_id, self.id)
        tasks = self.world.tasks_of(self.id, len(known) + count)
        return [task["id"] for task in tasks][len(known):], dataset_id

    def url(self, batch="", tail=""):
        """Of the project's batches, or of one: a view, an id or a display id."""
        part = batch["id"] if isinstance(batch, dict) else batch
        return "/projects/%d/batches%s%s" % (self.id, part and "/%s" % part, tail and "/" + tail)

    def make(self, by=None, **body):
        return (by or self.owner).api.post(self.url(), body, 201).json()

    def staffed(self, *task_ids):
        return self.make(task_ids=list(task_ids), annotator_id=self.annotator.id,
                         reviewer_id=self.reviewer.id)

    def see(self, batch):
        """The batch as it is, checked against a recount of its tasks."""
        got = self.owner.api.get(self.url(batch)).json()
        counted = collections.Counter(t["status"] for t in self.tasks_in(got))
        assert got["progress"] == {status: counted[status] for status in TASK_STATUSES}
        assert got["total_tasks"] == counted.total()
        return got

    def tasks_in(self, batch):
        found = self.owner.api.all_pages("/tasks", {"batch_id": batch["id"]}, limit=200)
        assert all(task["batch_id"] == batch["id"] for task in found)
        return sorted(found, key=lambda task: task["id"])

    def ids_in(self, batch):
        return [task["id"] for task in self.tasks_in(self.see(batch))]

    def task(self, task_id):
        return self.world.admin.task(task_id)

    def patch(self, batch, expect=200, by=None, **body):
        return (by or self.owner).api.patch(self.url(batch), body, expect)

    def act(self, batch, action, body, expect=200, by=None):
        return (by or self.owner).api.post(self.url(batch, action), body, expect)

    def move(self, batch, target, expect=200, by=None, **more):
        return self.act(batch, "transition", {"target_status": target, **more}, expect, by)

    def take_out(self, batch, task_ids, expect=200, by=None):
        url = self.url(batch, "tasks")
        return (by or self.owner).api.delete(url, expect, json={"task_ids": task_ids})

    def next(self, person, batch=None, expect=200):
        return person.api.next(self.id, expect, batch_id=batch and batch["id"])

    def work_off(self, batch, person=None):
        """Takes and submits until there is no more; the ids of the tasks, in their order."""
        done = []
        while True:
            answer = self.next(person or self.annotator, batch, (200, 204))
            if answer.status_code == 204:
                return done
            done.append(answer.json()["id"])
            (person or self.annotator).api.submit(done[-1], [box()])

    def at(self, status, *task_ids):
        """A batch of the annotator's and the reviewer's that was brought to the status."""
        batch = self.staffed(*task_ids)
        if status != "draft":
            self.move(batch, "active")
        if status in ("archived", "annotating"):
            self.move(batch, status)
        if status in ("reviewing", "approved", "rejected"):
            self.work_off(batch)
        for task_id in task_ids if status == "approved" else ():
            self.reviewer.api.approve(task_id)
        if status in ("approved", "rejected"):
            self.move(batch, status, by=self.reviewer, review_feedback=FEEDBACK)
        seen = self.see(batch)
        assert seen["status"] == status
        return seen

    def unclassified(self):
        return self.viewer.api.get(self.url("unclassified-count")).json()["unclassified_count"]

    def listed(self, **params):
        return [batch["id"] for batch in self.viewer.api.all_pages(self.url(), params)]


def user_id(value):
    return value["id"] if isinstance(value, dict) else value


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


# --- creation ---

def test_a_new_batch_has_every_field_and_holds_nothing(crew):
    place = Place(crew)
    made = place.make(by=place.admin, name="First")
    assert set(FIELDS) <= set(made)
    assert re.fullmatch(r"B-\d+", made["display_id"])
    assert (made["project_id"], made["name"], made["status"]) == (place.id, "First", "draft")
    assert (made["total_tasks"], made["assigned_user_ids"]) == (0, [])
    assert user_id(made["created_by"]) == place.admin.id
    for field in ("annotator_id", "reviewer_id", "annotator", "reviewer", *REVIEW):
        assert made[field] is None, field
    assert place.see(made) == made
    assert place.owner.api.get(place.url(made["display_id"])).json() == made
    again = place.make()
    assert again["display_id"] != made["display_id"]
    assert place.listed() == [made["id"], again["id"]]


def test_named_tasks_come_into_the_batch_and_follow_its_people(crew):
    place = Place(crew, 3)
    first, second, left = place.tasks
    batch = place.staffed(second, first)
    assert place.ids_in(batch) == [first, second]
    for name in ("annotator", "reviewer"):
        person = place.people[name]
        assert batch[name + "_id"] == person.id
        assert batch[name] == {"id": person.id, "username": person.username,
                               "name": "Name of " + person.username}
    assert sorted(batch["assigned_user_ids"]) == sorted([place.annotator.id, place.reviewer.id])
    for task in place.tasks_in(batch):
        assert (task["status"], task["assignee_id"]) == ("assigned", place.annotator.id)
        assert task["reviewer_id"] == place.reviewer.id
    assert place.task(left)["batch_id"] is None
    assert place.unclassified() == 1


def test_a_count_takes_the_oldest_unclassified_tasks(crew):
    place = Place(crew, 5)
    place.make(task_ids=[place.tasks[1]])
    assert place.ids_in(place.make(task_count=2)) == [place.tasks[0], place.tasks[2]]
    assert place.unclassified() == 2
    assert place.ids_in(place.make(task_count=10)) == place.tasks[3:]
    assert place.unclassified() == 0


def test_a_dataset_limits_what_a_batch_takes(crew):
    place = Place(crew, 2)
    new, dataset_id = place.bring(3)
    assert place.ids_in(place.make(dataset_id=dataset_id, task_count=1)) == new[:1]
    assert place.ids_in(place.make(dataset_id=dataset_id)) == new[1:]
    assert place.unclassified() == 2


def test_tasks_that_are_not_free_make_no_batch(crew):
    place, elsewhere = Place(crew, 2), Place(crew, 1)
    free, taken = place.tasks
    holder = place.make(task_ids=[taken])
    answer = place.owner.api.post(place.url(), {"task_ids": [free, taken]}, 409)
    assert code_of(answer) == "TASK_IN_OTHER_BATCH"
    for foreign in (elsewhere.tasks[0], 999999999):
        place.owner.api.post(place.url(), {"task_ids": [free, foreign]}, (404, 422))
    assert (place.listed(), place.unclassified()) == ([holder["id"]], 1)
    assert elsewhere.unclassified() == 1


@pytest.fixture(scope="module")
def here(crew):
    return Place(crew)


@pytest.mark.parametrize("tail, body, where", [
    ("", {"name": 3}, ("name",)), ("", {"name": ""}, ("name",)),
    ("", {"annotator_id": "1"}, ("annotator_id",)), ("", {"reviewer_id": 1.5}, ("reviewer_id",)),
    ("", {"task_ids": "x"}, ("task_ids",)), ("", {"task_ids": [1, "x"]}, ("task_ids", 1)),
    ("", {"task_count": 0}, ("task_count",)), ("", {"task_count": "3"}, ("task_count",)),
    ("", {"task_count": 1, "dataset_id": []}, ("dataset_id",)),
    ("transition", {}, ("target_status",)), ("transition", WHY, ("target_status",)),
    ("transition", {"target_status": "done"}, ("target_status",)),
    ("transition", {"target_status": "active", "reason": 5}, ("reason",)),
    ("transition", {"target_status": "rejected", "review_feedback": []}, ("review_feedback",)),
    ("reset", {"reason": 1234567890}, ("reason",)),
    ("tasks", {"task_ids": {}}, ("task_ids",)), ("tasks", {"task_ids": [None]}, ("task_ids", 0)),
])
def test_bodies_are_validated(here, tail, body, where):
    url = here.url(here.make() if tail else "", tail)
    assert ("body", *where) in error_locations(here.owner.api.post(url, body, 422))


def test_every_error_is_found(here):
    answer = here.owner.api.post(here.url(), {"name": 3, "task_ids": 1}, 422)
    assert {("body", "name"), ("body", "task_ids")} <= set(error_locations(answer))


# --- moves ---

def test_the_whole_life_of_a_batch(crew):
    place = Place(crew, 3, review_required=True)
    batch = place.staffed(*place.tasks)
    place.move(batch, "active", by=place.admin)
    assert place.next(place.annotator, batch).json()["id"] == place.tasks[0]
    assert place.see(batch)["status"] == "annotating"
    assert place.work_off(batch) == place.tasks
    assert place.see(batch)["status"] == "reviewing"
    place.reviewer.api.approve(place.tasks[0])
    place.reviewer.api.reject(place.tasks[1], "wrong_label", "a lorry")
    place.reviewer.api.approve(place.tasks[2])
    sent_back = place.move(batch, "rejected", by=place.reviewer, review_feedback=FEEDBACK).json()
    assert (sent_back["status"], sent_back["review_feedback"]) == ("rejected", FEEDBACK)
    place.next(place.annotator, batch, 409)
    assert place.move(batch, "active", by=place.admin).json()["review_feedback"] == FEEDBACK
    again = place.next(place.annotator, batch).json()
    assert (again["id"], again["reject_reason"]) == (place.tasks[1], "a lorry")
    assert place.see(batch)["status"] == "annotating"
    place.move(batch, "reviewing", 409, by=place.annotator)
    place.annotator.api.submit(again["id"])
    assert place.see(batch)["status"] == "reviewing"
    place.reviewer.api.approve(again["id"])
    place.move(batch, "approved", by=place.reviewer)
    ended = place.see(batch)
    assert (ended["status"], ended["progress"]["completed"]) == ("approved", 3)
    assert ended["reviewed_at"] > sent_back["reviewed_at"]


@pytest.mark.parametrize("start", ["next", "lock", "annotation"])
def test_the_first_work_starts_the_batch(crew, start):
    place = Place(crew, 1)
    task_id, api = place.tasks[0], place.annotator.api
    if start == "annotation":  # of a task that was begun before it came into the batch
        api.save(place.next(place.annotator).json()["id"], [box()])
    batch = place.at("active", task_id)
    {"next": lambda: place.next(place.annotator),
     "lock": lambda: api.post("/tasks/%d/lock" % task_id, None, 200),
     "annotation": lambda: api.save(task_id, [box()])}[start]()
    seen = place.see(batch)
    assert (seen["status"], seen["progress"]["in_progress"]) == ("annotating", 1)


@pytest.mark.parametrize("status", list(MOVES))
def test_what_the_table_does_not_list_is_409(crew, status):
    place = Place(crew, 1)
    batch = place.at(status, *place.tasks)
    for target in [each for each in MOVES if each not in MOVES[status]]:
        for name in EVERYONE:
            expect = 403 if name == "viewer" else 409
            answer = place.move(batch, target, expect, by=place.people[name], reason=REASON,
                                review_feedback=FEEDBACK)
            if name == "viewer":
                assert code_of(answer) == "FORBIDDEN"
                continue
            detail = answer.json()["detail"]
            assert (detail["code"], detail["from"], detail["to"]) == ("INVALID_TRANSITION", status,
                                                                      target), name
            assert sorted(detail["allowed"]) == MOVES[status]
    assert place.see(batch) == batch


@pytest.mark.parametrize("start, target, body, names", [
    ("draft", "active", {}, ADMINS), ("active", "annotating", {}, ADMINS),
    ("reviewing", "approved", {}, JUDGES),
    ("reviewing", "rejected", {"review_feedback": "x"}, JUDGES), ("rejected", "active", {}, ADMINS),
    ("approved", "reviewing", WHY, OWNERS), ("rejected", "reviewing", WHY, OWNERS),
    ("archived", "active", WHY, OWNERS),
    *[(start, "archived", {}, OWNERS) for start in MOVES if start != "archived"]])
def test_a_move_is_for_those_whom_the_table_names(crew, start, target, body, names):
    place = Place(crew, len(names))
    batches = [place.at(start, task_id) for task_id in place.tasks]
    if target == "approved":
        for task_id in place.tasks:
            place.second.api.approve(task_id)
    for name in [each for each in EVERYONE if each not in names]:
        answer = place.move(batches[0], target, 403, by=place.people[name], **body)
        assert code_of(answer) == "FORBIDDEN", name
    assert place.see(batches[0])["status"] == start
    for name, batch in zip(names, batches):
        moved = place.move(batch, target, by=place.people[name], **body).json()
        assert moved == place.see(batch)
        assert moved["status"] == target


@pytest.mark.parametrize("start, target", [("archived", "active"), ("approved", "reviewing"),
                                           ("rejected", "reviewing")])
def test_a_reverse_move_needs_a_reason_of_1_to_500_characters(crew, start, target):
    place = Place(crew, 1)
    batch = place.at(start, *place.tasks)
    for missing in ({}, {"reason": None}):
        assert code_of(place.move(batch, target, 400, **missing)) == "REASON_REQUIRED"
    for bad in ("", "ü" * 501):
        place.move(batch, target, (400, 422), reason=bad)
    assert place.see(batch) == batch
    place.move(batch, target, reason="ü" * 500)


@pytest.mark.parametrize("start, target", [("approved", "reviewing"), ("rejected", "reviewing"),
                                           ("rejected", "active")])
def test_what_the_review_said_is_kept_or_cleared(crew, start, target):
    place = Place(crew, 1)
    before = place.at(start, *place.tasks)
    assert before["reviewed_at"].endswith("Z")
    assert user_id(before["reviewed_by"]) == place.reviewer.id
    after = place.move(before, target, reason=REASON).json()
    assert before["review_feedback"] == FEEDBACK
    kept = start == "rejected"
    assert [after[field] for field in REVIEW] == [before[field] if kept else None
                                                  for field in REVIEW]


def test_a_batch_is_rejected_with_a_reason_only(crew):
    place = Place(crew, 1)
    batch = place.at("reviewing", *place.tasks)
    for bad in ({}, *({"review_feedback": text} for text in (None, "", "ü" * 2001))):
        answer = place.move(batch, "rejected", 422, **bad)
        assert ("body", "review_feedback") in error_locations(answer)
    assert place.see(batch) == batch
    moved = place.move(batch, "rejected", review_feedback="ü" * 2000).json()
    assert moved["review_feedback"] == "ü" * 2000


def test_activation_needs_an_annotator_and_a_task(crew):
    place = Place(crew, 1)
    batch = place.make(task_ids=place.tasks)
    assert code_of(place.move(batch, "active", 409)) == "BATCH_NEEDS_ANNOTATOR"
    empty = place.make(annotator_id=place.annotator.id)
    assert code_of(place.move(empty, "active", 409)) == "BATCH_EMPTY"
    place.patch(batch, annotator_id=place.annotator.id)
    assert place.move(batch, "active").json()["status"] == "active"
    assert place.see(empty)["status"] == "draft"


@pytest.mark.parametrize("review_required", [True, False])
def test_unfinished_tasks_hold_a_batch_back(crew, review_required):
    place = Place(crew, 2, review_required=review_required)
    batch = place.at("annotating", *place.tasks)
    for _ in place.tasks:
        task_id = place.next(place.annotator, batch).json()["id"]
        answer = place.move(batch, "reviewing", 409, by=place.annotator)
        assert code_of(answer) == "BATCH_TASKS_OPEN"
        place.annotator.api.submit(task_id)
    for task_id in place.tasks:
        answer = place.move(batch, "approved", 409, by=place.reviewer)
        assert code_of(answer) == "BATCH_TASKS_AWAIT_REVIEW"
        place.reviewer.api.approve(task_id)
    place.move(batch, "approved", by=place.reviewer)
