"""Bulk reassign of 1,000 batches with 1,000,000 tasks, until the read models show it, against plain
UPDATEs of the same rows; and what another project feels of it: its saves, and looks at what
was just saved, which wait until the read models show it."""

import time

import environment
import meanwhile
import row
import scratch
import served
import tasks

BATCH_TASKS = 1_000


def make_batches(env, project, count):
    """References of batches over all of the project's tasks, handed out by turns to nobody."""
    made = []
    for _ in range(max(1, count // BATCH_TASKS)):
        batch = env.call("POST", f"/projects/{project}/batches",
                         {"task_count": min(BATCH_TASKS, count)})
        made.append(batch["id"])
    return made


def reassign(env, project, batches, user):
    """Seconds until the answer, and until the read models show it."""
    began = time.monotonic()
    env.call("POST", f"/projects/{project}/batches/bulk-reassign",
             {"batch_ids": batches, "annotator_id": user}, 3600)
    answered = time.monotonic() - began
    env.service.catch_up()  # so that it is known what is left to do
    for _ in served.polls(600):
        if not is_behind(env, project):
            break
    shown = time.monotonic() - began
    if env.query(f"select 1 from {env.table('tasks')} where project_id = {project} and "
                 f"assignee_id is distinct from {user} limit 1"):
        raise RuntimeError("the read models show tasks that were not reassigned")
    return answered, shown


def is_behind(env, project):
    """Its list is refused until it shows all (docs/decisions, 0024)."""
    try:
        env.call("GET", f"/tasks?project_id={project}&limit=1")
        return False
    except environment.Refused as refused:
        if refused.status != 503:
            raise
        return True


def update(env, table, user):
    began = time.monotonic()
    env.query(f"update {table} set assignee_id = {user}, status = 'assigned', "
              f"version = version + 1, updated_at_ms = {int(time.time() * 1000)}")
    return time.monotonic() - began


def copy_of_tasks(env, project):
    table = scratch.table_like(env, "tasks")
    env.query(f"insert into {table} select * from {env.table('tasks')} "
              f"where project_id = {project}")
    env.query(f"vacuum analyze {table}")
    return table


def run(env):
    count = env.size(1_000_000, 1000)
    project = tasks.make_tasks(env, count).id
    batches = make_batches(env, project, count)
    other = meanwhile.neighbour(env)
    felt = (lambda seconds: meanwhile.save(env, other, seconds),
            lambda seconds: meanwhile.look(env, other, seconds),
            lambda seconds: meanwhile.append(env, seconds))
    tasks.annotators(env, project, 2)
    people = list(env.once("annotators", dict))[:2]
    reassign(env, project, batches, people[1])
    times, save_waits, look_waits, syncs, waits_beside_update = [], [], [], [], []
    for at in range(env.samples):
        user = people[at % 2]
        plain = update(env, copy_of_tasks(env, project), user)
        copied = copy_of_tasks(env, project)
        _, (saves_beside_update, *_) = meanwhile.of(  # apart: they slow the UPDATE down, too
            env, lambda copied=copied, user=user: update(env, copied, user), *felt)
        (answered, shown), (saves, looks, appends) = meanwhile.of(
            env, lambda user=user: reassign(env, project, batches, user), *felt)
        times.append((plain, shown, answered))
        save_waits.append(saves)
        waits_beside_update.append(saves_beside_update)
        look_waits.append(looks)
        syncs.append(appends)
    scratch.drop(env)
    return [
        row.Row(f"bulk reassign of {len(batches):,} batches with {count:,} tasks, until shown",
                "UPDATE of the same rows, with the indexes", "s",
                [(plain, shown) for plain, shown, _ in times], 3, more_is_better=False,
                notes={"answered_s": [answered for _, _, answered in times]}),
        row.Row("p99 of another project's saves during it", "the same, nothing else going on", "us",
                save_waits, 2, more_is_better=False, notes={"saves_per_s": meanwhile.RATE}),
        row.Row("p99 of another project's saves during that UPDATE alone",
                "the same, nothing else going on", "us", waits_beside_update, more_is_better=False,
                notes={"saves_per_s": meanwhile.RATE}),
        row.Row("p99 of another project's looks at what it just saved",
                "the same, nothing else going on", "us", look_waits, more_is_better=False,
                notes={"looks_per_s": meanwhile.RATE}),
        row.Row("p99 of a bare synced append during it", "the same, nothing else going on", "us",
                syncs, more_is_better=False, notes={"appends_per_s": meanwhile.RATE}),
    ]
