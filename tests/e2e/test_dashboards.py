"""The dashboards (specification, Projects)."""

import pytest

from client import box, code_of, error_locations

NONE = {"today": 0, "last_7_days": 0}


def recent(number):
    """What was done just now: the tests may run over midnight."""
    return [{"today": today, "last_7_days": number} for today in range(number + 1)]


def test_an_annotator_sees_the_own_work(world):
    work = world.work(4)
    annotator = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    empty = annotator.api.get("/dashboard/annotator").json()
    assert empty["open_tasks"] == empty["rejected_tasks"] == 0
    assert empty["submitted"] == NONE
    first = annotator.api.next(work.project_id).json()
    annotator.api.submit(first["id"], [box()])
    second = annotator.api.next(work.project_id).json()
    annotator.api.submit(second["id"], [box()])
    annotator.api.next(work.project_id)
    reviewer.api.reject(first["id"])
    reviewer.api.approve(second["id"])

    shown = annotator.api.get("/dashboard/annotator").json()
    assert shown["open_tasks"] == 2
    assert shown["rejected_tasks"] == 1
    assert shown["my_tasks"] == {"pending": 0, "assigned": 0, "in_progress": 1, "submitted": 0,
                                 "review": 0, "rejected": 1, "completed": 1}
    assert shown["submitted"] in recent(2)
    assert shown["next_cursor"] is None
    assert shown["projects"] == [{
        "id": work.project_id, "display_id": "P-%d" % work.project_id,
        "name": work.project["name"], "type_key": "image-det", "status": "in_progress",
        "total_tasks": 4, "completed_tasks": 1, "pending_tasks": 1,
        "my_tasks": shown["my_tasks"]}]
    colleague = world.member(work.project_id)
    other = colleague.api.get("/dashboard/annotator").json()
    assert other["open_tasks"] == 0
    assert other["projects"][0]["total_tasks"] == 4


def test_an_annotator_s_projects_come_in_pages_without_archived_ones(world):
    annotator = world.person("reviewer")
    made = [world.project()["id"] for _ in range(4)]
    for project_id in made:
        world.add_member(project_id, annotator, "annotator")
    watched = world.project()["id"]
    world.add_member(watched, annotator, "viewer")
    world.admin.patch("/projects/%d" % made[1], {"status": "archived"})
    shown = annotator.api.get("/dashboard/annotator", params={"limit": 2}).json()
    rest = annotator.api.get("/dashboard/annotator",
                             params={"limit": 2, "cursor": shown["next_cursor"]}).json()
    ids = [p["id"] for p in shown["projects"] + rest["projects"]]
    assert ids == [made[3], made[2], made[0]]
    assert rest["next_cursor"] is None
    assert "archived" not in [p["status"] for p in shown["projects"] + rest["projects"]]


def test_a_reviewer_sees_what_waits_and_the_own_decisions(world):
    work, in_review, _ = world.in_review([box()])
    reviewer = world.member(work.project_id, "reviewer")
    other, submitted, _ = world.submitted([box()])
    world.add_member(other.project_id, reviewer)
    elsewhere, _, _ = world.submitted([box()])
    world.add_member(elsewhere.project_id, reviewer, "annotator")
    shown = reviewer.api.get("/dashboard/reviewer").json()
    assert shown["waiting_tasks"] == 2
    assert shown["approved"] == shown["rejected"] == NONE
    assert [(p["id"], p["waiting_tasks"], p["submitted"], p["review"])
            for p in shown["projects"]] == [(other.project_id, 1, 1, 0),
                                            (work.project_id, 1, 0, 1)]
    assert shown["projects"][0]["display_id"] == "P-%d" % other.project_id

    reviewer.api.reject(in_review["id"])
    reviewer.api.approve(submitted["id"])
    shown = reviewer.api.get("/dashboard/reviewer").json()
    assert shown["waiting_tasks"] == 0
    assert shown["projects"] == []
    assert shown["approved"] in recent(1)
    assert shown["rejected"] in recent(1)


def test_an_administrator_sees_the_own_projects(world):
    owner = world.person("project_admin")
    project_id = world.project(by=owner.api)["id"]
    done = world.project(by=owner.api)["id"]
    owner.api.patch("/projects/%d" % done, {"status": "archived"})
    watched = world.work(1)
    world.add_member(watched.project_id, owner, "reviewer")
    dataset = world.dataset()
    world.upload_images(dataset["id"], 2)
    world.link(dataset["id"], project_id)
    world.tasks_of(project_id, 2)
    annotator = world.member(project_id)
    task = annotator.api.next(project_id).json()
    annotator.api.submit(task["id"], [box(), box(source="ai-accepted")])
    idle = world.member(project_id, "viewer")
    world.admin.post("/users/%d/deactivate" % idle.id)

    shown = owner.api.get("/dashboard/admin").json()
    assert shown["users"]["total"] == 3
    assert shown["users"]["active"] == 2
    assert shown["users"]["by_role"]["annotator"] == {"active": 1, "inactive": 0}
    assert shown["users"]["by_role"]["viewer"] == {"active": 0, "inactive": 1}
    assert shown["users"]["by_role"]["project_admin"] == {"active": 1, "inactive": 0}
    assert shown["projects"] == {"total": 2, "by_status": {"in_progress": 1, "completed": 0,
                                                           "archived": 1}}
    assert shown["tasks"]["total"] == 2
    assert shown["tasks"]["completed"] == 0
    assert shown["tasks"]["by_status"]["submitted"] == 1
    assert shown["tasks"]["by_status"]["pending"] == 1
    assert shown["annotations"] == {"total": 2, "ai_derived": 1}
    assert shown["work"]["submitted"] in recent(1)
    assert shown["work"]["approved"] == NONE

    everything = world.admin.get("/dashboard/admin").json()
    assert everything["users"]["total"] >= 4
    assert everything["users"]["by_role"]["super_admin"]["active"] >= 1
    assert everything["projects"]["total"] >= 3
    assert everything["tasks"]["total"] == sum(everything["tasks"]["by_status"].values())


def test_an_erased_user_is_counted_no_more(world):
    before = world.admin.get("/dashboard/admin").json()["users"]
    person = world.person("viewer")
    world.admin.post("/users/%d/erase" % person.id, {"reason": "asked for"})
    assert world.admin.get("/dashboard/admin").json()["users"] == before


def test_all_projects_with_their_progress(world):
    work, task, _ = world.submitted([box(), box(source="ai-accepted")])
    world.admin.approve(task["id"])
    empty = world.project()
    shown = world.admin.get("/dashboard", params={"view": "projects", "limit": 2}).json()
    assert [p["id"] for p in shown["items"]] == [empty["id"], work.project_id]
    without, done = shown["items"]
    assert without["progress"] == 0 and without["total_tasks"] == 0
    assert done["progress"] == 1 and done["completed_tasks"] == done["total_tasks"] == 1
    assert done["by_status"]["completed"] == 1
    assert (done["total_annotations"], done["ai_derived_annotations"]) == (2, 1)
    assert done["owner_id"] == world.admin_id
    assert done["owner_name"]
    assert done["member_count"] == 1
    assert done["created_at"] == work.project["created_at"]
    every = world.admin.all_pages("/dashboard", {"view": "projects"}, limit=7)
    assert len({p["id"] for p in every}) == len(every)
    assert len(every) == world.admin.get("/projects/stats").json()["total_projects"]


@pytest.mark.parametrize("params, field", [
    ({}, "view"), ({"view": "users"}, "view"), ({"view": ""}, "view"),
    ({"view": "projects", "limit": 0}, "limit"), ({"view": "projects", "limit": 201}, "limit"),
])
def test_an_unknown_view_is_422(world, params, field):
    found = error_locations(world.admin.get("/dashboard", 422, params=params))
    assert ("query", field) in found


def test_a_cursor_of_another_list_is_refused(world):
    for _ in range(2):
        world.project()
    page = world.admin.get("/dashboard", params={"view": "projects", "limit": 1}).json()
    answer = world.admin.get("/dashboard/annotator", 422, params={"cursor": page["next_cursor"]})
    assert code_of(answer) == "INVALID_CURSOR"


@pytest.mark.parametrize("role, allowed", [
    ("viewer", ()),
    ("annotator", ("/dashboard/annotator",)),
    ("reviewer", ("/dashboard/annotator", "/dashboard/reviewer")),
    ("project_admin", ("/dashboard/annotator", "/dashboard/reviewer", "/dashboard/admin")),
])
def test_each_dashboard_is_for_its_role_and_those_above(world, role, allowed):
    person = world.person(role)
    for path in ("/dashboard/annotator", "/dashboard/reviewer", "/dashboard/admin",
                 "/dashboard?view=projects"):
        answer = person.api.get(path, 200 if path in allowed else 403)
        if path not in allowed:
            assert code_of(answer) == "FORBIDDEN"
