"""GET /audit-logs, pages of 50 among 5,000,000 rows, against pgbench with the statement of the page
alone: the page also names the people, opens what is sealed and shows it as JSON, and goes through
HTTP, which is measured beside it; one page after another, and 64 connections."""

import json
import time

import beside
import row
import tasks

PAGE = 50
PEOPLE = 16
TASKS = 128          # whose requests are the rows that all others are copies of
ROWS_OF_TARGET = 128
PROJECTS = 1000
SELDOM = "task.reject"
SELDOM_ROWS = 100
END = 2**63 - 1
WHOLE = "a.id, a.schema_version, a.data"
IDS = "a.id"  # which rows a page holds, when their texts are kept
REQUEST_BYTES = 370       # with an access token

# Copies of real rows, one a second until now, each of another target and project, a few of another
# action; what the data says of them is what the columns say.
FILL = """
with template as materialized (
  select a.*, row_number() over (order by at_ms, id) - 1 as number,
    '"at":"' || to_char(to_timestamp(at_ms / 1000.0) at time zone 'UTC', {iso}) as said_at,
    '"target_id":' || target_id || ',"project_id":' || project_id || ',' as said_target
  from {table} a
  where actor_id is not null and target_id is not null and project_id is not null),
place as (
  select n, {now_ms} - ({rows} - n) * 1000 as ms, 1 + (n * 7919) % {targets} as target,
    1 + (n * 104729) % {projects} as project, n % (select count(*) from template) as copied,
    case when n % {seldom_each} = 0 then '{seldom}' end as instead
  from generate_series(1::bigint, {rows}) n)
insert into {table} (at_ms, id, actor_id, action, target_type, target_id, project_id, status,
  schema_version, data)
select p.ms, (1000000000 + p.n) * 4096 + (t.id & 4095), t.actor_id, coalesce(p.instead, t.action),
  t.target_type, p.target, p.project, t.status, t.schema_version,
  replace(replace(replace(t.data, t.said_at,
        '"at":"' || to_char(to_timestamp(p.ms / 1000.0) at time zone 'UTC', {iso})),
      t.said_target, '"target_id":' || p.target || ',"project_id":' || p.project || ','),
    '"action":"' || t.action || '"', '"action":"' || coalesce(p.instead, t.action) || '"')
from place p join template t on t.number = p.copied
"""
ISO = """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"""


def make_templates(env):
    """Requests of several people, as they are really recorded."""
    project = tasks.make_tasks(env, TASKS)
    tokens = tasks.annotators(env, project.id, PEOPLE)
    env.load(("POST", "/api/v1/tasks/{id}/lock"),
             ("POST", "/api/v1/tasks/{id}/annotations", tasks.shapes_bodies(1)),
             ids=project.ids(), tokens=tokens, connections=PEOPLE, seconds=0)
    env.service.catch_up()


def fill(env, rows):
    """The indexes are made behind the rows, as a rebuild does; returns how many targets there are.
    """
    make_templates(env)
    table = env.table("audit_rows")
    indexes = env.query("select indexname, indexdef from pg_indexes where schemaname = 'read_live' "
                        "and tablename = 'audit_rows' and indexname not like '%_pkey'")
    for name, _ in indexes:
        env.query(f"drop index {env.table(name)}")
    targets = max(1, rows // ROWS_OF_TARGET)
    env.query(FILL.format(table=table, rows=rows, targets=targets, projects=PROJECTS, iso=ISO,
                          seldom=SELDOM, seldom_each=max(1, rows // SELDOM_ROWS),
                          now_ms=int(time.time() * 1000)))
    for _, definition in indexes:
        env.query(definition)
    env.query(f"vacuum analyze {table}")
    return targets


def check_copies(env):
    """That the copies are shown as what their columns say."""
    items = env.call("GET", f"/audit-logs?limit={PAGE}&target_type=task&target_id=1")["items"]
    times = [item["created_at"] for item in items]
    if {item["target_id"] for item in items} != {1} or times != sorted(set(times), reverse=True):
        raise RuntimeError("the copied rows are not what they should be: " + str(items[:2]))


def statement(env, condition="", variable="", before=(END, END), columns=WHOLE):
    """projections/audit/page_statements.cpp."""
    return (f"{variable}select {columns} from {env.table('audit_rows')} a "
            f"where a.at_ms >= -{END} and a.at_ms < {END} "
            f"and (a.at_ms, a.id) < ({before[0]}, {before[1]}){condition} "
            f"order by a.at_ms desc, a.id desc limit {PAGE + 1};\n")


def beside_statement(env, path, sql, mode="prepared", **load):
    """Samples of the path and of the statement: one after another, and 64 connections."""
    def rate(connections):
        return env.load(("GET", path), seconds=env.seconds, connections=connections,
                        **load)["rounds_per_s"]
    one = row.sample(env.samples, lambda: 1e6 / env.pgbench(sql, 1, mode), lambda: 1e6 / rate(1))
    many = row.sample(env.samples, lambda: env.pgbench(sql, mode=mode), lambda: rate(64))
    return one, many


def page(env, name, query, sql, mode="prepared", **load):
    """The page of that query against that statement, run in that mode of pgbench."""
    path = f"/audit-logs?limit={PAGE}{query}"
    some = env.call("GET", path.replace("{id}", "1"))["items"]
    if not some:
        raise RuntimeError(f"the page of {name} is empty")
    work, notes = f"GET /audit-logs?limit={PAGE}, {name}", {"items": len(some)}
    one, many = beside_statement(env, "/api/v1" + path, sql, mode, **load)
    return [
        row.Row(work, f"pgbench -M {mode}, its statement", "us", one, 1.5, more_is_better=False,
                notes=notes),
        row.Row(work + ", 64 at once", "the same, 16 clients", "pages/s", many, 0.67, notes=notes),
    ]


def middle(env):
    """How the page in the middle of all rows is asked for, and where it starts."""
    at_ms, said = env.query(
        "select (min(at_ms) + max(at_ms)) / 2, to_char(to_timestamp((min(at_ms) + max(at_ms)) / 2 "
        f"/ 1000.0) at time zone 'UTC', {ISO}) from {env.table('audit_rows')}")[0]
    before = f"&to={said}"
    cursor = env.call("GET", f"/audit-logs?limit={PAGE}{before}")["next_cursor"]
    return f"{before}&cursor={cursor}", (int(at_ms) - PAGE * 1000, 0)


def pages(env, rows, targets):
    actor = env.query(f"select max(actor_id) from {env.table('audit_rows')}")[0][0]
    seldom_actor = env.query(f"select actor_id from {env.table('audit_rows')} "
                             f"where action = '{SELDOM}' limit 1")[0][0]
    deep, place = middle(env)
    return [
        page(env, f"{rows:,} rows", "", statement(env)),
        page(env, "from their middle on", deep, statement(env, before=place)),
        page(env, "of an actor", f"&actor_id={actor}",
             statement(env, f" and a.actor_id = {actor}")),
        page(env, "of an action", "&action=annotation.create",
             statement(env, " and a.action = 'annotation.create'")),
        page(env, "of a task", "&target_type=task&target_id={id}",
             statement(env, " and a.target_type = 'task' and a.target_id = :target",
                       f"\\set target random(1, {targets})\n"),
             ids=f"1:1:{targets}", random=True),
        page(env, "of a project", "&project_id={id}",
             statement(env, " and a.project_id = :project",
                       f"\\set project random(1, {PROJECTS})\n"),
             ids=f"1:1:{PROJECTS}", random=True),
        # Which of the two few rows meet hangs on their values: it is planned for them each time.
        page(env, "of an actor and a seldom action", f"&actor_id={seldom_actor}&action={SELDOM}",
             statement(env, f" and a.actor_id = {seldom_actor} and a.action = '{SELDOM}'"),
             mode="extended"),
    ]


def exchange(env):
    """What any request over HTTP takes, beside the statement of a page: a page has both."""
    work = "GET /health/live, which asks PostgreSQL nothing"
    reference = "pgbench -M prepared, the statement of the first page"
    one, many = beside_statement(env, "/health/live", statement(env))
    return [row.Row(work, reference, "us", one, more_is_better=False),
            row.Row(work + ", 64 at once", "the same, 16 clients", "1/s", many)]


def bare_exchange(env):
    """The least that the first page can cost, whoever serves it, one after another."""
    page_shown = env.call("GET", f"/audit-logs?limit={PAGE}")
    answer = len(json.dumps(page_shown, separators=(",", ":"), ensure_ascii=False).encode())
    sql = statement(env, columns=IDS).rstrip(";\n")

    def bare():
        return env.program("bench_page", "--database", env.database, "--statement", sql, "--rows",
                           PAGE + 1, "--request-bytes", REQUEST_BYTES, "--answer-bytes", answer,
                           "--seconds", env.seconds)["per_s"]
    samples = row.sample(env.samples, lambda: 1e6 / env.pgbench(statement(env), clients=1),
                         lambda: 1e6 / bare())
    return [row.Row("the first page's ids and bytes, by a bare program",
                    "pgbench -M prepared, the statement of the first page", "us", samples,
                    more_is_better=False, notes={"answer_bytes": answer})]


def run(env):
    rows = env.size(5_000_000, 2000)
    with beside.service(env, "audit"):
        targets = fill(env, rows)
        check_copies(env)
        asked = [exchange(env), bare_exchange(env), *pages(env, rows, targets)]
        return [each for rows_of_page in asked for each in rows_of_page]
