"""What every route has in common: ids, errors, methods, bodies, versions (decisions, section 1)."""

import json
import re

import pytest

from client import Api, code_of, error_locations, unique
from waiting import wait_until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LISTS = ["/projects", "/datasets", "/tasks", "/projects/%d/members", "/projects/%d/datasets"]


def raw_post(api, path, data, expect, content_type="application/json", **headers):
    return api.call("POST", path, expect, data=data,
                    headers={"Content-Type": content_type, **headers})


# --- request id, trace ---

def test_every_answer_carries_a_request_id(world):
    seen = set()
    for answer in (world.nobody.get("/health", root=True),
                   world.admin.get("/me"),
                   world.nobody.get("/me", 401),
                   world.admin.get("/no-such-thing", 404),
                   world.admin.post("/projects", {}, 422)):
        seen.add(answer.headers["X-Request-Id"])
    assert len(seen) == 5


def test_sane_request_id_is_echoed(world):
    asked = unique("request")
    answer = world.admin.get("/me", headers={"X-Request-Id": asked})
    assert answer.headers["X-Request-Id"] == asked


@pytest.mark.parametrize("asked", ["x" * 5000, "with space\tand tab", 'quote"and\\slash', "<b>"])
def test_odd_request_id_never_harms_the_answer(world, asked):
    answer = world.admin.get("/me", headers={"X-Request-Id": asked})
    assert answer.headers["X-Request-Id"]
    if len(asked) > 1000:
        assert answer.headers["X-Request-Id"] != asked


def test_traceparent_is_continued(world):
    sent = "00-%s-00f067aa0ba902b7-01" % TRACE
    got = world.admin.get("/me", headers={"traceparent": sent}).headers["traceparent"]
    match = re.fullmatch(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}", got)
    assert match, got
    assert match.group(1) == TRACE


@pytest.mark.parametrize("sent", ["", "rubbish", "00-%s-0000000000000000-01" % TRACE,
                                  "00-%s-00f067aa0ba902b7-01" % ("0" * 32)])
def test_invalid_traceparent_starts_a_new_trace(world, sent):
    got = world.admin.get("/me", headers={"traceparent": sent}).headers.get("traceparent")
    if got is not None:
        assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", got)
        assert "0" * 32 not in got


# --- not found, method, media type, size, JSON ---

@pytest.mark.parametrize("path", [
    "/projects/999999999", "/tasks/999999999", "/datasets/999999999",
    "/projects/9007199254740991", "/no-such-route", "/projects/1/no-such-thing",
])
def test_unknown_is_404_with_a_detail(world, path):
    answer = world.admin.get(path, 404)
    assert answer.headers["Content-Type"].startswith("application/json")
    assert answer.json()["detail"]


@pytest.mark.parametrize("part", ["abc", "0", "-1", "1.5", "9007199254740993",
                                  "99999999999999999999999", "1e3", "%00", "%2e%2e"])
def test_impossible_id_is_a_clear_4xx(world, part):
    assert world.admin.get("/tasks/" + part, (404, 422, 400)).json()["detail"]


@pytest.mark.parametrize("method, path, allowed", [
    ("PUT", "/projects", {"GET", "POST"}),
    ("DELETE", "/me", {"GET"}),
    ("GET", "/auth/login", {"POST"}),
    ("GET", "/tasks/next", set()),
    ("PATCH", "/tasks/1/lock", {"POST", "DELETE"}),
    ("POST", "/projects/1/export", {"GET"}),
])
def test_wrong_method_is_405_with_allow(world, method, path, allowed):
    answer = world.admin.call(method, path, (405, 404, 422) if not allowed else 405)
    if answer.status_code == 405:
        given = {word.strip() for word in answer.headers["Allow"].split(",")}
        assert allowed <= given
        assert method not in given
        assert answer.json()["detail"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml",
                                          "application/x-www-form-urlencoded",
                                          "multipart/form-data; boundary=x"])
def test_wrong_media_type_is_415(world, content_type):
    answer = raw_post(world.admin, "/projects", b'{"name": "x"}', 415, content_type)
    assert answer.json()["detail"]


def test_charset_parameter_of_json_is_accepted(world):
    body = json.dumps({"name": unique("charset")})
    raw_post(world.admin, "/projects", body, 201, "application/json; charset=utf-8")


def test_body_above_the_limit_is_413(make_service):
    service = make_service({"ANNOLOG_MAX_BODY_BYTES": "65536"}).start()
    nobody = Api(service)
    big = json.dumps({"username": "x" * 70000, "password": "y"})
    assert raw_post(nobody, "/auth/login", big, 413).json()["detail"]
    nobody.get("/health", root=True)


@pytest.mark.parametrize("text, line, column", [
    ('{"name": }', 1, 10),
    ('{"name": "x"', 1, None),
    ('{\n  "name": "x",\n  "description": nope\n}', 3, None),
    ("", None, None),
    ("[1, 2", 1, None),
    ('{"name": "x"} trailing', 1, None),
    ("{'name': 'x'}", 1, 2),
    ('{"name": "bad \\q escape"}', 1, None),
    ('{"name": "tab\tinside"}', 1, None),
    ('{"name": NaN}', 1, None),
])
def test_malformed_json_is_400_and_says_where(world, text, line, column):
    answer = raw_post(world.admin, "/projects", text.encode(), (400, 422) if not text else 400)
    if answer.status_code == 422:
        return
    detail = answer.json()["detail"]
    assert detail["code"] == "MALFORMED_JSON"
    if line is not None:
        assert detail["line"] == line
        assert detail["column"] >= 1
    if column is not None:
        assert abs(detail["column"] - column) <= 1


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"7", b"null", b"true"])
def test_body_that_is_not_an_object_is_refused(world, body):
    assert raw_post(world.admin, "/projects", body, (400, 422)).json()["detail"]


# --- validation ---

def test_validation_lists_every_error(world):
    body = {"name": 7, "classes_config": [{"name": "ok", "color": "red"}, {"color": "#FFFFFF"}],
            "review_required": "yes"}
    answer = world.admin.post("/projects", body, 422)
    found = error_locations(answer)
    for loc in (("body", "name"), ("body", "classes_config", 0, "color"),
                ("body", "classes_config", 1, "name"), ("body", "review_required")):
        assert loc in found, found
    assert answer.json()["detail"]["message"]
    assert answer.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("path, params, where", [
    ("/projects", {"created_from": "yesterday"}, ("query", "created_from")),
    ("/tasks", {"limit": "many"}, ("query", "limit")),
    ("/tasks", {"project_id": "x"}, ("query", "project_id")),
    ("/tasks", {"offset": "-1"}, ("query", "offset")),
])
def test_query_parameters_are_validated(world, path, params, where):
    assert where in error_locations(world.admin.get(path, 422, params=params))


def of_a_project(world, path):
    return path % world.project()["id"] if "%d" in path else path


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["0", "201", "-1", "1000000", "99999999999999999999", ""])
def test_limit_outside_1_to_200_is_422(world, path, limit):
    assert ("query", "limit") in error_locations(
        world.admin.get(of_a_project(world, path), 422, params={"limit": limit}))


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["1", "200"])
def test_limits_at_the_border_are_taken(world, path, limit):
    page = world.admin.get(of_a_project(world, path), params={"limit": limit}).json()
    assert len(page["items"]) <= int(limit)
    assert "next_cursor" in page


def test_problem_json_on_request(world):
    ask = {"Accept": "application/problem+json"}
    missing = world.admin.get("/projects/999999999", 404, headers=ask)
    assert missing.headers["Content-Type"].startswith("application/problem+json")
    body = missing.json()
    assert body["status"] == 404
    assert body["type"] and body["title"]
    assert isinstance(body["detail"], str)
    invalid = world.admin.post("/projects", {"name": 7}, 422, headers=ask).json()
    assert invalid["status"] == 422
    assert invalid["code"] == "VALIDATION_ERROR"
    assert ["body", "name"] in [error["loc"] for error in invalid["errors"]]


# --- unknown fields ---

def test_unknown_fields_are_ignored_and_named(world):
    body = {"name": unique("ignored"), "colour": "blue", "zzz": {"a": 1}}
    answer = world.admin.post("/projects", body, 201)
    named = {word.strip() for word in answer.headers["X-Ignored-Fields"].split(",")}
    assert named == {"colour", "zzz"}
    assert "colour" not in answer.json()


def test_known_fields_only_gives_no_ignored_header(world):
    answer = world.admin.post("/projects", {"name": unique("known")}, 201)
    assert not answer.headers.get("X-Ignored-Fields")


def test_strict_handling_refuses_unknown_fields(world):
    name = unique("strict")
    answer = world.admin.post("/projects", {"name": name, "colour": "blue"}, 422,
                              headers={"Prefer": "handling=strict"})
    assert ("body", "colour") in error_locations(answer)
    world.admin.post("/projects", {"name": name}, 201, headers={"Prefer": "handling=strict"})


# --- ETag, If-Match ---

def test_etag_is_the_version_and_if_match_is_honoured(world):
    made = world.project()
    path = "/projects/%d" % made["id"]
    first = world.admin.get(path).headers["ETag"]
    assert re.fullmatch(r'"[^"]+"', first)
    changed = world.admin.patch(path, {"description": "one"}, headers={"If-Match": first})
    second = world.admin.get(path).headers["ETag"]
    assert second != first
    assert changed.json()["description"] == "one"
    stale = world.admin.patch(path, {"description": "two"}, 412, headers={"If-Match": first})
    assert stale.json()["detail"]
    assert world.admin.get(path).json()["description"] == "one"
    world.admin.patch(path, {"description": "three"}, headers={"If-Match": second})
    world.admin.patch(path, {"description": "four"}, headers={"If-Match": "*"})


def test_if_match_with_a_list_or_a_foreign_tag(world):
    made = world.project()
    path = "/projects/%d" % made["id"]
    tag = world.admin.get(path).headers["ETag"]
    world.admin.patch(path, {"description": "x"}, 412, headers={"If-Match": '"no-such-version"'})
    world.admin.patch(path, {"description": "y"},
                      headers={"If-Match": '"no-such-version", ' + tag})


def test_if_match_is_refused_where_there_is_no_version(world):
    work, task, annotator = world.started()
    member = "/projects/%d/members/%d" % (work.project_id, world.member(work.project_id).id)
    lock = "/tasks/%d/lock" % task["id"]
    for tag in ('"1"', '"999"', 'W/"1"'):
        for api, path in ((world.admin, member), (annotator.api, lock)):
            answer = api.delete(path, 412, headers={"If-Match": tag})
            assert code_of(answer) == "PRECONDITION_FAILED"
    world.admin.patch(member, {"role": "viewer"}, 412, headers={"If-Match": '"1"'})
    assert annotator.api.task(task["id"])["lock"]
    annotator.api.delete(lock, headers={"If-Match": "*"})
    world.admin.delete(member, headers={"If-Match": "*"})


def test_a_version_never_hides_what_changes_beside_it(world):
    project = world.project()
    path = "/projects/%d" % project["id"]
    first = world.admin.get(path)
    assert first.headers["Cache-Control"] == "no-store"
    world.member(project["id"])
    again = world.admin.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert again.json()["member_count"] == first.json()["member_count"] + 1


def test_bytes_that_the_client_has_are_not_sent_again(world):
    work = world.work()
    url = world.admin.task(work.tasks[0]["id"])["file_url"]
    first = world.admin.signed("GET", url, 200)
    have = {"If-None-Match": first.headers["ETag"]}
    assert first.content
    assert world.admin.signed("GET", url, 304, headers=have).content == b""
    assert world.admin.signed("GET", url, 200, headers={"If-None-Match": '"x"'}).content


# --- HEAD, OPTIONS, keep-alive ---

def test_head_answers_as_get_without_a_body(world):
    answer = world.admin.call("HEAD", "/me", (200, 405))
    assert answer.content == b""
    if answer.status_code == 405:
        assert "GET" in answer.headers["Allow"]


def test_options_never_changes_anything(world):
    answer = world.admin.call("OPTIONS", "/projects", (200, 204, 405))
    allowed = {word.strip() for word in answer.headers["Allow"].split(",")}
    assert {"GET", "POST"} <= allowed


def test_errors_keep_the_connection_usable(world):
    api = Api(world.service, world.admin.token)
    for _ in range(20):
        api.post("/projects", {}, 422)
        api.get("/no-such-route", 404)
        api.get("/me")


# --- public routes, times ---

def test_health_and_metrics_are_public(world):
    for path, root in (("/health", True), ("/health", False), ("/health/live", True)):
        world.nobody.get(path, root=root)
    health = world.nobody.get("/health", root=True).json()
    assert health["status"] in ("ok", "degraded")
    assert health["version"]
    assert "checks" in health
    metrics = world.nobody.get("/metrics", root=True).text
    assert re.search(r"^# TYPE \S+ counter", metrics, re.M)


def test_times_are_utc_with_milliseconds(world):
    made = world.project()
    stamp = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
    times = {name: value for name, value in made.items() if name.endswith("_at") and value}
    assert times, made
    for name, value in times.items():
        assert stamp.fullmatch(value), (name, value)


def test_log_has_one_json_line_per_request(world):
    asked = unique("logged")
    world.admin.get("/me", headers={"X-Request-Id": asked})

    def lines():
        return [line for line in world.service.log_text().splitlines() if asked in line]

    found = wait_until(lines, 10, "the request's log line")
    assert len(found) == 1
    json.loads(found[0])
