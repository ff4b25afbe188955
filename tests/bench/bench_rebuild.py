"""Rebuilding all read models from 1,000,000 events, against reading and decoding the log alone."""

import os
import re
import time

import row
import tasks


def records(env):
    return int(re.search(r"^(\d+) records$", env.service.run("log", "stat"), re.M).group(1))


def fill(env):
    """Submits until the log has its 1,000,000 events."""
    wanted = env.size(1_000_000, 1000)
    tasks.annotated(env)
    while (missing := wanted - records(env)) > 0:
        project = tasks.make_tasks(env, max(100, min(missing // 3, 200_000)))
        tasks.lock(env, project.ids())
        tasks.submit(env, project.ids(), seconds=0)
    env.service.catch_up()


def run(env):
    fill(env)

    def decode():
        return env.program("bench_log", "decode", "--folder",
                           os.path.join(env.data, "log"))["seconds"]

    def rebuild():
        began = time.monotonic()
        env.service.run("projections", "rebuild")
        return time.monotonic() - began
    samples = row.sample(env.samples, decode, rebuild)
    return row.Row(f"rebuild of all read models from {records(env):,} events",
                   "reading and decoding the log alone", "s", samples, 6, more_is_better=False)
