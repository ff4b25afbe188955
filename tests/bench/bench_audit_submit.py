"""What the audit costs a submit: the same commands to the same writers, over the same log and read
models, with what the edge adds for the audit and without it, in turn. There is no service without
an audit, so this is measured without HTTP, whose cost is the same for both; a whole call is
measured beside it, and what it would take without those microseconds is its reference."""

import os

import beside
import bench_submit
import row
import tasks


def whole_submit_us(env):
    """Of a submit through HTTP, 64 connections."""
    ids = bench_submit.locked_tasks(env, env.size(20_000, 200))
    return 1e6 / tasks.submit(env, ids, seconds=0)["rounds_per_s"]


def run(env):
    whole = [whole_submit_us(env) for _ in range(env.samples)]
    with beside.database(env, "audit_cost") as url, beside.folder(env, "audit-cost") as path:
        figures = env.program("bench_submits", "--folder", os.path.join(path, "log"),
                              "--database", url, "--tasks", env.size(20_000, 200),
                              "--rounds", env.samples + 1)
    notes = {"submits": figures["submits"]}

    def cost(work, name, unit):
        return row.Row(work, "the same without an audit row", unit,
                       [(each["without"][name], each["with"][name]) for each in figures["rounds"]],
                       more_is_better=False, notes=notes)
    audits = [each["with"]["shown_us"] - each["without"]["shown_us"]
              for each in figures["rounds"]]
    return [
        row.Row("a submit of 10 boxes, 64 connections", "that less what its audit row takes", "us",
                [(us - audit, us) for us, audit in zip(whole, audits)], 1.1, more_is_better=False,
                notes=notes),
        cost("a submit with its audit row, without HTTP, until it can be read", "shown_us", "us"),
        cost("of that, until it is answered", "answered_us", "us"),
        cost("the CPU that it takes of the process, without PostgreSQL's", "cpu_us", "us"),
        cost("its records in the log", "bytes", "bytes"),
    ]
