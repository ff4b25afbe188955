"""PostgreSQL for the tests: a database of one's own in a given cluster, or a cluster of one's own.

Only the binaries of PostgreSQL are used. A private cluster listens on a Unix socket in its own
folder, so any number of them live side by side.
"""

import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import uuid

from waiting import wait_until


def binary(name):
    """The path of a PostgreSQL program, from PATH or Debian's folder; None when there is none."""
    found = shutil.which(name)
    if found:
        return found
    for path in sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name), reverse=True):
        return path
    return None


def with_database(conninfo, name):
    """The same connection, to another database; takes both of libpq's notations."""
    match = re.match(r"^(postgres(?:ql)?://[^/?]*)(?:/[^?]*)?(\?.*)?$", conninfo)
    if match:
        return match.group(1) + "/" + name + (match.group(2) or "")
    return conninfo + " dbname=" + name


def run_sql(conninfo, sql, timeout_s=60):
    """Runs SQL by psql and returns its unaligned output; raises with psql's message."""
    done = subprocess.run(
        [binary("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-c", sql],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError("psql failed: %s\n%s" % (sql, done.stderr))
    return done.stdout.strip()


class Database:
    """One database with a unique name, created now and dropped by drop()."""

    def __init__(self, cluster_url):
        self.cluster_url = cluster_url
        self.name = "annolog_e2e_" + uuid.uuid4().hex[:16]
        run_sql(cluster_url, "CREATE DATABASE " + self.name)
        self.url = with_database(cluster_url, self.name)

    def drop(self):
        run_sql(self.cluster_url, "DROP DATABASE IF EXISTS %s WITH (FORCE)" % self.name)

    def dump(self):
        """All data of the database as sorted text: equal content gives equal text."""
        done = subprocess.run(
            [binary("pg_dump"), "--data-only", "--inserts", "--column-inserts", "-d", self.url],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("INSERT INTO")]
        return sorted(lines)


class Cluster:
    """A throw-away PostgreSQL cluster. As root its programs run as the user postgres."""

    def __init__(self, settings=()):
        self.settings = settings  # "name=value", for every start
        self.folder = tempfile.mkdtemp(prefix="annolog-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.url = "host=%s port=5432 user=postgres dbname=postgres" % self.folder
        self.process = None
        self._frozen = []  # process ids
        self._as_owner = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._as_owner = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        done = subprocess.run(
            [binary("initdb"), "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
             "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", timeout=120,
            check=False, **self._as_owner,
        )
        if done.returncode != 0:
            raise RuntimeError("initdb failed:\n" + done.stderr)

    @staticmethod
    def missing():
        """Why no cluster can be started here; empty when one can."""
        if not binary("initdb") or not binary("postgres"):
            return "no PostgreSQL server programs are installed"
        if os.geteuid() == 0:
            try:
                pwd.getpwnam("postgres")
            except KeyError:
                return "running as root without a user postgres"
        return ""

    def start(self):
        """Starts the postmaster as a child, so that its end is noticed at once."""
        with open(os.path.join(self.folder, "server.log"), "ab") as log:
            self.process = subprocess.Popen(
                [binary("postgres"), "-D", self.data, "-k", self.folder, "-c",
                 "listen_addresses=", "-c", "max_connections=100",
                 *(word for setting in self.settings for word in ("-c", setting))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **self._as_owner,
            )
        wait_until(self._ready, 60, "PostgreSQL takes connections")
        return self

    def _ready(self):
        if self.process.poll() is not None:
            with open(os.path.join(self.folder, "server.log"), encoding="utf-8") as log:
                raise RuntimeError("PostgreSQL ended:\n" + log.read()[-2000:])
        try:
            return run_sql(self.url, "SELECT 1") == "1"
        except RuntimeError:
            return False

    def kill9(self):
        """Kills the postmaster; its children notice and leave by themselves."""
        children = _children(self.process.pid)
        self.process.kill()
        self.process.wait(timeout=30)
        wait_until(lambda: not any(_alive(c) for c in children), 60, "its backends are gone")

    def stop(self):
        """An immediate stop: as after a power cut, but all processes are gone."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(timeout=60)

    def freeze(self):
        """It takes connections and says nothing any more, until thaw()."""
        self._frozen = [self.process.pid, *_children(self.process.pid)]
        for pid in self._frozen:
            os.kill(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in self._frozen:
            os.kill(pid, signal.SIGCONT)
        self._frozen = []

    def remove(self):
        self.thaw()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _children(pid):
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="utf-8", errors="replace") as text:
                fields = text.read().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid:
                found.append(int(stat.split("/")[2]))
        except (OSError, IndexError, ValueError):
            continue
    return found


def _alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as text:
            return text.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
