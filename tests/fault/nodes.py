"""Several `annolog serve` over one log in Kafka and one database, and what must hold of them."""

import re
import signal

from client import unique
from postgres import run_sql

SESSION_TIMEOUT_MS = 6000
EVERYTHING = "api,commands,projections,workers"


class Nodes:
    """Services named n1, n2, …; roles: those of each; places: what runs each, and its address;
    more: settings of all."""

    def __init__(self, make_service, bootstrap, folder, roles=(EVERYTHING,) * 3, places=None,
                 more=None):
        self.prefix = unique("fault")
        self.all = []
        self.database = None
        for at, mine in enumerate(roles):
            name = "n%d" % (at + 1)
            settings = {
                "ANNOLOG_LOG": "kafka", "ANNOLOG_KAFKA_BOOTSTRAP": bootstrap,
                "ANNOLOG_KAFKA_PREFIX": self.prefix, "ANNOLOG_NODE_NAME": name,
                "ANNOLOG_KAFKA_REPLICATION": "3",
                "ANNOLOG_KEYS_DIR": str(folder / "keys"),
                "ANNOLOG_OBJECTS_DIR": str(folder / "objects"),
                "ANNOLOG_KAFKA_SESSION_TIMEOUT_MS": str(SESSION_TIMEOUT_MS),
                "ANNOLOG_ROLES": mine,
                **(more or {}),
            }
            node = make_service(settings, self.database and self.database.url, folder / name)
            self.database = self.database or node.database
            node.name, node.roles = name, mine.split(",")
            if places:
                node.launcher, address = places[at]
                node.settings["ANNOLOG_HTTP_ADDRESS"] = address
            self.all.append(node)

    def start(self):
        """The first makes topics, database and administrator; the others join together."""
        first, *others = self.all
        first.spawn()
        # Who has no projections waits for another node's, so all of them must be on their way.
        if "projections" in first.roles:
            first.start_serving(120)
        for node in others:
            node.spawn()
        for node in self.all:
            node.start_serving(120)
        return self

    def serving(self):
        return [node for node in self.all if "api" in node.roles]

    def stop(self):
        """SIGTERM to one after another, exit code 0."""
        for node in self.all:
            if node.running():
                code = node.stop()
                assert code == 0, "%s exits with %d:\n%s" % (node.name, code, node.log_tail())

    def kill9(self):
        for node in self.all:
            if node.running():
                node.kill9()

    def verify_log(self):
        done = self.all[0].command("log", "verify")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "OK:" in done.stdout, done.stdout

    def verify_rebuild(self):
        """All nodes stopped: read models that are built anew are the ones that were there."""
        parked = run_sql(self.database.url, "SELECT count(*) FROM annolog.parked_events")
        assert parked == "0", "%s events could not be applied" % parked
        before = self._read_models()
        done = self.all[0].command("projections", "rebuild")
        assert done.returncode == 0, done.stdout + done.stderr
        after = self._read_models()
        lost = sorted(set(before) - set(after))
        new = sorted(set(after) - set(before))
        assert before == after, "%d rows differ; live: %s; rebuilt: %s" % (
            len(lost) + len(new), "\n".join(lost[:10]), "\n".join(new[:10]))

    def _read_models(self):
        """All rows. A count that came back to zero is as good as none."""
        return [row for row in self.database.dump() if row.startswith("INSERT INTO read_live.")
                and not re.search(r"task_counts \(.* 0\);$", row)]


def freeze(node):
    node.process.send_signal(signal.SIGSTOP)


def thaw(node):
    node.process.send_signal(signal.SIGCONT)
