"""GET /auth/me/notifications: what happened to one's account, and who did it."""

import pytest

from client import Api, code_of, error_locations, unique
from world import PASSWORD

PATH = "/auth/me/notifications"


def events(api, **params):
    return api.get(PATH, params=params).json()["items"]


def newest(api):
    return events(api, limit=1)[0]


def facts(event):
    """What was done to what, by whom."""
    actor = event["actor"]["id"] if event["actor"] else None
    return event["action"], event["target_type"], event["target_id"], event["detail"], actor


def test_a_new_account_tells_how_it_began(world):
    person = world.person("reviewer")
    first, = events(person.api)
    assert facts(first) == ("user.create", "user", person.id, {"role": "reviewer"}, world.admin_id)
    me = world.admin.get("/me").json()
    assert first["actor"] == {"id": me["id"], "name": me["name"], "username": me["username"]}
    assert first["created_at"] == person.api.get("/me").json()["created_at"]


def test_what_a_super_admin_does_to_an_account_is_told_newest_first(world):
    person = world.person()
    group = world.admin.post("/groups", {"name": unique("East")}, 201).json()
    path = "/users/%d/" % person.id
    world.admin.patch(path + "role", {"role": "reviewer"})
    world.admin.patch(path + "group", {"group_id": group["id"]})
    world.admin.patch(path + "group", {"group_id": None})
    world.admin.post(path + "deactivate", None, 200)
    world.admin.post(path + "activate", None, 200)
    api = Api(world.service, world.nobody.login(person.username, PASSWORD).json()["access_token"])
    told = events(api)
    assert [(event["action"], event["detail"]) for event in told] == [
        ("user.activate", {}),
        ("user.deactivate", {}),
        ("user.change_group", {}),
        ("user.change_group", {"group_id": group["id"]}),
        ("user.change_role", {"role": "reviewer", "old_role": "annotator"}),
        ("user.create", {"role": "annotator"}),
    ]
    assert {event["actor"]["id"] for event in told} == {world.admin_id}
    assert {event["target_id"] for event in told} == {person.id}
    times = [event["created_at"] for event in told]
    assert times == sorted(times, reverse=True)
    assert len({event["id"] for event in told}) == len(told)


def test_doors_that_somebody_may_have_opened_in_ones_name_are_told(world):
    person = world.person()
    key = person.api.post("/api-keys", {"name": "ci"}, 201).json()
    assert facts(newest(person.api)) == ("api_key.create", "api_key", key["id"],
                                         {"prefix": key["prefix"]}, person.id)
    assert key["key"] not in person.api.get(PATH).text
    world.admin.delete("/api-keys/%d" % key["id"])
    assert facts(newest(person.api)) == ("api_key.revoke", "api_key", key["id"], {},
                                         world.admin_id)
    changed = person.api.post("/auth/me/password", {"old_password": PASSWORD,
                                                    "new_password": "Other-pass-2"}, 200).json()
    api = Api(world.service, changed["access_token"])
    assert facts(newest(api)) == ("user.change_password", "user", person.id, {}, person.id)
    api.post("/auth/logout-all", None, 200)
    again = world.nobody.login(person.username, "Other-pass-2").json()["access_token"]
    assert newest(Api(world.service, again))["action"] == "user.sign_out_everywhere"


def test_a_stolen_session_is_told_and_a_sign_out_is_not(world):
    person = world.person()
    thief = Api(world.service)
    token = thief.login(person.username, PASSWORD)
    stolen = token.cookies["annolog_refresh"]
    thief.post("/auth/refresh", None, 200)
    cookie = {"Cookie": "annolog_refresh=" + stolen}
    assert code_of(Api(world.service).post("/auth/refresh", None, 401,
                                           headers=cookie)) == "REFRESH_REUSED"
    told = newest(person.api)
    assert (told["action"], told["detail"]) == ("session.end", {"reason": "reused"})
    before = len(events(person.api))
    other = Api(world.service)
    other.token = other.login(person.username, PASSWORD).json()["access_token"]
    other.post("/auth/logout", None, (200, 204))
    assert len(events(person.api)) == before


def test_projects_joined_and_left_are_told(world):
    project = world.project()
    person = world.member(project["id"], "reviewer")
    member = "/projects/%d/members/%d" % (project["id"], person.id)
    world.admin.patch(member, {"role": "viewer"})
    world.admin.delete(member)
    told = events(person.api)[:3]
    assert [facts(event) for event in told] == [
        ("project.remove_member", "project", project["id"], {}, world.admin_id),
        ("project.change_member_role", "project", project["id"],
         {"role": "viewer", "old_role": "reviewer"}, world.admin_id),
        ("project.add_member", "project", project["id"], {"role": "reviewer"}, world.admin_id),
    ]


def test_who_gives_a_project_and_who_gets_it_are_told(world):
    owner, other = world.person("project_admin"), world.person("project_admin")
    project = world.project(by=owner.api)
    world.admin.post("/projects/%d/transfer" % project["id"], {"new_owner_id": other.id}, 200)
    assert facts(newest(other.api)) == ("project.transfer", "project", project["id"], {},
                                        world.admin_id)
    assert facts(newest(owner.api)) == ("project.add_member", "project", project["id"],
                                        {"role": "project_admin"}, world.admin_id)


def test_who_takes_a_copy_is_told_of_it(world):
    person = world.person("super_admin")
    project = world.project(by=person.api)
    person.api.get("/users/export?format=csv")
    assert facts(newest(person.api)) == ("user.export", "user", person.id, {"format": "csv"},
                                         person.id)
    person.api.get("/projects/%d/export?format=coco" % project["id"])
    assert facts(newest(person.api)) == ("project.export", "project", project["id"],
                                         {"format": "coco"}, person.id)


def test_who_invited_is_told_who_came(world):
    inviter = world.person("project_admin")
    address = unique("new") + "@example.org"
    invitation = inviter.api.post("/users/invite", {"email": address, "role": "viewer"}, 201).json()
    signed_in = world.nobody.post("/auth/register", {"token": invitation["token"], "name": "Ada",
                                                     "password": PASSWORD}, 201).json()
    newcomer = signed_in["user"]["id"]
    assert facts(newest(inviter.api))[:3] == ("user.register", "user", newcomer)
    mine = events(Api(world.service, signed_in["access_token"]))
    assert [event["action"] for event in mine] == ["user.create"]


def test_nobody_sees_what_happened_to_others(world):
    one, other = world.person(), world.person()
    world.admin.patch("/users/%d/role" % one.id, {"role": "viewer"})
    assert [event["action"] for event in events(other.api)] == ["user.create"]
    world.nobody.get(PATH, 401)


def test_pages_show_every_event_once(world):
    person = world.person()
    for _ in range(3):
        world.admin.patch("/users/%d/role" % person.id, {"role": "viewer"})
        world.admin.patch("/users/%d/role" % person.id, {"role": "annotator"})
    whole = events(person.api)
    assert len(whole) == 7
    for limit in (1, 3, 7):
        assert person.api.all_pages(PATH, limit=limit) == whole
    assert person.api.get(PATH, params={"limit": 7}).json()["next_cursor"] is None


@pytest.mark.parametrize("params,where", [({"limit": 0}, "limit"), ({"limit": 201}, "limit"),
                                          ({"limit": "x"}, "limit")])
def test_a_page_of_a_wrong_size_is_422(world, params, where):
    assert error_locations(world.admin.get(PATH, 422, params=params)) == [("query", where)]


def test_the_cursor_of_another_person_is_refused(world):
    one, other = world.person(), world.person()
    world.admin.patch("/users/%d/role" % one.id, {"role": "viewer"})
    cursor = one.api.get(PATH, params={"limit": 1}).json()["next_cursor"]
    answer = other.api.get(PATH, 422, params={"limit": 1, "cursor": cursor})
    assert code_of(answer) == "INVALID_CURSOR"
