"""Privacy erasure: after it nothing that names the person is found anywhere, byte by byte, while
the log still proves itself whole (decisions, section 2; architecture, "Events")."""

import pytest

from client import Api, box, code_of
from test_replay import replay
from waiting import wait_until
from world import PASSWORD, World

NAME = "Quizzical Zaphodine"
EMAIL = "zaphodine.quizzical@example.org"
NEXT_NAME = "Renamed Wyvernsworth"
ADDRESS = "203.0.113.77"
AGENT = "Wombatbrowser/7.7"
WORDS = ("quizzical", "zaphodine", "wyvernsworth", ADDRESS, "wombatbrowser")


class Person:
    """Somebody who has left traces wherever a person can."""

    def __init__(self, world):
        headers = {"User-Agent": AGENT, "X-Forwarded-For": ADDRESS}
        nobody = Api(world.service)
        nobody.session.headers.update(headers)
        invitation = world.admin.post("/users/invite", {"email": EMAIL, "role": "project_admin"},
                                      201).json()
        world.admin.post("/invitations/%d/resend" % invitation["id"], None, (200, 409))
        self.older = invitation["id"]
        token = world.admin.post("/users/invite", {"email": EMAIL, "role": "project_admin"},
                                 201).json()["token"]
        body = nobody.post("/auth/register",
                           {"token": token, "name": NAME, "password": PASSWORD}, 201).json()
        self.id = body["user"]["id"]
        nobody.post("/auth/login", {"username": EMAIL, "password": "Wrong-pass-1"}, 401)
        self.api = Api(world.service, nobody.login(EMAIL, PASSWORD).json()["access_token"])
        self.api.session.headers.update(headers)
        self.api.patch("/auth/me", {"name": NEXT_NAME})
        self.key = self.api.post("/api-keys", {"name": "a key"}, 201).json()["key"]
        self.project = world.project(by=self.api)
        dataset = world.dataset(by=self.api)
        world.upload_images(dataset["id"], 1)
        world.link(dataset["id"], self.project["id"], by=self.api)
        world.tasks_of(self.project["id"], 1)
        self.task_id = self.api.next(self.project["id"]).json()["id"]
        self.api.save(self.task_id, [box()])
        self.api.submit(self.task_id, [])


def words_in(text):
    return [word for word in WORDS if word in text.lower()]


def audit_of(person):
    return ("/audit-logs?actor_id=%d" % person.id,
            "/audit-logs?project_id=%d" % person.project["id"])


def answers(world, person):
    """What the service says to those who may see most."""
    admin, pages = world.admin, []
    project = person.project["id"]
    for path in ("/users", "/users/export?format=csv", "/users/export?format=json", "/projects",
                 "/projects/%d" % project, "/projects/%d/members" % project,
                 "/tasks?project_id=%d" % project, "/tasks/%d" % person.task_id,
                 "/tasks/%d/annotations/page" % person.task_id, "/datasets",
                 "/invitations?scope=all&limit=200", "/groups",
                 "/projects/%d/export?format=coco" % project,
                 "/projects/%d/export?format=native_json" % project, *audit_of(person)):
        pages.append((path, admin.get(path).text))
    return pages


def log_lines(service):
    done = service.command("log", "tail", "--json", "--from", "1")
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_with_words(service):
    found = []
    for path in service.data.rglob("*"):
        if path.is_file() and words_in(path.read_bytes().decode("latin-1")):
            found.append(str(path.relative_to(service.data)))
    return found


@pytest.fixture(scope="module")
def erased(make_service):
    """The story up to its end, and what was in the log file before it."""
    service = make_service({"TRUSTED_PROXIES": "127.0.0.1"}).start()
    world = World(service)
    person = Person(world)
    assert words_in(" ".join(text for _, text in answers(world, person))), "there is a trace first"
    person.log_size = service.log_file.stat().st_size
    person.answer = world.admin.post("/users/%d/erase" % person.id, {"reason": "asked to go"}, 200)
    person.world = world
    return person


def test_the_answer_names_nobody(erased):
    body = erased.answer.json()
    assert body["id"] == erased.id
    assert body["is_active"] is False
    assert (body["username"], body["name"], body["email"]) == ("", "", None)


def test_all_doors_are_shut(erased):
    world = erased.world
    Api(world.service, erased.api.token).get("/me", 401)
    keyed = Api(world.service)
    keyed.session.headers["X-API-Key"] = erased.key
    keyed.get("/me", 401)
    world.nobody.login(EMAIL, PASSWORD, 401)
    again = world.admin.post("/users/%d/activate" % erased.id, None, (404, 409, 422))
    assert again.status_code >= 400


def test_no_answer_names_the_person(erased):
    found = [(path, words_in(text)) for path, text in answers(erased.world, erased)
             if words_in(text)]
    assert not found


def test_no_page_of_the_audit_does_that_was_shown_before(make_service):
    service = make_service({"TRUSTED_PROXIES": "127.0.0.1"}).start()
    world = World(service)
    person = Person(world)
    for path in audit_of(person) * 2:  # the second time from what is kept
        assert {ADDRESS, "wombatbrowser"} <= set(words_in(world.admin.get(path).text)), path
    world.admin.post("/users/%d/erase" % person.id, {"reason": "asked to go"}, 200)
    for path in audit_of(person):
        assert not words_in(world.admin.get(path).text), path


def test_no_table_does(erased):
    service = erased.world.service
    assert not words_in("\n".join(service.database.dump()))
    done = service.command("projections", "rebuild")
    assert done.returncode == 0, done.stderr
    assert not words_in("\n".join(service.database.dump())), "nor when built anew from the log"


def test_no_record_of_the_log_does_in_clear(erased):
    text = log_lines(erased.world.service)
    assert '"user.erased"' in text
    assert not words_in(text)


def test_no_replay_of_its_project_does(erased):
    for more in ((), ("--json",)):
        lines = replay(erased.world.service, "--project", erased.project["id"], *more)
        assert any("task.annotations_added" in line for line in lines)
        assert not words_in(" ".join(lines))


def test_no_file_below_the_data_folder_does(erased):
    assert not files_with_words(erased.world.service)


def test_the_log_still_proves_itself(erased):
    done = erased.world.service.command("log", "verify")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_logged_afterwards_does_not(erased):
    service = erased.world.service
    answers(erased.world, erased)
    with open(service.log_file, "rb") as log:
        log.seek(erased.log_size)
        assert not words_in(log.read().decode())


def test_it_stays_so_over_a_restart_and_a_refold(erased):
    service = erased.world.service
    service.stop()
    done = service.command("state", "refold")
    assert done.returncode == 0, done.stderr
    service.start()
    world = World(service)
    erased.world = world
    wait_until(lambda: not [path for path, text in answers(world, erased) if words_in(text)], 30,
               "no answer names the person")


def test_the_address_and_the_name_are_free_again(erased):
    world = erased.world
    world.admin.post("/users", {"username": EMAIL, "email": EMAIL, "name": "Another",
                                "role": "viewer", "password": PASSWORD}, 201)
    world.nobody.login(EMAIL, PASSWORD, 200)


def test_erasing_twice_is_the_same_and_a_reason_is_needed(erased):
    admin = erased.world.admin
    admin.post("/users/%d/erase" % erased.id, {"reason": "again"}, 200)
    admin.post("/users/%d/erase" % erased.id, {"reason": ""}, 422)
    admin.post("/users/%d/erase" % erased.id, {"reason": "x" * 501}, 422)
    admin.post("/users/999999/erase", {"reason": "none"}, 404)


def test_others_may_not_erase(erased):
    somebody = erased.world.person("project_admin")
    answer = somebody.api.post("/users/%d/erase" % erased.id, {"reason": "no"}, 403)
    assert code_of(answer) == "FORBIDDEN"
