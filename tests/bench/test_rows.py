"""Every row of the bench runs and gives its figures, at a thousandth of its sizes. What the figures
are is not judged here: that is for deploy/bench on a quiet machine."""

import json
import os
import subprocess
import sys
import uuid

import psycopg2
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import run  # noqa: E402  pylint: disable=wrong-import-position


@pytest.fixture(name="database")
def fixture_database():
    """The conninfo of a fresh database of the throw-away cluster."""
    superuser = os.environ.get("ANNOLOG_TEST_DATABASE_URL")
    if not superuser:
        pytest.skip("ANNOLOG_TEST_DATABASE_URL is not set")
    name = "bench_" + uuid.uuid4().hex[:12]
    connection = psycopg2.connect(superuser)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"create database {name}")
    yield f"{superuser} dbname={name}"
    with connection.cursor() as cursor:
        for left in (name, "bench_empty", "bench_audit", "bench_audit_cost"):
            cursor.execute(f"drop database if exists {left} with (force)")
    connection.close()


def test_every_row_gives_its_figures(database, tmp_path):
    binary = os.environ.get("ANNOLOG_BINARY")
    if not binary:
        pytest.skip("ANNOLOG_BINARY is not set")
    out = tmp_path / "bench.json"
    environment = {**os.environ, "ANNOLOG_BENCH_DATABASE": database,
                   "ANNOLOG_BENCH_SUPERUSER": os.environ["ANNOLOG_TEST_DATABASE_URL"],
                   "ANNOLOG_BENCH_DATA": str(tmp_path / "data"),
                   "ANNOLOG_BENCH_PROGRAMS": os.path.dirname(binary),
                   "ANNOLOG_BENCH_KAFKA": os.environ.get("ANNOLOG_TEST_KAFKA", "")}
    ran = subprocess.run(
        [sys.executable, os.path.join(HERE, "run.py"), "--scale", "0.001", "--samples", "1",
         "--seconds", "1", "--sustain", "1", "--out", str(out)],
        env=environment, capture_output=True, text=True, timeout=1200, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["failed"] == []
    shown = ran.stdout
    for row in document["rows"]:
        assert row["work"] in shown
        assert row["measured_median"] >= 0
        if row["reference"]:
            assert row["reference_median"] > 0, row["work"]
    assert len(document["rows"]) >= len(run.names())
