"""Project members and who sees a project (decisions, section 2)."""

import pytest

from client import code_of, error_locations, unique

ROLES = ["viewer", "annotator", "reviewer", "project_admin"]


def members(api, project_id):
    answer = api.get("/projects/%d/members" % project_id).json()
    return answer["items"] if isinstance(answer, dict) else answer


def roles_by_user(api, project_id):
    return {m["user_id"]: m["role"] for m in members(api, project_id)}


@pytest.mark.parametrize("role", ROLES)
def test_a_member_of_every_role_is_added_and_listed(world, role):
    project = world.project()
    person = world.person(role)
    made = world.add_member(project["id"], person, role)
    assert made["user_id"] == person.id
    assert made["role"] == role
    assert made["project_id"] == project["id"]
    assert roles_by_user(world.admin, project["id"])[person.id] == role
    assert project["id"] in [p["id"] for p in person.api.all_pages("/projects")]


def test_members_are_paged_in_order_of_user(world):
    project = world.project()
    people = [world.person("viewer") for _ in range(5)]
    for person in reversed(people):
        world.add_member(project["id"], person, "viewer")
    path = "/projects/%d/members" % project["id"]
    whole = members(world.admin, project["id"])
    assert [m["user_id"] for m in whole] == sorted(person.id for person in people)
    for limit in (1, 2, 5, 200):
        assert world.admin.all_pages(path, limit=limit) == whole
    cursor = world.admin.get(path, params={"limit": 2}).json()["next_cursor"]
    other = "/projects/%d/members" % world.project()["id"]
    answer = world.admin.get(other, 422, params={"cursor": cursor})
    assert code_of(answer) == "INVALID_CURSOR"


@pytest.mark.parametrize("global_role, member_role", [
    (one, two) for at, one in enumerate(ROLES) for two in ROLES[at + 1:]])
def test_a_member_role_above_the_global_role_is_refused(world, global_role, member_role):
    project = world.project()
    person = world.person(global_role)
    body = {"user_id": person.id, "role": member_role}
    answer = world.admin.post("/projects/%d/members" % project["id"], body, 422)
    assert code_of(answer) == "ROLE_ABOVE_GLOBAL"
    person.api.get("/projects/%d" % project["id"], 404)


def test_raising_a_member_above_its_global_role_is_refused(world):
    project = world.project()
    person = world.member(project["id"], "annotator")
    path = "/projects/%d/members/%d" % (project["id"], person.id)
    assert code_of(world.admin.patch(path, {"role": "reviewer"}, 422)) == "ROLE_ABOVE_GLOBAL"
    assert roles_by_user(world.admin, project["id"])[person.id] == "annotator"


def test_a_person_is_a_member_once(world):
    project = world.project()
    person = world.member(project["id"], "reviewer")
    body = {"user_id": person.id, "role": "annotator"}
    world.admin.post("/projects/%d/members" % project["id"], body, 409)
    assert roles_by_user(world.admin, project["id"])[person.id] == "reviewer"


def test_a_changed_member_role_counts_at_once(world):
    work = world.work(1)
    person = world.person("reviewer")
    world.add_member(work.project_id, person, "viewer")
    person.api.next(work.project_id, 403)
    path = "/projects/%d/members/%d" % (work.project_id, person.id)
    assert world.admin.patch(path, {"role": "annotator"}).json()["role"] == "annotator"
    person.api.next(work.project_id)


def test_a_removed_member_loses_sight_at_once(world):
    project = world.project()
    person = world.member(project["id"], "annotator")
    before = world.admin.get("/projects/%d" % project["id"]).json()["member_count"]
    path = "/projects/%d/members/%d" % (project["id"], person.id)
    world.admin.delete(path)
    person.api.get("/projects/%d" % project["id"], 404)
    assert person.id not in roles_by_user(world.admin, project["id"])
    after = world.admin.get("/projects/%d" % project["id"]).json()["member_count"]
    assert after == before - 1
    world.admin.delete(path, 404)


def test_a_repeated_addition_does_not_show_who_was_removed_since(world):
    project = world.project()
    person = world.person("reviewer")
    path, key = "/projects/%d/members" % project["id"], unique("key")
    body = {"user_id": person.id, "role": "reviewer"}
    world.admin.post(path, body, 201, key=key)
    world.admin.delete("%s/%d" % (path, person.id))
    world.admin.post(path, body, 404, key=key)
    assert person.id not in roles_by_user(world.admin, project["id"])


@pytest.mark.parametrize("body, where", [
    ({"role": "annotator"}, "user_id"),
    ({"user_id": "seven", "role": "annotator"}, "user_id"),
    ({"user_id": 1}, "role"),
    ({"user_id": 1, "role": "owner"}, "role"),
    ({"user_id": 1, "role": "super_admin"}, "role"),
])
def test_member_bodies_are_validated(world, body, where):
    project = world.project()
    answer = world.admin.post("/projects/%d/members" % project["id"], body, 422)
    assert ("body", where) in error_locations(answer)


def test_an_unknown_user_can_not_become_a_member(world):
    project = world.project()
    body = {"user_id": 999999999, "role": "annotator"}
    world.admin.post("/projects/%d/members" % project["id"], body, (404, 422))


def test_an_unknown_member_is_404(world):
    project = world.project()
    stranger = world.person()
    path = "/projects/%d/members/%d" % (project["id"], stranger.id)
    world.admin.patch(path, {"role": "viewer"}, 404)
    world.admin.delete(path, 404)


@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer", "project_admin"])
def test_who_is_no_member_can_not_learn_that_the_project_exists(world, role):
    work = world.work(1)
    task = work.tasks[0]
    stranger = world.person(role)
    foreign = stranger.api.get("/projects/%d" % work.project_id, 404)
    absent = stranger.api.get("/projects/999999999", 404)
    assert foreign.json()["detail"] == absent.json()["detail"]
    stranger.api.get("/tasks/%d" % task["id"], 404)
    stranger.api.get("/tasks/%d/annotations/page" % task["id"], 404)
    stranger.api.get("/projects/%d/members" % work.project_id, 404)
    stranger.api.get("/projects/%d/export" % work.project_id, 404, params={"format": "coco"})
    stranger.api.patch("/projects/%d" % work.project_id, {"description": "x"}, 404)
    stranger.api.next(work.project_id, 404)
    stranger.api.submit(task["id"], [], 404)
    listed = stranger.api.get("/tasks", (200, 404), params={"project_id": work.project_id})
    if listed.status_code == 200:
        assert listed.json()["items"] == []


def test_a_super_admin_sees_everything(world):
    owner = world.person("project_admin")
    project = world.project(by=owner.api)
    other = world.person("super_admin")
    assert other.api.get("/projects/%d" % project["id"]).json()["owner_id"] == owner.id


def test_a_dataset_is_seen_by_its_creator_and_members_of_linked_projects(world):
    creator = world.person("project_admin")
    dataset = world.dataset(by=creator.api)
    path = "/datasets/%d" % dataset["id"]
    project = world.project()
    member = world.member(project["id"], "annotator")
    stranger = world.person("project_admin")
    creator.api.get(path)
    world.admin.get(path)
    member.api.get(path, 404)
    stranger.api.get(path, 404)
    world.link(dataset["id"], project["id"])
    member.api.get(path)
    stranger.api.get(path, 404)
    upload = {"file_name": "a.png", "file_size": 10, "content_type": "image/png"}
    stranger.api.post(path + "/items/upload-init", upload, 404)
    member.api.post(path + "/items/upload-init", upload, 403)
