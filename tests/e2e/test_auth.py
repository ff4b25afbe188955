"""Login, tokens, the current user, and who may create users (decisions, section 2)."""

import base64
import json
import uuid

import pytest

from client import Api, code_of, error_locations, unique
from service import ADMIN_PASSWORD, ADMIN_USERNAME
from world import PASSWORD, World


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def is_unauthenticated(answer):
    assert answer.status_code == 401, answer.text
    challenge = answer.headers["WWW-Authenticate"]
    assert challenge.startswith('Bearer realm="annolog"'), challenge
    assert "detail" in answer.json()


def challenge_of(answer):
    before, word = answer.headers["WWW-Authenticate"].split(", error=")
    assert before == 'Bearer realm="annolog"'
    return word.strip('"')


def test_the_challenge_says_what_was_wrong_with_what_came(world):
    nobody = world.nobody
    assert challenge_of(nobody.get("/me", 401)) == "missing_token"
    for headers in ({"Authorization": "Bearer none"}, {"Authorization": "Basic eDp5"},
                    {"X-API-Key": "none"}):
        assert challenge_of(nobody.get("/me", 401, headers=headers)) == "invalid_token"


def test_first_super_admin_logs_in_with_the_given_password(world):
    answer = world.nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD)
    body = answer.json()
    assert body["token_type"] == "bearer"
    assert {"id", "username", "role"} <= set(body["user"])
    assert body["user"]["username"] == ADMIN_USERNAME
    assert body["user"]["role"] == "super_admin"
    assert body["access_token"].count(".") == 2


def test_token_carries_the_documented_claims(world):
    person = world.person("reviewer")
    header, claims = (decoded(part) for part in person.api.token.split(".")[:2])
    assert header["alg"] in ("EdDSA", "HS256")
    assert header["kid"]
    assert {"sub", "role", "jti", "gen", "iat", "exp", "iss", "typ"} <= set(claims)
    assert claims["sub"] == str(person.id)
    assert claims["role"] == "reviewer"
    assert claims["exp"] - claims["iat"] == 30 * 60


def test_me_is_the_caller_without_any_secret(world):
    person = world.person("annotator")
    body = person.api.get("/me").json()
    for name in ("id", "username", "name", "role", "group_id", "group_name", "is_active",
                 "last_login_at", "preferences", "email", "created_at"):
        assert name in body, name
    assert body["id"] == person.id
    assert body["username"] == person.username
    assert body["role"] == "annotator"
    assert body["is_active"] is True
    assert body["last_login_at"].endswith("Z")
    assert "argon2" not in json.dumps(body)
    assert PASSWORD not in json.dumps(body)


def test_wrong_password_and_unknown_user_get_the_same_answer(world):
    person = world.person()
    wrong = world.nobody.login(person.username, "Wrong-pass-1", 401)
    unknown = world.nobody.login(unique("nobody"), "Wrong-pass-1", 401)
    assert wrong.json()["detail"] == unknown.json()["detail"]
    detail = wrong.json()["detail"]
    assert detail["code"] == "INVALID_CREDENTIALS"
    assert detail["captcha_required"] is False
    assert challenge_of(wrong) == "invalid_credentials"
    assert "access_token" not in wrong.text


def test_whoever_is_refused_costs_the_same_work(world):
    """Else the time that it takes would tell who exists."""
    def hashes():
        return world.nobody.metric("password_hashes_total")

    known, deactivated, erased = (world.person() for _ in range(3))
    world.admin.post("/users/%d/deactivate" % deactivated.id, None)
    world.admin.post("/users/%d/erase" % erased.id, {"reason": "asked for"})
    for username in (known.username, deactivated.username, erased.username, unique("nobody")):
        before = hashes()
        world.nobody.login(username, "Wrong-pass-1", 401)
        assert hashes() == before + 1, username


@pytest.mark.parametrize("body, where", [
    ({"password": "Some-pass-1"}, ("body", "username")),
    ({"username": "somebody"}, ("body", "password")),
    ({"username": "", "password": "Some-pass-1"}, ("body", "username")),
    ({"username": 7, "password": "Some-pass-1"}, ("body", "username")),
    ({"username": None, "password": "Some-pass-1"}, ("body", "username")),
])
def test_login_body_is_validated(world, body, where):
    assert where in error_locations(world.nobody.post("/auth/login", body, 422))


def test_without_a_token_a_resource_is_401(world):
    is_unauthenticated(world.nobody.get("/me", 401))


@pytest.mark.parametrize("header", [
    "", "Bearer", "Bearer ", "Basic YWRtaW46eA==", "Bearer a.b", "Bearer a.b.c.d", "Bearer ....",
    "Bearer " + "x" * 4000, "bearer\tx",
])
def test_malformed_authorization_is_401(world, header):
    is_unauthenticated(world.nobody.get("/me", 401, headers={"Authorization": header}))


def test_scheme_of_authorization_is_case_insensitive(world):
    header = {"Authorization": "bearer " + world.admin.token}
    assert world.nobody.get("/me", headers=header).json()["username"] == ADMIN_USERNAME


def forged(token, header=None, claims=None, signature=None):
    parts = token.split(".")
    if header is not None:
        parts[0] = encoded(json.dumps({**decoded(parts[0]), **header}).encode())
    if claims is not None:
        parts[1] = encoded(json.dumps({**decoded(parts[1]), **claims}).encode())
    if signature is not None:
        parts[2] = signature
    return ".".join(parts)


@pytest.mark.parametrize("tamper", [
    pytest.param(lambda t: forged(t, header={"alg": "none"}, signature=""), id="alg-none-unsigned"),
    pytest.param(lambda t: forged(t, header={"alg": "none"}), id="alg-none-signed"),
    pytest.param(lambda t: forged(t, header={"alg": "HS512"}), id="other-alg"),
    pytest.param(lambda t: forged(t, header={"kid": "no-such-key"}), id="unknown-kid"),
    pytest.param(lambda t: forged(t, header={"kid": "../../keys"}), id="kid-as-path"),
    pytest.param(lambda t: forged(t, claims={"role": "super_admin"}), id="role-raised"),
    pytest.param(lambda t: forged(t, claims={"exp": 99999999999}), id="life-lengthened"),
    pytest.param(lambda t: forged(t, claims={"sub": "1"}), id="other-subject"),
    pytest.param(lambda t: forged(t, signature=""), id="no-signature"),
    pytest.param(lambda t: t[:-4], id="truncated"),
    pytest.param(lambda t: t + "AAAA", id="lengthened"),
    pytest.param(lambda t: t.rsplit(".", 1)[0], id="two-parts"),
    pytest.param(lambda t: forged(t, signature=encoded(bytes(64))), id="zero-signature"),
])
def test_tampered_token_is_401(world, tamper):
    person = world.person("annotator")
    is_unauthenticated(Api(world.service, tamper(person.api.token)).get("/me", 401))
    person.api.get("/me")


@pytest.mark.parametrize("role", ["super_admin", "project_admin", "reviewer", "annotator",
                                  "viewer"])
def test_super_admin_creates_users_of_every_role(world, role):
    username = unique("made")
    email = "%s@example.org" % uuid.uuid4().hex
    body = {"username": username, "name": "Zoë Ünal", "role": role, "password": PASSWORD,
            "email": email}
    made = world.admin.post("/users", body, 201).json()
    assert made["username"] == username
    assert made["name"] == "Zoë Ünal"
    assert made["role"] == role
    assert made["email"] == email
    assert made["is_active"] is True
    assert PASSWORD not in json.dumps(made)
    assert world.nobody.login(username, PASSWORD).json()["user"]["role"] == role


@pytest.mark.parametrize("role", ["project_admin", "reviewer", "annotator", "viewer"])
def test_others_may_not_create_users(world, role):
    person = world.person(role)
    body = {"username": unique("never"), "name": "N", "role": "viewer", "password": PASSWORD}
    answer = person.api.post("/users", body, 403)
    assert code_of(answer) == "FORBIDDEN"
    assert "super_admin" in answer.text


@pytest.mark.parametrize("change, field", [
    ({"username": ""}, "username"),
    ({"username": "a" * 151}, "username"),
    ({"username": "\N{GREEK SMALL LETTER ALPHA}" * 151}, "username"),
    ({"username": "p\N{CYRILLIC SMALL LETTER A}ypal"}, "username"),  # two scripts that look as one
    ({"username": "ann\N{ZERO WIDTH SPACE}"}, "username"),
    ({"username": "ann\N{RIGHT-TO-LEFT OVERRIDE}"}, "username"),
    ({"role": "owner"}, "role"),
    ({"role": None}, "role"),
    ({"password": "short1A"}, "password"),
    ({"password": "all-lower-1"}, "password"),
    ({"password": "ALL-UPPER-1"}, "password"),
    ({"password": "No-Digits-Here"}, "password"),
])
def test_user_fields_are_validated(world, change, field):
    body = {"username": unique("bad"), "name": "N", "role": "viewer", "password": PASSWORD}
    assert ("body", field) in error_locations(world.admin.post("/users", {**body, **change}, 422))


def test_every_wrong_user_field_is_listed_at_once(world):
    body = {"username": "", "name": "N", "role": "owner", "password": "weak"}
    found = error_locations(world.admin.post("/users", body, 422))
    assert {("body", "username"), ("body", "role"), ("body", "password")} <= set(found)


def test_username_is_taken_once(world):
    person = world.person()
    body = {"username": person.username, "name": "N", "role": "viewer", "password": PASSWORD}
    world.admin.post("/users", body, 409)


@pytest.mark.parametrize("first, second", [
    ("ann{}", "ANN{}"), ("ann{}", "\N{FULLWIDTH LATIN SMALL LETTER A}nn{}"),
    ("Jos\N{LATIN SMALL LETTER E WITH ACUTE}{}", "jose\N{COMBINING ACUTE ACCENT}{}"),
    ("gro\N{LATIN SMALL LETTER SHARP S}{}", "GROSS{}"),
    ("o\N{LATIN SMALL LIGATURE FF}ice{}", "office{}"), ("ann{}", " ann{} ")])
def test_a_name_is_the_same_however_it_is_written(world, first, second):
    mark = unique("")
    body = {"name": "N", "role": "viewer", "password": PASSWORD}
    world.admin.post("/users", {**body, "username": first.format(mark)}, 201)
    answer = world.admin.post("/users", {**body, "username": second.format(mark)}, 409)
    assert code_of(answer) == "USERNAME_TAKEN"
    world.nobody.login(second.format(mark), PASSWORD, 200)


def test_email_is_unique_among_active_users(world):
    email = "%s@example.org" % uuid.uuid4().hex
    world.person(email=email)
    body = {"username": unique("twin"), "name": "N", "role": "viewer", "password": PASSWORD,
            "email": email}
    world.admin.post("/users", body, 409)


def test_secrets_never_reach_the_log(world):
    person = world.person()
    world.nobody.login(person.username, "Wrong-secret-77", 401)
    text = world.service.log_text()
    assert PASSWORD not in text
    assert "Wrong-secret-77" not in text
    assert person.api.token not in text
    assert ADMIN_PASSWORD not in text


def test_login_survives_a_restart_of_the_service(make_service):
    service = make_service().start()
    before = World(service)
    person = before.person("reviewer")
    service.restart()
    assert person.api.get("/me").json()["id"] == person.id
    again = before.nobody.login(person.username, PASSWORD).json()
    assert again["user"]["id"] == person.id


def test_logins_beyond_the_rate_are_429_with_retry_after(make_service):
    service = make_service({"ANNOLOG_LOGIN_RATE_PER_MINUTE": "5"}).start()
    nobody = Api(service)
    answers = [nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD, (200, 429)) for _ in range(12)]
    assert answers[0].status_code == 200
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    for answer in refused:
        assert int(answer.headers["Retry-After"]) >= 1
        assert "detail" in answer.json()
        assert "access_token" not in answer.text
    Api(service, answers[0].json()["access_token"]).get("/me")


def login_statuses(service, address, count):
    nobody = Api(service)
    body = {"username": ADMIN_USERNAME, "password": ADMIN_PASSWORD}
    return [nobody.post("/auth/login", body, (200, 429),
                        headers={"X-Forwarded-For": address}).status_code for _ in range(count)]


def test_a_trusted_proxy_tells_the_client_address(make_service):
    service = make_service({"ANNOLOG_LOGIN_RATE_PER_MINUTE": "4",
                            "TRUSTED_PROXIES": "127.0.0.1"}).start()
    assert 429 in login_statuses(service, "203.0.113.1", 10)
    assert login_statuses(service, "203.0.113.2", 1) == [200]
    # The last hop that is not trusted counts; what stands before it can be invented.
    assert 429 in login_statuses(service, "198.51.100.7, 203.0.113.1", 1)


def test_a_stranger_can_not_choose_its_address(make_service):
    service = make_service({"ANNOLOG_LOGIN_RATE_PER_MINUTE": "4"}).start()
    statuses = [status for at in range(10)
                for status in login_statuses(service, "203.0.113.%d" % at, 1)]
    assert 429 in statuses
