"""Exports of the audit: how much they take, and what they tell (specification, Audit log)."""

import csv

import pytest
import requests

from client import code_of, error_locations
from postgres import run_sql
from world import World

COPIES = """
INSERT INTO read_live.audit_rows SELECT a.at_ms, 9000000000000000 + n, a.actor_id,
  CASE WHEN n > 50000 THEN 'copied.more' ELSE 'copied.most' END, a.target_type, a.target_id,
  a.project_id, a.status, a.schema_version, a.data
FROM (SELECT * FROM read_live.audit_rows LIMIT 1) a, generate_series(1, 100001) n"""


@pytest.fixture(name="copied", scope="module")
def fixture_copied(make_service):
    """Rows are put in by SQL, where nobody may change them, but a superuser may add some."""
    service = make_service().start()
    world = World(service)
    run_sql(service.database.url, COPIES)
    return world


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_more_than_50000_rows_are_too_many_for_one_export(copied, kind):
    def export(action, expect):
        return copied.admin.get("/audit-logs/export", expect, stream=True,
                                params={"format": kind, "action": action}, timeout=120)
    refused = export("copied.more", 413)
    assert (code_of(refused), refused.json()["detail"]["limit"]) == ("EXPORT_TOO_LARGE", 50_000)
    with export("copied.most", 200) as allowed:
        assert len(allowed.raw.read(200_000)) == 200_000


def test_times_that_run_backwards_are_refused(world):
    times = {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
    for path in ("/audit-logs", "/audit-logs/export"):
        answer = world.admin.get(path, 422, params={"format": "json", **times})
        assert error_locations(answer) == [("query", "to")]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_an_export_tells_where_requests_of_nobody_came_from(world, kind):
    """Who guesses passwords is no user, and what an auditor looks for."""
    world.nobody.login("guessed-" + kind, "Wrong-pass-1", 401)
    export = world.admin.get("/audit-logs/export", params={"format": kind, "action": "auth.login"})
    if kind == "json":
        rows = [{**row, **row["detail_json"]} for row in export.json()["rows"]]
    else:
        rows = list(csv.DictReader(line for line in export.text.splitlines()
                                   if not line.startswith("#")))
    refused = [row for row in rows if str(row["status_code"]) == "401"]
    assert {row["ip"] for row in refused} == {"127.0.0.1"}
    assert {row["user_agent"] for row in refused} == {requests.utils.default_user_agent()}
