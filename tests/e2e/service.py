"""The real binary as a child process: its data folder, its settings, its life and its logs."""

import hashlib
import os
import pathlib
import signal
import subprocess
import urllib.parse

import requests

from waiting import wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]

ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = "Admin-pass-1"


def binary_path():
    """ANNOLOG_BINARY, or the dev build's."""
    return pathlib.Path(os.environ.get("ANNOLOG_BINARY", SOURCE / "build" / "dev" / "annolog"))


class ServiceDied(Exception):
    """The process ended although it was to serve."""

    def __init__(self, exit_code, log_tail):
        super().__init__("annolog ended with exit code %s\n%s" % (exit_code, log_tail))
        self.exit_code = exit_code


def log_settings(folder):
    """The settings of the event log under test: ANNOLOG_TEST_LOG is rocksdb (default) or kafka.
    Kafka's lies in the cluster ANNOLOG_TEST_KAFKA, under topics of the data folder's own."""
    if os.environ.get("ANNOLOG_TEST_LOG", "rocksdb") == "rocksdb":
        return {}
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    return {
        "ANNOLOG_LOG": "kafka",
        "ANNOLOG_KAFKA_BOOTSTRAP": os.environ["ANNOLOG_TEST_KAFKA"],
        "ANNOLOG_KAFKA_PREFIX": "test-" + name,
    }


class Service:
    """One `annolog serve` over one data folder and one database; may be started many times."""

    live = []  # every instance not yet closed: a failing test prints their logs

    def __init__(self, folder, database_url, settings=None):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.log_file = self.folder / "service.log"
        self.database_url = database_url
        self.settings = dict(settings or {})  # environment; None removes a name
        self.arguments = []  # flags of serve
        self.terminal = None  # a descriptor that is its standard output instead of the log file
        self.launcher = []  # a program, with its arguments, that runs the binary in its own place
        self.process = None
        self.base_url = None
        self.folder.mkdir(parents=True, exist_ok=True)
        Service.live.append(self)

    def environment(self):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith("ANNOLOG_") and k not in ("PUBLIC_URL", "TRUSTED_PROXIES")}
        kept.update({
            "ANNOLOG_DATA_DIR": str(self.data),
            "ANNOLOG_DATABASE_URL": self.database_url,
            "ANNOLOG_HTTP_ADDRESS": "127.0.0.1",
            "ANNOLOG_HTTP_PORT": "0",
            "ANNOLOG_SHARDS": "8",
            # Nothing is recorded by itself while tests count records or compare items.
            "ANNOLOG_THUMBNAIL_WORKERS": "0",
            "ANNOLOG_ARGON2_MEMORY_KIB": "8192",
            "ANNOLOG_ARGON2_PASSES": "1",
            "ANNOLOG_LOGIN_RATE_PER_MINUTE": "100000",
            "ADMIN_USERNAME": ADMIN_USERNAME,
            "ADMIN_PASSWORD": ADMIN_PASSWORD,
        })
        kept.update(log_settings(self.folder))
        kept.update(self.settings)
        return {name: value for name, value in kept.items() if value is not None}

    @property
    def address_file(self):
        return self.data / "run" / "http.address"

    def spawn(self):
        """Starts the process without waiting for it to serve."""
        assert self.process is None or self.process.poll() is not None, "it already runs"
        self.address_file.unlink(missing_ok=True)  # a killed process leaves its own behind
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                [*self.launcher, str(binary_path()), "serve", *self.arguments],
                env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=log if self.terminal is None else self.terminal, stderr=log,
                cwd=self.folder,
            )
        return self

    def start(self, deadline_s=60):
        return self.spawn().start_serving(deadline_s)

    def start_serving(self, deadline_s=60):
        """Waits until the spawned process serves."""
        wait_until(self._listening, deadline_s, "the service writes its address")
        address = self.address_file.read_text(encoding="ascii").strip()
        self.base_url = "http://" + address
        wait_until(self._healthy, deadline_s, "GET /health answers 200")
        return self

    def _listening(self):
        self._must_live()
        return self.address_file.exists() and \
            self.address_file.read_text(encoding="ascii").endswith("\n")

    def _healthy(self):
        self._must_live()
        try:
            return requests.get(self.base_url + "/health", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def _must_live(self):
        code = self.process.poll()
        if code is not None:
            raise ServiceDied(code, self.log_tail())

    def stop(self, deadline_s=30):
        """SIGTERM; returns the exit code. Longer than deadline_s is a failure. 10 s are promised;
        the rest is for a busy machine, and for what sanitizers do when a process ends."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=deadline_s)
        except subprocess.TimeoutExpired as slow:
            self.kill9()
            raise AssertionError("not ended %s s after SIGTERM" % deadline_s) from slow

    def kill9(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def restart(self, deadline_s=60):
        if self.running():
            assert self.stop() == 0, "a clean stop exits with 0"
        return self.start(deadline_s)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def command(self, *arguments, timeout_s=120, environment=None):
        """Another sub-command of the binary with the same settings; returns CompletedProcess."""
        return subprocess.run(
            [*self.launcher, str(binary_path()), *arguments],
            env={**self.environment(), **(environment or {})}, cwd=self.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s,
            check=False,
        )

    def log_text(self):
        if not self.log_file.exists():
            return ""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def log_tail(self, warnings=60, lines=20):
        """The last of what it warned of, and its last lines."""
        said = self.log_text().splitlines()
        warned = [line for line in said[:-lines] if '"level":"info"' not in line]
        return "\n".join(warned[-warnings:] + said[-lines:])

    def socket_address(self):
        parts = urllib.parse.urlsplit(self.base_url)
        return parts.hostname, parts.port

    def close(self):
        if self.running():
            self.kill9()
        if self in Service.live:
            Service.live.remove(self)
