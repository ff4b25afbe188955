"""5,000 WebSockets: from an event to the frame of whoever listens, against one connection of
PostgreSQL that commits and another that is notified; one event told to 1,000 of them, and a hundred
at once, against bare writes of as many bytes to as many connections of this machine; what an idle
socket takes of the service's memory. A frame that never comes fails the row."""

import resource
import tempfile

import environment
import row
import scratch
import tasks

SPARE_FILES = 500  # that the service has open beside its sockets


def allow_files(count):
    """For this process and those that it starts; both sides of each connection are among them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise RuntimeError(f"a process may open {hard} files here, {count} are needed: ulimit -n")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def measure(env, sockets, listeners):
    """What bench_sockets says, of a service that has done nothing before: what it keeps of earlier
    work would be taken for the sockets' memory, or hide it."""
    project = tasks.make_tasks(env, sockets)
    env.service.stop()
    env.service.start()
    env.sign_in()
    env.query(f"create schema if not exists {scratch.SCHEMA}")
    table = f"{scratch.SCHEMA}.told"
    env.query(f"create table {table} (id bigserial primary key, data text not null)")
    with tempfile.TemporaryDirectory() as folder:
        return env.program(
            "bench_sockets", "--port", env.service.port,
            "--tokens", environment.lines(folder, "tokens", [env.token]),
            "--ids", project.ids(), "--project", project.id, "--listeners", listeners,
            "--rounds", env.samples + 1, "--database", env.database, "--table", table,
            "--service", env.service.process.pid)


def run(env):
    sockets, listeners = env.size(5000, 60), env.size(1000, 10)
    allow_files(sockets + 2 * listeners + SPARE_FILES)
    try:
        figures = measure(env, sockets, listeners)
    finally:
        scratch.drop(env)
    if figures["come"] != figures["due"]:
        raise RuntimeError(f"{figures['due']} frames were due, {figures['come']} came")
    rounds = figures["rounds"]
    many = 100 * listeners
    notes = {name: figures[name] for name in ("sockets", "due", "come", "frame_bytes")}

    def pairs(reference, measured):
        return [(each[reference], each[measured]) for each in rounds]

    def latency(work, of, name, target):
        return row.Row(f"{work}, {sockets:,} sockets, {name}",
                       "INSERT with pg_notify sent, to the other connection", "us",
                       pairs(f"commit_{name}_us", f"{of}_{name}_us"), target,
                       more_is_better=False, notes=notes)
    rates = [(many / each["bare_many_us"] * 1e6, many / each["many_us"] * 1e6) for each in rounds]
    return [
        # The answer says that the event is durable.
        latency("event to its frame", "after_answer", "p50", 3),
        latency("event to its frame", "after_answer", "p99", 3),
        latency("request to its event's frame", "frame", "p50", 3),
        latency("request to its event's frame", "frame", "p99", 3),
        row.Row(f"one event told to {listeners:,} sockets, until the last",
                "the same bytes written to as many connections", "us",
                pairs("bare_fan_p50_us", "fan_p50_us"), more_is_better=False, notes=notes),
        row.Row(f"100 events at once told to {listeners:,} sockets",
                "the same bytes written to as many connections", "frames/s", rates, notes=notes),
        row.Row("frames delivered", "frames due", "frames", [(figures["due"], figures["come"])], 1,
                notes=notes),
        row.Row(f"memory of an idle socket, {sockets:,} of them", "", "KiB",
                [(1, max(0, figures["kib_each"]))], 40, more_is_better=False, notes=notes),
    ]
