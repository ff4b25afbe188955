"""Linking a dataset of 1,000,000 items, until the read models show its tasks, against COPY of the
same rows; and what another project's commands feel of it, beside what the machine alone makes them
feel: the same commands beside that COPY, and a bare append of a few bytes, synced, at the same
pace."""

import time

import meanwhile
import row
import scratch
import tasks


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
    other = meanwhile.neighbour(env)
    felt = (lambda seconds: meanwhile.save(env, other, seconds),
            lambda seconds: meanwhile.append(env, seconds))
    _, _, project = link(env, dataset, count)
    files = copy_out(env, project)
    times, waits, syncs, waits_beside_copy = [], [], [], []
    for _ in range(env.samples):
        copied = copy_in(env, files)
        _, (saves_beside_copy, _) = meanwhile.of(  # apart: they slow the COPY down, too
            env, lambda: copy_in(env, files), *felt)
        (answered, shown, _), (saves, appends) = meanwhile.of(
            env, lambda: link(env, dataset, count), *felt)
        waits.append(saves)
        waits_beside_copy.append(saves_beside_copy)
        syncs.append(appends)
        times.append((copied, shown, answered))
    scratch.drop(env)
    return [
        row.Row(f"link of {count:,} items, until shown", "COPY of the same rows, with the indexes",
                "s", [(copied, shown) for copied, shown, _ in times], 5, more_is_better=False,
                notes={"answered_s": [answered for _, _, answered in times]}),
        row.Row("p99 of another project's saves during it", "the same, nothing else going on", "us",
                waits, 2, more_is_better=False, notes={"saves_per_s": meanwhile.RATE}),
        row.Row("p99 of another project's saves during that COPY alone",
                "the same, nothing else going on", "us", waits_beside_copy, more_is_better=False,
                notes={"saves_per_s": meanwhile.RATE}),
        row.Row("p99 of a bare synced append during it", "the same, nothing else going on", "us",
                syncs, more_is_better=False, notes={"appends_per_s": meanwhile.RATE}),
    ]
