"""POST /tasks/next by 64 annotators in a project of 1,000,000 tasks, against one of 1,000. Each
submits what it was given, so that the next call looks for a new task."""

import os
import tempfile

import row
import tasks

SMALL = 1000
CALLS = 900  # of one sample; fewer than a small project has


class Taken:
    """Which tasks were ever given out."""

    def __init__(self):
        self.seen = set()
        self.twice = 0

    def add(self, path):
        with open(path, encoding="ascii") as file:
            for line in file:
                self.twice += line in self.seen
                self.seen.add(line)


def take(env, project, tokens, taken):
    """The mean time of a call to next, in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "taken")
        figures = env.load(
            ("POST", "/api/v1/tasks/next", ['{"project_id": %d}' % project.id]),
            ("POST", "/api/v1/tasks/{got}/annotations", tasks.shapes_bodies(1)),
            tokens=tokens, rounds=CALLS, seconds=0, taken=path)
        taken.add(path)
    env.service.catch_up()
    return figures["steps"][0]["mean_us"]


def run(env):
    taken = Taken()
    big = tasks.make_tasks(env, env.size(1_000_000, 2 * CALLS * (env.samples + 1)))
    tokens = tasks.annotators(env, big.id)

    def take_small():
        small = tasks.make_tasks(env, SMALL)
        return take(env, small, tasks.annotators(env, small.id), taken)
    samples = row.sample(env.samples, take_small, lambda: take(env, big, tokens, taken))
    if taken.twice:
        raise RuntimeError(f"{taken.twice} tasks were given out twice")
    return row.Row(f"POST /tasks/next, 64 annotators, {big.count:,} tasks",
                   f"the same, {SMALL:,} tasks", "us", samples, 1.5, more_is_better=False,
                   notes={"calls": CALLS, "given_twice": taken.twice, "given": len(taken.seen)})
