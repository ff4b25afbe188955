"""GET /search for the number in a file's name among 1,000,000 tasks, from 64 connections, against
pgbench with the statement that looks it up, alone: the route also asks for projects, datasets and
people, and looks at the newest tasks first. And the same for a text that is in every name, which
must not cost more than one that is in a single one."""

import statistics

import row
import tasks


def reference(env, count):
    """The statement of projections/search/statements.hpp for one who sees everything."""
    return (f"\\set n random({count // 10}, {count - 1})\n"
            "select t.id, t.project_id, t.number, t.file_name, t.status, best.likeness from ("
            " select n.task_id, extensions.similarity(n.file_name, (:n)::text) as likeness from ("
            f"  select n.task_id, n.file_name from {env.table('task_names')} n"
            "  where n.file_name ilike '%' || (:n)::text || '%' limit 1000) n"
            " order by likeness desc, n.task_id desc limit 5) best "
            f"join {env.table('tasks')} t on t.id = best.task_id "
            "order by best.likeness desc, t.id desc;\n")


def run(env):
    count = env.size(1_000_000, 1000)
    tasks.make_tasks(env, count)
    env.query(f"vacuum analyze {env.table('task_names')}")  # as autovacuum does in a while
    sql = reference(env, count)

    p99s = {"rare": [], "common": []}

    def measured(name, query, **options):
        load = env.load(("GET", "/api/v1/search?q=" + query), seconds=env.seconds, **options)
        p99s[name].append(load["steps"][0]["p99_us"])
        return load["rounds_per_s"]

    def rare():
        return measured("rare", "{id}", ids=f"{count // 10}:1:{count * 9 // 10}", random=True)

    def common():
        return measured("common", "png")
    found = env.call("GET", f"/search?q={count // 2}")["tasks"]
    if not found:
        raise RuntimeError("the search finds nothing")
    rare_samples = row.sample(env.samples, lambda: env.pgbench(sql), rare)
    common_samples = row.sample(env.samples, rare, common)

    def notes(name):
        return {"tasks": count, "p99_us": statistics.median(p99s[name])}
    return [
        row.Row("GET /search of a number in a name, 64 connections",
                "pgbench -M prepared, its statement for tasks alone", "requests/s", rare_samples,
                0.5, notes=notes("rare")),
        row.Row("GET /search of what is in every name, 64 connections", "the number", "requests/s",
                common_samples, 0.5, notes=notes("common")),
    ]
