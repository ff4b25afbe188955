"""GET /tasks/{id} from 64 connections, against pgbench reading the same rows by key."""

import row
import tasks

TASKS = 200


def by_key(table, ids):
    """A pgbench script that reads one of the rows. Ids of one project are evenly spaced."""
    ids = sorted(ids)
    step = ids[1] - ids[0]
    if ids != list(range(ids[0], ids[-1] + 1, step)):
        raise RuntimeError("the tasks' ids are not evenly spaced")
    return (f"\\set id {ids[0]} + {step} * random(0, {len(ids) - 1})\n"
            f"select * from {table} where id = :id;\n")


def run(env):
    _, ids = tasks.make_project(env, "bench-task-get", TASKS)
    lua = f"""
local ids = {{{','.join(map(str, ids))}}}
request = function()
  return wrk.format("GET", "/api/v1/tasks/" .. ids[math.random(#ids)])
end
"""
    sql = by_key(env.table("tasks"), ids)
    samples = row.sample(env.samples, lambda: env.pgbench(sql), lambda: env.wrk(lua))
    return row.Row(work="GET /tasks/{id}, 64 connections", unit="requests/s",
                   reference="pgbench -M prepared, the same rows by key", samples=samples,
                   target=0.5, notes={"tasks": TASKS, "memory_mib": round(env.memory_mib())})
