"""What super_admins do with others' accounts, and data groups."""

import csv
import io
import json
from concurrent import futures

import pytest

from client import Api, code_of, error_locations, unique
from world import PASSWORD

ROLES = ("viewer", "annotator", "reviewer", "project_admin", "super_admin")


def works(api):
    return api.get("/me", (200, 401)).status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_a_role_changes_at_once(world, role):
    person = world.person("annotator")
    answer = world.admin.patch("/users/%d/role" % person.id, {"role": role})
    assert answer.json()["role"] == role
    assert person.api.get("/me").json()["role"] == role
    expected = 201 if role in ("project_admin", "super_admin") else 403
    person.api.post("/projects", {"name": unique("p")}, expected)


def test_a_role_that_is_none_is_422(world):
    path = "/users/%d/role" % world.person().id
    assert error_locations(world.admin.patch(path, {"role": "king"}, 422)) == [("body", "role")]
    assert error_locations(world.admin.patch(path, {}, 422)) == [("body", "role")]


def test_a_deactivated_user_is_out_at_once_and_in_again_when_activated(world):
    person = world.person()
    key = person.api.post("/api-keys", {"name": "ci"}, 201).json()["key"]
    by_key = {"X-API-Key": key}
    assert world.nobody.get("/me", headers=by_key).json()["id"] == person.id
    answer = world.admin.post("/users/%d/deactivate" % person.id, None, 200)
    assert answer.json()["is_active"] is False
    assert not works(person.api)
    assert code_of(world.nobody.get("/me", 401, headers=by_key)) == "INVALID_API_KEY"
    assert code_of(world.nobody.login(person.username, PASSWORD, 401)) == "INVALID_CREDENTIALS"
    world.admin.post("/users/%d/deactivate" % person.id, None, 200)
    assert world.admin.post("/users/%d/activate" % person.id, None, 200).json()["is_active"] is True
    assert not works(person.api), "tokens of before stay void"
    world.nobody.login(person.username, PASSWORD, 200)


def test_an_address_is_free_while_its_user_is_deactivated(world):
    address = unique("ada") + "@example.org"
    person = world.person(email=address)
    world.admin.post("/users/%d/deactivate" % person.id, None, 200)
    world.person(email=address.upper())
    answer = world.admin.post("/users/%d/activate" % person.id, None, 409)
    assert code_of(answer) == "EMAIL_TAKEN"


def test_the_last_super_admin_stays(make_service):
    service = make_service().start()
    admin = Api(service)
    signed_in = admin.login("admin", "Admin-pass-1").json()
    admin.token, me = signed_in["access_token"], signed_in["user"]["id"]
    for path, body in (("role", {"role": "viewer"}), ("deactivate", None)):
        method = "PATCH" if path == "role" else "POST"
        answer = admin.call(method, "/users/%d/%s" % (me, path), 409,
                            **({"json": body} if body else {}))
        assert code_of(answer) == "LAST_SUPER_ADMIN"


def test_of_two_super_admins_who_demote_each_other_one_stays(make_service):
    """Again and again, at once: whoever comes second is the last one, or is none any more."""
    service = make_service().start()
    admin = Api(service)
    admin.token = admin.login("admin", "Admin-pass-1").json()["access_token"]
    me = admin.get("/me").json()
    other = admin.post("/users", {"username": "other", "name": "Other", "password": PASSWORD,
                                  "role": "super_admin"}, 201).json()
    apis = {me["id"]: admin, other["id"]: Api(service)}
    apis[other["id"]].token = apis[other["id"]].login("other", PASSWORD).json()["access_token"]
    pairs = [(me["id"], other["id"]), (other["id"], me["id"])]
    with futures.ThreadPoolExecutor(2) as threads:
        for _ in range(20):
            answers = list(threads.map(lambda pair: apis[pair[0]].patch(
                "/users/%d/role" % pair[1], {"role": "viewer"}, (200, 403, 409)), pairs))
            codes = sorted(answer.status_code for answer in answers)
            assert codes[0] == 200 and codes[1] != 200, [answer.text for answer in answers]
            stays, demoted = pairs[0] if answers[0].status_code == 200 else pairs[1]
            apis[stays].patch("/users/%d/role" % demoted, {"role": "super_admin"}, 200)


def test_only_super_admins_see_to_others(world):
    target = world.person().id
    for role in ROLES[:-1]:
        api = world.person(role).api
        for call in (lambda: api.patch("/users/%d/role" % target, {"role": "viewer"}, 403),
                     lambda: api.patch("/users/%d/group" % target, {"group_id": None}, 403),
                     lambda: api.post("/users/%d/deactivate" % target, None, 403),
                     lambda: api.post("/users/%d/activate" % target, None, 403),
                     lambda: api.post("/groups", {"name": unique("g")}, 403)):
            assert code_of(call()) == "FORBIDDEN"


def test_users_who_are_not_there_are_404(world):
    for path in ("/users/999999999/deactivate", "/users/999999999/activate"):
        world.admin.post(path, None, 404)
    world.admin.patch("/users/999999999/role", {"role": "viewer"}, 404)
    world.admin.get("/users/999999999", 404)


@pytest.mark.parametrize("path, body", (
    ("/users", {"username": "", "name": "Ann", "password": PASSWORD, "role": "viewer"}),
    ("/groups", {"name": ""})), ids=("user", "group"))
def test_what_was_made_lies_where_the_answer_says(world, path, body):
    made = world.admin.post(path, {name: value or unique("made") for name, value in body.items()},
                            201)
    there = world.admin.get(made.headers["Location"].removeprefix("/api/v1"), 200)
    assert there.json() == made.json()
    assert there.headers["ETag"] == made.headers["ETag"]


def test_a_user_alone_is_shown_as_in_the_list(world):
    person = world.person("annotator")
    listed = next(u for u in world.admin.get("/users").json() if u["id"] == person.id)
    alone = world.person("project_admin").api.get("/users/%d" % person.id).json()
    assert (alone, alone["username"]) == (listed, person.username)


# --- the export ---

def test_the_export_holds_whom_the_list_shows(world):
    world.person("reviewer")
    group = world.admin.post("/groups", {"name": unique("g")}, 201).json()
    world.admin.patch("/users/%d/group" % world.person().id, {"group_id": group["id"]})
    listed = world.admin.get("/users").json()
    answer = world.admin.get("/users/export?format=json")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="users.json"'
    assert answer.json() == listed
    answer = world.admin.get("/users/export?format=csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="users.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))
    assert [row["id"] for row in rows] == [str(user["id"]) for user in listed]
    for row, user in zip(rows, listed):
        for name in ("username", "name", "email", "role", "group_name", "last_login_at"):
            assert row[name] == (user[name] or ""), (name, user)
        assert row["is_active"] == str(user["is_active"]).lower()


@pytest.mark.parametrize("formula", ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0"))
def test_nothing_in_the_export_is_a_formula(world, formula):
    person = world.person()
    name = formula + unique("x")
    person.api.patch("/auth/me", {"name": name})
    text = world.admin.get("/users/export?format=csv").content.decode()
    row = next(row for row in csv.DictReader(io.StringIO(text, newline=""))
               if row["id"] == str(person.id))
    assert row["name"] == "'" + name.strip()


def test_an_export_leaves_its_trace(world, service):
    asker = world.person("super_admin")
    asker.api.get("/users/export?format=csv")
    said = service.command("log", "tail", "--last", "1", "--json", "--type", "user.list_exported")
    assert json.loads(said.stdout)["actor"] == str(asker.id)
    for query in ("", "?format=xml"):
        world.admin.get("/users/export" + query, 422)


# --- groups ---

def test_groups_count_their_members(world):
    name = unique("East")
    group = world.admin.post("/groups", {"name": " %s " % name, "description": "all east"},
                             201).json()
    assert (group["name"], group["description"], group["member_count"]) == (name, "all east", 0)
    people = [world.person() for _ in range(2)]
    for person in people:
        answer = world.admin.patch("/users/%d/group" % person.id, {"group_id": group["id"]})
        assert (answer.json()["group_id"], answer.json()["group_name"]) == (group["id"], name)
    assert people[0].api.get("/me").json()["group_name"] == name
    world.admin.patch("/users/%d/group" % people[1].id, {"group_id": None})
    found = next(g for g in world.admin.get("/groups").json() if g["id"] == group["id"])
    assert found["member_count"] == 1
    renamed = world.admin.patch("/groups/%d" % group["id"], {"name": name + "!"}).json()
    assert (renamed["name"], renamed["member_count"]) == (name + "!", 1)
    assert people[0].api.get("/me").json()["group_name"] == name + "!"
    world.admin.delete("/groups/%d" % group["id"])
    assert people[0].api.get("/me").json()["group_id"] is None
    assert group["id"] not in [g["id"] for g in world.admin.get("/groups").json()]
    world.admin.patch("/groups/%d" % group["id"], {"name": "x"}, 404)
    world.admin.get("/groups/%d" % group["id"], 404)


def test_group_names_are_unique_without_regard_to_case(world):
    name = unique("north")
    world.admin.post("/groups", {"name": name}, 201)
    other = world.admin.post("/groups", {"name": unique("south")}, 201).json()
    assert code_of(world.admin.post("/groups", {"name": name.upper()}, 409)) == "NAME_TAKEN"
    path = "/groups/%d" % other["id"]
    assert code_of(world.admin.patch(path, {"name": name}, 409)) == "NAME_TAKEN"
    world.admin.patch(path, {"name": other["name"].upper()}, 200)


def test_a_group_is_changed_by_the_version_that_was_seen(world):
    group = world.admin.post("/groups", {"name": unique("g")}, 201)
    path = "/groups/%d" % group.json()["id"]
    assert group.headers["ETag"] == '"1"'
    world.admin.patch(path, {"description": "a"}, 200, headers={"If-Match": '"1"'})
    world.admin.patch(path, {"description": "b"}, 412, headers={"If-Match": '"1"'})
    world.admin.delete(path, 412, headers={"If-Match": '"1"'})
    world.admin.delete(path, 204, headers={"If-Match": '"2"'})


def test_a_group_that_is_not_there_can_not_be_joined(world):
    answer = world.admin.patch("/users/%d/group" % world.person().id, {"group_id": 999999}, 422)
    assert error_locations(answer) == [("body", "group_id")]


def test_a_group_must_be_named_to_be_left(world):
    person = world.person()
    for body in ({}, {"group": None}):
        answer = world.admin.patch("/users/%d/group" % person.id, body, 422)
        assert error_locations(answer) == [("body", "group_id")]


def test_project_admins_read_groups_and_others_do_not(world):
    world.person("project_admin").api.get("/groups", 200)
    for role in ("reviewer", "annotator", "viewer"):
        assert code_of(world.person(role).api.get("/groups", 403)) == "FORBIDDEN"


def test_a_user_is_changed_by_the_version_that_was_seen(world):
    person = world.person()
    path = "/users/%d/" % person.id
    first = person.api.get("/me")
    assert first.headers["ETag"] == '"%d"' % first.json()["version"]
    seen = {"If-Match": first.headers["ETag"]}
    changed = world.admin.patch(path + "role", {"role": "reviewer"}, 200, headers=seen)
    assert changed.headers["ETag"] == person.api.get("/me").headers["ETag"] != seen["If-Match"]
    for call in (lambda: world.admin.patch(path + "role", {"role": "viewer"}, 412, headers=seen),
                 lambda: world.admin.patch(path + "group", {"group_id": None}, 412, headers=seen),
                 lambda: person.api.patch("/auth/me", {"name": "Other"}, 412, headers=seen),
                 lambda: person.api.patch("/auth/me/preferences", {"zoom": 2}, 412,
                                          headers=seen)):
        assert code_of(call()) == "VERSION_MISMATCH"
    preferences = person.api.get("/auth/me/preferences")
    after = person.api.patch("/auth/me/preferences", {"zoom": 2},
                             headers={"If-Match": preferences.headers["ETag"]})
    assert after.headers["ETag"] == person.api.get("/auth/me/preferences").headers["ETag"]
    person.api.login(person.username, PASSWORD)
    assert person.api.get("/me").headers["ETag"] == after.headers["ETag"], "a sign-in changes none"
