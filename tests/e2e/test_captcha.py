"""After failed sign-ins a captcha is asked for (spec, "Authentication" 4; decisions, section 2)."""

import base64
import struct

import pytest

from captcha_answers import captcha_answer
from client import Api, code_of, error_locations, unique
from postgres import run_sql
from service import ADMIN_PASSWORD, ADMIN_USERNAME
from waiting import wait_until
from world import PASSWORD

WRONG = "Wrong-pass-1"


def sign_in(api, username, password, captcha=None, address=None):
    body = {"username": username, "password": password}
    if captcha:
        body["captcha_id"], body["captcha_answer"] = captcha
    headers = {"X-Forwarded-For": address} if address else None
    return api.post("/auth/login", body, (200, 401), headers=headers)


def fail(api, username, times=3, address=None):
    return [sign_in(api, username, WRONG, address=address) for _ in range(times)]


def new_captcha(service):
    return Api(service).get("/auth/captcha").json()["captcha_id"]


def answered(service):
    captcha_id = new_captcha(service)
    return captcha_id, captcha_answer(service, captcha_id)


def is_asked_for(answer):
    assert answer.status_code == 401
    assert code_of(answer) == "CAPTCHA_REQUIRED"
    assert answer.json()["detail"]["captcha_required"] is True
    return True


def test_a_captcha_is_a_picture_and_an_id(world):
    answer = world.nobody.get("/auth/captcha")
    body = answer.json()
    assert set(body) == {"captcha_id", "image_png_base64", "expires_in"}
    assert body["expires_in"] == 300
    assert answer.headers["Cache-Control"] == "no-store"
    png = base64.b64decode(body["image_png_base64"], validate=True)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert width > height >= 50


def test_a_browser_gets_the_picture_itself(world):
    answer = world.nobody.get("/auth/captcha", headers={"Accept": "image/png"})
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
    assert answer.headers["X-Captcha-Id"]
    assert answer.headers["Cache-Control"] == "no-store"


def test_no_two_captchas_are_the_same(world):
    seen = [world.nobody.get("/auth/captcha").json() for _ in range(3)]
    for name in ("captcha_id", "image_png_base64"):
        assert len({captcha[name] for captcha in seen}) == 3


def test_after_three_failures_the_right_password_needs_a_captcha(world, service):
    person = world.person()
    answers = fail(world.nobody, person.username)
    assert [code_of(answer) for answer in answers] == ["INVALID_CREDENTIALS"] * 3
    required = [answer.json()["detail"]["captcha_required"] for answer in answers]
    assert required == [False, False, True]
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD))
    assert sign_in(world.nobody, person.username, PASSWORD, answered(service)).status_code == 200
    assert sign_in(world.nobody, person.username, PASSWORD).status_code == 200, "counted anew"


def test_a_success_between_them_clears_the_failures(world):
    person = world.person()
    for _ in range(2):
        fail(world.nobody, person.username, 2)
        assert sign_in(world.nobody, person.username, PASSWORD).status_code == 200


def test_unknown_names_are_counted_like_known_ones(world, service):
    name = unique("nobody")
    required = [answer.json()["detail"]["captcha_required"]
                for answer in fail(world.nobody, name)]
    assert required == [False, False, True]
    is_asked_for(sign_in(world.nobody, name, WRONG))
    answer = sign_in(world.nobody, name, WRONG, answered(service))
    assert code_of(answer) == "INVALID_CREDENTIALS"
    assert answer.json()["detail"]["captcha_required"] is True


def test_a_name_is_counted_whatever_its_case(world):
    name = unique("case")
    for spelling in (name, name.upper(), name.title()):
        sign_in(world.nobody, spelling, WRONG)
    is_asked_for(sign_in(world.nobody, name, WRONG))


def test_an_answer_counts_whatever_its_case(world, service):
    person = world.person()
    fail(world.nobody, person.username)
    captcha_id, answer = answered(service)
    assert sign_in(world.nobody, person.username, PASSWORD,
                   (captcha_id, answer.lower())).status_code == 200


def test_a_captcha_is_answered_once(world, service):
    person = world.person()
    fail(world.nobody, person.username)
    captcha = answered(service)
    assert code_of(sign_in(world.nobody, person.username, WRONG, captcha)) == "INVALID_CREDENTIALS"
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD, captcha))


def test_a_wrong_answer_uses_the_captcha_up(world, service):
    person = world.person()
    fail(world.nobody, person.username)
    captcha_id, answer = answered(service)
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD, (captcha_id, "?????")))
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD, (captcha_id, answer)))


@pytest.mark.parametrize("captcha_id", ["x", "a.b.c", "k.AAAA.AAAA"])
def test_an_id_that_was_never_given_opens_nothing(world, captcha_id):
    person = world.person()
    fail(world.nobody, person.username)
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD, (captcha_id, "ABCDE")))


def test_blanks_around_a_name_make_no_other_name(world):
    person = world.person()
    for name in (person.username, " " + person.username, person.username + "\t"):
        sign_in(world.nobody, name, WRONG)
    is_asked_for(sign_in(world.nobody, person.username.upper() + " ", WRONG))


def test_an_id_that_was_altered_opens_nothing(world, service):
    person = world.person()
    fail(world.nobody, person.username)
    captcha_id, answer = answered(service)
    altered = captcha_id[:-1] + ("A" if captcha_id[-1] != "A" else "B")
    is_asked_for(sign_in(world.nobody, person.username, PASSWORD, (altered, answer)))


def test_fields_of_the_captcha_are_checked(world):
    body = {"username": "a", "password": "b", "captcha_id": "", "captcha_answer": "x" * 21}
    answer = world.nobody.post("/auth/login", body, 422)
    assert set(error_locations(answer)) == {("body", "captcha_id"), ("body", "captcha_answer")}


def test_failures_belong_to_address_and_name_and_last_over_a_restart(make_service):
    service = make_service({"TRUSTED_PROXIES": "127.0.0.1"}).start()
    fail(Api(service), ADMIN_USERNAME, address="203.0.113.5")
    service.restart()
    nobody = Api(service)
    is_asked_for(sign_in(nobody, ADMIN_USERNAME, ADMIN_PASSWORD, address="203.0.113.5"))
    # Somebody else's failures shut nobody out.
    assert sign_in(nobody, ADMIN_USERNAME, ADMIN_PASSWORD,
                   address="203.0.113.6").status_code == 200
    is_asked_for(sign_in(nobody, ADMIN_USERNAME, ADMIN_PASSWORD, address="203.0.113.5"))


def test_failures_are_forgotten_after_the_window(make_service):
    service = make_service({"ANNOLOG_LOGIN_FAILURE_WINDOW_S": "2"}).start()
    nobody = Api(service)
    fail(nobody, ADMIN_USERNAME)
    is_asked_for(sign_in(nobody, ADMIN_USERNAME, ADMIN_PASSWORD))
    wait_until(lambda: sign_in(nobody, ADMIN_USERNAME, ADMIN_PASSWORD).status_code == 200, 10,
               "the failures are forgotten")


def test_neither_address_nor_name_stands_in_the_database(world, service):
    name = unique("trace")
    fail(world.nobody, name, 1)
    callers = run_sql(service.database_url, "SELECT caller FROM annolog.sign_in_failures")
    assert callers.strip()
    assert name not in callers
    assert "127.0.0.1" not in callers
