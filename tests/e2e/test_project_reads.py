"""Filters of the project list and the numbers over it (specification, Projects; decisions 3)."""

import pytest

from client import box, error_locations, unique

STATUSES = ["pending", "assigned", "in_progress", "submitted", "review", "rejected", "completed"]


def listed(api, **params):
    return [project["id"] for project in api.all_pages("/projects", params, limit=200)]


def stats(api):
    return api.get("/projects/stats").json()


# --- the list ---

def test_several_types_and_statuses(world):
    mark = unique("filter")
    made = {}
    for type_key in ("image-det", "image-seg", "video-det"):
        for status in ("in_progress", "completed", "archived"):
            project = world.project(name="%s %s %s" % (mark, type_key, status), type_key=type_key)
            world.admin.patch("/projects/%d" % project["id"], {"status": status})
            made[type_key, status] = project["id"]
    found = listed(world.admin, q=mark)
    assert sorted(found) == sorted(made.values())
    assert found == sorted(found, reverse=True)
    assert sorted(listed(world.admin, q=mark, type_key=["image-det", "video-det"])) == sorted(
        id_ for (type_key, _), id_ in made.items() if type_key != "image-seg")
    assert sorted(listed(world.admin, q=mark, status=["completed", "archived"])) == sorted(
        id_ for (_, status), id_ in made.items() if status != "in_progress")
    assert listed(world.admin, q=mark, status="completed", type_key="image-seg") == [
        made["image-seg", "completed"]]


def test_a_part_of_the_name_in_any_case(world):
    mark = unique("Named")
    made = world.project(name=mark + " 100%_sure")["id"]
    other = world.project(name=mark + " 100 x sure")["id"]
    assert listed(world.admin, q=mark.upper()) == [other, made]
    assert listed(world.admin, q=mark + " 100%_S") == [made]
    assert listed(world.admin, q="%" + mark) == []


def test_by_the_time_of_creation(world):
    mark = unique("timed")
    made = [world.project(name="%s %d" % (mark, at)) for at in range(3)][::-1]
    at = made[1]["created_at"]

    def expected(may):
        return [project["id"] for project in made if may(project["created_at"])]

    assert listed(world.admin, q=mark, created_from=at) == expected(lambda t: t >= at)
    assert listed(world.admin, q=mark, created_to=at) == expected(lambda t: t <= at)
    assert listed(world.admin, q=mark, created_from=at, created_to=at) == expected(
        lambda t: t == at)


def test_by_member(world):
    ours, theirs = world.project(), world.project()
    member = world.member(ours["id"])
    assert listed(world.admin, member_id=member.id) == [ours["id"]]
    world.add_member(theirs["id"], member)
    assert listed(world.admin, member_id=member.id) == [theirs["id"], ours["id"]]
    colleague = world.member(ours["id"], "viewer")
    assert listed(colleague.api, member_id=member.id) == [ours["id"]], "of those they see"


def test_the_owner_counts_as_a_member(world):
    project = world.project()
    assert project["id"] in listed(world.admin, member_id=project["owner_id"])
    stranger = world.member(world.project()["id"])
    assert project["id"] not in listed(world.admin, member_id=stranger.id)


@pytest.mark.parametrize("params, field", [
    ({"status": "deleted"}, "status"), ({"type_key": "audio"}, "type_key"),
    ({"member_id": "x"}, "member_id"), ({"created_from": "yesterday"}, "created_from"),
    ({"q": ""}, "q"), ({"q": "x" * 201}, "q"), ({"limit": 0}, "limit"), ({"limit": 201}, "limit"),
])
def test_a_bad_filter_is_named(world, params, field):
    found = error_locations(world.admin.get("/projects", 422, params=params))
    assert any(loc[:2] == ("query", field) for loc in found), found


@pytest.mark.parametrize("role, seen", [
    ("viewer", False), ("annotator", False), ("reviewer", True), ("project_admin", True)])
def test_archived_projects_are_hidden_below_reviewers(world, role, seen):
    """Also where the membership, not the global role, is below; and no page is cut short by it."""
    member = world.person("project_admin")
    ids = []
    for at in range(6):
        ids.append(world.project()["id"])
        world.add_member(ids[-1], member, role)
        if at % 2:
            world.admin.patch("/projects/%d" % ids[-1], {"status": "archived"})
    visible = ids if seen else ids[::2]
    page = member.api.get("/projects", params={"limit": 3}).json()
    assert [p["id"] for p in page["items"]] == visible[::-1][:3]
    assert (page["next_cursor"] is not None) == seen
    assert listed(member.api, status="archived") == (ids[::-1][::2] if seen else [])
    assert stats(member.api)["total_projects"] == len(visible)


@pytest.mark.parametrize("role, status", [("viewer", 404), ("annotator", 404), ("reviewer", 200)])
def test_the_datasets_of_an_archived_project_are_hidden_with_it(world, role, status):
    work = world.work(1)
    member = world.member(work.project_id, role)
    path = "/datasets/%d" % work.dataset_id
    member.api.get(path, 200)
    world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
    member.api.get(path, status)
    item = world.admin.all_pages(path + "/items")[0]["id"]
    member.api.get("%s/items/%d" % (path, item), status)
    listed_ids = [d["id"] for d in member.api.all_pages("/datasets")]
    assert (work.dataset_id in listed_ids) == (status == 200)


# --- the numbers ---

def test_nobody_sees_numbers_of_what_is_not_theirs(world):
    stranger = world.person("project_admin")
    assert stats(stranger.api) == {
        "total_projects": 0, "total_tasks": 0, "completed_tasks": 0, "total_annotations": 0,
        "ai_derived_annotations": 0, "by_status": dict.fromkeys(STATUSES, 0)}


def test_numbers_follow_the_work(world):
    work = world.work(4)
    annotator = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    first = annotator.api.next(work.project_id).json()
    annotator.api.submit(first["id"], [box(), box(source="ai-accepted"),
                                       box(source="ai-accepted")])
    second = annotator.api.next(work.project_id).json()
    annotator.api.save(second["id"], [box()])
    now = stats(annotator.api)
    assert now["total_projects"] == 1
    assert now["total_tasks"] == 4
    assert now["completed_tasks"] == 0
    assert now["total_annotations"] == 4
    assert now["ai_derived_annotations"] == 2
    assert list(now["by_status"]) == STATUSES
    assert now["by_status"]["submitted"] == 1
    assert now["by_status"]["in_progress"] == 1
    assert now["by_status"]["pending"] == 2

    derived = [a for a in reviewer.api.annotations(first["id"]) if a["source"] == "ai-accepted"]
    reviewer.api.delete("/tasks/%d/annotations/%d" % (first["id"], derived[0]["id"]))
    reviewer.api.approve(first["id"])
    now = stats(reviewer.api)
    assert now["total_annotations"] == 3
    assert now["ai_derived_annotations"] == 1
    assert now["completed_tasks"] == now["by_status"]["completed"] == 1


def test_numbers_are_of_all_visible_projects(world):
    one, two = world.work(1), world.work(2)
    member = world.member(one.project_id)
    world.add_member(two.project_id, member)
    now = stats(member.api)
    assert (now["total_projects"], now["total_tasks"]) == (2, 3)
    everything = stats(world.admin)
    assert everything["total_projects"] >= 2
    assert everything["total_tasks"] == sum(everything["by_status"].values())
    world.admin.patch("/projects/%d" % two.project_id, {"status": "archived"})
    now = stats(member.api)
    assert (now["total_projects"], now["total_tasks"]) == (1, 1)
