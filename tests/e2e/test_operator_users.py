"""`annolog user …`: what the operator does on the machine itself."""

import json
import subprocess

import pytest

from client import Api, code_of
from service import binary_path
from world import PASSWORD

OTHER_PASSWORD = "Operator-pass-1"


def user(service, *arguments, given=None, expect=0):
    environment = service.environment()
    done = subprocess.run([binary_path(), "user", *arguments], env=environment, input=given,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def signs_in(service, username, password):
    return Api(service).login(username, password, (200, 401)).status_code == 200


def test_a_user_is_created_with_a_password_that_is_told_once(service):
    done = user(service, "create", "operated-1", "--role", "annotator", "--json")
    made = json.loads(done.stdout)
    assert made["username"] == made["name"] == "operated-1"
    assert made["role"] == "annotator"
    assert signs_in(service, "operated-1", made["password"])
    assert made["password"] not in service.log_text()


def test_a_password_can_be_given(service):
    user(service, "create", "operated-2", "--name", "Ada", "--email", "ada.2@example.org",
         "--password-stdin", given=OTHER_PASSWORD + "\n")
    api = Api(service)
    api.token = api.login("operated-2", OTHER_PASSWORD).json()["access_token"]
    me = api.get("/me").json()
    assert (me["name"], me["email"], me["role"]) == ("Ada", "ada.2@example.org", "viewer")


def test_another_password_ends_what_was_open(service, world):
    person = world.person()
    user(service, "reset-password", person.username, "--password-stdin", given=OTHER_PASSWORD)
    assert not signs_in(service, person.username, PASSWORD)
    assert signs_in(service, person.username, OTHER_PASSWORD)
    person.api.get("/me", 401)


def test_the_audit_tells_that_it_was_the_operator_and_no_password(service, world):
    person = world.person()
    user(service, "reset-password", person.username, "--password-stdin", given=OTHER_PASSWORD)
    rows = world.admin.all_pages("/audit-logs", {"action": "user.reset_password"})
    [row] = [row for row in rows if row["target_id"] == person.id]
    assert (row["actor_id"], row["proof"], row["status_code"]) == (None, "operator_key", 200)
    assert OTHER_PASSWORD not in str(rows)


def test_users_are_shut_out_and_let_in(service, world):
    person = world.person()
    assert "inactive" in user(service, "deactivate", str(person.id)).stdout
    assert not signs_in(service, person.username, PASSWORD)
    assert " active" in user(service, "activate", person.username.upper()).stdout
    assert signs_in(service, person.username, PASSWORD)


def test_all_users_are_listed(service, world):
    person = world.person("reviewer")
    listed = [json.loads(line) for line in user(service, "list", "--json").stdout.splitlines()]
    assert {each["id"]: each["role"] for each in listed}[person.id] == "reviewer"
    assert not any("password" in each for each in listed)


@pytest.mark.parametrize("arguments,said", [
    (("create", "operated-3", "--role", "king"), "role"),
    (("create", "operated-4", "--password-stdin"), "8 characters"),
    (("deactivate", "nobody-of-that-name"), "no user is called"),
])
def test_what_is_refused_is_said(service, arguments, said):
    done = user(service, *arguments, given="weak\n", expect=1)
    assert said in done.stderr
    assert not done.stdout


def test_without_a_service_it_says_so(tmp_path, service):
    environment = dict(service.environment(), ANNOLOG_DATA_DIR=str(tmp_path))
    done = subprocess.run([binary_path(), "user", "list"], env=environment, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "no service runs" in done.stderr


def test_nobody_else_resets_passwords(world):
    person = world.person()
    answer = world.admin.post("/users/%d/password" % person.id, {"password": OTHER_PASSWORD}, 403)
    assert code_of(answer) == "FORBIDDEN"
    person.api.post("/users/%d/password" % person.id, {"password": OTHER_PASSWORD}, 403)
    of_person = {"actor_id": person.id, "action": "user.reset_password"}
    row, = world.admin.get("/audit-logs", params=of_person).json()["items"]
    assert (row["status_code"], row["actor_role"], row["proof"]) == (403, "annotator", "token")
    world.nobody.post("/users/%d/password" % person.id, {"password": OTHER_PASSWORD}, 401)


def test_the_operator_is_in_the_log_as_the_service(service):
    user(service, "create", "operated-5")
    last = service.command("log", "tail", "--last", "1", "--json", "--type", "user.created")
    assert json.loads(last.stdout)["actor"] == "0"
