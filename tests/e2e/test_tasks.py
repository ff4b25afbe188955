"""Task lists, the next task, and locks (decisions, section 5)."""

import pytest

from client import box, code_of, error_locations

FIELDS = ("id", "display_id", "project_id", "batch_id", "dataset_item_id", "file_name", "file_path",
          "status", "assignee_id", "reviewer_id", "assignee", "reviewer", "reject_reason",
          "reject_reason_type", "reviewed_at", "submitted_at", "skipped_at", "reopened_count",
          "image_width", "image_height", "lock", "annotation_count", "version", "created_at",
          "updated_at")


def listed(api, **params):
    return [task["id"] for task in api.all_pages("/tasks", params)]


def lock(api, task_id, expect=200):
    return api.post("/tasks/%d/lock" % task_id, None, expect)


def release(api, task_id, expect=204):
    return api.delete("/tasks/%d/lock" % task_id, expect)


# --- one task, lists ---

def test_a_new_task_has_every_field(world):
    work = world.work(1, width=120, height=90)
    task = world.admin.task(work.tasks[0]["id"])
    for field in FIELDS:
        assert field in task, field
    assert task["project_id"] == work.project_id
    assert task["dataset_item_id"] == work.items[0]["id"]
    assert task["status"] == "pending"
    assert (task["image_width"], task["image_height"]) == (120, 90)
    assert task["display_id"] == "T-1"
    assert task["annotation_count"] == 0
    assert task["reopened_count"] == 0
    for field in ("batch_id", "assignee_id", "reviewer_id", "lock", "submitted_at", "reviewed_at",
                  "reject_reason", "reject_reason_type"):
        assert task[field] is None, field


def test_display_ids_count_within_the_project(world):
    work = world.work(3)
    assert sorted(t["display_id"] for t in work.tasks) == ["T-1", "T-2", "T-3"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 200])
def test_a_cursor_walk_sees_each_task_once(world, many, limit):
    walked = [t["id"] for t in world.admin.all_pages("/tasks", {"project_id": many.project_id},
                                                     limit=limit)]
    assert len(walked) == len(set(walked))
    assert sorted(walked) == [t["id"] for t in many.tasks]


def test_offset_mode_tells_the_total(world, many):
    seen = []
    for offset in range(0, 12, 5):
        page = world.admin.get("/tasks", params={"project_id": many.project_id, "limit": 5,
                                                 "offset": offset}).json()
        assert (page["total"], page["limit"], page["offset"]) == (12, 5, offset)
        assert page["total_is_least"] is False
        seen += [t["id"] for t in page["items"]]
    assert sorted(seen) == [t["id"] for t in many.tasks]
    beyond = world.admin.get("/tasks", params={"project_id": many.project_id, "offset": 99}).json()
    assert (beyond["items"], beyond["total"]) == ([], 12)


@pytest.fixture(scope="module")
def many(world):
    return world.work(12)


def test_a_walk_is_not_upset_by_tasks_that_come_meanwhile(world):
    work = world.work(6)
    page = world.admin.get("/tasks", params={"project_id": work.project_id, "limit": 3}).json()
    seen = [t["id"] for t in page["items"]]
    world.upload_images(work.dataset_id, 2)
    while page["next_cursor"]:
        page = world.admin.get("/tasks", params={"project_id": work.project_id, "limit": 3,
                                                 "cursor": page["next_cursor"]}).json()
        seen += [t["id"] for t in page["items"]]
    assert len(seen) == len(set(seen))
    assert {t["id"] for t in work.tasks} <= set(seen)


def test_status_filters_and_their_lifecycle_words(world):
    work = world.work(5, review_required=True)
    annotator = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    held = [annotator.api.next(work.project_id).json()["id"]]
    for _ in range(3):
        annotator.api.submit(held[-1])
        held.append(annotator.api.next(work.project_id).json()["id"])
    reviewer.api.approve(held[0])
    reviewer.api.reject(held[1])
    rest = next(t["id"] for t in work.tasks if t["id"] not in held)
    wanted = {"completed": [held[0]], "reviewed": [held[0]], "rejected": [held[1]],
              "returned": [held[1]], "review": [held[2]], "in_progress": [held[3]],
              "pending": [rest], "created": [rest], "submitted": [], "assigned": []}
    for status, ids in wanted.items():
        assert listed(world.admin, project_id=work.project_id, status=status) == ids, status


def test_an_unknown_status_filter_is_422(world):
    answer = world.admin.get("/tasks", 422, params={"status": "finished"})
    assert ("query", "status", 0) in error_locations(answer)


def test_a_list_shows_only_visible_projects(world):
    mine, theirs = world.work(2), world.work(2)
    person = world.member(mine.project_id, "viewer")
    assert sorted(listed(person.api)) == [t["id"] for t in mine.tasks]
    assert theirs.tasks[0]["id"] not in listed(person.api)


# --- next ---

def test_next_gives_the_oldest_pending_task_and_locks_it(world):
    work = world.work(3)
    annotator = world.member(work.project_id)
    task = annotator.api.next(work.project_id).json()
    assert task["id"] == work.tasks[0]["id"]
    assert task["status"] == "in_progress"
    assert task["assignee_id"] == annotator.id
    assert task["lock"]["user_id"] == annotator.id
    assert task["lock"]["expires_at"].endswith("Z")
    assert annotator.api.task(task["id"])["assignee"]["id"] == annotator.id


def test_next_again_gives_the_same_task_with_the_lock_renewed(world):
    work = world.work(2)
    annotator = world.member(work.project_id)
    first = annotator.api.next(work.project_id).json()
    again = annotator.api.next(work.project_id).json()
    assert again["id"] == first["id"]
    assert again["lock"]["expires_at"] >= first["lock"]["expires_at"]


def test_two_annotators_never_get_the_same_task(world):
    work = world.work(2)
    one, two = world.member(work.project_id), world.member(work.project_id)
    assert one.api.next(work.project_id).json()["id"] == work.tasks[0]["id"]
    assert two.api.next(work.project_id).json()["id"] == work.tasks[1]["id"]


def test_own_rejected_comes_before_own_in_progress_before_new(world):
    work = world.work(4, review_required=True)
    annotator = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    first = annotator.api.next(work.project_id).json()["id"]
    annotator.api.submit(first, [box()])
    second = annotator.api.next(work.project_id).json()["id"]
    release(annotator.api, second)
    reviewer.api.reject(first)
    assert annotator.api.next(work.project_id).json()["id"] == first
    annotator.api.submit(first)
    assert annotator.api.next(work.project_id).json()["id"] == second
    annotator.api.submit(second)
    third = annotator.api.next(work.project_id).json()["id"]
    assert third == work.tasks[2]["id"]


def test_a_released_task_stays_with_its_assignee(world):
    work = world.work(2)
    one, two = world.member(work.project_id), world.member(work.project_id)
    mine = one.api.next(work.project_id).json()["id"]
    release(one.api, mine)
    assert two.api.next(work.project_id).json()["id"] != mine
    assert one.api.next(work.project_id).json()["id"] == mine


def test_when_all_is_done_there_is_no_task_and_a_reason(world):
    work = world.work(1)
    annotator = world.member(work.project_id)
    annotator.api.submit(annotator.api.next(work.project_id).json()["id"])
    answer = annotator.api.next(work.project_id, 204)
    assert answer.content == b""
    assert answer.headers["X-No-Task-Reason"] == "all_done"
    assert "Retry-After" not in answer.headers


def test_when_all_is_locked_the_answer_says_when_to_come_again(world):
    work = world.work(1)
    one, two = world.member(work.project_id), world.member(work.project_id)
    one.api.next(work.project_id)
    answer = two.api.next(work.project_id, 204)
    assert answer.headers["X-No-Task-Reason"] == "all_locked"
    assert 0 < int(answer.headers["Retry-After"]) <= 30 * 60


def test_a_project_without_tasks_has_none_to_give(world):
    project = world.project()
    annotator = world.member(project["id"])
    answer = annotator.api.next(project["id"], 204)
    assert answer.headers["X-No-Task-Reason"] in ("all_done", "none_assigned")


@pytest.mark.parametrize("body, where", [
    ({}, "project_id"), ({"project_id": "1"}, "project_id"), ({"project_id": None}, "project_id"),
    ({"project_id": 1.5}, "project_id"), ({"project_id": 2**53}, "project_id"),
    ({"project_id": 1, "batch_id": "x y"}, "batch_id"),
])
def test_next_is_validated(world, body, where):
    assert ("body", where) in error_locations(world.admin.post("/tasks/next", body, 422))


def test_an_unknown_project_or_batch_is_404(world):
    work = world.work(1)
    world.admin.next(999999999, 404)
    world.admin.next(work.project_id, (404, 422), batch_id=999999999)
    assert world.admin.task(work.tasks[0]["id"])["status"] == "pending"


def test_an_archived_project_gives_no_task(world):
    work = world.work(1)
    world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
    world.admin.next(work.project_id, 409)
    assert world.admin.task(work.tasks[0]["id"])["status"] == "pending"


# --- locks ---

def test_lock_renew_release(world):
    work = world.work(1)
    annotator = world.member(work.project_id)
    task_id = work.tasks[0]["id"]
    first = lock(annotator.api, task_id).json()
    assert (first["task_id"], first["user_id"]) == (task_id, annotator.id)
    assert first["locked_at"] < first["expires_at"]
    again = lock(annotator.api, task_id).json()
    assert again["expires_at"] >= first["expires_at"]
    assert again["locked_at"] == first["locked_at"], "a renewal takes nothing anew"
    assert annotator.api.task(task_id)["lock"]["user_id"] == annotator.id
    release(annotator.api, task_id)
    assert annotator.api.task(task_id)["lock"] is None


def test_a_task_locked_by_another_is_409_and_says_by_whom(world):
    work = world.work(1)
    one, two = world.member(work.project_id), world.member(work.project_id)
    task_id = work.tasks[0]["id"]
    held = lock(one.api, task_id).json()
    answer = lock(two.api, task_id, 409)
    assert code_of(answer) == "TASK_LOCKED"
    detail = answer.json()["detail"]
    by = detail["locked_by"]
    assert (by["id"] if isinstance(by, dict) else by) == one.id
    assert detail["expires_at"] == held["expires_at"]


def test_only_the_holder_or_the_owner_releases(world):
    work = world.work(1)
    one, two = world.member(work.project_id), world.member(work.project_id)
    task_id = work.tasks[0]["id"]
    lock(one.api, task_id)
    release(two.api, task_id, (403, 409))
    assert world.admin.task(task_id)["lock"]["user_id"] == one.id
    release(world.admin, task_id)
    lock(two.api, task_id)


def test_a_locked_task_takes_no_annotations_from_another(world):
    work, task, annotator = world.started()
    other = world.member(work.project_id)
    answer = other.api.save(task["id"], [box()], 409)
    assert code_of(answer) == "TASK_LOCKED"
    assert annotator.api.annotations(task["id"]) == []


def test_submitting_frees_the_lock(world):
    _, task, annotator = world.started()
    annotator.api.submit(task["id"])
    assert annotator.api.task(task["id"])["lock"] is None
