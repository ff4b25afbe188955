"""Changing and removing annotations (specification, Tasks; decisions, section 5)."""

import pytest

from client import box, code_of, error_locations, polygon, unique


def path_of(annotation):
    return "/tasks/%d/annotations/%d" % (annotation["task_id"], annotation["id"])


@pytest.fixture
def saved(world):
    """One saved annotation of a task that its annotator holds: (work, annotation, annotator)."""
    work, task, annotator = world.started(type_key="image-seg")
    made = annotator.api.save(task["id"], [box("car")]).json()["annotations"][0]
    return work, made, annotator


@pytest.mark.parametrize("change", [
    {"class_name": "person"}, {"confidence": 0.5},
    {"geometry": {"x": 0.5, "y": 0.5, "width": 0.25, "height": 0.25}}, {"group_id": 7},
    {"class_name": "person", "confidence": 1, "group_id": None},
])
def test_a_patch_changes_what_it_names_and_raises_the_version(saved, change):
    _, made, annotator = saved
    after = annotator.api.patch(path_of(made), change).json()
    assert after["version"] == 2
    assert after["id"] == made["id"]
    for name, value in change.items():
        assert after[name] == value, name
    for name in ("class_name", "geometry", "created_at", "created_by", "source", "task_id"):
        if name not in change:
            assert after[name] == made[name], name
    assert after["updated_by"] == annotator.id
    assert annotator.api.annotations(made["task_id"]) == [after]


@pytest.mark.parametrize("change", [{"task_id": 1}, {"source": "ai-accepted"},
                                    {"parent_prediction_id": 1}])
def test_some_fields_never_change(saved, change):
    _, made, annotator = saved
    answer = annotator.api.patch(path_of(made), change, (200, 422))
    if answer.status_code == 200:
        assert list(change)[0] in answer.headers["X-Ignored-Fields"]
    read = annotator.api.annotations(made["task_id"])[0]
    for name in change:
        assert read[name] == made[name]


@pytest.mark.parametrize("change, where", [
    ({"class_name": "lorry"}, "class_name"), ({"class_name": None}, "class_name"),
    ({"confidence": "high"}, "confidence"),
    ({"geometry": {"x": 0.9, "y": 0, "width": 0.5, "height": 0.5}}, "geometry"),
    ({"geometry": {"points": [[0, 0], [1, 0], [1, 1]]}}, "geometry"),
    ({"geometry": None}, "geometry"), ({"attributes": 1}, "attributes"),
])
def test_an_impossible_change_is_refused_with_its_path(saved, change, where):
    _, made, annotator = saved
    found = error_locations(annotator.api.patch(path_of(made), change, 422))
    assert all(loc[:2] == ("body", where) for loc in found), found
    assert annotator.api.annotations(made["task_id"]) == [made]


def test_if_match_guards_against_a_lost_update(saved):
    _, made, annotator = saved
    first = annotator.api.patch(path_of(made), {"confidence": 0.1}, headers={"If-Match": '"1"'})
    assert first.headers["ETag"] == '"2"'
    annotator.api.patch(path_of(made), {"confidence": 0.2}, 412, headers={"If-Match": '"1"'})
    annotator.api.delete(path_of(made), 412, headers={"If-Match": '"1"'})
    assert annotator.api.annotations(made["task_id"])[0]["confidence"] == 0.1
    annotator.api.delete(path_of(made), headers={"If-Match": '"2"'})


def test_a_deleted_annotation_leaves_page_and_count(saved):
    _, made, annotator = saved
    assert annotator.api.delete(path_of(made)).content == b""
    assert annotator.api.annotations(made["task_id"]) == []
    assert annotator.api.task(made["task_id"])["annotation_count"] == 0
    annotator.api.delete(path_of(made), 404)
    annotator.api.patch(path_of(made), {"confidence": 1}, 404)


def restore(api, annotation, expect=200, **more):
    return api.post(path_of(annotation) + "/restore", None, expect, **more)


def test_a_restored_annotation_is_there_again_as_it_was(saved):
    _, made, annotator = saved
    changed = annotator.api.patch(path_of(made), {"confidence": 0.5, "group_id": 7}).json()
    annotator.api.delete(path_of(made))
    answer = restore(annotator.api, made)
    after = answer.json()
    assert answer.headers["ETag"] == '"4"'
    assert answer.headers["X-Event-Position"]
    assert after == {**changed, "version": 4, "updated_at": after["updated_at"]}
    assert after["deleted_at"] is None
    assert annotator.api.annotations(made["task_id"]) == [after]
    assert annotator.api.task(made["task_id"])["annotation_count"] == 1
    again = annotator.api.patch(path_of(made), {"confidence": 1}).json()
    assert again["version"] == 5
    assert annotator.api.annotations(made["task_id"]) == [again]


def test_deleting_and_restoring_again_and_again_ends_where_it_should(saved):
    _, made, annotator = saved
    path = "/tasks/%d" % made["task_id"]
    before = annotator.api.get(path).json()["version"]
    for _ in range(10):
        annotator.api.delete(path_of(made))
        restore(annotator.api, made)
    assert [a["version"] for a in annotator.api.annotations(made["task_id"])] == [21]
    task = annotator.api.get(path)
    assert task.json()["annotation_count"] == 1
    assert task.json()["version"] == before + 20
    assert task.headers["ETag"] == '"%d"' % (before + 20)


def test_only_a_deleted_annotation_is_restored(world, saved):
    work, made, annotator = saved
    assert code_of(restore(annotator.api, made, 409)) == "ANNOTATION_NOT_DELETED"
    annotator.api.delete(path_of(made))
    other_work, other_task, _ = world.started()
    elsewhere = {**made, "task_id": other_task["id"]}
    restore(world.admin, elsewhere, 404)
    restore(annotator.api, {**made, "id": made["id"] + 1_000_000}, 404)
    restore(annotator.api, made)
    assert code_of(restore(annotator.api, made, 409)) == "ANNOTATION_NOT_DELETED"
    assert work.project_id != other_work.project_id


def test_if_match_and_retries_of_a_restore(saved):
    _, made, annotator = saved
    annotator.api.delete(path_of(made))
    restore(annotator.api, made, 412, headers={"If-Match": '"1"'})
    key = unique("key")
    first = restore(annotator.api, made, headers={"If-Match": '"2"'}, key=key)
    again = restore(annotator.api, made, headers={"If-Match": '"2"'}, key=key)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert annotator.api.task(made["task_id"])["annotation_count"] == 1


def test_a_class_that_was_removed_meanwhile_must_come_back_first(world, saved):
    work, made, annotator = saved
    project = "/projects/%d" % work.project_id
    annotator.api.delete(path_of(made))
    world.admin.patch(project, {"classes_config": [{"name": "person"}]})
    answer = restore(annotator.api, made, 409)
    assert code_of(answer) == "CLASS_REMOVED"
    assert answer.json()["detail"]["class_name"] == "car"
    assert annotator.api.annotations(made["task_id"]) == []
    world.admin.patch(project, {"classes_config": [{"name": "person"}, {"name": "car"}]})
    assert restore(annotator.api, made).json()["class_id"] == made["class_id"]
    answer = world.admin.patch(project, {"classes_config": [{"name": "person"}]}, 409)
    assert code_of(answer) == "CLASS_IN_USE"


def test_a_restored_annotation_follows_a_class_that_was_renamed(world, saved):
    work, made, annotator = saved
    annotator.api.delete(path_of(made))
    world.admin.post("/projects/%d/classes/rename" % work.project_id,
                     {"old_name": "car", "new_name": "van"}, 200)
    assert restore(annotator.api, made).json()["class_name"] == "van"
    assert annotator.api.annotations(made["task_id"])[0]["class_name"] == "van"


def test_who_may_restore(world):
    work, task, annotator = world.submitted([box()])
    reviewer = world.member(work.project_id, "reviewer")
    viewer = world.member(work.project_id, "viewer")
    made = annotator.api.annotations(task["id"])[0]
    reviewer.api.delete(path_of(made))
    assert code_of(restore(annotator.api, made, 409)) == "TASK_NOT_EDITABLE"
    assert code_of(restore(viewer.api, made, 403)) == "FORBIDDEN"
    restore(world.person("annotator").api, made, 404)
    assert restore(reviewer.api, made).json()["updated_by"] == reviewer.id
    reviewer.api.delete(path_of(made))
    reviewer.api.approve(task["id"])
    assert code_of(restore(reviewer.api, made, 409)) == "TASK_NOT_EDITABLE"


def test_the_assignees_restore_accepts_a_rejection(world):
    work, task, annotator = world.submitted([box()])
    reviewer = world.member(work.project_id, "reviewer")
    made = annotator.api.annotations(task["id"])[0]
    reviewer.api.delete(path_of(made))
    reviewer.api.reject(task["id"])
    assert annotator.api.task(task["id"])["status"] == "rejected"
    restore(annotator.api, made)
    assert annotator.api.task(task["id"])["status"] == "in_progress"


def test_an_export_has_a_restored_annotation_again(world, saved):
    work, made, annotator = saved
    path = "/projects/%d/export" % work.project_id

    def exported():
        return len(world.admin.get(path, params={"format": "coco"}).json()["annotations"])

    assert exported() == 1
    annotator.api.delete(path_of(made))
    assert exported() == 0
    restore(annotator.api, made)
    assert exported() == 1


def test_an_annotation_is_found_only_under_its_own_task(world, saved):
    work, made, annotator = saved
    other_work, other_task, other = world.started()
    wrong = "/tasks/%d/annotations/%d" % (other_task["id"], made["id"])
    world.admin.patch(wrong, {"confidence": 1}, 404)
    world.admin.delete(wrong, 404)
    assert annotator.api.annotations(made["task_id"]) == [made]
    assert other.api.annotations(other_task["id"]) == []
    assert work.project_id != other_work.project_id


@pytest.mark.parametrize("review_required", [False, True])
def test_after_submission_the_annotator_edits_no_more_but_a_reviewer_does(world, review_required):
    work, task, annotator = world.submitted([box(), polygon()], type_key="image-seg",
                                            review_required=review_required)
    reviewer = world.member(work.project_id, "reviewer")
    first, second = annotator.api.annotations(task["id"])
    for answer in (annotator.api.patch(path_of(first), {"confidence": 1}, 409),
                   annotator.api.delete(path_of(first), 409),
                   annotator.api.submit(task["id"], [box()], 409)):
        assert code_of(answer) == "TASK_NOT_EDITABLE"
    after = reviewer.api.patch(path_of(first), {"class_name": "person"}).json()
    assert after["updated_by"] == reviewer.id
    assert after["created_by"] == annotator.id
    reviewer.api.delete(path_of(second))
    assert [a["id"] for a in annotator.api.annotations(task["id"])] == [first["id"]]


def test_nobody_edits_a_completed_task(world):
    work, task, annotator = world.submitted([box()])
    reviewer = world.member(work.project_id, "reviewer")
    reviewer.api.approve(task["id"])
    made = annotator.api.annotations(task["id"])[0]
    for person in (annotator, reviewer):
        answer = person.api.patch(path_of(made), {"confidence": 1}, 409)
        assert code_of(answer) == "TASK_NOT_EDITABLE"
    assert annotator.api.annotations(task["id"]) == [made]


def test_nobody_annotates_a_pending_task_without_taking_it(world):
    work = world.work(1)
    annotator = world.member(work.project_id)
    task_id = work.tasks[0]["id"]
    answer = annotator.api.save(task_id, [box()], 409)
    assert code_of(answer) == "TASK_NOT_EDITABLE"
    assert annotator.api.annotations(task_id) == []


def test_versions_and_etags_of_the_task_move_with_its_changes(world):
    work = world.work(1)
    annotator = world.member(work.project_id)
    path = "/tasks/%d" % work.tasks[0]["id"]
    seen = [annotator.api.get(path).headers["ETag"]]
    annotator.api.next(work.project_id)
    seen.append(annotator.api.get(path).headers["ETag"])
    annotator.api.submit(work.tasks[0]["id"])
    seen.append(annotator.api.get(path).headers["ETag"])
    assert len(set(seen)) == 3
    read = annotator.api.get(path)
    assert read.headers["ETag"] == '"%d"' % read.json()["version"]
