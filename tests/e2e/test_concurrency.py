"""Many callers at once: no task twice, none lost, one effect per key (decisions, section 5)."""

import collections
import concurrent.futures
import threading

import images
from client import Api, box, md5, unique, unique_seed


def together(jobs, workers=16):
    """Runs callables in threads that start as one; returns their results in order."""
    gate = threading.Barrier(min(workers, len(jobs)))
    first = collections.deque(range(gate.parties))

    def run(job):
        try:
            first.popleft()
            gate.wait(timeout=30)
        except IndexError:
            pass
        return job()

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return [f.result(timeout=300) for f in [pool.submit(run, job) for job in jobs]]


def test_sixteen_annotators_take_200_tasks_each_once(world):
    work = world.work(200)
    people = world.members(work.project_id, 16)

    def annotate(person):
        taken = []
        while True:
            answer = person.api.next(work.project_id, (200, 204))
            if answer.status_code == 204:
                return taken
            task = answer.json()
            assert task["lock"]["user_id"] == person.id
            person.api.submit(task["id"], [box()])
            taken.append(task["id"])

    results = together([lambda p=p: annotate(p) for p in people])
    taken = [task_id for result in results for task_id in result]
    assert len(taken) == len(set(taken))
    assert sorted(taken) == [task["id"] for task in work.tasks]
    after = world.tasks_of(work.project_id, 200)
    assert all(task["status"] == "submitted" for task in after)
    assert all(task["annotation_count"] == 1 for task in after)


def test_one_task_and_sixteen_callers_gives_one_holder(world):
    work = world.work(1)
    people = world.members(work.project_id, 16)
    answers = together([lambda p=p: p.api.next(work.project_id, (200, 204)) for p in people])
    assert sorted(a.status_code for a in answers) == [200] + [204] * 15


def test_sixteen_lockers_of_one_task_gives_one_holder(world):
    work = world.work(1)
    people = world.members(work.project_id, 16)
    path = "/tasks/%d/lock" % work.tasks[0]["id"]
    answers = together([lambda p=p: p.api.post(path, None, (200, 409)) for p in people])
    assert sorted(a.status_code for a in answers) == [200] + [409] * 15
    holder = next(a.json()["user_id"] for a in answers if a.status_code == 200)
    assert world.admin.task(work.tasks[0]["id"])["lock"]["user_id"] == holder


def test_one_caller_asking_sixteen_times_at_once_gets_one_task(world):
    work = world.work(20)
    person = world.member(work.project_id)
    answers = together([lambda: Api(world.service, person.api.token).next(work.project_id)
                        for _ in range(16)])
    assert len({a.json()["id"] for a in answers}) == 1


def test_a_submission_sent_sixteen_times_with_one_key_counts_once(world):
    _, task, annotator = world.started()
    key = unique("key")
    answers = together([
        lambda: Api(world.service, annotator.api.token).submit(
            task["id"], [box(), box("person")], (201, 409), key=key) for _ in range(16)])
    good = [a for a in answers if a.status_code == 201]
    assert good
    assert len({tuple(x["id"] for x in a.json()["annotations"]) for a in good}) == 1
    assert len(annotator.api.annotations(task["id"])) == 2


def test_a_submission_sent_sixteen_times_without_a_key_counts_once(world):
    _, task, annotator = world.started()
    answers = together([
        lambda: Api(world.service, annotator.api.token).submit(task["id"], [box()], (201, 409))
        for _ in range(16)])
    assert sorted(a.status_code for a in answers) == [201] + [409] * 15
    assert len(annotator.api.annotations(task["id"])) == 1


def test_a_name_asked_for_sixteen_times_at_once_is_given_once(world):
    name = unique("wanted")
    answers = together([
        lambda: Api(world.service, world.admin.token).post("/projects", {"name": name}, (201, 409))
        for _ in range(16)])
    assert sorted(a.status_code for a in answers) == [201] + [409] * 15


def test_of_many_updates_with_the_same_if_match_one_wins(world):
    made = world.project()
    path = "/projects/%d" % made["id"]
    tag = world.admin.get(path).headers["ETag"]
    answers = together([
        lambda at=at: Api(world.service, world.admin.token).patch(
            path, {"description": "writer %d" % at}, (200, 412), headers={"If-Match": tag})
        for at in range(16)])
    winners = [a.json()["description"] for a in answers if a.status_code == 200]
    assert len(winners) == 1
    assert world.admin.get(path).json()["description"] == winners[0]


def test_approve_and_reject_at_once_gives_one_decision(world):
    work, task, _ = world.in_review([box()])
    people = world.members(work.project_id, 8, "reviewer")
    calls = [lambda p=p, at=at: p.api.approve(task["id"], (200, 409)) if at % 2
             else p.api.reject(task["id"], expect=(200, 409)) for at, p in enumerate(people)]
    answers = together(calls, workers=8)
    good = [a.json() for a in answers if a.status_code == 200]
    assert len(good) == 1
    assert world.admin.task(task["id"])["status"] == good[0]["status"]


def test_the_same_bytes_uploaded_many_times_at_once_become_one_item(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    inits = [world.admin.upload_init(dataset["id"], "%d.png" % at, data).json()
             for at in range(8)]
    for init in inits:
        world.admin.put_object(init, data)
    answers = together([
        lambda i=i: Api(world.service, world.admin.token).upload_complete(
            dataset["id"], i["item_id"], (200, 409, 422)) for i in inits], workers=8)
    assert sum(a.status_code == 200 for a in answers) == 1
    path = "/datasets/%d/items" % dataset["id"]
    ready = world.admin.all_pages(path, {"status": "ready"})
    assert [item["content_hash"] for item in ready] == [md5(data)]
