"""Two who write the same at once: a class, a decision, an annotation (decisions, 3 and 5)."""

import json
import threading

import pytest

from client import box, code_of, error_locations, without_link
from exported import coco, export
from log_copies import run
from racing import connections, new_tasks
from test_annotation_changes import path_of
from test_concurrency import together
from test_projects import classes_of, rename


# --- a class is renamed while others submit ---

class Naming:
    """A project whose first class gets one name after another while people submit boxes of it."""

    BOXES = 3

    def __init__(self, world, annotators=6, tasks=120):
        self.owner = world.person("project_admin")
        self.project_id = world.project(by=self.owner.api)["id"]
        self.tasks = new_tasks(world, self.project_id, tasks)
        self.people = world.members(self.project_id, annotators)
        self.name = "car"  # as last known: the true one may be newer
        self.turns = 0
        self.busy = {person.id for person in self.people}
        self.read, self.writer = connections(self.owner.api, 2)

    def rename(self):
        while self.busy:
            new = "car %d" % self.turns
            after = rename(self.writer, self.project_id, self.name, new).json()
            assert classes_of(after) == [new, "person"]
            self.name = new
            self.turns += 1
        return []

    def annotate(self, person):
        """Ids of the annotations that were made."""
        made = []
        try:
            while (answer := person.api.next(self.project_id, (200, 204))).status_code == 200:
                made += self.submit(person.api, answer.json()["id"])
            return made
        finally:
            self.busy.discard(person.id)

    def submit(self, api, task_id):
        while True:
            name = self.name
            answer = api.submit(task_id, [box(name)] * self.BOXES, (201, 422))
            if answer.status_code == 422:
                assert ("body", "shapes", 0, "class_name") in error_locations(answer)
                continue
            made = answer.json()["annotations"]
            assert {annotation["class_name"] for annotation in made} == {name}
            return [annotation["id"] for annotation in made]

    def look(self):
        """Whoever reads meanwhile sees one name at a time."""
        while self.busy:
            body = export(self.read, self.project_id, "native_json").json()
            assert len({a["class_name"] for a in body["annotations"]}) <= 1
            categories = coco(self.read, self.project_id)["categories"]
            first, second = [category["name"] for category in categories]
            assert first.startswith("car") and second == "person"
        return []


def test_a_class_is_renamed_while_boxes_of_it_are_submitted(world):
    case = Naming(world)
    results = together([case.rename, case.look,
                        *[lambda p=p: case.annotate(p) for p in case.people]])
    made = sorted(annotation_id for result in results for annotation_id in result)
    assert len(made) == len(set(made)) == len(case.tasks) * case.BOXES
    assert case.turns >= 10
    every = [a for task_id in case.tasks for a in case.read.annotations(task_id)]
    assert sorted(a["id"] for a in every) == made
    assert {a["class_name"] for a in every} == {case.name}
    assert len({a["class_id"] for a in every}) == 1
    assert classes_of(case.read.get("/projects/%d" % case.project_id).json()) == [case.name,
                                                                                  "person"]
    body = coco(case.read, case.project_id)
    assert {c["name"]: c["id"] for c in body["categories"]}[case.name] == every[0]["class_id"]
    assert {a["category_id"] for a in body["annotations"]} == {every[0]["class_id"]}


def test_of_two_new_names_for_one_class_one_is_given(world):
    project_id, now = world.project()["id"], "car"
    apis = connections(world.admin, 4)
    for turn in range(15):
        wanted = ["%d by %d" % (turn, at) for at in range(len(apis))]
        answers = together([lambda a=a, n=n: rename(a, project_id, now, n, (200, 404, 422))
                            for a, n in zip(apis, wanted)])
        (now,) = [name for name, a in zip(wanted, answers) if a.status_code == 200]
        assert classes_of(world.admin.get("/projects/%d" % project_id).json()) == [now, "person"]


def test_a_name_is_given_to_one_of_two_classes(world):
    names = ["c%d" % at for at in range(20)]
    project_id = world.project(classes=names)["id"]
    apis = connections(world.admin, 2)
    for at in range(0, 20, 2):
        pair, wanted = names[at:at + 2], "new %d" % at
        answers = together([lambda a=a, n=n: rename(a, project_id, n, wanted, (200, 409, 422))
                            for a, n in zip(apis, pair)])
        (winner,) = [place for place, a in enumerate(answers) if a.status_code == 200]
        names[at + winner] = wanted
        assert classes_of(world.admin.get("/projects/%d" % project_id).json()) == names


def test_a_class_is_removed_or_used_but_never_both(world):
    names = ["c%d" % at for at in range(24)]
    project_id = world.project(classes=names)["id"]
    new_tasks(world, project_id, len(names))
    annotator = world.member(project_id)
    path, remover = "/projects/%d" % project_id, connections(world.admin, 1)[0]
    used, removed = [], []
    for name in names:
        task_id = annotator.api.next(project_id).json()["id"]
        kept = {"classes_config": [{"name": each} for each in names
                                   if each != name and each not in removed]}
        sent, patched = together([
            lambda: annotator.api.submit(task_id, [box(name)], (201, 422)),
            lambda: remover.patch(path, kept, (200, 409))])
        assert (sent.status_code, patched.status_code) in ((201, 409), (422, 200))
        if sent.status_code == 201:
            assert code_of(patched) == "CLASS_IN_USE"
            used.append(name)
        else:
            annotator.api.submit(task_id)
            removed.append(name)
    assert classes_of(world.admin.get(path).json()) == used
    body = export(world.admin, project_id, "native_json").json()
    assert sorted(a["class_name"] for a in body["annotations"]) == sorted(used)


# --- two reviewers ---

VERDICTS = [("approve", "approve"), ("approve", "reject"), ("reject", "approve"),
            ("reject", "reject")]
LEADS_TO = {"approve": "completed", "reject": "rejected"}


@pytest.mark.parametrize("review_required", [True, False])
def test_two_reviewers_decide_each_task_once(world, review_required):
    project_id = world.project(review_required=review_required)["id"]
    tasks = new_tasks(world, project_id, 40)
    annotator = world.member(project_id)
    for _ in tasks:
        annotator.api.submit(annotator.api.next(project_id).json()["id"], [box()])
    reviewers = [world.member(project_id, "reviewer") for _ in range(2)]
    decided = {}
    for at, task_id in enumerate(tasks):
        verdicts = VERDICTS[at % len(VERDICTS)]
        answers = together([
            lambda p=p, v=v: getattr(p.api, v)(task_id, expect=(200, 409))
            for p, v in zip(reviewers, verdicts)])
        (winner,) = [at for at, answer in enumerate(answers) if answer.status_code == 200]
        assert code_of(answers[1 - winner]) == "INVALID_TRANSITION"
        decided[task_id] = (reviewers[winner].id, LEADS_TO[verdicts[winner]])
        assert answers[winner].json()["status"] == decided[task_id][1]
    for task in world.tasks_of(project_id, len(tasks)):
        assert (task["reviewer_id"], task["status"]) == decided[task["id"]]
        assert task["annotation_count"] == 1
    for person in reviewers:
        shown = person.api.get("/dashboard/reviewer").json()
        for name, status in (("approved", "completed"), ("rejected", "rejected")):
            assert shown[name]["last_7_days"] == list(decided.values()).count((person.id, status))
    told = [json.loads(line) for kind in ("task.approved", "task.rejected")
            for line in run(world.service, "tail", "--json", "--from", "1", "--type",
                            kind).stdout.splitlines()]
    ours = [(e["data"]["task_id"], e["actor"]) for e in told if e["data"]["task_id"] in decided]
    assert sorted(ours) == sorted((task_id, str(who)) for task_id, (who, _) in decided.items())


# --- the same annotation ---

WRITERS = 8


@pytest.fixture
def shared(world):
    """A submitted annotation and two reviewers, who may both change it."""
    work, task, annotator = world.submitted([box()])
    return (annotator.api.annotations(task["id"])[0],
            [world.member(work.project_id, "reviewer") for _ in range(2)])


def now(people, made):
    (read,) = people[0].api.annotations(made["task_id"])
    return read


def test_without_if_match_both_changes_stay(shared):
    """They name different members: neither takes back the other's."""
    made, people = shared
    for turn in range(20):
        wanted = {"group_id": turn, "confidence": round(0.01 * turn, 2)}
        answers = together([lambda p=p, m=m: p.api.patch(path_of(made), {m: wanted[m]})
                            for p, m in zip(people, wanted)])
        first = made["version"] + 2 * turn
        assert sorted(a.json()["version"] for a in answers) == [first + 1, first + 2]
        read = now(people, made)
        assert {name: read[name] for name in wanted} == wanted
        last = max(answers, key=lambda a: a.json()["version"])
        assert read == last.json()
        assert last.headers["ETag"] == '"%d"' % read["version"]


def test_without_if_match_the_last_change_of_the_same_stays(shared):
    made, people = shared
    apis = [api for person in people for api in connections(person.api, WRITERS)]
    answers = together([lambda a=a, at=at: a.patch(path_of(made), {"group_id": at})
                        for at, a in enumerate(apis)])
    told = sorted((a.json() for a in answers), key=lambda body: body["version"])
    assert [body["version"] for body in told] == [made["version"] + 1 + at
                                                  for at in range(len(apis))]
    assert now(people, made) == told[-1]
    assert told[-1]["updated_by"] == people[told[-1]["group_id"] // WRITERS].id


def test_with_if_match_one_of_two_changes_it(shared):
    made, people = shared
    for turn in range(20):
        version = made["version"] + turn
        answers = together([
            lambda p=p, at=at: p.api.patch(path_of(made), {"group_id": 2 * turn + at}, (200, 412),
                                           headers={"If-Match": '"%d"' % version})
            for at, p in enumerate(people)])
        assert sorted(a.status_code for a in answers) == [200, 412]
        (winner,) = [a.json() for a in answers if a.status_code == 200]
        assert winner["version"] == version + 1
        assert now(people, made) == winner


def test_if_match_wins_once_at_most_among_those_who_do_not_care(shared):
    made, people = shared
    careful, careless = people
    for turn in range(20):
        before = now(people, made)
        tag = {"If-Match": '"%d"' % before["version"]}
        guarded, free = together([
            lambda: careful.api.patch(path_of(made), {"group_id": 2 * turn}, (200, 412),
                                      headers=tag),
            lambda: careless.api.patch(path_of(made), {"group_id": 2 * turn + 1})])
        read = now(people, made)
        if guarded.status_code == 200:  # then it was first
            assert guarded.json()["version"] == before["version"] + 1
        assert read == free.json()
        assert read["group_id"] == 2 * turn + 1
        assert read["version"] - before["version"] == 1 + (guarded.status_code == 200)


def test_no_update_is_lost_to_whoever_reads_and_changes_with_if_match(shared):
    made, people = shared
    apis = [api for person in people for api in connections(person.api, WRITERS // 2)]
    turns = 10
    people[0].api.patch(path_of(made), {"group_id": 0})

    def count_up(api):
        done = 0
        while done < turns:
            (read,) = api.annotations(made["task_id"])
            answer = api.patch(path_of(made), {"group_id": read["group_id"] + 1}, (200, 412),
                               headers={"If-Match": '"%d"' % read["version"]})
            done += answer.status_code == 200

    together([lambda a=a: count_up(a) for a in apis])
    read = now(people, made)
    assert read["group_id"] == turns * len(apis)
    assert read["version"] == made["version"] + 1 + turns * len(apis)


def test_a_change_and_a_removal_at_once(world):
    work = world.work(1)
    annotator = world.member(work.project_id)
    task_id = annotator.api.next(work.project_id).json()["id"]
    other = connections(annotator.api, 1)[0]
    for made in annotator.api.save(task_id, [box()] * 20).json()["annotations"]:
        changed, removed = together([
            lambda: annotator.api.patch(path_of(made), {"group_id": 1}, (200, 404)),
            lambda: other.delete(path_of(made))])
        assert removed.status_code == 204
        if changed.status_code == 200:
            assert changed.json()["version"] == made["version"] + 1
    assert annotator.api.annotations(task_id) == []
    assert annotator.api.task(task_id)["annotation_count"] == 0


def test_what_is_changed_while_it_is_approved_is_changed_before(world):
    work = world.work(12)
    annotator = world.member(work.project_id)
    one, other = [world.member(work.project_id, "reviewer") for _ in range(2)]
    for _ in work.tasks:
        task_id = annotator.api.next(work.project_id).json()["id"]
        answer = annotator.api.submit(task_id, [box()]).json()
        (made,) = answer["annotations"]
        approved = threading.Event()

        def change():
            last = made
            while True:
                was_approved = approved.is_set()
                answer = one.api.patch(path_of(made), {"group_id": last["version"]}, (200, 409))
                if answer.status_code == 409:
                    assert code_of(answer) == "TASK_NOT_EDITABLE"
                    return last
                assert not was_approved, answer.text
                last = answer.json()

        def approve():
            answer = other.api.approve(task_id)
            approved.set()
            return answer.json()

        last, task = together([change, approve])
        assert (task["status"], task["annotation_count"]) == ("completed", 1)
        assert annotator.api.annotations(task_id) == [last]
        assert without_link(world.admin.task(task_id)) == without_link(task)
