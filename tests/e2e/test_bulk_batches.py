"""Many batches: lists, bulk calls, the manners of every write, and all of it at once
(specification, Batches; decisions 1, 2 and 4)."""

import threading

import pytest

from client import Api, box, code_of, error_locations, unique
from test_batches import ADMINS, EVERYONE, OWNERS, Crew, Place
from test_concurrency import together

WRITES = ("create", "patch", "fill", "take-out", "transition", "reset", "delete", "bulk-activate",
          "bulk-archive", "bulk-delete", "bulk-reassign", "distribute-batches")
FOR_ADMINS = WRITES[:5]
ON_ONE = WRITES[1:7]
BULK = WRITES[7:11]


@pytest.fixture(scope="module")
def crew(world):
    return Crew(world)


def bulk(place, action, batches, expect=200, api=None, **more):
    """batches: views, ids or display ids; the answer, checked for naming each of them once."""
    sent = [each["id"] if isinstance(each, dict) else each for each in batches]
    url = place.url("", "bulk-" + action)
    answer = (api or place.owner.api).post(url, {"batch_ids": sent, **more}, expect)
    if answer.status_code == 200:
        said = answer.json()
        assert all(entry["reason"] for entry in [*said["skipped"], *said["failed"]]), said
        named = [*said["succeeded"], *skipped(answer), *failed(answer)]
        assert len(named) == len({str(each) for each in named}), said
    return answer


def skipped(answer):
    return [entry["batch_id"] for entry in answer.json()["skipped"]]


def failed(answer):
    return {entry["batch_id"]: entry["code"] for entry in answer.json()["failed"]}


def statuses(place, *batches):
    return [place.see(batch)["status"] for batch in batches]


def people_of(batch):
    return batch["annotator_id"], batch["reviewer_id"]


# --- bulk calls ---

def test_bulk_activate_decides_per_batch(crew):
    place = Place(crew, 4)
    ready, running = place.staffed(place.tasks[0]), place.at("annotating", place.tasks[1])
    nobodys = place.make(task_ids=[place.tasks[2]])
    empty = place.make(annotator_id=place.annotator.id)
    archived = place.at("archived", place.tasks[3])
    answer = bulk(place, "activate", [nobodys, ready["display_id"], running, "B-DEFAULT", empty,
                                      archived, 999999999, "B-999999"])
    assert answer.json()["succeeded"] == [ready["id"]]
    assert "B-DEFAULT" in skipped(answer)
    reasons = failed(answer)
    assert reasons[nobodys["id"]] == "BATCH_NEEDS_ANNOTATOR"
    assert reasons[empty["id"]] == "BATCH_EMPTY"
    assert reasons[999999999] == reasons["B-999999"] == "NOT_FOUND"
    assert archived["id"] in reasons
    assert statuses(place, ready, running, nobodys, empty, archived) == [
        "active", "annotating", "draft", "draft", "archived"]


def test_bulk_archive_skips_what_is_archived(crew):
    place = Place(crew, 3)
    old, *others = [place.at(status, task_id) for status, task_id in zip(
        ("archived", "annotating", "approved"), place.tasks)]
    empty = place.make()
    answer = bulk(place, "archive", [*others, "B-DEFAULT", old, empty["display_id"], 999999999])
    assert sorted(answer.json()["succeeded"]) == [each["id"] for each in [*others, empty]]
    assert sorted(map(str, skipped(answer))) == sorted([str(old["id"]), "B-DEFAULT"])
    assert failed(answer) == {999999999: "NOT_FOUND"}
    assert statuses(place, old, empty, *others) == ["archived"] * 4


def test_bulk_delete_leaves_the_tasks(crew):
    place = Place(crew, 3)
    batches = [place.at(status, task_id) for status, task_id in zip(
        ("draft", "reviewing", "archived"), place.tasks)]
    kept = place.make()
    answer = bulk(place, "delete", [*batches[:2], batches[2]["display_id"], "B-DEFAULT", 999999999])
    assert sorted(answer.json()["succeeded"]) == [each["id"] for each in batches]
    assert skipped(answer) == ["B-DEFAULT"]
    assert failed(answer) == {999999999: "NOT_FOUND"}
    assert (place.listed(), place.unclassified()) == ([kept["id"]], 3)


def test_bulk_reassign_changes_what_it_names_and_tasks_follow(crew):
    place = Place(crew, 3)
    batches = [place.at(status, task_id) for status, task_id in zip(
        ("draft", "active", "annotating"), place.tasks)]
    for named, annotator, reviewer in [
            ({"annotator_id": place.other.id}, place.other.id, place.reviewer.id),
            ({"annotator_id": None}, None, place.reviewer.id),
            ({"annotator_id": place.annotator.id, "reviewer_id": None}, place.annotator.id, None),
            ({"reviewer_id": place.second.id}, place.annotator.id, place.second.id)]:
        answer = bulk(place, "reassign", [*batches, "B-DEFAULT"], **named)
        assert sorted(answer.json()["succeeded"]) == [each["id"] for each in batches]
        assert (skipped(answer), failed(answer)) == (["B-DEFAULT"], {})
        for batch in batches:
            assert people_of(place.see(batch)) == (annotator, reviewer)
            for task in place.tasks_in(batch):
                assert (task["assignee_id"], task["reviewer_id"]) == (annotator, reviewer)
                assert task["status"] == ("assigned" if annotator else "pending")


def test_bulk_reassign_is_all_or_nothing(crew):
    place, elsewhere = Place(crew, 3), Place(crew)
    good = [place.at("active", place.tasks[0]), place.staffed(place.tasks[1])]
    archived = place.at("archived", place.tasks[2])
    for bad, code in [(archived["id"], "BATCH_ARCHIVED"), (999999999, "NOT_FOUND"),
                      (elsewhere.make()["id"], "NOT_FOUND")]:
        answer = bulk(place, "reassign", [good[0], bad, good[1]], annotator_id=place.other.id)
        assert answer.json()["succeeded"] == []
        assert failed(answer) == {bad: code, good[0]["id"]: "OTHERS_FAILED",
                                  good[1]["id"]: "OTHERS_FAILED"}
    for field, person in (("annotator_id", place.viewer), ("reviewer_id", place.other)):
        answer = bulk(place, "reassign", good, 422, **{field: person.id})
        assert ("body", field) in error_locations(answer)
    assert [place.see(batch) for batch in [*good, archived]] == [*good, archived]


@pytest.mark.parametrize("scope", ["unassigned", "all"])
def test_batches_are_distributed_in_a_circle(crew, scope):
    place = Place(crew, 4)
    free = [place.make(task_ids=[task_id]) for task_id in place.tasks[:2]]
    taken = place.staffed(place.tasks[2])
    free.append(place.make(task_ids=[place.tasks[3]]))
    batches = free if scope == "unassigned" else sorted([taken, *free], key=lambda b: b["id"])
    annotators = [place.other.id, place.annotator.id]
    reviewers = [place.second.id, place.admin.id, place.reviewer.id]
    answer = place.owner.api.post(place.url("", "distribute-batches"), {
        "annotator_ids": annotators, "reviewer_ids": reviewers, "scope": scope}, 200).json()
    assert answer["assignments"] == [
        {"batch_id": batch["id"], "annotator_id": annotators[at % 2],
         "reviewer_id": reviewers[at % 3]} for at, batch in enumerate(batches)]
    for batch, given in zip(batches, answer["assignments"]):
        assert people_of(place.see(batch)) == (given["annotator_id"], given["reviewer_id"])
        assert place.tasks_in(batch)[0]["assignee_id"] == given["annotator_id"]
    if scope == "unassigned":
        assert place.see(taken) == taken


@pytest.mark.parametrize("action, body, where", [
    *[("bulk-" + verb, body, where) for verb in ("archive", "delete", "activate", "reassign")
      for body, where in (({}, ("batch_ids",)), ({"batch_ids": 1}, ("batch_ids",)),
                          ({"batch_ids": [1, None]}, ("batch_ids", 1)),
                          ({"batch_ids": [1.5, 1, {}]}, ("batch_ids", 2)))],
    ("bulk-reassign", {"batch_ids": [1], "annotator_id": "x"}, ("annotator_id",)),
    ("distribute-batches", {"annotator_ids": [], "reviewer_ids": [], "scope": "some"}, ("scope",)),
    ("distribute-batches", {"annotator_ids": "x", "reviewer_ids": [], "scope": "all"},
     ("annotator_ids",)),
    ("distribute-batches", {"annotator_ids": [], "reviewer_ids": ["x"], "scope": "all"},
     ("reviewer_ids", 0)),
])
def test_bulk_bodies_are_validated(here, action, body, where):
    answer = here.owner.api.post(here.url("", action), body, 422)
    assert ("body", *where) in error_locations(answer)


@pytest.fixture(scope="module")
def here(crew):
    return Place(crew)


# --- lists ---

def test_a_list_is_walked_and_filtered(crew):
    place = Place(crew, 2)
    draft, active = place.staffed(place.tasks[0]), place.at("active", place.tasks[1])
    others = [place.make(annotator_id=place.other.id), place.make(reviewer_id=place.second.id)]
    ids = [each["id"] for each in (draft, active, *others)]
    for limit in (1, 2, 3, 200):
        walked = place.viewer.api.all_pages(place.url(), limit=limit)
        assert [each["id"] for each in walked] == ids, limit
    assert walked == [place.see(batch) for batch in ids]
    assert place.listed(status="active") == ids[1:2]
    assert place.listed(status=["active", "archived"]) == ids[1:2]
    assert place.listed(status=["draft", "active"]) == ids
    assert place.listed(annotator_id=place.annotator.id) == ids[:2]
    assert place.listed(reviewer_id=place.second.id) == ids[3:]
    assert place.listed(annotator_id=place.annotator.id, status="draft") == ids[:1]
    for name, bad in (("status", "done"), ("annotator_id", "x"), ("limit", 0), ("limit", 201)):
        answer = place.viewer.api.get(place.url(), 422, params={name: bad})
        assert name in [loc[1] for loc in error_locations(answer)]


def test_a_cursor_of_batches_is_bound_to_its_query(crew):
    place, elsewhere = Place(crew), Place(crew)
    for _ in range(2):
        place.make()
    first = place.viewer.api.get(place.url(), params={"limit": 1}).json()
    sent = {"limit": 1, "cursor": first["next_cursor"]}
    place.viewer.api.get(place.url(), params=sent)
    for url, more in ((place.url(), {"status": "draft"}), (elsewhere.url(), {}),
                      (place.url(), {"annotator_id": place.other.id})):
        answer = place.viewer.api.get(url, 422, params={**sent, **more})
        assert code_of(answer) == "INVALID_CURSOR"


# --- the manners of every write ---

def write(place, batch, name, by="owner", expect=None, **more):
    """One of WRITES, which an active batch with the first two of three tasks allows."""
    of_it, all_of_them = place.url(batch), place.url("", name)
    people = {"annotator_id": place.other.id, "reviewer_id": None}
    method, url, body = {
        "create": ("POST", place.url(), {"task_count": 1}),
        "patch": ("PATCH", of_it, people),
        "fill": ("POST", of_it + "/tasks", {"task_ids": place.tasks[2:]}),
        "take-out": ("DELETE", of_it + "/tasks", {"task_ids": place.tasks[:1]}),
        "transition": ("POST", of_it + "/transition", {"target_status": "annotating"}),
        "reset": ("POST", of_it + "/reset", {"reason": "ten letters"}),
        "delete": ("DELETE", of_it, None),
        "bulk-reassign": ("POST", all_of_them, {"batch_ids": [batch["id"]], **people}),
        "distribute-batches": ("POST", all_of_them, {
            "annotator_ids": [place.other.id], "reviewer_ids": [place.second.id], "scope": "all"}),
    }.get(name, ("POST", all_of_them, {"batch_ids": [batch["id"]]}))
    return place.people[by].api.call(method, url, expect, json=body, **more)


def all_there_is(place):
    api = place.owner.api
    return api.all_pages(place.url()), api.all_pages("/tasks", {"project_id": place.id})


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_for_its_roles(crew, name):
    place = Place(crew, 3)
    batch = place.at("active", *place.tasks[:2])
    before = all_there_is(place)
    allowed = ADMINS if name in FOR_ADMINS else OWNERS
    for caller in [each for each in EVERYONE if each not in allowed]:
        assert code_of(write(place, batch, name, caller, 403)) == "FORBIDDEN", caller
    write(place, batch, name, "stranger", 404)
    assert all_there_is(place) == before
    write(place, batch, name, allowed[0], (200, 201, 204))


@pytest.mark.parametrize("name", WRITES)
def test_a_write_with_a_key_counts_once(crew, name):
    place = Place(crew, 3)
    batch, key = place.at("active", *place.tasks[:2]), unique("key")
    first = write(place, batch, name, expect=(200, 201, 204), key=key)
    after = all_there_is(place)
    again = write(place, batch, name, expect=first.status_code, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.text == first.text
    assert all_there_is(place) == after


@pytest.mark.parametrize("name", [*ON_ONE, *BULK])
def test_a_batch_of_another_project_is_not_there(crew, name):
    place, elsewhere = Place(crew, 3), Place(crew, 3)
    foreign = elsewhere.at("active", *elsewhere.tasks[:2])
    answer = write(place, foreign, name, expect=404 if name in ON_ONE else 200)
    if name in BULK:
        assert failed(answer) == {foreign["id"]: "NOT_FOUND"}
    place.owner.api.get(place.url(foreign), 404)
    assert elsewhere.see(foreign) == foreign


@pytest.mark.parametrize("name", [each for each in WRITES if "delete" not in each])
def test_an_archived_project_takes_no_write(crew, name):
    place = Place(crew, 3)
    batch = place.at("active", *place.tasks[:2])
    place.owner.api.patch("/projects/%d" % place.id, {"status": "archived"})
    assert write(place, batch, name, expect=409).json()["detail"]
    assert place.see(batch) == batch


def test_if_match_is_honoured(crew):
    place = Place(crew)
    batch, api = place.make(), place.owner.api
    url = place.url(batch)
    tag = api.get(url).headers["ETag"]
    assert tag == '"%d"' % batch["version"]
    changed = api.patch(url, {"name": "one"}, headers={"If-Match": tag}).json()
    api.patch(url, {"name": "two"}, 412, headers={"If-Match": tag})
    api.delete(url, 412, headers={"If-Match": tag})
    assert place.see(batch) == changed
    assert (changed["name"], changed["version"] > batch["version"]) == ("one", True)
    api.delete(url, headers={"If-Match": api.get(url).headers["ETag"]})


# --- at once ---

def test_32_annotators_share_a_batch_while_another_comes_and_goes(crew):
    place = Place(crew, 96)
    people = place.world.members(place.id, 32)
    batch, others = place.at("active", *place.tasks[:64]), place.tasks[64:]
    place.patch(batch, annotator_id=None)
    busy = {person.id for person in people}

    def annotate(person):
        try:
            return place.work_off(batch, person)
        finally:
            busy.discard(person.id)

    def come_and_go():
        while True:
            passing = place.staffed(*others)
            bulk(place, "activate", [passing])
            bulk(place, "reassign", [passing], annotator_id=place.other.id)
            place.owner.api.delete(place.url(passing))
            if not busy:
                return []

    results = together([come_and_go, *[lambda p=p: annotate(p) for p in people]], workers=33)
    assert sorted(task_id for result in results for task_id in result) == place.tasks[:64]
    seen = place.see(batch)
    assert (seen["status"], seen["progress"]["submitted"]) == ("reviewing", 64)
    assert {task["annotation_count"] for task in place.tasks_in(batch)} == {1}
    assert place.unclassified() == 32


def test_a_batch_that_changes_hands_loses_and_doubles_nothing(crew):
    place = Place(crew, 40)
    batch, over = place.at("active", *place.tasks), threading.Event()

    def annotate(person):
        done = []
        while True:
            last = over.is_set()
            answer = place.next(person, batch, (200, 204, 403))
            if answer.status_code == 200:
                task_id = answer.json()["id"]
                sent = person.api.submit(task_id, [box()], (201, 403, 409))
                done += [task_id] if sent.status_code == 201 else []
            elif last:
                return done

    def hand_over():
        for turn in range(20):
            person = place.annotator if turn % 2 else place.other
            bulk(place, "reassign", [batch], annotator_id=person.id)
        over.set()
        return []

    results = together([hand_over, lambda: annotate(place.annotator),
                        lambda: annotate(place.other)])
    assert sorted(task_id for result in results for task_id in result) == place.tasks
    assert {task["annotation_count"] for task in place.tasks_in(place.see(batch))} == {1}


def test_tasks_that_come_into_batches_meanwhile_are_done_once(crew):
    place = Place(crew, 60)
    people = place.world.members(place.id, 8)

    def annotate(person):
        done = []
        while (answer := place.next(person, expect=(200, 204))).status_code == 200:
            task_id = answer.json()["id"]
            sent = person.api.submit(task_id, [box()], (201, 403, 409))
            done += [task_id] if sent.status_code == 201 else []
        return done

    def gather_and_scatter():
        for _ in range(10):
            place.owner.api.delete(place.url(place.make(task_count=10)))
        return []

    results = together([gather_and_scatter, *[lambda p=p: annotate(p) for p in people]])
    results += [annotate(person) for person in people]
    assert sorted(task_id for result in results for task_id in result) == place.tasks


def test_of_many_who_want_the_same_one_gets_it(crew):
    place = Place(crew, 19)
    apis = [Api(place.world.service, place.owner.api.token) for _ in range(8)]
    wish = {"task_ids": place.tasks[:3]}
    answers = together([lambda a=a: a.post(place.url(), wish, (201, 409)) for a in apis])
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    made = [a.json() for a in together([
        lambda a=a: a.post(place.url(), {"task_count": 2}, 201) for a in apis])]
    assert sorted(each for batch in made for each in place.ids_in(batch)) == place.tasks[3:]
    answers = together([lambda a=a: bulk(place, "archive", made, api=a) for a in apis])
    done = [batch_id for answer in answers for batch_id in answer.json()["succeeded"]]
    assert sorted(done) == sorted(batch["id"] for batch in made)
