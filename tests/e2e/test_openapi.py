"""The served OpenAPI description, and that every route asks for a token (decisions, section 1)."""

import json
import os
import pathlib
import re

import pytest

from service import SOURCE

GOLDEN = pathlib.Path(SOURCE) / "tests" / "golden" / "openapi.json"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}

JOURNEY = [
    ("post", "/auth/login"), ("get", "/me"), ("post", "/users"), ("get", "/projects"),
    ("post", "/projects"), ("get", "/projects/{}"), ("patch", "/projects/{}"),
    ("post", "/projects/{}/classes/rename"), ("post", "/projects/{}/members"),
    ("patch", "/projects/{}/members/{}"), ("delete", "/projects/{}/members/{}"),
    ("get", "/projects/{}/export"), ("post", "/datasets"), ("get", "/datasets"),
    ("get", "/datasets/{}"), ("get", "/datasets/{}/items"),
    ("post", "/datasets/{}/items/upload-init"), ("post", "/datasets/{}/items/upload-complete/{}"),
    ("post", "/datasets/{}/items/bulk"), ("post", "/datasets/{}/link"), ("get", "/tasks"),
    ("get", "/tasks/{}"), ("post", "/tasks/next"), ("post", "/tasks/{}/lock"),
    ("delete", "/tasks/{}/lock"), ("post", "/tasks/{}/annotations"),
    ("get", "/tasks/{}/annotations/page"), ("patch", "/tasks/{}/annotations/{}"),
    ("delete", "/tasks/{}/annotations/{}"), ("post", "/tasks/{}/review/approve"),
    ("post", "/tasks/{}/review/reject"), ("post", "/tasks/{}/accept-rejection"),
    ("post", "/tasks/{}/reopen"),
]

PUBLIC = re.compile(r"/(health|metrics|docs|openapi\.json|asyncapi\.json|objects)(/|$)"
                    r"|/auth/(login|captcha|refresh|register|registration|invitations|oidc)"
                    r"|/audit/public-key$")


@pytest.fixture(scope="module")
def description(world):
    for root in (True, False):
        answer = world.nobody.get("/openapi.json", (200, 404), root=root)
        if answer.status_code == 200:
            assert answer.headers["Content-Type"].startswith("application/json")
            return answer.json()
    raise AssertionError("no /openapi.json")


def operations(description):
    for path, entry in description["paths"].items():
        for method, operation in entry.items():
            if method in METHODS:
                yield method, path, operation


def test_the_description_is_openapi_3_1(description):
    assert description["openapi"].startswith("3.1")
    assert description["info"]["title"]
    assert description["info"]["version"]
    assert description["paths"]


def test_operations_have_unique_ids_and_answers(description):
    seen = set()
    for method, path, operation in operations(description):
        where = "%s %s" % (method, path)
        assert operation["operationId"] not in seen, where
        seen.add(operation["operationId"])
        assert operation["responses"], where
        for status, reply in operation["responses"].items():
            assert re.fullmatch(r"[1-5](\d\d|XX)|default", status), where
            assert "$ref" in reply or reply["description"], where


def test_path_parameters_are_declared(description):
    for method, path, operation in operations(description):
        shared = description["paths"][path].get("parameters", [])
        declared = set()
        for parameter in shared + operation.get("parameters", []):
            parameter = resolved(description, parameter)
            if parameter["in"] == "path":
                assert parameter["required"] is True, (method, path)
                declared.add(parameter["name"])
        assert declared == set(re.findall(r"\{([^}]+)\}", path)), (method, path)


def resolved(description, node):
    if "$ref" not in node:
        return node
    target = description
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part.replace("~1", "/").replace("~0", "~")]
    return target


def test_every_reference_leads_somewhere(description):
    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str) and node["$ref"].startswith("#/"):
                resolved(description, node)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(description)


def test_every_route_of_the_journey_is_described(description):
    known = {(method, re.sub(r"\{[^}]+\}", "{}", path.removeprefix("/api/v1")))
             for method, path, _ in operations(description)}
    missing = [row for row in JOURNEY if row not in known]
    assert not missing


def test_the_description_equals_the_golden_file(description):
    text = json.dumps(description, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if os.environ.get("ANNOLOG_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    if not GOLDEN.exists():
        pytest.skip("there is no tests/golden/openapi.json; ANNOLOG_UPDATE_GOLDEN=1 writes it")
    assert description == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_route_but_the_public_ones_is_401_without_a_token(world, description):
    wrong = []
    for method, path, operation in operations(description):
        if PUBLIC.search(path) or operation.get("security") == []:
            continue
        full = path if path.startswith("/api/") else "/api/v1" + path
        url = re.sub(r"\{[^}]+\}", "1", full)
        answer = world.nobody.call(method.upper(), url, root=True)
        if answer.status_code != 401 or "WWW-Authenticate" not in answer.headers:
            wrong.append((method, path, answer.status_code))
    assert not wrong


def test_no_route_calls_itself_public_but_the_documented_ones(description):
    open_routes = [path for _, path, operation in operations(description)
                   if operation.get("security") == [] and not PUBLIC.search(path)]
    assert not open_routes


def test_every_described_route_is_served(world, description):
    lost = []
    for method, path, _ in operations(description):
        if method not in ("get", "post", "patch", "delete", "put"):
            continue
        full = path if path.startswith(("/api/", "/health", "/metrics", "/docs", "/openapi",
                                        "/asyncapi", "/objects")) else "/api/v1" + path
        other = "PUT" if method != "put" else "PATCH"
        url = re.sub(r"\{[^}]+\}", "1", full)
        answer = world.admin.call(other, url, root=True)
        if answer.status_code == 404 and "Allow" not in answer.headers:
            described = description["paths"][path]
            if other.lower() not in described:
                lost.append((method, path))
    assert not lost


def test_the_docs_page_is_served_without_foreign_hosts(world):
    answer = world.nobody.get("/docs", root=True)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert not re.search(r"(src|href)\s*=\s*[\"'](https?:)?//", answer.text)


def test_work_that_goes_on_is_described(description):
    found = {one["operationId"]: one["responses"] for path in description["paths"].values()
             for one in path.values() if isinstance(one, dict) and "operationId" in one}
    for name in ("linkDataset", "unlinkDataset"):
        assert "Location" in found[name]["202"]["headers"]
        assert "application/json" in found[name]["202"]["content"]
