"""POST /tasks/{id}/annotations with ten boxes from 64 connections, sustained with the read models
keeping up, against the same rows written straight to PostgreSQL."""

import time

import row
import scratch
import tasks

PROJECTS = 4
CALIBRATION_TASKS = 4000


def reference_writer(env):
    """Tasks a second that one connection writes in batches of 500 rows, and the same without the
    history and the row of the audit that each of them has."""
    scratch.table_like(env, "annotations")
    scratch.table_like(env, "task_events")
    scratch.table_like(env, "audit_rows")
    table = scratch.table_like(env, "tasks")
    count = env.size(200_000, 5000)
    env.query(f"insert into {table} (id, project_id, number, file_name, file_path, status, "
              "reopened_count, annotation_count, version, created_at_ms, updated_at_ms) "
              "select n, 1, n, n || '.png', 'bench/1/' || n || '.png', 'in_progress', 0, 0, 2, "
              f"0, 0 from generate_series(1, {count}) n")
    env.query(f"analyze {table}")
    written = [1]

    def write(*flags):
        figures = env.program("bench_rows", "--database", env.database, "--schema", scratch.SCHEMA,
                              "--tasks", count, "--first-id", written[0], "--seconds", env.seconds,
                              *flags)
        written[0] += figures["rows"]
        return figures["tasks_per_s"]
    return lambda: (write(), write("--no-history"))


def locked_tasks(env, count):
    """Tasks of several projects, taken by the signed-in user: as ids for bench_load."""
    each = max(1, count // PROJECTS)
    projects = [tasks.make_tasks(env, each) for _ in range(PROJECTS)]
    ranges = ",".join(project.ids() for project in projects)
    tasks.lock(env, ranges)
    env.service.catch_up()
    return ranges


def run(env):
    calibration = tasks.submit(env, locked_tasks(env, env.size(CALIBRATION_TASKS, 400)), seconds=0)
    wanted = int(calibration["rounds_per_s"] * env.sustain * 1.5)
    ranges = locked_tasks(env, wanted)
    write = reference_writer(env)
    write()
    references = [write() for _ in range(env.samples // 2)]
    window = env.sustain / env.samples
    figures = tasks.submit(env, ranges, seconds=env.sustain, window=window)
    began = time.monotonic()
    lag_records, = env.service.metrics("annolog_projection_lag_records")
    env.service.catch_up(0.1)
    back_s = time.monotonic() - began
    references += [write() for _ in range(env.samples - len(references))]
    scratch.drop(env)
    whole, present = zip(*references)
    rates = [count / window for count in figures["windows"][:env.samples]]
    notes = {"submitted": figures["rounds"], "seconds": figures["seconds"],
             "p50_us": figures["steps"][0]["p50_us"], "p99_us": figures["steps"][0]["p99_us"],
             "lag_records_at_end": lag_records}
    return [
        row.Row(f"submit of 10 boxes, 64 connections, {env.sustain} s",
                "the same rows by unnest of 500, one connection", "tasks/s",
                list(zip(whole, rates)), 0.5, notes=notes),
        row.Row("submit of the same",
                "the rows of annotations and tasks, without histories and audit", "tasks/s",
                list(zip(present, rates))),
        row.Row("read models behind < 100 ms after that", "", "s", [(1, back_s)], 1,
                more_is_better=False, notes=notes),
    ]
