"""Tables shaped like the read models, for references written or read beside them."""

SCHEMA = "bench"


def table_like(env, name):
    """An empty table with the columns, keys and indexes of that read model; returns its name."""
    made = f"{SCHEMA}.{name}"
    env.query(f"create schema if not exists {SCHEMA}")
    env.query(f"drop table if exists {made}")
    env.query(f"create table {made} (like {env.table(name)} including all)")
    # The storage parameters are not taken over by LIKE.
    options = env.query("select array_to_string(reloptions, ',') from pg_class "
                        f"where oid = '{env.table(name)}'::regclass")[0][0]
    if options:
        env.query(f"alter table {made} set ({options})")
    return made


def drop(env):
    env.query(f"drop schema if exists {SCHEMA} cascade")
