"""Commits to the event log, against the same bytes as synced batches of RocksDB alone."""

import os
import shutil
import tempfile

import row


def rate(env, what, group, events):
    """Events a second in a fresh folder beside the service's data, on the same disk."""
    folder = tempfile.mkdtemp(prefix="log-", dir=env.data)
    try:
        return env.program("bench_log", what, "--folder", os.path.join(folder, "log"),
                           "--group", group, "--events", events, "--bytes", 1024,
                           "--seconds", env.seconds)["events_per_s"]
    finally:
        shutil.rmtree(folder)


def run(env):
    made = []
    for group, events in ((1, 1), (64, 1), (64, 10)):
        samples = row.sample(env.samples, lambda g=group, e=events: rate(env, "rocksdb", g, e),
                             lambda g=group, e=events: rate(env, "log", g, e))
        made.append(row.Row(
            work=f"append to the log, {group} commands a commit, {events} events of 1 KB each",
            reference="RocksDB alone, the same bytes synced", unit="events/s", samples=samples))
    return made
