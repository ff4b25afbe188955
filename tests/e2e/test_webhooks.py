"""Webhooks against a real receiver: what arrives, how it is signed, and what comes of trouble."""

import subprocess

import pytest

from client import Api, box, code_of, error_locations, unique
from waiting import wait_until
from webhook_receiver import OK, Receiver, is_recent
from world import World

DEADLINE_S = 30


@pytest.fixture(scope="module")
def service(make_service):
    """One that may call this machine, and is quick to try again and to give up."""
    return make_service({
        "WEBHOOK_ALLOW_PRIVATE": "on",
        "ANNOLOG_WEBHOOK_RETRY_S": "0.05,0.1,0.2,0.3,0.5,1,1,1",
        "ANNOLOG_WEBHOOK_TIMEOUT_MS": "1000",
        "ANNOLOG_WEBHOOK_DISABLE_AFTER_S": "3600",
    }).start()


@pytest.fixture
def receiver():
    with Receiver() as made:
        yield made


class Case:
    """A submitted task whose approval a webhook of its project is told of."""

    def __init__(self, world, url, events=("task.approved",), **fields):
        self.world = world
        self.work, self.task, self.annotator = world.in_review([box()])
        self.project_id = self.work.project_id
        self.admin = world.member(self.project_id, "project_admin").api
        self.hook = self.make(url, events, **fields)
        self.secret = self.hook["secret"]
        self.path = "/webhooks/%d" % self.hook["id"]

    def make(self, url, events=("task.approved",), **fields):
        body = {"project_id": self.project_id, "url": url, "events": list(events), **fields}
        return self.admin.post("/webhooks", body, 201).json()

    def approve(self):
        self.world.admin.approve(self.task["id"])

    def deliveries(self, **params):
        return self.admin.get(self.path + "/deliveries", params=params).json()["items"]

    def delivery(self, status, **params):
        """The newest delivery, once it has the status."""
        def found():
            items = self.deliveries(**params)
            return items[0] if items and items[0]["status"] == status else None
        listed = wait_until(found, DEADLINE_S, "a delivery that is " + status)
        return self.admin.get(self.path + "/deliveries/" + listed["delivery_id"]).json()

    def now(self):
        return self.admin.get(self.path).json()


def arrived(receiver, count=1, taken=True):
    def enough():
        return len(receiver.events(taken)) >= count
    wait_until(enough, DEADLINE_S, "%d deliveries" % count)
    return (receiver.taken if taken else receiver.received)[:count]


def test_an_approval_arrives_signed_and_can_be_read_by_then(world, receiver):
    case = Case(world, receiver.url)
    case.approve()
    got = arrived(receiver)[0]
    assert got.is_signed_with(case.secret)
    assert is_recent(got)
    assert got.headers["Content-Type"] == "application/json"
    assert got.headers["User-Agent"].startswith("annolog/")
    assert set(got.envelope) == {"event_version", "event", "delivery_id", "occurred_at", "data"}
    assert got.envelope["event_version"] == "1.0"
    assert got.event == "task.approved"
    assert got.envelope["delivery_id"] == got.id
    assert got.data["task_id"] == case.task["id"]
    assert got.data["display_id"] == case.task["display_id"]
    assert got.data["status"] == "completed"
    assert got.data["reviewer_id"] == got.data["actor_id"] == world.admin_id
    told = case.delivery("delivered")
    assert told["delivery_id"] == got.id
    assert told["envelope"] == got.envelope
    assert told["attempt_count"] == 1
    assert told["attempts"][0]["status_code"] == 200
    assert told["attempts"][0]["response"] == "taken"
    assert case.now()["last_delivery"]["status"] == "delivered"


def test_only_what_was_asked_for_arrives_and_families_are_names_in_one(world, receiver):
    case = Case(world, receiver.url, ("task.*", "comment.created"))
    case.annotator.api.post("/tasks/%d/comments" % case.task["id"], {"body": "not for others"})
    world.admin.reject(case.task["id"], "wrong_label", "a bus")
    got = arrived(receiver, 3)
    assert [one.event for one in got] == ["comment.created", "task.rejected", "task.reviewed"]
    assert b"not for others" not in got[0].body
    assert got[1].data["reason_type"] == "wrong_label"
    assert got[1].data["reason"] == "a bus"
    assert got[2].data["outcome"] == "rejected"
    assert len({one.id for one in got}) == 3


def test_a_global_webhook_hears_of_all_projects(world, receiver):
    root = world.admin
    hook = root.post("/webhooks", {"url": receiver.url, "events": ["project.created"]}, 201).json()
    made = world.project()
    wait_until(lambda: any(one.data["project_id"] == made["id"] for one in receiver.taken),
               DEADLINE_S, "the project is told of")
    assert hook["project_id"] is None
    root.delete("/webhooks/%d" % hook["id"])


def test_trouble_is_tried_again_under_the_same_id_and_others_of_the_task_wait(world):
    answers = iter([(500, {}, b"no"), (503, {"Retry-After": "1"}, b""), (429, {}, b""), OK])
    with Receiver() as receiver:
        receiver.answer = lambda got: next(answers, OK)
        case = Case(world, receiver.url, ("task.approved", "task.reviewed", "task.reopened"))
        case.approve()
        world.admin.post("/tasks/%d/reopen" % case.task["id"])
        got = arrived(receiver, 6, taken=False)
        assert [one.event for one in got] == ["task.approved"] * 4 + ["task.reviewed",
                                                                     "task.reopened"]
        assert len({one.id for one in got[:4]}) == 1
        assert len({one.body for one in got[:4]}) == 1
        told = case.admin.get(case.path + "/deliveries/" + got[0].id).json()
        assert [one["status_code"] for one in told["attempts"]] == [500, 503, 429, 200]


def test_a_receiver_that_hangs_holds_up_no_other(world, receiver):
    with Receiver() as slow:
        slow.answer = lambda got: slow.hang()
        case = Case(world, receiver.url)
        hanging = case.make(slow.url)
        case.approve()
        arrived(receiver)
        path = "/webhooks/%d/deliveries" % hanging["id"]

        def timed_out():
            items = case.admin.get(path).json()["items"]
            return items and items[0]["attempt_count"] > 0 and items[0]
        item = wait_until(timed_out, DEADLINE_S, "an attempt has timed out")
        told = case.admin.get(path + "/" + item["delivery_id"]).json()
        assert told["attempts"][0]["status_code"] is None
        assert told["attempts"][0]["error"]


def test_redirects_are_not_followed(world, receiver):
    with Receiver(lambda got: (302, {"Location": receiver.url}, b"")) as elsewhere:
        case = Case(world, elsewhere.url)
        case.approve()
        arrived(elsewhere, 2, taken=False)
        assert receiver.received == []
        told = wait_until(lambda: case.deliveries()[0]["attempt_count"] and case.deliveries()[0],
                          DEADLINE_S, "an attempt is noted")
        detail = case.admin.get(case.path + "/deliveries/" + told["delivery_id"]).json()
        assert "redirect" in detail["attempts"][0]["error"]


def certificate(folder, host):
    """A PEM file of a host that vouches for itself, with its key."""
    file = folder / (host + ".pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + host,
                    "-addext", "subjectAltName=DNS:" + host, "-keyout", folder / "key.pem",
                    "-out", folder / "cert.pem"], check=True, capture_output=True)
    file.write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    return file


def test_a_receiver_is_told_over_tls_when_it_is_who_it_says(make_service, tmp_path):
    own, other = certificate(tmp_path, "localhost"), certificate(tmp_path, "elsewhere.example")
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on", "ANNOLOG_WEBHOOK_RETRY_S": "0.05",
                            "ANNOLOG_WEBHOOK_CA_FILE": str(own)}).start()
    world = World(service)
    with Receiver(certificate=own) as trusted, Receiver(certificate=other) as stranger:
        case = Case(world, trusted.url)
        case.approve()
        arrived(trusted)
        assert trusted.taken[0].is_signed_with(case.secret)
        case = Case(world, stranger.url)
        case.approve()
        told = case.delivery("failed")
        assert "certificate" in told["attempts"][0]["error"]
        assert not stranger.received
    service.stop()


def test_what_is_never_taken_is_given_up_and_can_be_replayed(world):
    with Receiver(lambda got: (500, {}, b"no")) as receiver:
        case = Case(world, receiver.url)
        case.approve()
        told = case.delivery("failed")
        assert told["attempt_count"] == 9
        assert told["next_attempt_at"] is None
        receiver.answer = lambda got: OK
        place = case.path + "/deliveries/" + told["delivery_id"]
        answer = case.admin.post(place + "/replay", None, 202)
        assert answer.json() == {"delivery_id": told["delivery_id"]}
        assert answer.headers["Location"] == "/api/v1" + place
        again = arrived(receiver)[0]
        assert again.id == told["delivery_id"]
        assert case.delivery("delivered")["attempt_count"] == 10


def test_an_answer_is_kept_up_to_a_kibibyte(world):
    with Receiver(lambda got: (200, {}, b"\xff\x00" + b"x" * 300_000)) as receiver:
        case = Case(world, receiver.url)
        case.approve()
        response = case.delivery("delivered")["attempts"][0]["response"]
        assert response.startswith("\ufffd\ufffdxxx")
        assert len(response) == 1024


def test_after_a_rotation_both_secrets_sign(world, receiver):
    case = Case(world, receiver.url)
    rotated = case.admin.post(case.path + "/rotate-secret", None, 200).json()
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != case.secret
    case.approve()
    got = arrived(receiver)[0]
    assert got.is_signed_with(case.secret)
    assert got.is_signed_with(rotated["secret"])
    assert len(got.signatures()) == 2


def test_the_secret_is_told_once_and_again_to_a_retry_only(world):
    case = Case(world, "http://127.0.0.1:9/")
    assert "secret" not in case.now()
    listed = case.admin.get("/webhooks", params={"project_id": case.project_id}).json()["items"]
    assert [hook["id"] for hook in listed] == [case.hook["id"]]
    assert "secret" not in listed[0] and "nonce" not in listed[0]
    body = {"project_id": case.project_id, "url": "http://127.0.0.1:9/", "events": ["*"]}
    key = unique("key")
    first = case.admin.post("/webhooks", body, 201, key=key).json()
    again = case.admin.post("/webhooks", body, 201, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["id"] == first["id"]
    assert again.json()["secret"] == first["secret"]
    case.admin.post("/webhooks/%d/rotate-secret" % first["id"])
    assert case.admin.post("/webhooks", body, 201, key=key).json()["secret"] is None


def test_a_ping_comes_to_who_asked_for_it(world, receiver):
    case = Case(world, receiver.url)
    answer = case.admin.post(case.path + "/test", None, 202)
    got = arrived(receiver)[0]
    assert got.event == "ping"
    assert got.id == answer.json()["delivery_id"]
    assert got.data["webhook_id"] == case.hook["id"]
    assert got.is_signed_with(case.secret)
    place = answer.headers["Location"].removeprefix("/api/v1")
    assert case.admin.get(place).json()["event"] == "ping"


def test_410_disables_it_and_its_maker_hears_of_it(world):
    with Receiver(lambda got: (410, {}, b"")) as receiver:
        case = Case(world, receiver.url)
        case.approve()
        now = wait_until(lambda: case.now()["disabled_at"] and case.now(), DEADLINE_S,
                         "it is disabled")
        assert now["active"] is False
        assert now["disabled_reason"] == "gone"
        told = wait_until(lambda: [one for one in case.admin.get("/notifications").json()["items"]
                                   if one["type"] == "webhook.disabled"], DEADLINE_S,
                          "a notification")
        assert told[0]["target_id"] == case.hook["id"]
        assert code_of(case.admin.post(case.path + "/test", None, 409)) == "WEBHOOK_INACTIVE"
        receiver.answer = lambda got: OK
        again = case.admin.patch(case.path, {"active": True}).json()
        assert again["active"] is True and again["disabled_at"] is None
        case.admin.post(case.path + "/test", None, 202)
        assert arrived(receiver)[0].event == "ping"


def test_long_failure_disables_it(make_service):
    service = make_service({"WEBHOOK_ALLOW_PRIVATE": "on",
                            "ANNOLOG_WEBHOOK_RETRY_S": "0.05,0.1,0.2,0.4,1,1,1,1,1,1",
                            "ANNOLOG_WEBHOOK_DISABLE_AFTER_S": "1"}).start()
    with Receiver(lambda got: (500, {}, b"")) as receiver:
        case = Case(World(service), receiver.url)
        case.approve()
        now = wait_until(lambda: case.now()["disabled_at"] and case.now(), DEADLINE_S,
                         "it is disabled")
        assert now["disabled_reason"] == "failing"
        assert case.delivery("cancelled")
    service.stop()


def test_inactive_and_deleted_ones_get_nothing(world, receiver):
    case = Case(world, receiver.url, ("task.approved", "task.reopened"))
    watcher = case.make(receiver.url.replace("/hook", "/watch"), ("task.approved",))
    case.admin.patch(case.path, {"active": False})
    case.approve()
    wait_until(lambda: receiver.events(), DEADLINE_S, "the watcher is told")
    assert [one.path for one in receiver.received] == ["/watch"]
    assert case.deliveries() == []
    case.admin.delete(case.path)
    case.admin.get(case.path, 404)
    case.admin.get(case.path + "/deliveries", 404)
    case.admin.delete("/webhooks/%d" % watcher["id"])


def test_the_log_of_deliveries_has_pages_and_filters(world, receiver):
    case = Case(world, receiver.url, ("task.*",))
    case.approve()
    for _ in range(4):
        case.admin.post(case.path + "/test", None, 202)
    wait_until(lambda: len(case.deliveries(status="delivered")) == 6, DEADLINE_S,
               "all are delivered")
    newest_first = [one["delivery_id"] for one in case.deliveries()]
    assert [one["delivery_id"] for one in
            case.admin.all_pages(case.path + "/deliveries", limit=2)] == newest_first
    assert len(case.deliveries(event="ping")) == 4
    assert len(case.deliveries(event="ping", status="delivered")) == 4
    assert len(case.deliveries(event="task.reviewed")) == 1
    assert case.deliveries(status="failed") == []
    case.admin.get(case.path + "/deliveries", 422, params={"event": "task.nothing"})
    case.admin.get(case.path + "/deliveries", 422, params={"status": "lost"})
    for unknown in ("dlv_%s_2_3_4", "dlv_%s_4294967296_3_4", "dlv_%s_2_3_4294967296", "no%.0s"):
        case.admin.get(case.path + "/deliveries/" + unknown % case.path.rpartition("/")[2], 404)


def test_changes_are_versioned(world):
    case = Case(world, "http://127.0.0.1:9/")
    got = case.admin.get(case.path)
    tag = got.headers["ETag"]
    changed = case.admin.patch(case.path, {"name": "CI", "events": ["batch.*"]},
                               headers={"If-Match": tag})
    assert changed.json()["events"] == ["batch.*"]
    assert changed.json()["version"] == 2
    case.admin.patch(case.path, {"name": "other"}, 412, headers={"If-Match": tag})
    case.admin.delete(case.path, 412, headers={"If-Match": tag})
    assert error_locations(case.admin.patch(case.path, {"url": None}, 422)) == [("body", "url")]


def test_unknown_events_and_bad_urls_are_refused(world):
    case = Case(world, "http://127.0.0.1:9/")
    body = {"project_id": case.project_id, "url": "http://127.0.0.1:9/"}
    answer = case.admin.post("/webhooks", {**body, "events": ["task.*", "task.nothing"]}, 422)
    assert error_locations(answer) == [("body", "events", 1)]
    assert "task.approved" in answer.text
    case.admin.post("/webhooks", {**body, "events": []}, 422)
    for url in ("ftp://127.0.0.1/", "nonsense", "http://u:p@127.0.0.1/", "http://127.0.0.1/#a"):
        answer = case.admin.post("/webhooks", {**body, "url": url, "events": ["*"]}, 422)
        assert error_locations(answer) == [("body", "url")], url


def test_who_may(world):
    case = Case(world, "http://127.0.0.1:9/")
    reviewer = world.member(case.project_id, "reviewer").api
    stranger = world.person("project_admin").api
    body = {"project_id": case.project_id, "url": "http://127.0.0.1:9/", "events": ["*"]}
    for api, status in ((reviewer, 403), (stranger, 404), (Api(world.service), 401)):
        api.post("/webhooks", body, status)
        api.get(case.path, status)
        api.patch(case.path, {"name": "x"}, status)
        api.get(case.path + "/deliveries", status)
        for action in ("/test", "/rotate-secret"):
            api.post(case.path + action, None, status)
        api.delete(case.path, status)
    assert reviewer.get("/webhooks").json()["items"] == []
    case.admin.post("/webhooks", {"url": "http://127.0.0.1:9/", "events": ["*"]}, 403)
    everything = world.admin.post("/webhooks", {"url": "http://127.0.0.1:9/", "events": ["*"],
                                                "active": False}, 201).json()
    case.admin.get("/webhooks/%d" % everything["id"], 404)
    world.admin.delete("/webhooks/%d" % everything["id"])
