"""Refresh, sign-out, passwords: how a session goes on and how it ends (spec, "Authentication")."""

import base64
import http.cookies
import json

import pytest

from client import Api, code_of, error_locations, unique
from service import ADMIN_PASSWORD, ADMIN_USERNAME
from waiting import wait_until
from world import PASSWORD

COOKIE = "annolog_refresh"
NEXT_PASSWORD = "Better-pass-2"


def signed_in(world, person, password=PASSWORD):
    """A browser of its own, with the session's cookie."""
    api = Api(world.service)
    answer = api.login(person.username, password)
    api.token = answer.json()["access_token"]
    return api


def cookie_of(answer):
    morsels = http.cookies.SimpleCookie(answer.headers["Set-Cookie"])
    return morsels[COOKIE]


def refresh(api, expect=200, cookie=None):
    headers = {"Cookie": "%s=%s" % (COOKIE, cookie)} if cookie else None
    return Api(api.service).post("/auth/refresh", None, expect, headers=headers) if cookie else \
        api.post("/auth/refresh", None, expect)


def works(api):
    return api.get("/me", (200, 401)).status_code == 200


def test_the_cookie_is_for_the_browser_alone(world):
    person = world.person()
    cookie = cookie_of(world.nobody.login(person.username, PASSWORD))
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/api/v1/auth"
    assert int(cookie["max-age"]) == 14 * 24 * 3600
    assert not cookie["secure"], "plain HTTP on the machine itself"


def test_behind_a_tls_proxy_the_cookie_is_secure(make_service):
    service = make_service({"TRUSTED_PROXIES": "127.0.0.1"}).start()
    api = Api(service)
    body = {"username": "admin", "password": "Admin-pass-1"}
    answer = api.post("/auth/login", body, 200, headers={"X-Forwarded-Proto": "https",
                                                         "X-Forwarded-For": "203.0.113.9"})
    assert cookie_of(answer)["secure"] is True
    answer = api.post("/auth/login", body, 200, headers={"X-Forwarded-For": "203.0.113.9"})
    assert cookie_of(answer)["secure"] is True, "plain HTTP from elsewhere"
    answer = api.post("/auth/login", body, 200, headers={"Host": "annolog.example"})
    assert cookie_of(answer)["secure"] is True, "a proxy on this machine that says nothing"
    answer = api.post("/auth/login", body, 200, headers={"Host": "localhost:8080"})
    assert not cookie_of(answer)["secure"]


def test_refresh_gives_the_next_token_and_the_next_cookie(world):
    api = signed_in(world, world.person())
    first = api.session.cookies.get(COOKIE)
    answer = refresh(api)
    body = answer.json()
    assert body["token_type"] == "bearer"
    assert body["expires_in"] == 30 * 60
    assert answer.headers["Cache-Control"] == "no-store"
    assert cookie_of(answer).value != first
    assert works(api), "the token before is good until it expires"
    api.token = body["access_token"]
    assert works(api)


def test_a_used_cookie_ends_the_whole_session(world):
    api = signed_in(world, world.person())
    stolen = api.session.cookies.get(COOKIE)
    api.token = refresh(api).json()["access_token"]
    assert works(api)
    assert code_of(refresh(api, 401, cookie=stolen)) == "REFRESH_REUSED"
    assert not works(api), "access tokens of the session too"
    assert code_of(refresh(api, 401)) == "INVALID_REFRESH_TOKEN"


def test_another_session_of_the_same_user_goes_on(world):
    person = world.person()
    one, other = signed_in(world, person), signed_in(world, person)
    stolen = one.session.cookies.get(COOKIE)
    refresh(one)
    refresh(one, 401, cookie=stolen)
    assert works(other)
    refresh(other)


@pytest.mark.parametrize("cookie", ["", "x", "1.1." + "A" * 43, "1.999999." + "A" * 43, "..",
                                    "-1.-1." + "A" * 43, "1.1." + "A" * 5000])
def test_a_cookie_that_was_never_given_is_401(world, cookie):
    answer = Api(world.service).post("/auth/refresh", None, 401,
                                     headers={"Cookie": "%s=%s" % (COOKIE, cookie)})
    assert code_of(answer) in ("INVALID_REFRESH_TOKEN", "REFRESH_REUSED")
    assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="annolog"')


def test_without_a_cookie_refresh_is_401(world):
    assert code_of(Api(world.service).post("/auth/refresh", None, 401)) == "INVALID_REFRESH_TOKEN"


def test_a_session_of_somebody_else_is_not_ended_by_a_guess(world):
    api = signed_in(world, world.person())
    user, session, _ = api.session.cookies.get(COOKIE).split(".")
    stranger = "%d.%s.%s" % (int(user) + 1, session, "A" * 43)
    refresh(api, 401, cookie=stranger)
    assert works(api)
    refresh(api)


def test_the_secret_of_one_session_is_no_secret_of_another(world):
    person = world.person()
    one, other = signed_in(world, person), signed_in(world, person)
    parts = [api.session.cookies.get(COOKIE).split(".") for api in (one, other)]
    mixed = ".".join([parts[0][0], parts[0][1], parts[1][2]])
    answer = refresh(one, 401, cookie=mixed)
    assert code_of(answer) == "INVALID_REFRESH_TOKEN"
    for api in (one, other):
        assert works(api)
        refresh(api)


def test_five_refreshes_a_minute_and_user(world):
    api = signed_in(world, world.person())
    for _ in range(5):
        refresh(api)
    answer = refresh(api, 429)
    assert code_of(answer) == "REFRESH_RATE_LIMITED"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert works(api)


def test_logout_voids_token_and_cookie(world):
    person = world.person()
    api, other = signed_in(world, person), signed_in(world, person)
    kept = api.session.cookies.get(COOKIE)
    answer = api.post("/auth/logout", None, 204)
    assert cookie_of(answer)["max-age"] == "0"
    assert not works(api)
    assert code_of(refresh(api, 401, cookie=kept)) == "INVALID_REFRESH_TOKEN"
    assert works(other)


def test_logout_all_voids_every_token_but_the_new_one(world):
    person = world.person()
    apis = [signed_in(world, person) for _ in range(3)]
    kept = apis[1].session.cookies.get(COOKIE)
    token = apis[0].post("/auth/logout-all", None, 200).json()["access_token"]
    assert not any(works(api) for api in apis)
    assert code_of(refresh(apis[1], 401, cookie=kept)) == "INVALID_REFRESH_TOKEN"
    assert works(apis[0].with_token(token))
    refresh(apis[0])


def test_another_password_ends_all_other_sessions(world):
    person = world.person()
    one, other = signed_in(world, person), signed_in(world, person)
    body = {"old_password": PASSWORD, "new_password": NEXT_PASSWORD}
    token = one.post("/auth/me/password", body, 200).json()["access_token"]
    assert works(one.with_token(token))
    assert not works(one) and not works(other)
    world.nobody.login(person.username, PASSWORD, 401)
    world.nobody.login(person.username, NEXT_PASSWORD, 200)


def test_the_old_password_must_be_right_and_the_new_one_strong(world):
    api = signed_in(world, world.person())
    body = {"old_password": "Wrong-pass-1", "new_password": NEXT_PASSWORD}
    assert error_locations(api.post("/auth/me/password", body, 422)) == [("body", "old_password")]
    for weak in ("short1A", "no-upper-case-1", "NO-LOWER-CASE-1", "No-digits-at-all"):
        body = {"old_password": PASSWORD, "new_password": weak}
        assert error_locations(api.post("/auth/me/password", body, 422)) == [
            ("body", "new_password")]
    assert works(api)


def test_sessions_end_and_go_on_over_a_restart(make_service):
    service = make_service().start()
    body = {"username": "admin", "password": "Admin-pass-1"}
    ended, going = Api(service), Api(service)
    for api in (ended, going):
        api.token = api.post("/auth/login", body, 200).json()["access_token"]
    ended.post("/auth/logout", None, 204)
    service.restart()
    assert not works(ended)
    assert works(going)
    refresh(going)
    going.post("/auth/logout-all", None, 200)
    service.restart()
    assert not works(going)


def test_ones_own_name_changes(world):
    person = world.person()
    name = unique("Ada")
    assert person.api.patch("/auth/me", {"name": "  %s " % name}).json()["name"] == name
    assert person.api.get("/me").json()["name"] == name
    assert error_locations(person.api.patch("/auth/me", {"name": " "}, 422)) == [("body", "name")]
    assert error_locations(person.api.patch("/auth/me", {"name": "x" * 201}, 422)) == [
        ("body", "name")]


def test_preferences_are_merged_by_their_names(world):
    api = world.person().api
    assert api.get("/auth/me/preferences").json() == {}
    api.patch("/auth/me/preferences", {"theme": "dark", "zoom": {"fit": True, "steps": [1, 2]}})
    after = api.patch("/auth/me/preferences", {"zoom": None, "grid": 3}).json()
    assert after == {"theme": "dark", "grid": 3}
    assert api.get("/auth/me/preferences").json() == after
    assert api.get("/me").json()["preferences"] == after


def test_preferences_are_an_object_of_64_KiB_at_most(world):
    api = world.person().api
    api.patch("/auth/me/preferences", {"a": "x" * 40_000})
    api.patch("/auth/me/preferences", {"b": "x" * 30_000}, 422)
    assert list(api.get("/auth/me/preferences").json()) == ["a"]
    for body in ([], "text", 3, None):
        api.call("PATCH", "/auth/me/preferences", (400, 422), json=body)


def kid_of(token):
    header = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]


def test_keys_rotate_while_everything_goes_on(make_service):
    service = make_service().start()
    nobody = Api(service)
    before = nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD).json()["access_token"]
    done = service.command("keys", "rotate")
    assert done.returncode == 0, done.stderr
    kid = done.stdout.strip()
    assert service.command("keys", "list").stdout.split() == [kid, kid_of(before)]
    wait_until(lambda: kid_of(nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD).json()["access_token"])
               == kid, 10, "tokens are signed with the new key")
    Api(service, before).get("/me", 200)


def test_a_token_of_a_key_that_was_dropped_is_401(make_service):
    service = make_service().start()
    token = Api(service).login(ADMIN_USERNAME, ADMIN_PASSWORD).json()["access_token"]
    for _ in range(8):
        assert service.command("keys", "rotate").returncode == 0
    service.restart()
    Api(service, token).get("/me", 401)
