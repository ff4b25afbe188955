#!/usr/bin/env python3
"""Runs the rows of the bench and prints the table; deploy/bench starts what they need.

A row is a module bench_<name>.py beside this file with `run(env) -> row.Row`, or a list of them: to
add one, add the file. A row that fails is named and makes the exit code 1; a target that is not
reached does not: machines differ, the table says it."""

import argparse
import glob
import importlib
import json
import os
import platform
import sys
import traceback

import environment

ORDER = ("log", "task_get", "latency", "submit", "task_page", "next", "search", "export", "link",
         "reassign", "rebuild", "start")
LAST = "memory"
NEEDS_KAFKA = "kafka"
HERE = os.path.dirname(os.path.abspath(__file__))


def names():
    """All rows in the order in which they run: cheap seeds first, memory last."""
    found = glob.glob(os.path.join(HERE, "bench_*.py"))
    all_names = {os.path.basename(path)[len("bench_"):-len(".py")] for path in found}
    known = [name for name in ORDER if name in all_names]
    return known + sorted(all_names - set(known) - {LAST}) + [LAST] * (LAST in all_names)


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def shown(ratio):
    return f"{ratio:.2f}" if abs(ratio) < 100 else f"{ratio:.0f}"


def table(rows):
    head = ("work", "reference", "measured", "unit", "ratio", "min..max", "to reach", "")
    lines = [head]
    for row in rows:
        ratios = row.ratios()
        bound = "" if row.target is None else f"{'>=' if row.more_is_better else '<='} {row.target}"
        lines.append((
            row.work, figure(row.reference_figure) if row.reference else "",
            figure(row.measured), row.unit,
            shown(row.ratio), f"{shown(min(ratios))}..{shown(max(ratios))}", bound,
            {True: "reached", False: "NOT REACHED", None: ""}[row.reached]))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
        for line in lines)


def run_rows(chosen, env):
    """Returns (rows, names of the rows that failed)."""
    rows, failed = [], []
    for name in chosen:
        print(f"--> {name}", file=sys.stderr, flush=True)
        try:
            env.sign_in()
            made = importlib.import_module("bench_" + name).run(env)
            made = made if isinstance(made, list) else [made]
            env.memory_mib(peak=True)
            print(table(made), file=sys.stderr, flush=True)
            rows += made
        except Exception:  # one row's failure must not take the others' figures away
            traceback.print_exc()
            failed.append(name)
    return rows, failed


def write_json(path, rows, failed, env):
    document = {
        "machine": {"cores": os.cpu_count(), "kernel": platform.release()},
        "samples": env.samples, "seconds": env.seconds, "sustain": env.sustain,
        "scale": env.scale,
        "rows": [row.as_json() for row in rows], "failed": failed,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="rows to run (default: all)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--samples", type=int, default=5, help="of each figure")
    parser.add_argument("--seconds", type=int, default=5, help="one load lasts")
    parser.add_argument("--sustain", type=int, default=60, help="seconds the long load lasts")
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes, e.g. 0.01")
    parser.add_argument("--quick", action="store_true",
                        help="--scale 0.01 --seconds 1 --sustain 5: does it run at all?")
    parser.add_argument("--out", default="bench.json")
    parser.add_argument("--needs-kafka", action="store_true",
                        help="measure nothing; exit code 0 when a row needs a Kafka cluster")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(names()))
        return 0
    unknown = sorted(set(arguments.names) - set(names()))
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)}; there are: {', '.join(names())}")
    if arguments.quick:
        arguments.scale, arguments.seconds, arguments.sustain = 0.01, 1, 5
    chosen = [name for name in names() if name in (arguments.names or names())]
    if arguments.needs_kafka:
        return 0 if NEEDS_KAFKA in chosen else 1
    if NEEDS_KAFKA in chosen and not os.environ.get("ANNOLOG_BENCH_KAFKA"):
        print("kafka: left out, ANNOLOG_BENCH_KAFKA names no cluster", file=sys.stderr)
        chosen.remove(NEEDS_KAFKA)
    env = environment.Environment(arguments)
    try:
        rows, failed = run_rows(chosen, env)
    finally:
        env.close()
    print(table(rows))
    write_json(arguments.out, rows, failed, env)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
