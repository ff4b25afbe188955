"""Every trigger of a task, in every status, by every kind of caller, and every move of a project
(specification, States and transitions; decisions 2, 3 and 5). Of batches: test_batches.py."""

import pytest

from client import box, code_of, without_link
from test_annotation_import import bring, coco_of
from test_batches import Crew, Place

CALLERS = ("viewer", "other", "annotator", "reviewer", "admin", "owner", "root", "stranger")
STATUSES = ("pending", "assigned", "in_progress", "submitted", "review", "rejected", "completed")
REFUSALS = {"F": (403, "FORBIDDEN"), "N": (404, "NOT_FOUND"), "T": (409, "INVALID_TRANSITION"),
            "E": (409, "TASK_NOT_EDITABLE"), "H": (409, "TASK_NOT_HELD"),
            "A": (409, "TASK_ASSIGNED")}

# The task is the annotator's. A letter for a caller, + what is done; then where the task stands
# afterwards. Rows in the order of STATUSES.
TABLES = {
    "lock": (("F++++++N", "in_progress"), ("FA+AAAAN", "in_progress"), ("F++++++N", "in_progress"),
             ("FEE++++N", "submitted"), ("FEE++++N", "review"), ("FA+++++N", "rejected"),
             ("FEEEEEEN", None)),
    "annotations": (("FEEEEEEN", None), ("FEEEEEEN", None), ("FH+++++N", "submitted"),
                    ("FEE++++N", "submitted"), ("FEE++++N", "review"), ("FE+EEEEN", "submitted"),
                    ("FEEEEEEN", None)),
    "annotations?submit=false": (("FEEEEEEN", None), ("FEEEEEEN", None),
                                 ("FH+++++N", "in_progress"), ("FEE++++N", "submitted"),
                                 ("FEE++++N", "review"), ("FE+EEEEN", "in_progress"),
                                 ("FEEEEEEN", None)),
    "submit-for-review": (("FTTTTTTN", None), ("FTTTTTTN", None), ("FF+++++N", "review"),
                          ("FF+++++N", "review"), ("FTTTTTTN", None), ("FTTTTTTN", None),
                          ("FTTTTTTN", None)),
    "review/approve": (("FFFTTTTN", None), ("FFFTTTTN", None), ("FFFTTTTN", None),
                       ("FFF++++N", "completed"), ("FFF++++N", "completed"), ("FFFTTTTN", None),
                       ("FFFTTTTN", None)),
    "review/reject": (("FFFTTTTN", None), ("FFFTTTTN", None), ("FFFTTTTN", None),
                      ("FFF++++N", "rejected"), ("FFF++++N", "rejected"), ("FFFTTTTN", None),
                      ("FFFTTTTN", None)),
    "accept-rejection": (("FTTTTTTN", None), ("FTTTTTTN", None), ("FTTTTTTN", None),
                         ("FTTTTTTN", None), ("FTTTTTTN", None), ("FF+FF++N", "in_progress"),
                         ("FTTTTTTN", None)),
    "reopen": (("FFFTTTTN", None), ("FFTTTTTN", None), ("FFTTTTTN", None), ("FFTTTTTN", None),
               ("FFTTTTTN", None), ("FFTTTTTN", None), ("FF+++++N", "in_progress")),
    "skip": (("FTTTTTTN", None), ("FA+++++N", "pending"), ("FA+++++N", "pending"),
             ("FTTTTTTN", None), ("FTTTTTTN", None), ("FA+++++N", "pending"),
             ("FTTTTTTN", None)),
}
BODIES = {"annotations": {"shapes": []}, "annotations?submit=false": {"shapes": [box()]},
          "review/reject": {"reason_type": "extra"}}


# What tasks/next says where the annotator's task is the only one: it is theirs, others have what is
# left (-), all is done (0).
NEXT = (("F++++++N", "in_progress"), ("F-+----N", "in_progress"), ("F-+----N", "in_progress"),
        ("F000000N", None), ("F000000N", None), ("F-+----N", "rejected"), ("F000000N", None))
NO_TASK = {"-": "none_assigned", "0": "all_done"}


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


def pull(person, task_id, trigger):
    return person.api.post("/tasks/%d/%s" % (task_id, trigger), BODIES.get(trigger), None)


def bring_to(place, task_id, status):
    """The way of the annotator's task to the status; nobody holds its lock then."""
    if status in ("pending", "assigned"):
        return
    api = place.annotator.api
    api.post("/tasks/%d/lock" % task_id)
    if status == "in_progress":
        api.delete("/tasks/%d/lock" % task_id)
        return
    api.submit(task_id)
    if status == "review":
        api.post("/tasks/%d/submit-for-review" % task_id)
    if status == "rejected":
        place.reviewer.api.reject(task_id)
    if status == "completed":
        place.reviewer.api.approve(task_id)


def tasks_at(crew, status, count, prepare=lambda place: None):
    place = Place(crew, count)
    prepare(place)
    if status == "assigned":
        place.move(place.staffed(*place.tasks), "active")
    for task_id in place.tasks:
        bring_to(place, task_id, status)
        assert place.task(task_id)["status"] == status
    return place


def test_each_table_has_a_row_for_each_status_and_a_letter_for_each_caller():
    for trigger, rows in TABLES.items():
        assert len(rows) == len(STATUSES), trigger
        for outcomes, to in rows:
            assert len(outcomes) == len(CALLERS), trigger
            assert ("+" in outcomes) == (to is not None), trigger
            assert set(outcomes) <= {"+", *REFUSALS}, trigger


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("trigger", TABLES)
def test_every_trigger_in_every_status_by_every_caller(crew, trigger, status):
    outcomes, to = TABLES[trigger][STATUSES.index(status)]
    who_may = [name for name, letter in zip(CALLERS, outcomes) if letter == "+"]
    place = tasks_at(crew, status, max(1, len(who_may)))
    before = place.task(place.tasks[0])["version"]
    for name, letter in zip(CALLERS, outcomes):
        if letter == "+":
            continue
        answer = pull(place.people[name], place.tasks[0], trigger)
        found = (answer.status_code, code_of(answer))
        wanted = REFUSALS[letter]
        assert found == wanted or (found[0] == wanted[0] == 404), (name, answer.text)
    assert place.task(place.tasks[0])["version"] == before
    for name, task_id in zip(who_may, place.tasks):
        answer = pull(place.people[name], task_id, trigger)
        assert answer.status_code in (200, 201), (name, answer.text)
        assert place.task(task_id)["status"] == to, name


@pytest.mark.parametrize("status", STATUSES)
def test_next_gives_what_is_open_to_whom_it_belongs(crew, status):
    outcomes, to = NEXT[STATUSES.index(status)]
    place = tasks_at(crew, status, 1)
    for name, letter in zip(CALLERS, outcomes):
        if letter == "+":
            continue
        answer = place.people[name].api.next(place.id, None)
        if letter in NO_TASK:
            found = (answer.status_code, answer.headers["X-No-Task-Reason"])
            assert found == (204, NO_TASK[letter]), name
        else:
            assert (answer.status_code, code_of(answer)) == REFUSALS[letter], name
    assert place.task(place.tasks[0])["lock"] is None
    for name, letter in zip(CALLERS, outcomes):
        if letter != "+":
            continue
        place = tasks_at(crew, status, 1)
        task = place.people[name].api.next(place.id).json()
        assert (task["id"], task["status"]) == (place.tasks[0], to), name
        assert task["lock"] is not None, name


@pytest.mark.parametrize("status", STATUSES)
def test_a_lock_is_released_by_its_holder_or_an_owner_and_the_status_stays(crew, status):
    """What is completed nobody can hold, so there is nothing to release."""
    holder, nobody_to_it = "reviewer", "annotator"
    if status == "assigned":  # only who has it takes it
        holder, nobody_to_it = nobody_to_it, holder
    who_may = (holder, "owner", "root")
    place = tasks_at(crew, status, len(who_may))

    def path(task_id):
        return "/tasks/%d/lock" % task_id

    free = status == "completed"
    for task_id in place.tasks:
        place.people[holder].api.post(path(task_id), None, 409 if free else 200)
    stands = without_link(place.task(place.tasks[0]))
    for name, refused in (("viewer", 403), ("stranger", 404), ("other", 409),
                          (nobody_to_it, 409), ("admin", 409)):
        wanted = 204 if free and refused == 409 else refused
        answer = place.people[name].api.delete(path(place.tasks[0]), None)
        assert answer.status_code == wanted, (name, answer.text)
        if wanted == 409:
            assert code_of(answer) == "TASK_LOCKED"
    assert without_link(place.task(place.tasks[0])) == stands
    for name, task_id in zip(who_may, place.tasks):
        stood = place.task(task_id)["status"]
        place.people[name].api.delete(path(task_id), 204)
        now = place.task(task_id)
        assert (now["status"], now["lock"]) == (stood, None), name


def changes_of(person, task_id, shape_id):
    """What can be done to a shape that is there, the last undoing what the second did."""
    path = "/tasks/%d/annotations/%d" % (task_id, shape_id)
    return (lambda: person.api.patch(path, {"confidence": 0.5}, None),
            lambda: person.api.delete(path, None),
            lambda: person.api.post(path + "/restore", None, None))


def shape_of_each(place):
    """By task; they came by a document, as nobody draws before a task is begun."""
    tasks = [place.task(task_id) for task_id in place.tasks]
    bring(place.owner.api, place.id,
          coco_of(tasks, [(at, "car", 1, 1, 9, 9) for at in range(len(tasks))]))
    return {task["id"]: place.world.admin.annotations(task["id"])[0]["id"] for task in tasks}


@pytest.mark.parametrize("status", STATUSES)
def test_a_shape_is_changed_by_who_may_add_one_without_handing_in(crew, status):
    outcomes, to = TABLES["annotations?submit=false"][STATUSES.index(status)]
    shapes = {}
    place = tasks_at(crew, status, max(1, outcomes.count("+")),
                     lambda place: shapes.update(shape_of_each(place)))
    first = place.tasks[0]
    before = place.task(first)["version"]
    for name, letter in zip(CALLERS, outcomes):
        if letter == "+":
            continue
        # To put back what is not deleted is another refusal, for who may write at all.
        changes = changes_of(place.people[name], first, shapes[first])
        for change in changes if letter in "FN" else changes[:2]:
            answer = change()
            assert (answer.status_code, code_of(answer)) == REFUSALS[letter], (name, answer.text)
    assert place.task(first)["version"] == before
    who_may = [name for name, letter in zip(CALLERS, outcomes) if letter == "+"]
    for name, task_id in zip(who_may, place.tasks):
        for change in changes_of(place.people[name], task_id, shapes[task_id]):
            answer = change()
            assert answer.status_code in (200, 204), (name, answer.text)
        assert place.task(task_id)["status"] == to, name


PROJECT_STATUSES = ("in_progress", "completed", "archived")


@pytest.mark.parametrize("start", PROJECT_STATUSES)
@pytest.mark.parametrize("to", PROJECT_STATUSES)
def test_the_owner_moves_a_project_between_any_two_statuses(crew, start, to):
    place = Place(crew)
    url = "/projects/%d" % place.id

    def reset():
        assert place.owner.api.patch(url, {"status": start}).json()["status"] == start

    reset()
    for name in ("viewer", "other", "reviewer", "admin", "stranger"):
        hidden = name == "stranger" or (start == "archived" and name in ("viewer", "other"))
        stays = name == "admin" and start == to
        answer = place.people[name].api.patch(url, {"status": to}, None)
        # An archived project is invisible to annotators.
        wanted = (200,) if stays else (403, 404) if hidden else (403,)
        assert answer.status_code in wanted, (name, answer.text)
    for name in ("owner", "root"):
        reset()
        assert place.people[name].api.patch(url, {"status": to}).json()["status"] == to
