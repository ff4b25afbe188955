"""Who may import how much at once: said before a document is taken in."""

import http.client
import json
import urllib.parse

from client import code_of
from test_audit import row_of
from waiting import wait_until
from world import World

EMPTY = json.dumps({"images": [], "categories": [], "annotations": []}).encode()


def path_of(work):
    return "/projects/%d/annotations/import" % work.project_id


def begin(api, work):
    """A connection over which a document may come, as the service has said, and never does."""
    at = urllib.parse.urlsplit(api.service.base_url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
    connection.putrequest("POST", "/api/v1%s?format=coco" % path_of(work))
    connection.putheader("Authorization", "Bearer " + api.token)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "1000000")
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    assert connection.sock.recv(4096).startswith(b"HTTP/1.1 100 ")
    return connection


def bring(api, work):
    return api.call("POST", path_of(work), (200, 429), params={"format": "coco"}, data=EMPTY,
                    headers={"Content-Type": "application/json"})


def test_documents_under_way_count_and_one_more_is_refused_at_once(world):
    work = world.work(1)
    begun = [begin(world.admin, work) for _ in range(2)]
    answer = bring(world.admin, work)
    assert answer.status_code == 429
    assert code_of(answer) == "TOO_MANY_IMPORTS"
    assert int(answer.headers["Retry-After"]) > 0
    other = world.member(work.project_id, "project_admin")
    assert bring(other.api, work).status_code == 200, "others have places of their own"
    for connection in begun:
        connection.close()
    wait_until(lambda: bring(world.admin, work).status_code == 200, 10, "the places are free")


def test_what_a_full_service_refuses_is_in_the_audit(make_service):
    """Nothing of the log was full, so the refusal has its row."""
    world = World(make_service().start())
    work = world.work(1)
    admins = world.members(work.project_id, 5, "project_admin")
    begun = [begin(admin.api, work) for admin in admins[:4] for _ in range(2)]
    answer = admins[4].api.call("POST", path_of(work), 503, params={"format": "coco"}, data=EMPTY,
                                headers={"Content-Type": "application/json"})
    assert code_of(answer) == "OVERLOADED"
    row = row_of(world, answer, actor_id=admins[4].id)
    assert (row["status_code"], row["detail_json"]["code"]) == (503, "OVERLOADED")
    for connection in begun:
        connection.close()
