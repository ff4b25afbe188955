"""Sign-in by an OpenID Connect provider: a real one, and the browser of the person."""

import concurrent.futures
import http.cookies
import socket
import urllib.parse

import pytest

from client import Api, code_of, error_locations, unique
from oidc_provider import OidcProvider
from test_audit import of_request
from world import PASSWORD, World

LOGIN, CALLBACK = "/auth/oidc/login", "/auth/oidc/callback"
COOKIE, REFRESH = "annolog_oidc", "annolog_refresh"
FRONTEND = "https://frontend.example"


def account(name, **claims):
    email = name + "@example.org"
    return {"sub": "Sub-" + name, "password": "a password there", "email": email,
            "email_verified": True, **claims}


ANNA, BORIS, STRANGER = account("anna"), account("boris"), account("stranger")
UNVERIFIED = account("unverified", email_verified=False)
ACCOUNTS = [ANNA, BORIS, STRANGER, UNVERIFIED, account("erased"), account("away"),
            account("twice"), account("other"), account("claimed"), account("keys"),
            account("audited"),
            # Another subject with the address of "claimed", and one that differs by case alone.
            account("claimed", sub="Sub-second"), account("cased", sub="SUB-ANNA")]
BY_SUB = {one["sub"]: one for one in ACCOUNTS}


@pytest.fixture(scope="module")
def provider():
    with OidcProvider(ACCOUNTS, ["http://127.0.0.1/unused"]) as running:
        yield running


def settings_for(provider, **more):
    return {"ANNOLOG_OIDC_ISSUER": provider.issuer, "ANNOLOG_OIDC_CLIENT_ID": provider.client_id,
            "ANNOLOG_OIDC_CLIENT_SECRET": provider.client_secret,
            "ANNOLOG_OIDC_NAME": "Example ID", "ANNOLOG_CORS_ORIGINS": FRONTEND, **more}


@pytest.fixture(scope="module")
def service(make_service, provider):
    running = make_service(settings_for(provider)).start()
    provider.restart(redirect_uris=[running.base_url + "/api/v1" + CALLBACK])
    return running


def user(world, who, role="annotator"):
    body = {"username": unique(who["sub"]), "email": who["email"], "name": "Somebody",
            "role": role, "password": PASSWORD}
    return world.admin.post("/users", body, 201).json()


class Browser:
    """Somebody's, on the way to the provider and back."""

    def __init__(self, service, provider, return_to="/work"):
        self.provider, self.api = provider, Api(service)
        answer = self.api.get(LOGIN, 302, params={"return_to": return_to})
        self.url = answer.headers["Location"]
        self.set_cookie = http.cookies.SimpleCookie(answer.headers["Set-Cookie"])[COOKIE]

    def asked(self, name):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.url).query))[name]

    def back(self, answer_url, expect=302):
        """Follows the provider's redirect to the service."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer_url).query))
        return self.api.get(CALLBACK, expect, params=query)

    def sign_in(self, who, expect=302):
        return self.back(self.provider.sign_in(self.url, who), expect)


def signed_in(answer, browser, return_to="/work"):
    """The user's id, by the refresh cookie that came along."""
    assert answer.headers["Location"] == return_to
    token = browser.api.post("/auth/refresh", None, 200).json()["access_token"]
    return browser.api.with_token(token).get("/me").json()["id"]


def refused(answer, code, where="/work?"):
    assert answer.headers["Location"] == where + "sign_in_error=" + code
    assert REFRESH not in answer.headers["Set-Cookie"]


def test_a_frontend_learns_where_to_send_the_browser(world):
    told = world.nobody.get("/auth/oidc").json()
    assert told == {"enabled": True, "name": "Example ID",
                    "login_url": world.nobody.url(LOGIN)}


def test_without_a_provider_there_is_no_such_door(make_service):
    api = Api(make_service().start())
    assert api.get("/auth/oidc").json() == {"enabled": False, "name": "", "login_url": ""}
    assert code_of(api.get(LOGIN, 404)) == "NOT_FOUND"
    assert code_of(api.get(CALLBACK, 404, params={"code": "x", "state": "y"})) == "NOT_FOUND"


def test_the_user_with_the_verified_address_is_signed_in(world, service, provider):
    anna = user(world, ANNA)
    browser = Browser(service, provider)
    answer = browser.sign_in(ANNA)
    assert answer.headers["Cache-Control"] == "no-store"
    assert signed_in(answer, browser) == anna["id"]
    again = Browser(service, provider)
    assert signed_in(again.sign_in(ANNA), again) == anna["id"]
    [shown] = [one for one in world.admin.get("/users").json() if one["id"] == anna["id"]]
    assert shown["last_login_at"]


def test_the_audit_tells_who_came_that_way_and_who_was_refused(world, service, provider):
    who = account("audited")
    somebody = user(world, who)
    answer = Browser(service, provider).sign_in(who)
    [row] = of_request(world, answer, action="auth.login_oidc")
    assert (row["actor_id"], row["proof"], row["status_code"]) == (
        somebody["id"], "signing_in", 302)
    assert row["target_id"] == somebody["id"] and "code=" not in row["path"]
    answer = Browser(service, provider).sign_in(STRANGER)
    [row] = of_request(world, answer, action="auth.login_oidc")
    assert (row["actor_id"], row["target_id"], row["status_code"]) == (None, None, 302)
    assert row["detail_json"]["code"] == "OIDC_NO_ACCOUNT"


def test_what_the_browser_keeps_meanwhile(service, provider):
    browser = Browser(service, provider)
    assert browser.set_cookie["httponly"] and browser.set_cookie["samesite"] == "Lax"
    assert browser.set_cookie["path"] == "/api/v1/auth/oidc"
    assert browser.set_cookie["max-age"] == "600"
    assert browser.asked("code_challenge_method") == "S256"
    for name in ("state", "nonce"):
        assert browser.asked(name) not in browser.set_cookie.value


def test_passwords_go_on_beside_it(world, service, provider):
    boris = user(world, BORIS)
    browser = Browser(service, provider)
    assert signed_in(browser.sign_in(BORIS), browser) == boris["id"]
    world.nobody.login(boris["username"], PASSWORD)


def test_nobody_is_made_up(service, provider):
    refused(Browser(service, provider).sign_in(STRANGER), "OIDC_NO_ACCOUNT")


def test_an_address_that_is_not_verified_is_nobodys(world, service, provider):
    user(world, UNVERIFIED)
    refused(Browser(service, provider).sign_in(UNVERIFIED), "OIDC_NO_ACCOUNT")


def test_deactivated_and_erased_ones_are_not_let_in(world, service, provider):
    for name, way, body in (("away", "deactivate", None), ("erased", "erase", {"reason": "gone"})):
        who = account(name)
        somebody = user(world, who)
        browser = Browser(service, provider)
        assert signed_in(browser.sign_in(who), browser) == somebody["id"]
        world.admin.post("/users/%d/%s" % (somebody["id"], way), body)
        refused(Browser(service, provider).sign_in(who), "OIDC_NO_ACCOUNT")


def test_who_comes_first_has_the_user_until_it_is_unlinked(world, service, provider):
    first, second = account("claimed"), BY_SUB["Sub-second"]
    claimed = user(world, first)
    browser = Browser(service, provider)
    assert signed_in(browser.sign_in(first), browser) == claimed["id"]
    refused(Browser(service, provider).sign_in(second), "OIDC_OTHER_ACCOUNT")
    path = "/users/%d/oidc-account" % claimed["id"]
    world.admin.delete(path, 200)
    world.admin.delete(path, 200)
    browser = Browser(service, provider)
    assert signed_in(browser.sign_in(second), browser) == claimed["id"]
    refused(Browser(service, provider).sign_in(first), "OIDC_OTHER_ACCOUNT")
    world.admin.delete("/users/999999/oidc-account", 404)


def test_subjects_differ_by_case(service, provider):
    """The linked one of anna is Sub-anna."""
    refused(Browser(service, provider).sign_in(BY_SUB["SUB-ANNA"]), "OIDC_NO_ACCOUNT")


def test_a_cancelled_sign_in_is_told_to_the_page(service, provider):
    browser = Browser(service, provider, "/work?tab=1#top")
    answer = browser.back(provider.refuse(Browser(service, provider).url), 400)
    assert code_of(answer) == "OIDC_STATE", "another browser's attempt"
    answer = browser.back(provider.refuse(browser.url))
    assert answer.headers["Location"] == "/work?tab=1&sign_in_error=OIDC_DENIED#top"


def test_an_answer_serves_once_and_one_browser(service, provider):
    victim, thief = Browser(service, provider), Browser(service, provider)
    answer = provider.sign_in(thief.url, BORIS)
    assert code_of(victim.back(answer, 400)) == "OIDC_STATE", "a login that somebody slipped in"
    assert code_of(Api(service).get(CALLBACK, 400, params={
        "code": "x", "state": thief.asked("state")})) == "OIDC_STATE", "no cookie"
    assert thief.back(answer).headers["Location"] == "/work"
    assert code_of(thief.back(answer, 400)) == "OIDC_STATE", "the attempt is used up"


def test_a_code_of_another_attempt_is_refused(service, provider):
    """Its verifier is another one's."""
    one, other = Browser(service, provider), Browser(service, provider)
    answer = provider.sign_in(other.url, BORIS)
    code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer).query))["code"]
    refused(one.api.get(CALLBACK, 302, params={"code": code, "state": one.asked("state")}),
            "OIDC_FAILED")


@pytest.mark.parametrize("query", [{}, {"code": ""}, {"code": "invented"},
                                   {"error": "server_error"},
                                   {"code": "x", "iss": "https://other.example"}])
def test_answers_that_prove_nothing(service, provider, query):
    browser = Browser(service, provider)
    refused(browser.api.get(CALLBACK, 302, params={"state": browser.asked("state"), **query}),
            "OIDC_FAILED")


@pytest.mark.parametrize("where", ["/", "/a/b?c=d#e", FRONTEND, FRONTEND + "/work"])
def test_the_browser_may_return_here(world, service, provider, where):
    browser = Browser(service, provider, where)
    assert browser.sign_in(BORIS).headers["Location"] == where


@pytest.mark.parametrize("where", ["//evil.example", "https://evil.example/", "/\\evil.example",
                                   FRONTEND + ".evil.example", "javascript:alert(1)", "work",
                                   "/a\r\nSet-Cookie: a=b", "/a b"])
def test_the_browser_may_not_be_sent_elsewhere(service, where):
    answer = Api(service).get(LOGIN, 422, params={"return_to": where})
    assert error_locations(answer) == [("query", "return_to")]


def test_the_length_of_return_to_is_checked(service):
    for where in ("", "/" * 1025):
        answer = Api(service).get(LOGIN, 422, params={"return_to": where})
        assert error_locations(answer) == [("query", "return_to")]


def test_new_keys_of_the_provider_are_taken_up(world, service, provider):
    who = account("keys")
    somebody = user(world, who)
    provider.rotate_keys()
    browser = Browser(service, provider)
    assert signed_in(browser.sign_in(who), browser) == somebody["id"]


def test_secrets_are_in_no_log(service, provider):
    browser = Browser(service, provider)
    answer = provider.sign_in(browser.url, BORIS)
    code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer).query))["code"]
    browser.back(answer)
    text = service.log_text()
    for secret in (code, provider.client_secret, browser.set_cookie.value,
                   browser.asked("state"), BORIS["email"], BORIS["sub"]):
        assert secret not in text


def test_subjects_and_addresses_are_not_in_the_log_of_events(service):
    done = service.command("log", "tail", "--json", "--from", "1")
    assert '"user.oidc_linked"' in done.stdout
    for word in ("Sub-anna", "anna@example.org", "Sub-second"):
        assert word not in done.stdout


def test_a_link_lives_over_a_restart_and_a_refold(world, service, provider):
    who = account("twice")
    somebody = user(world, who)
    browser = Browser(service, provider)
    signed_in(browser.sign_in(who), browser)
    service.stop()
    assert service.command("state", "refold").returncode == 0
    service.start()
    provider.restart(redirect_uris=[service.base_url + "/api/v1" + CALLBACK])
    browser = Browser(service, provider)
    assert signed_in(browser.sign_in(who), browser) == somebody["id"]
    World(service)  # passwords too


def test_a_provider_that_is_away_is_said_so(make_service, provider):
    with OidcProvider(ACCOUNTS, ["http://127.0.0.1/unused"]) as gone:
        running = make_service(settings_for(gone)).start()
        gone.restart(redirect_uris=[running.base_url + "/api/v1" + CALLBACK])
        browser = Browser(running, gone)
        answer_url = gone.sign_in(browser.url, BORIS)
        gone.stop()
        refused(browser.back(answer_url), "OIDC_AWAY")
    api = Api(make_service(settings_for(gone)).start())
    answer = api.get(LOGIN, 503)
    assert code_of(answer) == "OIDC_AWAY" and answer.headers["Retry-After"]
    api.login("admin", "Admin-pass-1")


def test_a_provider_that_hangs_does_not_hold_up_a_stop(make_service, provider):
    """It takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        issuer = "http://127.0.0.1:%d" % silent.getsockname()[1]
        service = make_service(settings_for(provider, ANNOLOG_OIDC_ISSUER=issuer,
                                            ANNOLOG_STOP_TIMEOUT_S="1")).start()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asking = pool.submit(Api(service).get, LOGIN, 503)
            connection, _ = silent.accept()
            service.stop(deadline_s=8)
            connection.close()
            asking.exception()


@pytest.mark.parametrize("wrong,said", [
    ({"ALLOW_OPEN_REGISTRATION": "on"}, "allow_open_registration"),
    ({"ANNOLOG_OIDC_CLIENT_ID": ""}, "client id"),
    ({"ANNOLOG_OIDC_CLIENT_SECRET": ""}, "client secret"),
    ({"ANNOLOG_OIDC_ISSUER": "http://provider.example"}, "https"),
    ({"ANNOLOG_OIDC_SCOPES": "email"}, "openid")])
def test_settings_that_can_not_work_are_refused_at_start(make_service, provider, wrong, said):
    service = make_service(settings_for(provider, **wrong))
    with pytest.raises(Exception, match="oidc_issuer: .*" + said):
        service.start()


def test_the_rate_of_sign_ins_is_limited(make_service, provider):
    api = Api(make_service(settings_for(
        provider, ANNOLOG_LOGIN_RATE_PER_MINUTE="2")).start())
    for _ in range(2):
        api.get(LOGIN, 302)
    answer = api.get(LOGIN, 429)
    assert code_of(answer) == "LOGIN_RATE_LIMITED" and answer.headers["Retry-After"]
