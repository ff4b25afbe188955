"""The service as the bench runs it: a child process over a data folder and a database."""

import os
import re
import secrets
import signal
import subprocess
import time
import urllib.error
import urllib.request

START_DEADLINE_S = 600
STOP_DEADLINE_S = 60
# Seeding signs in many people and outlasts the lives that suit daily work; one of them opens all
# sockets. Items have no files: to find that out a thousand times a second is nobody's work.
SETTINGS = {
    "ANNOLOG_HTTP_ADDRESS": "127.0.0.1",
    "ANNOLOG_HTTP_PORT": "0",
    "ANNOLOG_LOG_LEVEL": "warn",
    "ANNOLOG_LOGIN_RATE_PER_MINUTE": "1000000",
    "ANNOLOG_ACCESS_TOKEN_MINUTES": "1440",
    "ANNOLOG_TASK_LOCK_MINUTES": "1440",
    "ANNOLOG_THUMBNAIL_WORKERS": "0",
    "ANNOLOG_REALTIME_CONNECTIONS": "100000",
    "ANNOLOG_REALTIME_CONNECTIONS_PER_USER": "100000",
}


class Served:
    def __init__(self, binary, data, database, settings=None):
        self.binary, self.data, self.database = binary, data, database
        self.settings = settings or {}
        self.username = "admin"
        self.password = "Bench-1-" + secrets.token_urlsafe(16)
        self.process = None
        self.url = None

    def environment(self):
        return {**os.environ, **SETTINGS, **self.settings, "ANNOLOG_DATA_DIR": self.data,
                "ANNOLOG_DATABASE_URL": self.database, "ADMIN_USERNAME": self.username,
                "ADMIN_PASSWORD": self.password}

    def start(self):
        """Returns the seconds until it was healthy."""
        os.makedirs(os.path.join(self.data, "run"), exist_ok=True)
        address = os.path.join(self.data, "run", "http.address")
        log_path = os.path.join(self.data, "run", "bench.log")
        if os.path.exists(address):
            os.remove(address)
        began = time.monotonic()
        with open(log_path, "ab") as log:
            self.process = subprocess.Popen([self.binary, "serve"], env=self.environment(),
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not self._healthy(address):
            if self.process.poll() is not None or time.monotonic() > began + START_DEADLINE_S:
                with open(log_path, encoding="utf-8", errors="replace") as log:
                    raise RuntimeError("the service did not start:\n" + log.read()[-4000:])
            time.sleep(0.005)
        return time.monotonic() - began

    def _healthy(self, address):
        try:
            with open(address, encoding="ascii") as file:
                text = file.read()
            if not text.endswith("\n"):
                return False
            self.url = "http://" + text.strip()
            with urllib.request.urlopen(self.url + "/health", timeout=5):
                return True
        except (OSError, urllib.error.URLError):
            return False

    @property
    def port(self):
        return self.url.rsplit(":", 1)[1]

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def run(self, *arguments):
        """Another sub-command over the same data; returns what it printed."""
        run = subprocess.run([self.binary, *arguments], env=self.environment(), text=True,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {run.stdout}\n{run.stderr}")
        return run.stdout

    def memory_mib(self, name):
        """VmRSS (now) or VmHWM (the most since forget_peak)."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(name + r":\s+(\d+)", file.read()).group(1)) / 1024

    def cpu_s(self):
        """What it has used since it was started."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # proc(5): resets the peak resident set size

    def metrics(self, *names):
        """Figures of /metrics without labels, of one moment."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=10) as answer:
            text = answer.read().decode()
        found = [re.search(rf"^{name} (\S+)$", text, re.M) for name in names]
        if None in found:
            raise RuntimeError(f"no metric {names[found.index(None)]}")
        return [float(each.group(1)) for each in found]

    def catch_up(self, lag_s=0.0, deadline_s=600):
        """Waits until the read models show all, or are at most that far behind; the seconds."""
        for waited_s in polls(deadline_s):
            records, seconds = self.metrics("annolog_projection_lag_records",
                                            "annolog_projection_lag_seconds")
            if records == 0 or seconds < max(lag_s, 1e-9):
                return waited_s
        raise RuntimeError(f"the read models are behind after {deadline_s} s")


def polls(deadline_s):
    """For loops that wait: the seconds waited so far, ever more seldom. Looking takes time from
    what is waited for and from what is measured beside it."""
    began = time.monotonic()
    while (waited_s := time.monotonic() - began) < deadline_s:
        yield waited_s
        time.sleep(min(0.25, max(0.01, waited_s / 50)))
