"""The audit (specification, Audit log; decisions, section 7; docs/decisions/0032): each request
that writes leaves one row, a refused one too."""

import csv
import io

import pytest

from client import Api, box, code_of, error_locations, now, unique
from postgres import run_sql
from test_batches import Crew, Place
from waiting import wait_until
from world import PASSWORD, World

ROW = {"id", "actor_id", "actor", "actor_email", "actor_role", "proof", "action", "target_type",
       "target_id", "project_id", "method", "path", "status_code", "ip", "detail_json",
       "created_at"}


def rows(world, limit=200, **filters):
    return world.admin.all_pages("/audit-logs", filters, limit=limit)


def of_request(world, answer, **filters):
    """The rows of the request that was so answered."""
    request_id = answer.headers["X-Request-Id"]
    return [row for row in rows(world, **filters)
            if row["detail_json"]["request_id"] == request_id]


def row_of(world, answer, **filters):
    found = of_request(world, answer, **filters)
    assert len(found) == 1, found
    return found[0]


def test_a_write_leaves_one_row_that_says_all(world):
    _, task, annotator = world.started()
    annotator.api.submit(task["id"], [box()])
    reviewer = world.member(task["project_id"], "reviewer")
    answer = reviewer.api.post("/tasks/%d/review/reject" % task["id"],
                               {"reason_type": "missing", "reason": "a car is missing"},
                               headers={"User-Agent": "x" * 300})
    row = row_of(world, answer, actor_id=reviewer.id)
    assert set(row) == ROW
    me = reviewer.api.get("/me").json()
    assert row["actor"] == {"id": me["id"], "name": me["name"], "username": me["username"]}
    assert (row["actor_id"], row["actor_role"], row["proof"]) == (reviewer.id, "reviewer", "token")
    assert (row["action"], row["method"], row["status_code"]) == ("task.reject", "POST", 200)
    assert (row["target_type"], row["target_id"]) == ("task", task["id"])
    assert row["project_id"] == task["project_id"]
    assert row["path"] == "/api/v1/tasks/%d/review/reject" % task["id"]
    assert row["ip"] == "127.0.0.1"
    assert row["detail_json"] == {"request_id": answer.headers["X-Request-Id"],
                                  "user_agent": "x" * 256, "reason": "a car is missing",
                                  "display_id": task["display_id"]}


@pytest.mark.parametrize("sent, shown", [
    ("Wömbat ✓ " * 50, ("Wömbat ✓ " * 50)[:256]),
    ("tab\tand \xff", "tab?and ?"),
], ids=["letters", "others"])
def test_a_user_agent_is_kept_by_its_characters(world, sent, shown):
    person = world.person("project_admin")
    raw = sent.encode("latin-1" if "\xff" in sent else "utf-8")
    answer = person.api.post("/projects", {"name": ""}, 422, headers={"User-Agent": raw})
    assert row_of(world, answer, actor_id=person.id)["detail_json"]["user_agent"] == shown


def test_what_is_created_is_the_target(world):
    owner = world.person("project_admin")
    answer = owner.api.post("/projects", {"name": unique("p"),
                                          "classes_config": [{"name": "car"}]}, 201)
    row = row_of(world, answer, actor_id=owner.id)
    assert (row["action"], row["status_code"]) == ("project.create", 201)
    assert (row["target_type"], row["target_id"]) == ("project", answer.json()["id"])
    assert row["project_id"] == answer.json()["id"]


@pytest.mark.parametrize("refused, status", [
    (lambda place: place.annotator.api.delete(place.url(place.batch), 403), 403),
    (lambda place: place.stranger.api.delete(place.url(place.batch), 404), 404),
    (lambda place: place.owner.api.post(place.url(place.batch, "reset"), {"reason": "short"}, 422),
     422),
    (lambda place: place.owner.api.post(place.url(place.batch, "transition"),
                                        {"target_status": "approved"}, 409), 409),
    (lambda place: place.owner.api.patch(place.url(place.batch), {"name": "x"}, 412,
                                         headers={"If-Match": '"999"'}), 412),
])
def test_a_refused_write_leaves_its_row_with_its_status(world, refused, status):
    place = Place(Crew(world), 1)
    place.batch = place.make()
    row = row_of(world, refused(place), project_id=place.id)
    assert row["status_code"] == status
    assert row["detail_json"]["code"]
    assert (row["target_type"], row["target_id"]) == ("batch", place.batch["id"])


def test_malformed_and_unannounced_bodies_leave_theirs(world):
    owner = world.person("project_admin")
    for body, headers, status in ((b"{", {}, 400), (b"{}", {"Content-Type": "text/plain"}, 415)):
        answer = owner.api.call("POST", "/projects", status, data=body,
                                headers={"Content-Type": "application/json", **headers})
        row = row_of(world, answer, actor_id=owner.id)
        assert (row["action"], row["status_code"], row["target_id"]) == (
            "project.create", status, None)


def test_nobody_is_recorded_by_address_alone(world):
    answer = world.nobody.post("/projects", {"name": "x"}, 401)
    row = row_of(world, answer, status_code=401, action="project.create")
    assert (row["actor_id"], row["actor_role"], row["proof"]) == (None, None, "nobody")
    assert row["ip"] == "127.0.0.1"


def test_a_flood_of_nobody_is_counted_and_not_kept(make_service):
    world = World(make_service({"ANNOLOG_AUDIT_ANONYMOUS_PER_MINUTE": "2"}).start())
    refused = [world.nobody.post("/projects", {"name": "x"}, 401) for _ in range(5)]
    kept = [answer for answer in refused if of_request(world, answer, status_code=401)]
    assert kept == refused[:2]
    metrics = world.nobody.get("/metrics", root=True).text
    assert "audit_requests_left_out_total 3" in metrics.splitlines()
    assert row_of(world, world.admin.post("/projects", {"name": ""}, 422))["status_code"] == 422


def test_reads_leave_none(world):
    owner = world.person("project_admin")
    answer = owner.api.get("/projects")
    assert of_request(world, answer, actor_id=owner.id) == []


def test_signing_in_and_out_leaves_who_and_never_what(world):
    person = world.person()
    answer = world.nobody.login(person.username, PASSWORD)
    row = row_of(world, answer, actor_id=person.id)
    assert (row["action"], row["status_code"], row["proof"]) == ("auth.login", 200, "signing_in")
    assert (row["target_type"], row["target_id"]) == ("user", person.id)
    failed = world.nobody.login(person.username, "Wrong-pass-1", 401)
    row = row_of(world, failed, action="auth.login", status_code=401)
    assert (row["actor_id"], row["detail_json"]["code"]) == (None, "INVALID_CREDENTIALS")
    changed = person.api.post("/auth/me/password",
                              {"old_password": PASSWORD, "new_password": "Better-pass-1"}, 200)
    row = row_of(world, changed, actor_id=person.id)
    assert (row["action"], row["target_id"]) == ("user.change_password", person.id)
    for secret in (PASSWORD, "Wrong-pass-1", "Better-pass-1"):
        assert secret not in str(rows(world, actor_id=person.id))


def test_who_registers_is_named_by_their_own_row(make_service):
    world = World(make_service({"ALLOW_OPEN_REGISTRATION": "on"}).start())
    address = unique("new") + "@example.org"
    invited = world.admin.post("/users/invite", {"email": address, "role": "viewer"}, 201).json()
    who = {"name": "Ada", "password": "Made-pass-1"}
    for path, body in (("/auth/register", {"token": invited["token"], **who}),
                       ("/auth/register-open", {"email": "x" + address, **who})):
        answer = world.nobody.post(path, body, 201)
        newcomer = answer.json()["user"]["id"]
        row = row_of(world, answer, actor_id=newcomer)
        assert (row["action"], row["status_code"], row["proof"]) == (
            "user.register", 201, "signing_in")
        assert (row["target_type"], row["target_id"]) == ("user", newcomer)
        assert who["password"] not in str(row) and invited["token"] not in str(row)
        assert row["ip"] == "127.0.0.1"
        world.admin.post("/users/%d/erase" % newcomer, {"reason": "asked for it"})
        assert row_of(world, answer, actor_id=newcomer)["ip"] is None


def test_who_makes_a_user_is_told_and_the_password_is_not(world):
    secret = "Made-pass-1"
    made = world.admin.post("/users", {"username": unique("made"), "name": "Made", "role": "viewer",
                                       "password": secret}, 201)
    row = row_of(world, made, actor_id=world.admin_id)
    assert (row["action"], row["target_id"]) == ("user.create", made.json()["id"])
    assert secret not in str(rows(world, target_type="user"))


def test_a_retry_is_a_request_of_its_own(world):
    _, task, annotator = world.started()
    path, key = "/tasks/%d/annotations?submit=false" % task["id"], unique("key")
    first, again = (annotator.api.post(path, {"shapes": [box()]}, 201, key=key) for _ in range(2))
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["X-Event-Position"] == first.headers["X-Event-Position"]
    assert "replayed" not in row_of(world, first, actor_id=annotator.id)["detail_json"]
    row = row_of(world, again, actor_id=annotator.id)
    assert (row["action"], row["status_code"]) == ("annotation.create", 201)
    assert row["detail_json"]["replayed"] is True


def test_a_retry_of_what_goes_on_later_is_told_apart_too(world):
    owner = world.person("project_admin")
    path, key = "/datasets/%d/backfill-dimensions" % world.dataset(owner.api)["id"], unique("key")
    first, again = (owner.api.post(path, None, 202, params={"async": "true"}, key=key)
                    for _ in range(2))
    assert "replayed" not in row_of(world, first, actor_id=owner.id)["detail_json"]
    row = row_of(world, again, actor_id=owner.id)
    assert (row["status_code"], row["detail_json"]["replayed"]) == (202, True)


def test_a_deleted_dataset_leaves_the_status_that_each_caller_was_told(world):
    owner, stranger = world.person("project_admin"), world.person("project_admin")
    path, key = "/datasets/%d" % world.dataset(owner.api)["id"], unique("key")
    hidden = stranger.api.delete(path, 404)
    hidden_still = stranger.api.delete(path, 404, key=unique("key"))
    deleted, again = (owner.api.delete(path, 204, key=key) for _ in range(2))
    gone = owner.api.delete(path, 404)
    told = [row_of(world, answer, action="dataset.delete")
            for answer in (hidden, hidden_still, deleted, again, gone)]
    assert [row["status_code"] for row in told] == [404, 404, 204, 204, 404]
    assert [row["detail_json"].get("replayed") for row in told] == [None, None, None, True, None]


def test_no_task_is_an_answer_of_its_own(world):
    project = world.project()
    person = world.member(project["id"])
    answer = person.api.next(project["id"], 204)
    assert row_of(world, answer, actor_id=person.id)["status_code"] == 204


def test_a_refused_bulk_action_leaves_what_it_named(world):
    place = Place(Crew(world), 1)
    one, other = place.make(), place.make()
    answer = place.owner.api.post(
        place.url("", "bulk-reassign"),
        {"batch_ids": [one["id"], other["display_id"], "B-DEFAULT", "nothing"],
         "annotator_id": place.viewer.id}, 422)
    row = row_of(world, answer, project_id=place.id)
    assert row["detail_json"]["batch_ids"] == [one["id"], other["id"]]
    assert row["detail_json"]["display_ids"] == ["B-DEFAULT"]
    for batch in (one, other):
        assert world.admin.get(place.url(batch, "audit-logs")).json()["items"][0] == row


def test_an_export_takes_the_filters_of_the_list(world):
    _, task, annotator = world.started()
    annotator.api.submit(task["id"], [box()])
    annotator.api.post("/tasks/%d/lock" % task["id"], None, 409)
    project = {"project_id": task["project_id"]}
    everything = [row["id"] for row in rows(world, **project)]
    filters = ({"target_type": "task", "target_id": task["id"]}, {"status_code": 409},
               {"actor_id": annotator.id}, {"action": "annotation.create"}, {})
    for more in filters:
        listed = [row["id"] for row in rows(world, **project, **more)]
        answer = world.admin.get("/audit-logs/export", params={"format": "csv", **project, **more})
        exported = [row["id"] for row in csv.DictReader(io.StringIO(answer.text))]
        assert sorted(exported) == sorted(map(str, listed)), more
        assert 0 < len(listed) < len(everything) if more else listed == everything


def detail_of(export):
    return export["detail_json"]["format"], export["detail_json"]["display_id"]


def test_exports_leave_their_row_before_the_first_byte(world):
    place = Place(Crew(world), 1)
    batch = place.staffed(place.tasks[0])
    answer = place.owner.api.get("/projects/%d/export" % place.id,
                                 params={"format": "coco"})
    row = row_of(world, answer, actor_id=place.owner.id)
    project = world.admin.get("/projects/%d" % place.id).json()
    assert row["action"] == "project.export"
    assert detail_of(row) == ("coco", project["display_id"])
    assert (row["target_type"], row["target_id"]) == ("project", place.id)
    answer = place.owner.api.get(place.url(batch, "export"), params={"format": "yolo"})
    row = row_of(world, answer, actor_id=place.owner.id)
    assert row["action"] == "batch.export"
    assert detail_of(row) == ("yolo", batch["display_id"])
    assert (row["target_type"], row["target_id"]) == ("batch", batch["id"])
    assert world.admin.get(place.url(batch, "audit-logs")).json()["items"][0] == row
    refused = place.annotator.api.get("/projects/%d/export" % place.id, 403,
                                      params={"format": "coco"})
    assert row_of(world, refused, actor_id=place.annotator.id)["status_code"] == 403
    listed = world.admin.get("/users/export", params={"format": "csv"})
    assert row_of(world, listed, action="user.export")["detail_json"]["format"] == "csv"


def test_an_export_of_a_batch_by_its_name_is_in_the_trace_of_the_batch(world):
    crew = Crew(world)
    for place in (Place(crew, 1), Place(crew, 1)):  # in different shards
        batch = place.staffed(place.tasks[0])
        answer = place.owner.api.get(place.url(batch["display_id"], "export"),
                                     params={"format": "coco"})
        row = row_of(world, answer, actor_id=place.owner.id)
        assert (row["target_type"], row["target_id"]) == ("batch", batch["id"])
        assert detail_of(row) == ("coco", batch["display_id"])
        assert world.admin.get(place.url(batch, "audit-logs")).json()["items"][0] == row


def test_a_reviewers_edit_has_a_name_of_its_own(world):
    work, task, _ = world.in_review([box()])
    reviewer = world.member(work.project_id, "reviewer")
    annotation, = reviewer.api.annotations(task["id"])
    answer = reviewer.api.patch("/tasks/%d/annotations/%d" % (task["id"], annotation["id"]),
                                {"class_name": "person"})
    row = row_of(world, answer, actor_id=reviewer.id)
    assert row["action"] == "task.reviewer_edit"
    assert (row["target_type"], row["target_id"]) == ("annotation", annotation["id"])


def test_filters_narrow_and_combine(world):
    work, task, annotator = world.started()
    first = annotator.api.submit(task["id"], [box()])
    submitted = row_of(world, first, actor_id=annotator.id)["created_at"]
    wait_until(lambda: now() > submitted, 5, "the next millisecond")
    second = annotator.api.post("/tasks/%d/review/approve" % task["id"], None, 403)
    everything = rows(world, actor_id=annotator.id, project_id=work.project_id)
    assert [row["action"] for row in everything] == ["task.approve", "annotation.create",
                                                     "task.next"]
    assert rows(world, actor_id=annotator.id, action="annotation.create") == [everything[1]]
    assert rows(world, target_type="task", target_id=task["id"], status_code=403) == [everything[0]]
    assert rows(world, target_id=task["id"], action="task.next") == [everything[2]]
    begin, end = everything[1]["created_at"], everything[0]["created_at"]
    within = rows(world, project_id=work.project_id, actor_id=annotator.id, **{"from": begin,
                                                                             "to": end})
    assert [row for row in within if row["created_at"] != end] == within
    assert everything[1] in within
    assert rows(world, actor_id=999999999) == []
    assert (first.status_code, second.status_code) == (201, 403)


def test_pages_give_each_row_once_newest_first(world):
    person = world.person("project_admin")
    for at in range(7):
        person.api.post("/projects", {"name": "", "description": str(at)}, 422)
    whole = rows(world, actor_id=person.id)
    assert len(whole) == 8  # and the sign-in
    times = [row["created_at"] for row in whole]
    assert times == sorted(times, reverse=True)
    for limit in (1, 3, 8):
        assert rows(world, limit, actor_id=person.id) == whole
    answer = world.admin.get("/audit-logs", 422, params={"limit": 0, "status_code": 99})
    assert error_locations(answer) == [("query", "status_code"), ("query", "limit")]


def test_only_super_admins_read_it(world):
    for role in ("viewer", "annotator", "reviewer", "project_admin"):
        assert code_of(world.person(role).api.get("/audit-logs", 403)) == "FORBIDDEN"
    world.nobody.get("/audit-logs", 401)


def test_erasing_a_person_takes_their_address_and_name_away(world):
    person = world.person("project_admin", email=unique("e") + "@example.org")
    answer = person.api.post("/projects", {"name": ""}, 422)
    assert row_of(world, answer, actor_id=person.id)["actor_email"]
    erased = world.admin.post("/users/%d/erase" % person.id, {"reason": "asked for it"})
    row = row_of(world, answer, actor_id=person.id)
    assert (row["actor_id"], row["action"]) == (person.id, "project.create")
    assert (row["ip"], row["actor_email"], row["actor"]["username"]) == (None, None, "")
    assert "user_agent" not in row["detail_json"]
    row = row_of(world, erased, action="user.erase", target_id=person.id)
    assert row["detail_json"]["reason"] == "asked for it"


def test_rows_outlive_a_restart_and_a_rebuild(make_service, tmp_path):
    service = make_service(folder=tmp_path / "kept").start()
    world = World(service)
    person = world.person("project_admin")
    person.api.post("/projects", {"name": ""}, 422)
    before = rows(world, actor_id=person.id)
    service.stop()
    done = service.command("projections", "rebuild")
    assert done.returncode == 0, done.stderr
    service.start()
    assert rows(World(service), actor_id=person.id) == before


def test_the_database_refuses_to_change_them(world):
    database = world.service.database.url
    for statement in ("UPDATE read_live.audit_rows SET status = 200",
                      "DELETE FROM read_live.audit_rows", "TRUNCATE read_live.audit_rows",
                      "DELETE FROM read_live.audit_batches",
                      "DELETE FROM read_live.audit_seconds"):
        with pytest.raises(RuntimeError, match="never changed|permission denied"):
            run_sql(database, statement)


def test_a_script_by_its_key_is_told_apart(world):
    key = world.admin.post("/api-keys", {"name": "script"}, 201).json()["key"]
    api = Api(world.service)
    answer = api.call("POST", "/projects", 422, json={"name": ""}, headers={"X-API-Key": key})
    row = row_of(world, answer, actor_id=world.admin_id)
    assert row["proof"] == "api_key"
    assert key not in str(row)
