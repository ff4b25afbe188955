"""Approving, rejecting, accepting a rejection, reopening (decisions, section 5)."""

import pytest

from client import box, code_of, error_locations, without_link

REASONS = ["missing", "extra", "wrong_label", "wrong_geometry"]


def accept(api, task_id, expect=200):
    return api.post("/tasks/%d/accept-rejection" % task_id, None, expect)


def reopen(api, task_id, expect=200):
    return api.post("/tasks/%d/reopen" % task_id, None, expect)


class Case:
    """A project with one task brought into a status, its annotator and a reviewer."""

    def __init__(self, world, status, review_required=False):
        self.world = world
        self.work = world.work(1, review_required=review_required or status == "review")
        self.task_id = self.work.tasks[0]["id"]
        self.annotator = world.member(self.work.project_id)
        self.reviewer = world.member(self.work.project_id, "reviewer")
        for step in STEPS[status]:
            step(self)
        assert self.task()["status"] == status

    def task(self):
        return self.world.admin.task(self.task_id)


def take(case):
    case.annotator.api.next(case.work.project_id)


def submit(case):
    case.annotator.api.submit(case.task_id, [box()])


def do_reject(case):
    case.reviewer.api.reject(case.task_id)


def do_approve(case):
    case.reviewer.api.approve(case.task_id)


STEPS = {
    "pending": [],
    "in_progress": [take],
    "submitted": [take, submit],
    "review": [take, submit],
    "rejected": [take, submit, do_reject],
    "completed": [take, submit, do_approve],
}

# action, the statuses it works from, the status it leads to
ACTIONS = [
    (lambda c, expect: c.reviewer.api.approve(c.task_id, expect), {"submitted", "review"},
     "completed"),
    (lambda c, expect: c.reviewer.api.reject(c.task_id, expect=expect), {"submitted", "review"},
     "rejected"),
    (lambda c, expect: accept(c.annotator.api, c.task_id, expect), {"rejected"}, "in_progress"),
    (lambda c, expect: reopen(c.reviewer.api, c.task_id, expect), {"completed"}, "in_progress"),
    (lambda c, expect: c.annotator.api.post("/tasks/%d/submit-for-review" % c.task_id, None,
                                            expect), {"in_progress", "submitted"}, "review"),
]


@pytest.mark.parametrize("status", list(STEPS))
@pytest.mark.parametrize("action, works_from, leads_to", ACTIONS,
                         ids=["approve", "reject", "accept", "reopen", "send-to-review"])
def test_every_move_works_from_its_statuses_only(world, action, works_from, leads_to, status):
    case = Case(world, status)
    before = without_link(case.task())
    if status in works_from:
        assert action(case, 200).json()["status"] == leads_to
        assert case.task()["status"] == leads_to
    else:
        # A pending task has no assignee yet: that the caller is not it may be named first.
        assert action(case, (403, 409) if status == "pending" else 409).json()["detail"]
        assert without_link(case.task()) == before


def test_an_approval_completes_the_task(world):
    case = Case(world, "review")
    task = case.reviewer.api.approve(case.task_id).json()
    assert task["status"] == "completed"
    assert task["reviewer_id"] == case.reviewer.id
    assert task["reviewed_at"].endswith("Z")
    assert task["reject_reason"] is None
    assert case.task()["reviewer"]["id"] == case.reviewer.id
    reviewed = case.world.admin.all_pages("/tasks", {"project_id": case.work.project_id,
                                                     "status": "reviewed"})
    assert [t["id"] for t in reviewed] == [case.task_id]


@pytest.mark.parametrize("reason_type", REASONS)
@pytest.mark.parametrize("reason", ["two boxes are missing", None])
def test_a_rejection_keeps_its_reason(world, reason_type, reason):
    case = Case(world, "review")
    body = {"reason_type": reason_type}
    if reason is not None:
        body["reason"] = reason
    case.reviewer.api.post("/tasks/%d/review/reject" % case.task_id, body, 200)
    task = case.task()
    assert task["status"] == "rejected"
    assert task["reject_reason_type"] == reason_type
    assert (task["reject_reason"] or None) == reason
    assert task["reviewed_at"].endswith("Z")
    assert task["assignee_id"] == case.annotator.id


@pytest.mark.parametrize("body", [{}, {"reason": "because"}, {"reason_type": None},
                                  {"reason_type": "ugly"}, {"reason_type": "MISSING"},
                                  {"reason_type": ["missing"]}, {"reason_type": ""}])
def test_a_rejection_needs_a_known_reason_type(world, rejectable, body):
    answer = rejectable.reviewer.api.post(
        "/tasks/%d/review/reject" % rejectable.task_id, body, 422)
    assert ("body", "reason_type") in error_locations(answer)
    assert rejectable.task()["status"] == "review"


@pytest.fixture(scope="module")
def rejectable(world):
    return Case(world, "review")


def cleared(task):
    assert task["status"] != "rejected"
    assert task["reject_reason"] is None
    assert task["reject_reason_type"] is None


def test_accepting_a_rejection_clears_its_reason(world):
    case = Case(world, "rejected")
    task = accept(case.annotator.api, case.task_id).json()
    assert task["status"] == "in_progress"
    cleared(case.task())


def test_only_the_assignee_accepts_a_rejection(world):
    case = Case(world, "rejected")
    other = world.member(case.work.project_id)
    accept(other.api, case.task_id, 403)
    assert case.task()["status"] == "rejected"


EDITS = {
    "add": lambda api, task_id, old: api.save(task_id, [box("person")]),
    "change": lambda api, task_id, old: api.patch(
        "/tasks/%d/annotations/%d" % (task_id, old["id"]), {"class_name": "person"}),
    "remove": lambda api, task_id, old: api.delete(
        "/tasks/%d/annotations/%d" % (task_id, old["id"])),
}


@pytest.mark.parametrize("edit", list(EDITS))
def test_the_first_edit_accepts_the_rejection(world, edit):
    case = Case(world, "rejected")
    old = case.annotator.api.annotations(case.task_id)[0]
    EDITS[edit](case.annotator.api, case.task_id, old)
    task = case.task()
    assert task["status"] == "in_progress"
    cleared(task)


@pytest.mark.parametrize("review_required, status", [(True, "review"), (False, "submitted")])
def test_submitting_again_accepts_the_rejection(world, review_required, status):
    case = Case(world, "rejected", review_required)
    case.annotator.api.submit(case.task_id, [box("person")])
    task = case.task()
    assert task["status"] == status
    cleared(task)
    assert len(case.annotator.api.annotations(case.task_id)) == 2


def test_a_task_reopened_counts_and_forgets_its_rejection(world):
    case = Case(world, "completed")
    assert case.task()["reopened_count"] == 0
    for turn in (1, 2):
        task = reopen(case.reviewer.api, case.task_id).json()
        assert task["status"] == "in_progress"
        assert task["reopened_count"] == turn
        assert task["assignee_id"] == case.annotator.id
        cleared(task)
        case.annotator.api.next(case.work.project_id)
        case.annotator.api.submit(case.task_id)
        case.reviewer.api.approve(case.task_id)


@pytest.mark.parametrize("decide", ["approve", "reject"])
def test_nobody_reviews_an_own_submission(world, decide):
    work = world.work(1, review_required=True)
    person = world.member(work.project_id, "reviewer")
    task_id = person.api.next(work.project_id).json()["id"]
    person.api.submit(task_id)
    call = person.api.approve if decide == "approve" else person.api.reject
    answer = call(task_id, expect=403)
    assert code_of(answer) == "SELF_REVIEW"
    assert world.admin.task(task_id)["status"] == "review"


def test_an_owner_may_review_an_own_submission(world):
    owner = world.person("project_admin")
    project = world.project(by=owner.api, review_required=True)
    dataset = world.dataset()
    world.upload_images(dataset["id"], 1)
    world.link(dataset["id"], project["id"])
    world.tasks_of(project["id"], 1)
    task_id = owner.api.next(project["id"]).json()["id"]
    owner.api.submit(task_id)
    assert owner.api.approve(task_id).json()["status"] == "completed"


def test_one_of_two_decisions_wins(world):
    case = Case(world, "review")
    other = world.member(case.work.project_id, "reviewer")
    case.reviewer.api.approve(case.task_id)
    other.api.reject(case.task_id, expect=409)
    task = case.task()
    assert task["status"] == "completed"
    assert task["reviewer_id"] == case.reviewer.id


def test_a_whole_round_keeps_every_annotation(world):
    case = Case(world, "rejected", review_required=True)
    case.annotator.api.submit(case.task_id, [box("person", x=0.5)])
    case.reviewer.api.approve(case.task_id)
    task = case.task()
    assert task["status"] == "completed"
    assert task["annotation_count"] == 2
    names = sorted(a["class_name"] for a in case.reviewer.api.annotations(case.task_id))
    assert names == ["car", "person"]
