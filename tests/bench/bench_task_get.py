"""GET /tasks/{id} from 64 connections, against pgbench reading the same rows by key."""

import row
import tasks


def run(env):
    project = tasks.make_tasks(env, env.size(10_000, 100))
    sql = (f"\\set n random(0, {project.count - 1})\n"
           f"\\set id {project.first} + {project.step} * :n\n"
           f"select * from {env.table('tasks')} where id = :id;\n")

    def measured():
        return env.load(("GET", "/api/v1/tasks/{id}"), ids=project.ids(), random=True,
                        seconds=env.seconds)["rounds_per_s"]
    samples = row.sample(env.samples, lambda: env.pgbench(sql), measured)
    return row.Row(work="GET /tasks/{id}, 64 connections", unit="requests/s",
                   reference="pgbench -M prepared, the same rows by key", samples=samples,
                   target=0.5, notes={"tasks": project.count})
