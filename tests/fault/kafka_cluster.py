"""Real brokers for the fault tests: a cluster of deploy/kafka in a folder of its own."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from fetched import skip_or_fail
from service import SOURCE
from waiting import wait_until

SCRIPT = SOURCE / "deploy" / "kafka"
CANNOT_BE_HAD = 69  # what the script exits with when Kafka, Java or Maven is missing


class Leftovers:
    """Commands that run when this process closes it, or ends in whatever way."""

    def __init__(self, script, *arguments):
        self._process = subprocess.Popen(
            ["bash", "-c", "read -r _; " + script, "leftovers", *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
            start_new_session=True)

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=120)


class KafkaCluster:
    """Brokers 1..n; settings are lines for their server.properties; small_disk: (broker, MiB)."""

    def __init__(self, brokers=3, settings=(), small_disk=None):
        if not os.environ.get("ANNOLOG_REQUIRE_KAFKA") and not os.environ.get("ANNOLOG_TEST_KAFKA"):
            pytest.skip("Kafka's tests run with deploy/test --kafka")
        missing = [name for name in ("bash", "java") if not shutil.which(name)]
        if missing:
            skip_or_fail("Kafka's tests need " + " and ".join(missing))
        self.count = brokers
        self.settings = list(settings)
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="annolog-kafka-", dir="/tmp"))
        self.data.chmod(0o711)
        self._leftovers = Leftovers(
            '"$1" kill --data "$2"; for log in "$2"/kafka/*/log; do'
            ' ! mountpoint -q "$log" || umount -l "$log"; done; rm -rf -- "$2"', SCRIPT, self.data)
        self.bootstrap = None
        self.small_disk = small_disk

    def __enter__(self):
        try:
            if self.small_disk:
                self._mount(*self.small_disk)
            extra = ["--", *self.settings] if self.settings else []
            done = self._run("up", "--brokers", str(self.count), *extra, check=False)
            if done.returncode == CANNOT_BE_HAD:
                skip_or_fail("Kafka can't be had: " + done.stderr.strip())
            assert done.returncode == 0, "deploy/kafka up: " + done.stderr + self.log_tails()
            self.bootstrap = done.stdout.strip().splitlines()[-1]
            return self
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._leftovers.close()

    def kill9(self, broker):
        self._run("kill", "--broker", str(broker))

    def pause(self, broker):
        self._run("pause", "--broker", str(broker))

    def resume(self, broker):
        self._run("resume", "--broker", str(broker))

    def stop(self, broker):
        self._run("down", "--broker", str(broker))

    def start(self, broker):
        self._run("up", "--broker", str(broker))

    def start_all(self):
        self._run("up")

    def mend(self):
        """All of them run and are in sync, whatever a test did to them."""
        self.start_all()
        self.wait_in_sync()

    def alive(self, broker):
        return self._run("status", "--broker", str(broker), check=False).returncode == 0

    def log_folder(self, broker):
        return self.data / "kafka" / str(broker) / "log"

    def _mount(self, broker, size_mib):
        folder = self.log_folder(broker)
        folder.mkdir(parents=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dm" % size_mib, "annolog-kafka",
                               str(folder)], capture_output=True, text=True, timeout=30,
                              check=False)
        if done.returncode != 0:
            pytest.skip("no small file system can be mounted: " + done.stderr.strip())

    def wait_in_sync(self, deadline_s=120):
        """Until every partition has all its replicas again."""

        def in_sync():
            done = self._run("tool", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server",
                             self.bootstrap, "--describe", "--under-replicated-partitions",
                             check=False, with_data=False)
            return done.returncode == 0 and not done.stdout.strip()

        wait_until(in_sync, deadline_s, "all replicas are in sync")

    def log_tails(self, lines=15):
        tails = []
        for log in sorted(self.data.glob("kafka/*/server.log")):
            text = log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
            tails.append("\n".join(["", "broker %s:" % log.parent.name, *text]))
        return "".join(tails)

    def _run(self, action, *arguments, check=True, with_data=True):
        place = ["--data", str(self.data)] if with_data else []
        done = subprocess.run([str(SCRIPT), action, *place, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=400, check=False,
                              env={**os.environ, "LC_ALL": "C"})
        assert not check or done.returncode == 0, "deploy/kafka %s %s: %s" % (
            action, " ".join(arguments), done.stderr)
        return done
