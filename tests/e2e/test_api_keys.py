"""API keys: made by their owner, told once, with the role that the owner has now."""

import re

from client import Api, code_of, error_locations, unique
from postgres import run_sql
from world import PASSWORD


def by(world, key):
    return lambda method, path, expect, **more: world.nobody.call(
        method, path, expect, headers={"X-API-Key": key}, **more)


def test_a_key_is_told_once_and_acts_for_its_owner(world):
    person = world.person("project_admin")
    made = person.api.post("/api-keys", {"name": "importer"}, 201)
    body = made.json()
    assert re.fullmatch(r"ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}", body["key"])
    assert body["key"][3:11] == body["prefix"]
    assert (body["name"], body["owner_id"]) == ("importer", person.id)
    assert body["expires_at"] is None and body["last_used_at"] is None
    assert made.headers["Cache-Control"] == "no-store"
    assert by(world, body["key"])("GET", "/me", 200).json()["id"] == person.id
    listed = person.api.get("/api-keys").json()["items"]
    assert [key["id"] for key in listed] == [body["id"]]
    assert "key" not in listed[0]
    assert body["key"].split("_")[2] not in str(listed)


def test_keys_are_listed_by_pages(world):
    person = world.person()
    made = [person.api.post("/api-keys", {"name": "ci"}, 201).json()["id"] for _ in range(3)]
    first = person.api.get("/api-keys?limit=2").json()
    rest = person.api.get("/api-keys?limit=2&cursor=" + first["next_cursor"]).json()
    assert [key["id"] for key in first["items"] + rest["items"]] == made[::-1]
    assert rest["next_cursor"] is None
    person.api.get("/api-keys?limit=0", 422)
    person.api.get("/api-keys?cursor=x", 422)


def test_the_key_wins_over_a_token(world):
    person = world.person()
    key = person.api.post("/api-keys", {"name": "ci"}, 201).json()["key"]
    assert world.admin.get("/me", headers={"X-API-Key": key}).json()["id"] == person.id
    answer = world.admin.get("/me", 401, headers={"X-API-Key": key[:-1] + "!"})
    assert code_of(answer) == "INVALID_API_KEY"


def test_keys_that_were_never_given_are_401(world):
    person = world.person()
    key = person.api.post("/api-keys", {"name": "ci"}, 201).json()["key"]
    other = key[:-1] + ("A" if key[-1] != "A" else "B")
    for wrong in (other, "", "ak_", "ak_" + "a" * 8 + "_" + "b" * 43, key + "x", key.upper(),
                  "x" * 5000):
        answer = by(world, wrong)("GET", "/me", 401)
        assert code_of(answer) == "INVALID_API_KEY"
        assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="annolog"')


def test_a_key_has_the_role_that_its_owner_has_now(world):
    person = world.person("project_admin")
    key = person.api.post("/api-keys", {"name": "ci"}, 201).json()["key"]
    call = by(world, key)
    call("POST", "/projects", 201, json={"name": unique("p")})
    world.admin.patch("/users/%d/role" % person.id, {"role": "viewer"})
    assert code_of(call("POST", "/projects", 403, json={"name": unique("p")})) == "FORBIDDEN"


def test_a_key_may_not_become_more_than_it_is(world):
    person = world.person()
    call = by(world, person.api.post("/api-keys", {"name": "ci"}, 201).json()["key"])
    passwords = {"old_password": PASSWORD, "new_password": "Better-pass-2"}
    for path, body in (("/auth/logout", None), ("/auth/logout-all", None),
                       ("/auth/me/password", passwords), ("/api-keys", {"name": "more"})):
        more = {"json": body} if body else {}
        assert code_of(call("POST", path, 403, **more)) == "SESSION_NEEDED"
    person.api.get("/me")


def test_a_revoked_key_is_dead_at_once(world):
    person = world.person()
    made = person.api.post("/api-keys", {"name": "ci"}, 201).json()
    path = "/api-keys/%d" % made["id"]
    world.person().api.delete(path, 404)
    person.api.delete(path, 204)
    assert code_of(by(world, made["key"])("GET", "/me", 401)) == "INVALID_API_KEY"
    person.api.delete(path, 204)
    assert person.api.get("/api-keys").json()["items"][0]["revoked_at"]


def test_a_retry_under_the_same_key_is_told_the_same_secret(world):
    person = world.person()
    key = unique("key")
    first = person.api.post("/api-keys", {"name": "ci"}, 201, key=key)
    again = person.api.post("/api-keys", {"name": "ci"}, 201, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["key"] == first.json()["key"]
    assert len(person.api.get("/api-keys").json()["items"]) == 1
    other = world.person().api.post("/api-keys", {"name": "ci"}, 201, key=key).json()
    assert other["key"] != first.json()["key"]


def test_the_body_is_checked(world):
    api = world.person().api
    assert error_locations(api.post("/api-keys", {}, 422)) == [("body", "name")]
    for days in (0, 366, -1, 1.5, "9"):
        answer = api.post("/api-keys", {"name": "x", "expires_in_days": days}, 422)
        assert error_locations(answer) == [("body", "expires_in_days")]


def test_keys_live_over_a_restart_and_their_use_is_noted(make_service):
    service = make_service().start()
    admin = Api(service)
    admin.token = admin.login("admin", "Admin-pass-1").json()["access_token"]
    made = admin.post("/api-keys", {"name": "ci", "expires_in_days": 1}, 201).json()
    headers = {"X-API-Key": made["key"]}
    for _ in range(3):
        Api(service).get("/me", headers=headers)
    service.restart()
    Api(service).get("/me", headers=headers)
    listed = Api(service).get("/api-keys", headers=headers).json()["items"][0]
    assert listed["last_used_at"].endswith("Z")
    assert listed["expires_at"] > made["created_at"]
    stored = run_sql(service.database.url, "SELECT count(*) FROM read_live.api_keys WHERE "
                     "secret_digest LIKE '%" + made["key"][-20:] + "%'")
    assert stored == "0", "the secret itself is kept nowhere"
    assert made["key"].split("_")[2] not in service.log_text()
