"""What a bench row works with: the service it measures, its PostgreSQL, the load generators."""

import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request

from served import Served

POSTGRES_BIN = "/usr/lib/postgresql/15/bin"


class Refused(RuntimeError):
    """An answer that is no 2xx."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class Environment:
    """options: samples (how often each figure is taken), seconds (one load), sustain (the long
    load), scale (of the sizes: 1 is what the table of targets speaks of)."""

    def __init__(self, options):
        self.samples = options.samples
        self.seconds = options.seconds
        self.sustain = options.sustain
        self.scale = options.scale
        self.data = os.environ["ANNOLOG_BENCH_DATA"]
        self.database = os.environ["ANNOLOG_BENCH_DATABASE"]
        self.programs = os.environ["ANNOLOG_BENCH_PROGRAMS"]
        self.token = None
        self.made = {}       # what rows share: name -> thing
        self.peak_mib = 0    # of the service, over all rows
        self.service = Served(os.path.join(self.programs, "annolog"), self.data, self.database)
        self.service.start()

    def close(self):
        self.service.stop()

    def size(self, full, least=1):
        """A size of the table of targets, at this run's scale."""
        return max(least, int(full * self.scale))

    def once(self, name, make):
        """The thing of that name, made by the first row that needs it."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    # --- the service ---

    def sign_in(self):
        """A fresh access token; every row begins so."""
        self.token = self.token_of(self.service.username, self.service.password)

    def token_of(self, username, password):
        self.token, kept = None, self.token
        answer = self.call("POST", "/auth/login", {"username": username, "password": password})
        self.token = kept
        return answer["access_token"]

    def call(self, method, path, body=None, timeout_s=120):
        """One request below /api/v1; returns the decoded body, raises with the answer's text."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.service.url + "/api/v1" + path, data, headers,
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            detail = error.read().decode("utf-8", "replace")
            raise Refused(f"{method} {path}: {error.code} {detail}", error.code) from error
        return json.loads(text) if text else None

    def memory_mib(self, peak=False):
        """Resident now, or the most since it was last forgotten."""
        mib = self.service.memory_mib("VmHWM" if peak else "VmRSS")
        self.peak_mib = max(self.peak_mib, mib)
        return mib

    def forget_peak(self):
        self.memory_mib(peak=True)
        self.service.forget_peak()

    # --- the programs ---

    def program(self, name, *arguments, timeout_s=3600):
        """A bench program's line of JSON. What it does is none of the service's profile."""
        run = subprocess.run([os.path.join(self.programs, name), *map(str, arguments)],
                             env={**os.environ, "LLVM_PROFILE_FILE": os.devnull},
                             capture_output=True, text=True, timeout=timeout_s, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{name}: {run.stderr}")
        return json.loads(run.stdout)

    def load(self, *steps, tokens=None, **options):
        """Runs bench_load. A step is (method, path) or (method, path, bodies); options are its
        flags. Any answer that is no 2xx fails the row."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--port", self.service.port,
                         "--tokens", lines(folder, "tokens", tokens or [self.token])]
            for at, step in enumerate(steps):
                words = list(step[:2])
                if len(step) > 2:
                    words.append(lines(folder, f"bodies{at}", step[2]))
                arguments += ["--step", " ".join(words)]
            for name, value in options.items():
                arguments += ["--" + name] if value is True else ["--" + name, value]
            figures = self.program("bench_load", *arguments)
        if "first_refusal" in figures:
            raise RuntimeError(f"refused: {figures['first_refusal']} "
                               f"({[step['statuses'] for step in figures['steps']]})")
        return figures

    # --- PostgreSQL ---

    def pgbench(self, script, clients=16, mode="prepared"):
        """Transactions a second of pgbench with prepared statements, or as `mode` says."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            run = subprocess.run(
                [f"{POSTGRES_BIN}/pgbench", "-n", "-M", mode, "-c", str(clients), "-j", "2",
                 "-T", str(self.seconds), "-f", file.name, self.database],
                capture_output=True, text=True, timeout=self.seconds + 60, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"pgbench: {run.stderr}")
        return float(re.search(r"tps = ([\d.]+)", run.stdout).group(1))

    def psql(self, *arguments, **more):
        run = subprocess.run(
            [f"{POSTGRES_BIN}/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.database,
             *arguments],
            stderr=subprocess.PIPE, text=True, timeout=3600, check=False, **more)
        if run.returncode != 0:
            raise RuntimeError(f"psql: {run.stderr}")
        return run.stdout

    def query(self, sql):
        """Rows of one statement, each a list of texts."""
        out = self.psql("-At", "-F", "\t", "-c", sql, stdout=subprocess.PIPE)
        return [line.split("\t") for line in out.splitlines()]

    def superuser_query(self, sql):
        """For what the service's role may not do: databases of their own."""
        kept, self.database = self.database, os.environ["ANNOLOG_BENCH_SUPERUSER"]
        try:
            return self.query(sql)
        finally:
            self.database = kept

    def table(self, name):
        """The read model's table in the schema that is live."""
        return f"read_live.{name}"


def lines(folder, name, texts):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(text + "\n" for text in texts))
    return path
