"""GET /tasks?limit=100 by cursor, the first and the last page, against pgbench reading the same
page."""

import row
import tasks


def last_cursor(env, path):
    """The cursor that leads to the last page."""
    cursor = after = env.call("GET", "/tasks" + path)["next_cursor"]
    while after:
        cursor = after
        after = env.call("GET", f"/tasks{path}&cursor={cursor}")["next_cursor"]
    return cursor


def run(env):
    project = tasks.make_tasks(env, env.size(100_000, 1000))
    path = f"?project_id={project.id}&limit=100"
    cursor = last_cursor(env, path)

    def page_of(after_id):
        return (f"select * from {env.table('tasks')} where project_id = {project.id} "
                f"and id > {after_id} order by id limit 100;\n")

    def served(more):
        return env.load(("GET", "/api/v1/tasks" + path + more),
                        seconds=env.seconds)["rounds_per_s"]
    before_last = project.first + (project.count - 101) * project.step
    reference = "pgbench -M prepared, the same page"
    first = row.sample(env.samples, lambda: env.pgbench(page_of(0)), lambda: served(""))
    last = row.sample(env.samples, lambda: env.pgbench(page_of(before_last)),
                      lambda: served("&cursor=" + cursor))
    depth = [(at_first[1], at_last[1]) for at_first, at_last in zip(first, last)]
    notes = {"tasks": project.count}
    return [
        row.Row("GET /tasks?limit=100, first page", reference, "pages/s", first, 0.6, notes=notes),
        row.Row("GET /tasks?limit=100, last page", reference, "pages/s", last, 0.6, notes=notes),
        row.Row("GET /tasks?limit=100, last page", "the first page, in the rounds before",
                "pages/s", depth, 0.9, notes=notes),
    ]
