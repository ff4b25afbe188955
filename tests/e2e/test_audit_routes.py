"""Every route that writes leaves exactly one row of the audit (docs/decisions/0032): asked for by
somebody who may much, by somebody who may little, and by nobody."""

import re

import pytest

from test_audit import rows
from world import World

UNKNOWN_ID = "9007199254740991"
METHODS = ("post", "put", "patch", "delete")
# Bytes that a signed URL carries belong to the upload that announced them.
SIGNED = "/objects/"
CALLERS = ("super_admin", "annotator", None)


def filled(path):
    """The path with ids of nothing, and names of nobody, in the places of its parameters."""
    return re.sub(r"\{(\w+)\}", lambda found: UNKNOWN_ID if found[1].endswith("_id") else "nothing",
                  path)


@pytest.fixture(name="writing", scope="module")
def fixture_writing(make_service):
    """Of a service whose audit leaves out no address: its world, and what of it writes."""
    world = World(make_service({"ANNOLOG_AUDIT_ANONYMOUS_PER_MINUTE": "100000",
                                "ANNOLOG_LOGIN_RATE_PER_MINUTE": "100000"}).start())
    paths = world.nobody.get("/openapi.json", root=True).json()["paths"]
    return world, [(method.upper(), path) for path, known in paths.items()
                   for method in METHODS if method in known and SIGNED not in path]


@pytest.mark.parametrize("role", CALLERS)
def test_each_request_leaves_one_row_with_the_status_it_was_told(writing, role):
    world, routes = writing
    told = {}
    for method, path in routes:
        # A new one for each: some calls end the caller's session.
        api = world.person(role).api if role else world.nobody
        answer = api.call(method, filled(path), None, root=True, json={})
        assert answer.status_code < 500, (method, path, answer.text)
        told[answer.headers["X-Request-Id"]] = (method, path, answer.status_code)
    assert len(told) == len(routes) > 80
    left = {}
    for row in rows(world):
        request_id = row["detail_json"]["request_id"]
        if request_id in told:
            left.setdefault(request_id, []).append((row["method"], row["status_code"]))
    wrong = {told[request_id]: left.get(request_id) for request_id in told
             if left.get(request_id) != [(told[request_id][0], told[request_id][2])]}
    assert not wrong
