"""A database of its own, and a service over one, for rows that would fill those of the others with
what no event tells of."""

import contextlib
import shutil
import tempfile

from served import Served


@contextlib.contextmanager
def database(env, name):
    """The conninfo of an empty database, gone at the end."""
    full_name = f"bench_{name}"
    env.superuser_query(f"drop database if exists {full_name} with (force)")
    env.superuser_query(f"create database {full_name} owner annolog")
    try:
        yield f"{env.database} dbname={full_name}"
    finally:
        env.superuser_query(f"drop database if exists {full_name} with (force)")


@contextlib.contextmanager
def folder(env, name):
    """On the disk of the service's data, gone at the end."""
    path = tempfile.mkdtemp(prefix=name + "-", dir=env.data)
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextlib.contextmanager
def service(env, name):
    """Until the end `env` speaks with a service that has nothing but its first user."""
    with database(env, name) as url, folder(env, name) as path:
        kept = env.service, env.database, env.data, env.token, env.made
        made = Served(kept[0].binary, path, url)
        env.service, env.database, env.data, env.made = made, url, path, {}
        try:
            made.start()
            env.sign_in()
            yield
        finally:
            env.service, env.database, env.data, env.token, env.made = kept
            made.stop()

