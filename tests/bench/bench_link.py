"""Linking a dataset of 1,000,000 items, until the read models show its tasks, against COPY of the
same rows; and what another project's commands feel of it, beside what the disk alone makes them
feel: a bare append of a few bytes, synced, at the same pace."""

import statistics
import threading
import time

import row
import scratch
import tasks

RATE = 100          # paced saves a second in the other project
CALM_S = 5


COPIED = {"tasks": "id", "task_names": "task_id"}  # a link makes rows of both; their keys


def copy_out(env, project):
    """Files with the project's rows, by table."""
    files = {table: f"{env.data}/{table}.copy" for table in COPIED}
    for table, file in files.items():
        env.psql("-c", f"\\copy (select * from {env.table(table)} where project_id = {project} "
                 f"order by {COPIED[table]}) to '{file}'")
    return files


def copy_in(env, files):
    copies = [(scratch.table_like(env, table), file) for table, file in files.items()]
    began = time.monotonic()
    for table, file in copies:
        env.psql("-c", f"\\copy {table} from '{file}'")
    return time.monotonic() - began


def save(env, other, seconds):
    """p99 of one-box saves at a fixed pace, in microseconds."""
    figures = env.load(("POST", "/api/v1/tasks/{id}/annotations?submit=false",
                        tasks.shapes_bodies(1)), ids=other.ids(), random=True, connections=8,
                       rate=RATE, seconds=max(1, seconds))
    return figures["steps"][0]["p99_us"]


def append(env, seconds):
    """p99 of a synced append of 1 KB at the same pace, by nobody but the disk, in microseconds."""
    return env.program("bench_log", "file", "--folder", env.data, "--bytes", 1024,
                       "--times", RATE * seconds, "--rate", RATE)["p99_us"]


class Meanwhile(threading.Thread):
    """Measures in pieces of a few seconds until told to stop; keeps the p99 of each."""

    def __init__(self, measure):
        super().__init__(daemon=True)
        self.measure = measure
        self.stopping = threading.Event()
        self.figures, self.failure = [], None
        self.start()

    def run(self):
        try:
            while not self.stopping.is_set():
                self.figures.append(self.measure(CALM_S))
        except Exception as error:  # told to the row at the end
            self.failure = error

    def median(self):
        self.stopping.set()
        self.join()
        if self.failure:
            raise self.failure
        return statistics.median(self.figures)


def link(env, dataset, count):
    """(seconds until the answer, until the read models show all; the project)."""
    project = tasks.make_project(env)
    began = time.monotonic()
    tasks.link(env, dataset, project)
    answered = time.monotonic() - began
    env.service.catch_up()
    shown = time.monotonic() - began
    tasks.look_up(env, project, count)
    return answered, shown, project


def run(env):
    count = env.size(1_000_000, 1000)
    dataset = tasks.make_dataset(env, count)
    other = tasks.make_tasks(env, 1000)
    tasks.lock(env, other.ids())
    save(env, other, 1)
    _, _, project = link(env, dataset, count)
    files = copy_out(env, project)
    times, waits, syncs = [], [], []
    for _ in range(env.samples):
        copied = copy_in(env, files)
        calm, calm_sync = save(env, other, CALM_S), append(env, CALM_S)
        saves = Meanwhile(lambda seconds: save(env, other, seconds))
        appends = Meanwhile(lambda seconds: append(env, seconds))
        answered, shown, _ = link(env, dataset, count)
        waits.append((calm, saves.median()))
        syncs.append((calm_sync, appends.median()))
        times.append((copied, shown, answered))
    scratch.drop(env)
    return [
        row.Row(f"link of {count:,} items, until shown", "COPY of the same rows, with the indexes",
                "s", [(copied, shown) for copied, shown, _ in times], 5, more_is_better=False,
                notes={"answered_s": [answered for _, _, answered in times]}),
        row.Row("p99 of another project's saves during it", "the same, nothing else going on", "us",
                waits, 2, more_is_better=False, notes={"saves_per_s": RATE}),
        row.Row("p99 of a bare synced append during it", "the same, nothing else going on", "us",
                syncs, more_is_better=False, notes={"appends_per_s": RATE}),
    ]
