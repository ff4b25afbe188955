"""Start with 1,000,000 tasks, against a start with none; both until /health is well."""

import os
import shutil
import tempfile

import row
import tasks
from served import Served


def empty_service(env):
    """A second service that has nothing but its first user, and has been started before."""
    env.superuser_query("drop database if exists bench_empty")
    env.superuser_query("create database bench_empty owner annolog")
    folder = tempfile.mkdtemp(prefix="empty-", dir=env.data)
    service = Served(env.service.binary, folder, env.database + " dbname=bench_empty")
    service.start()
    service.stop()
    return service


def run(env):
    count = env.size(1_000_000, 1000)
    if int(env.query(f"select count(*) from {env.table('tasks')}")[0][0]) < count:
        tasks.make_tasks(env, count)
    empty = empty_service(env)

    def without():
        took = empty.start()
        empty.stop()
        return took

    def with_tasks():
        env.service.stop()
        return env.service.start()
    try:
        samples = row.sample(env.samples, without, with_tasks)
    finally:
        empty.stop()
        shutil.rmtree(empty.data)
    found = int(env.query(f"select count(*) from {env.table('tasks')}")[0][0])
    return row.Row(f"start with {found:,} tasks", "start with none", "s", samples, 1.5,
                   more_is_better=False)
