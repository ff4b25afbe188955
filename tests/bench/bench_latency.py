"""One command at a time: a submit of ten boxes, against one synced append of the same bytes."""

import glob
import os

import row
import tasks

TIMES = 500


def log_bytes(env):
    """Of RocksDB's write-ahead files: what commits have appended since the last flush."""
    return sum(os.path.getsize(path) for path in glob.glob(os.path.join(env.data, "log", "*.log")))


def run(env):
    times = env.size(TIMES, 100)
    project = tasks.make_tasks(env, times * (env.samples + 2))
    tasks.lock(env, project.ids())
    rounds = iter(range(env.samples + 2))

    def measured():
        return tasks.submit(env, project.ids(next(rounds) * times, times), connections=1,
                            seconds=0)["steps"][0]

    before = log_bytes(env)
    measured()
    size = (log_bytes(env) - before) // times
    if size <= 0:
        raise RuntimeError("the log was flushed meanwhile: run the row again")

    def reference():
        return env.program("bench_log", "file", "--folder", env.data, "--bytes", size,
                           "--times", times)
    pairs = row.sample(env.samples, reference, measured)
    notes = {"bytes": size, "commands": times}

    def latency(name, target):
        return row.Row(f"one submit at a time, {name}", "write and fdatasync of the same bytes",
                       "us", [(one[name + "_us"], other[name + "_us"]) for one, other in pairs],
                       target, more_is_better=False, notes=notes)
    return [latency("p50", 3), latency("p99", 5)]
