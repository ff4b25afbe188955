"""Another owner for a project (specification, Projects; decisions, sections 2 and 3)."""

import pytest

from client import code_of, error_locations, unique


def transfer(api, project_id, user_id, expect=200, **more):
    return api.post("/projects/%d/transfer" % project_id, {"new_owner_id": user_id}, expect,
                    **more)


def roles(api, project_id):
    answer = api.get("/projects/%d/members" % project_id).json()
    return {m["user_id"]: m["role"] for m in answer["items"]}


@pytest.fixture
def owned(world):
    owner = world.person("project_admin")
    return owner, world.project(by=owner.api)["id"]


def test_the_new_owner_owns_and_the_old_one_stays_as_project_admin(world, owned):
    owner, project_id = owned
    other = world.person("project_admin")
    path = "/projects/%d" % project_id
    other.api.get(path, 404)
    before = world.admin.get(path).json()
    moved = transfer(world.admin, project_id, other.id).json()
    assert moved["owner_id"] == other.id
    assert moved["owner_name"] == "Name of " + other.username
    assert moved["version"] == before["version"] + 1
    assert moved["member_count"] == before["member_count"] + 1
    shown = other.api.get(path).json()
    assert (shown["owner_id"], shown["owner_name"]) == (other.id, moved["owner_name"])
    assert roles(other.api, project_id) == {owner.id: "project_admin"}
    other.api.patch(path, {"status": "completed"})
    owner.api.patch(path, {"description": "still administers"})
    assert code_of(owner.api.patch(path, {"status": "archived"}, 403)) == "FORBIDDEN"
    for person in (owner, other):
        assert project_id in [p["id"] for p in person.api.all_pages("/projects")]


def test_an_old_owner_who_is_no_admin_any_more_has_the_lower_role(world, owned):
    owner, project_id = owned
    world.admin.patch("/users/%d/role" % owner.id, {"role": "annotator"})
    transfer(world.admin, project_id, world.person("project_admin").id)
    path = "/projects/%d" % project_id
    owner.api.get(path)
    owner.api.patch(path, {"description": "x"}, 403)


def test_a_member_can_become_the_owner_and_keeps_its_row(world, owned):
    owner, project_id = owned
    member = world.person("project_admin")
    world.add_member(project_id, member, "viewer")
    transfer(world.admin, project_id, member.id)
    member.api.patch("/projects/%d" % project_id, {"status": "completed"})
    assert roles(member.api, project_id) == {owner.id: "project_admin", member.id: "viewer"}
    transfer(world.admin, project_id, owner.id)
    assert roles(owner.api, project_id) == {owner.id: "project_admin",
                                            member.id: "project_admin"}


def test_datasets_follow_the_owner(world, owned):
    _, project_id = owned
    dataset = world.dataset()
    world.link(dataset["id"], project_id)
    other = world.person("project_admin")
    other.api.get("/datasets/%d" % dataset["id"], 404)
    transfer(world.admin, project_id, other.id)
    other.api.get("/datasets/%d" % dataset["id"])


def test_to_the_owner_itself_nothing_happens(world, owned):
    owner, project_id = owned
    before = world.admin.get("/projects/%d" % project_id).json()
    after = transfer(world.admin, project_id, owner.id).json()
    assert after == before
    assert roles(world.admin, project_id) == {}


@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer"])
def test_a_new_owner_of_a_lower_role_is_422(world, owned, role):
    owner, project_id = owned
    answer = transfer(world.admin, project_id, world.person(role).id, 422)
    assert error_locations(answer) == [("body", "new_owner_id")]
    assert "project_admin" in answer.text
    assert world.admin.get("/projects/%d" % project_id).json()["owner_id"] == owner.id


def test_a_new_owner_must_exist_and_be_active(world, owned):
    _, project_id = owned
    gone = world.person("project_admin")
    world.admin.post("/users/%d/deactivate" % gone.id, None)
    for user_id in (gone.id, 999999999, -1, 0):
        answer = transfer(world.admin, project_id, user_id, 422)
        assert ("body", "new_owner_id") in error_locations(answer)


@pytest.mark.parametrize("body", [{}, {"new_owner_id": None}, {"new_owner_id": "1"},
                                  {"new_owner_id": 1.5}])
def test_bodies_are_validated(world, owned, body):
    answer = world.admin.post("/projects/%d/transfer" % owned[1], body, 422)
    assert ("body", "new_owner_id") in error_locations(answer)


def test_a_super_admin_may_own(world, owned):
    _, project_id = owned
    assert transfer(world.admin, project_id, world.admin_id).json()["owner_id"] == world.admin_id


def test_only_a_super_admin_transfers(world, owned):
    owner, project_id = owned
    member = world.member(project_id, "project_admin")
    for person in (owner, member):
        assert code_of(transfer(person.api, project_id, member.id, 403)) == "FORBIDDEN"
    transfer(world.person("project_admin").api, project_id, member.id, 404)
    transfer(world.nobody, project_id, member.id, 401)
    transfer(world.admin, 999999999, member.id, 404)


def test_a_retry_with_the_same_key_is_answered_alike(world, owned):
    owner, project_id = owned
    other, key = world.person("project_admin"), unique("key")
    first = transfer(world.admin, project_id, other.id, key=key)
    again = transfer(world.admin, project_id, other.id, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first.json()
    answer = transfer(world.admin, project_id, owner.id, 422, key=key)
    assert code_of(answer) == "IDEMPOTENCY_KEY_REUSED"


def test_an_archived_project_can_be_transferred(world, owned):
    _, project_id = owned
    other = world.person("project_admin")
    world.admin.patch("/projects/%d" % project_id, {"status": "archived"})
    assert transfer(world.admin, project_id, other.id).json()["status"] == "archived"
    other.api.patch("/projects/%d" % project_id, {"status": "in_progress"})


def test_it_lasts_over_a_restart(make_service):
    from world import World
    service = make_service().start()
    world = World(service)
    owner = world.person("project_admin")
    project_id = world.project(by=owner.api)["id"]
    other = world.person("project_admin")
    transfer(world.admin, project_id, other.id)
    service.restart()
    world.login_admin()
    assert world.admin.get("/projects/%d" % project_id).json()["owner_id"] == other.id
    assert roles(world.admin, project_id) == {owner.id: "project_admin"}
