"""Batches that are handed over, deleted, reset or judged while people work in them
(specification, Batches; decisions 4 and 5)."""

import collections
import itertools
import threading

import pytest

from client import box, code_of
from racing import connections, new_tasks
from test_batches import FEEDBACK, Crew, Place, user_id
from test_bulk_batches import bulk
from test_concurrency import together


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


def place_with(crew, count, **fields):
    place = Place(crew, **fields)
    place.tasks = new_tasks(crew.world, place.id, count)
    return place


# --- handed over ---

class Handover:
    """Two people ask for tasks of a batch without end; all that they hold is noted with the turn
    in which they asked."""

    def __init__(self, place, batch):
        self.place, self.batch = place, batch
        self.over = threading.Event()

    def ask(self, person):
        """Asks, and lets go of every other task, so that there is always one to be had."""
        for at in itertools.count():
            if self.over.is_set():
                return
            answer = self.place.next(person, self.batch, (200, 204, 403))
            if answer.status_code != 200:
                continue
            task = answer.json()
            assert task["lock"]["user_id"] == task["assignee_id"] == person.id
            if at % 2:
                person.api.delete("/tasks/%d/lock" % task["id"], (200, 204, 403, 409))

    def hand_over(self, turns):
        try:
            for turn in range(turns):
                person = (self.place.annotator, self.place.other)[turn % 2]
                WAYS[turn // 2 % len(WAYS)](self.place, self.batch, person)
                self.check(person)
        finally:
            self.over.set()

    def check(self, person):
        """From the answer on the batch's open work is the person's alone."""
        seen = self.place.owner.api.get(self.place.url(self.batch)).json()
        assert seen["annotator_id"] == person.id
        for task in self.place.tasks_in(self.batch):
            assert task["assignee_id"] == person.id, task
            assert task["lock"] is None or task["lock"]["user_id"] == person.id, task


WAYS = [
    lambda place, batch, person: place.patch(batch, annotator_id=person.id),
    lambda place, batch, person: bulk(place, "reassign", [batch], annotator_id=person.id),
    lambda place, batch, person: place.act("", "distribute-batches", {
        "annotator_ids": [person.id], "reviewer_ids": [], "scope": "all"}),
]


def test_whoever_lost_a_batch_holds_none_of_its_tasks(crew):
    place = place_with(crew, 12)
    race = Handover(place, place.at("active", *place.tasks))
    together([lambda: race.hand_over(30), lambda: race.ask(place.annotator),
              lambda: race.ask(place.other)])
    last = place.other
    place.next(place.annotator, race.batch, 403)
    assert sorted(place.work_off(race.batch, last)) == place.tasks
    assert {task["annotation_count"] for task in place.tasks_in(race.batch)} == {1}


def test_many_batches_have_one_annotator_at_any_time(crew):
    place = place_with(crew, 8)
    batches = [place.at("active", *place.tasks[at:at + 2]) for at in range(0, 8, 2)]
    over = threading.Event()

    def reassign(api, person):
        try:
            for _ in range(15):
                bulk(place, "reassign", batches, api=api, annotator_id=person.id)
        finally:
            over.set()

    def look(api):
        while not over.is_set():
            listed = api.all_pages(place.url(), limit=200)
            assert len({batch["annotator_id"] for batch in listed}) == 1
            tasks = api.all_pages("/tasks", {"project_id": place.id}, limit=200)
            assert len({task["assignee_id"] for task in tasks}) == 1

    apis = connections(place.owner.api, 4)
    together([lambda: reassign(apis[0], place.annotator), lambda: reassign(apis[1], place.other),
              lambda: look(apis[2]), lambda: look(apis[3])])
    (last,) = {place.see(batch)["annotator_id"] for batch in batches}
    assert {task["assignee_id"] for batch in batches for task in place.tasks_in(batch)} == {last}


# --- deleted ---

Took = collections.namedtuple("Took", "task_id person submitted")


class Deletion:
    """A batch that anybody may work in is deleted after so many of its tasks were taken."""

    def __init__(self, place, batch, after, delete):
        self.place, self.batch, self.delete = place, batch, delete
        self.taken = threading.Semaphore(0)
        self.after = after
        self.deleted = threading.Event()

    def run(self):
        for _ in range(self.after):
            assert self.taken.acquire(timeout=60)
        self.delete(self.place, self.batch)
        self.deleted.set()
        self.place.owner.api.get(self.place.url(self.batch), 404)
        return []

    def work(self, person):
        """Takes and submits, but keeps every fourth task; ends when the batch is no more."""
        done = []
        while True:
            was_deleted = self.deleted.is_set()
            answer = self.place.next(person, self.batch, (200, 204, 404))
            if answer.status_code == 404:
                return done
            assert not was_deleted, "a task of a deleted batch was handed out"
            if answer.status_code == 204:
                self.taken.release()
                continue
            task = answer.json()
            assert task["batch_id"] == self.batch["id"]
            self.taken.release()
            keeps = len(done) % 4 == 3
            if not keeps:
                person.api.submit(task["id"], [box()])
            done.append(Took(task["id"], person, not keeps))
            if keeps:
                return done


DELETIONS = {
    "one": lambda place, batch: place.owner.api.delete(place.url(batch)),
    "bulk": lambda place, batch: bulk(place, "delete", [batch]),
}


@pytest.mark.parametrize("after", [0, 1, 8, 16])
@pytest.mark.parametrize("way", list(DELETIONS))
def test_a_batch_is_deleted_while_its_tasks_are_taken(crew, way, after):
    place = place_with(crew, 30)
    batch = place.at("active", *place.tasks)
    place.patch(batch, annotator_id=None)
    people = crew.world.members(place.id, 6)
    race = Deletion(place, batch, after, DELETIONS[way])
    took = [each for result in together([race.run, *[lambda p=p: race.work(p) for p in people]])
            for each in result]
    check_what_is_left(place, took)
    rest = [task_id for person in people for task_id in submit_all(place, person)]
    done = [each.task_id for each in took if each.submitted] + rest
    assert sorted(done) == place.tasks
    tasks = crew.world.tasks_of(place.id, len(place.tasks))
    assert {(task["status"], task["annotation_count"]) for task in tasks} == {("submitted", 1)}


def check_what_is_left(place, took):
    """Tasks are without a batch; who works on one goes on, and nobody else is in its way."""
    assert place.listed() == []
    assert place.unclassified() == len(place.tasks)
    assert len({each.task_id for each in took}) == len(took)
    by_task = {each.task_id: each for each in took}
    for task in place.world.tasks_of(place.id, len(place.tasks)):
        assert task["batch_id"] is None
        had = by_task.get(task["id"])
        holder = had.person.id if had and not had.submitted else None
        assert (task["lock"] and task["lock"]["user_id"]) == holder, task
        assert (task["status"] == "submitted") == bool(had and had.submitted), task


def submit_all(place, person):
    """Of the project, not of a batch: all that the person gets."""
    done = []
    while (answer := place.next(person, expect=(200, 204))).status_code == 200:
        done.append(answer.json()["id"])
        person.api.submit(done[-1], [box()])
    return done


# --- reset ---

def test_after_a_reset_every_task_is_to_do_whatever_was_on_its_way(crew):
    place = place_with(crew, 12)
    batch, sent = place.staffed(*place.tasks), collections.Counter()
    for turn in range(6):
        place.patch(batch, annotator_id=place.annotator.id)
        place.move(batch, "active")
        begun = threading.Event()

        def annotate():
            while True:
                answer = place.next(place.annotator, batch, (200, 204, 409))
                if answer.status_code != 200:
                    return
                task_id = answer.json()["id"]
                begun.set()
                answer = place.annotator.api.submit(task_id, [box()], (201, 403, 409))
                sent[task_id] += answer.status_code == 201

        def reset():
            assert begun.wait(60)
            place.act(batch, "reset", {"reason": "ten letters"})

        together([annotate, reset])
        seen = place.see(batch)
        assert seen["status"] == "draft", turn
        assert seen["progress"]["pending"] == len(place.tasks)
        assert {task["lock"] for task in place.tasks_in(batch)} == {None}
    place.patch(batch, annotator_id=place.other.id)
    place.move(batch, "active")
    sent.update(place.work_off(batch, place.other))
    assert sorted(sent) == place.tasks
    for task in place.tasks_in(batch):  # what was submitted before a reset is kept
        assert (task["status"], task["annotation_count"]) == ("submitted", sent[task["id"]])


# --- judged ---

@pytest.mark.parametrize("verdicts", [
    ("approved", "approved", "approved"), ("approved", "rejected", "approved"),
    ("rejected", "approved", "rejected"), ("rejected", "rejected", "rejected")])
def test_a_batch_is_judged_once(crew, verdicts):
    place = place_with(crew, 1)
    batch = place.at("reviewing", *place.tasks)
    place.reviewer.api.approve(place.tasks[0])
    judges = [place.reviewer, place.admin, place.owner]
    answers = together([
        lambda p=p, v=v, at=at: place.move(batch, v, (200, 409), by=p,
                                           **({"review_feedback": "%s %d" % (FEEDBACK, at)}
                                              if v == "rejected" else {}))
        for at, (p, v) in enumerate(zip(judges, verdicts))])
    (winner,) = [at for at, answer in enumerate(answers) if answer.status_code == 200]
    for answer in answers[:winner] + answers[winner + 1:]:
        assert code_of(answer) == "INVALID_TRANSITION"
        assert answer.json()["detail"]["from"] == verdicts[winner]
    seen = place.see(batch)
    assert seen == answers[winner].json()
    assert (seen["status"], user_id(seen["reviewed_by"])) == (verdicts[winner], judges[winner].id)
    said = "%s %d" % (FEEDBACK, winner) if verdicts[winner] == "rejected" else None
    assert seen["review_feedback"] == said


def test_the_last_approval_and_the_batchs_come_in_some_order(crew):
    """Approved with a task that awaits review: never, not even at once."""
    place = place_with(crew, 10)
    for task_id in place.tasks:
        batch = place.at("reviewing", task_id)
        approved, moved = together([
            lambda: place.reviewer.api.approve(task_id),
            lambda: place.move(batch, "approved", (200, 409), by=place.admin)])
        assert approved.status_code == 200
        if moved.status_code == 409:
            assert code_of(moved) == "BATCH_TASKS_AWAIT_REVIEW"
            place.move(batch, "approved", by=place.admin)
        assert place.see(batch)["progress"]["completed"] == 1
