"""What a bench row works with: the running service, its PostgreSQL, and the load generators."""

import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request

POSTGRES_BIN = "/usr/lib/postgresql/15/bin"


class Environment:
    """samples: how often each figure is taken; seconds: how long one load lasts."""

    def __init__(self, samples, seconds):
        self.samples = samples
        self.seconds = seconds
        self.url = os.environ["ANNOLOG_BENCH_URL"]
        self.data = os.environ["ANNOLOG_BENCH_DATA"]
        self.database = os.environ["ANNOLOG_BENCH_DATABASE"]
        self.binary = os.environ["ANNOLOG_BENCH_BINARY"]
        self.pid = int(os.environ["ANNOLOG_BENCH_PID"])
        self.token = None

    def sign_in(self):
        """A fresh access token; a row calls it once at its start."""
        self.token = None
        answer = self.call("POST", "/auth/login", {"username": os.environ["ADMIN_USERNAME"],
                                                   "password": os.environ["ADMIN_PASSWORD"]})
        self.token = answer["access_token"]

    def call(self, method, path, body=None, timeout_s=120):
        """One request below /api/v1; returns the decoded body, raises with the answer's text."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/api/v1" + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            detail = error.read().decode("utf-8", "replace")
            raise RuntimeError(f"{method} {path}: {error.code} {detail}") from error
        return json.loads(text) if text else None

    def memory_mib(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def wrk(self, script, connections=64):
        """Requests a second of wrk with a Lua script. Any answer that is no 2xx fails the row."""
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            run = subprocess.run(
                ["wrk", "-t2", f"-c{connections}", f"-d{self.seconds}s", "--timeout", "10s",
                 "-s", file.name, "-H", f"Authorization: Bearer {self.token}", self.url],
                capture_output=True, text=True, timeout=self.seconds + 60, check=True)
        failed = re.search(r"Non-2xx or 3xx responses: \d+|Socket errors: .*", run.stdout)
        if failed:
            raise RuntimeError(f"wrk: {failed.group(0)}")
        return float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout).group(1))

    def pgbench(self, script, clients=16):
        """Transactions a second of pgbench with prepared statements."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            run = subprocess.run(
                [f"{POSTGRES_BIN}/pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2",
                 "-T", str(self.seconds), "-f", file.name, self.database],
                capture_output=True, text=True, timeout=self.seconds + 60, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"pgbench: {run.stderr}")
        return float(re.search(r"tps = ([\d.]+)", run.stdout).group(1))

    def query(self, sql):
        """Rows of one statement, each a list of texts."""
        run = subprocess.run(
            [f"{POSTGRES_BIN}/psql", "-X", "-At", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d",
             self.database, "-c", sql],
            capture_output=True, text=True, timeout=600, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"psql: {run.stderr}")
        return [line.split("\t") for line in run.stdout.splitlines()]

    def table(self, name):
        """The read model's table with the schema that is live now."""
        rows = self.query("select quote_ident(schemaname) || '.' || quote_ident(tablename) "
                          f"from pg_tables where tablename = '{name}' "
                          "and schemaname not in ('pg_catalog', 'information_schema') "
                          "order by schemaname desc")
        if not rows:
            raise RuntimeError(f"no table {name}: did the read model's name change?")
        return rows[0][0]
