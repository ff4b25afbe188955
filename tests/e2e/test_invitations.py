"""Invitations and registration: how people become users."""

import concurrent.futures

import pytest

from client import Api, code_of, error_locations, unique
from world import PASSWORD


def address():
    return unique("new") + "@example.org"


def invite(api, email=None, role="annotator", expect=201, **more):
    return api.post("/users/invite", {"email": email or address(), "role": role, **more}, expect)


def register(world, token, expect=201, name="Ada", password=PASSWORD):
    return Api(world.service).post(
        "/auth/register", {"token": token, "name": name, "password": password}, expect)


def details(world, token, expect=200):
    return world.nobody.get("/auth/invitations/" + token, expect)


def mine(api, **params):
    return api.get("/invitations", params=params).json()["items"]


def test_who_is_invited_registers_and_is_signed_in(world):
    group = world.admin.post("/groups", {"name": unique("East")}, 201).json()
    email = address()
    made = invite(world.admin, email.upper(), "reviewer", group_name=group["name"].lower()).json()
    assert made["invite_url"].endswith("/invite/" + made["token"])
    seen = details(world, made["token"]).json()
    assert (seen["email"], seen["role"], seen["group_name"]) == (email, "reviewer", group["name"])
    assert seen["expires_at"] == made["expires_at"]
    answer = register(world, made["token"])
    body = answer.json()
    assert (body["user"]["username"], body["user"]["role"]) == (email, "reviewer")
    assert "annolog_refresh=" in answer.headers["Set-Cookie"]
    me = world.nobody.with_token(body["access_token"]).get("/me").json()
    assert (me["email"], me["name"], me["group_id"]) == (email, "Ada", group["id"])
    world.nobody.login(email, PASSWORD, 200)
    listed = next(i for i in mine(world.admin, limit=200) if i["id"] == made["id"])
    assert (listed["status"], listed["email"]) == ("accepted", email)
    assert "token" not in listed


def test_an_invitation_is_used_once(world):
    token = invite(world.admin).json()["token"]
    register(world, token)
    answer = register(world, token, 410)
    assert code_of(answer) == "INVITATION_GONE"
    assert answer.json()["detail"]["status"] == "accepted"
    assert code_of(details(world, token, 410)) == "INVITATION_GONE"


def test_of_two_who_register_at_once_one_wins(world):
    token = invite(world.admin).json()["token"]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: register(world, token, (201, 409, 410), "N%d" % n),
                                range(4)))
    assert sorted(a.status_code for a in answers)[0] == 201
    assert [a.status_code for a in answers].count(201) == 1


@pytest.mark.parametrize("token", ["x", "A" * 43, "A" * 200, "..%2f", "%00"])
def test_a_token_that_was_never_given_is_404(world, token):
    world.nobody.get("/auth/invitations/" + token, (400, 404, 422))
    register(world, "A" * 43, 404)


def test_a_newer_invitation_voids_the_older(world):
    email = address()
    old, new = (invite(world.admin, email).json() for _ in range(2))
    assert details(world, old["token"], 410).json()["detail"]["status"] == "revoked"
    register(world, old["token"], 410)
    register(world, new["token"])


def test_an_active_user_is_not_invited_again(world):
    email = address()
    register(world, invite(world.admin, email).json()["token"])
    assert code_of(invite(world.admin, email, expect=409)) == "EMAIL_TAKEN"


def test_project_admins_invite_those_below_them(world):
    inviter = world.person("project_admin").api
    for role in ("viewer", "annotator", "reviewer"):
        invite(inviter, role=role)
    for role in ("project_admin", "super_admin"):
        assert code_of(invite(inviter, role=role, expect=403)) == "FORBIDDEN"
    for role in ("viewer", "annotator", "reviewer"):
        assert code_of(invite(world.person(role).api, expect=403)) == "FORBIDDEN"
    assert len(mine(inviter)) == 3
    assert code_of(inviter.get("/invitations", 403, params={"scope": "all"})) == "FORBIDDEN"
    ids = {i["id"] for i in mine(world.admin, scope="all", limit=200)}
    assert {i["id"] for i in mine(inviter)} <= ids


def test_revoked_ones_open_nothing(world):
    inviter = world.person("project_admin").api
    made = invite(inviter).json()
    path = "/invitations/%d" % made["id"]
    world.person("project_admin").api.delete(path, 404)
    inviter.delete(path, 204)
    assert code_of(inviter.delete(path, 409)) == "INVITATION_NOT_PENDING"
    register(world, made["token"], 410)
    assert [i["status"] for i in mine(inviter)] == ["revoked"]
    assert mine(inviter, status="pending") == []
    assert [i["id"] for i in mine(inviter, status="revoked")] == [made["id"]]


def test_one_that_is_sent_again_has_a_new_token(world):
    made = invite(world.admin).json()
    again = world.admin.post("/invitations/%d/resend" % made["id"], None, 200).json()
    assert again["token"] != made["token"]
    assert again["expires_at"] >= made["expires_at"]
    details(world, made["token"], 404)
    register(world, again["token"])
    answer = world.admin.post("/invitations/%d/resend" % made["id"], None, 410)
    assert code_of(answer) == "INVITATION_GONE"


def test_a_retry_is_told_the_same_token(world):
    key = unique("key")
    body = {"email": address(), "role": "viewer"}
    first = world.admin.post("/users/invite", body, 201, key=key).json()
    again = world.admin.post("/users/invite", body, 201, key=key).json()
    assert again["token"] == first["token"]
    register(world, again["token"])


def test_so_many_a_day(make_service):
    service = make_service({"MAX_INVITATIONS_PER_DAY": "2"}).start()
    admin = Api(service)
    admin.token = admin.login("admin", "Admin-pass-1").json()["access_token"]
    invite(admin)
    invite(admin)
    answer = invite(admin, expect=429)
    assert code_of(answer) == "INVITATION_LIMIT_REACHED"
    assert 0 < int(answer.headers["Retry-After"]) <= 24 * 3600
    assert len(mine(admin)) == 2


def test_bodies_are_checked(world):
    for body, where in (({"role": "viewer"}, "email"), ({"email": "x", "role": "viewer"}, "email"),
                        ({"email": address(), "role": "king"}, "role"),
                        ({"email": address(), "role": "viewer", "group_name": unique("none")},
                         "group_name")):
        answer = world.admin.post("/users/invite", body, 422)
        assert error_locations(answer) == [("body", where)]
    token = invite(world.admin).json()["token"]
    assert error_locations(register(world, token, 422, password="weak")) == [("body", "password")]
    assert error_locations(register(world, token, 422, name=" ")) == [("body", "name")]
    register(world, token)


def test_no_token_reaches_the_log(world, service):
    token = invite(world.admin).json()["token"]
    details(world, token)
    register(world, token)
    assert token not in service.log_text()


# --- open registration ---

def test_open_registration_is_off_at_first(world):
    assert world.nobody.get("/auth/registration-status").json() == {"open_registration": False}
    body = {"email": address(), "name": "Ada", "password": PASSWORD}
    assert code_of(world.nobody.post("/auth/register-open", body, 403)) == "REGISTRATION_CLOSED"


def test_open_registration_makes_viewers_three_a_minute(make_service):
    service = make_service({"ALLOW_OPEN_REGISTRATION": "on"}).start()
    api = Api(service)
    assert api.get("/auth/registration-status").json() == {"open_registration": True}
    email = address()
    body = {"email": email.upper(), "name": "Ada", "password": PASSWORD}
    made = api.post("/auth/register-open", body, 201)
    assert (made.json()["user"]["username"], made.json()["user"]["role"]) == (email, "viewer")
    assert api.with_token(made.json()["access_token"]).get("/me").json()["email"] == email
    assert code_of(api.post("/auth/register-open", body, 409)) == "EMAIL_TAKEN"
    api.post("/auth/register-open", {**body, "email": address()}, 201)
    answer = api.post("/auth/register-open", {**body, "email": address()}, 429)
    assert code_of(answer) == "REGISTRATION_RATE_LIMITED"
    assert int(answer.headers["Retry-After"]) >= 1
