"""The event log in Kafka: commands through the service against a plain transactional producer, its
replay against a plain consumer, and what an idle node costs."""

import copy
import os
import re
import shutil
import subprocess
import tempfile
import time
import uuid

import row
import tasks
from served import Served

DATABASE = "bench_kafka"
CLIENTS = 64
TASKS = 8000
PROJECTS = 4
RECORDS = 1_000_000
MESSAGE_BYTES = 1024
PRODUCER = "org.apache.kafka.tools.ProducerPerformance"


class Cluster:
    def __init__(self, env):
        self.env = env
        self.bootstrap = os.environ["ANNOLOG_BENCH_KAFKA"]
        self.prefix = "bench-" + uuid.uuid4().hex[:8]

    def program(self, what, prefix, *flags, **options):
        named = [text for name, value in options.items() for text in ("--" + name, value)]
        return self.env.program("bench_kafka", what, "--bootstrap", self.bootstrap, "--prefix",
                                f"{self.prefix}.{prefix}", *flags, *named)

    def transactions(self, batch):
        return self.program("transactions", "bare", batch=batch, bytes=MESSAGE_BYTES,
                            seconds=self.env.seconds)

    def producer_performance(self, records):
        """Records a second of Kafka's own measure, without transactions."""
        tool = os.path.join(os.path.dirname(__file__), "..", "..", "deploy", "kafka")
        run = subprocess.run(
            [tool, "tool", PRODUCER, "--topic", f"{self.prefix}.bare.events", "--num-records",
             str(records), "--record-size", str(MESSAGE_BYTES), "--throughput", "-1",
             "--producer-props", f"bootstrap.servers={self.bootstrap}", "acks=all"],
            capture_output=True, text=True, timeout=600, check=False)
        found = re.search(rf"^{records} records sent, ([\d.]+) records/sec", run.stdout, re.M)
        if run.returncode != 0 or not found:
            raise RuntimeError(f"ProducerPerformance: {run.stdout[-2000:]}{run.stderr[-2000:]}")
        return float(found.group(1))


def service_on(env, cluster, folder):
    """The same service with its log in the cluster, and read models of its own."""
    env.superuser_query(f"drop database if exists {DATABASE} with (force)")
    env.superuser_query(f"create database {DATABASE} owner annolog")
    made = copy.copy(env)
    made.made = {}
    made.database = f"{env.database} dbname={DATABASE}"
    made.service = Served(env.service.binary, folder, made.database, {
        "ANNOLOG_LOG": "kafka", "ANNOLOG_KAFKA_BOOTSTRAP": cluster.bootstrap,
        "ANNOLOG_KAFKA_PREFIX": cluster.prefix + ".service"})
    made.service.start()
    made.sign_in()
    return made


def saves(env, ranges, connections, seconds):
    """Commands of one event of about a kilobyte each."""
    path = "/api/v1/tasks/{id}/annotations?submit=false"
    return env.load(("POST", path, tasks.shapes_bodies(4)), ids=ranges, random=True,
                    connections=connections, seconds=seconds)


def idle_cores(env):
    """Of a node that nobody asks, the average over ten seconds at least."""
    env.service.catch_up()
    time.sleep(2)  # what was on its way
    before, began = env.service.cpu_s(), time.monotonic()
    time.sleep(max(10, 2 * env.seconds) if env.scale >= 1 else env.seconds)
    return (env.service.cpu_s() - before) / (time.monotonic() - began)


def command_rows(env, cluster):
    each = env.size(TASKS, 200) // PROJECTS
    ranges = ",".join(tasks.make_tasks(env, each).ids() for _ in range(PROJECTS))
    tasks.lock(env, ranges)
    many = row.sample(env.samples, lambda: cluster.transactions(CLIENTS)["events_per_s"],
                      lambda: saves(env, ranges, CLIENTS, env.seconds)["rounds_per_s"])
    one = row.sample(env.samples, lambda: cluster.transactions(1)["p50_us"],
                     lambda: saves(env, ranges, 1, env.seconds)["steps"][0]["p50_us"])
    producer = cluster.producer_performance(env.size(200_000, 2000))
    return [
        row.Row(f"commands through HTTP and Kafka, {CLIENTS} connections",
                f"bare transactions of {CLIENTS}", "events/s", many, 0.5,
                notes={"producer_performance_records_per_s": producer}),
        row.Row("one command at a time through HTTP and Kafka, p50", "a bare transaction, p50",
                "us", one, 3, more_is_better=False),
    ]


def replay_rows(env, cluster):
    records = env.size(RECORDS, 2000)
    folder = tempfile.mkdtemp(prefix="fill-", dir=env.data)
    cluster.program("fill", "replay", records=records, folder=os.path.join(folder, "state"))
    shutil.rmtree(folder)

    def rate(what, *flags):
        figures = cluster.program(what, "replay", *flags, records=records)
        if figures["records"] != records:
            raise RuntimeError(f"{what}: {figures}")
        return records / figures["seconds"]
    bare = row.sample(env.samples, lambda: rate("consume"), lambda: rate("replay"))
    reading = row.sample(env.samples, lambda: rate("consume", "--headers"), lambda: rate("replay"))
    work = f"replay of {records:,} events from Kafka"
    return [row.Row(work, "a bare consumer of the same", "events/s", bare, 0.5,
                    notes={"decoded_per_s": rate("replay", "--decode")}),
            row.Row(work + ", beside a consumer that reads headers",
                    "a bare consumer that looks at the headers", "events/s", reading)]


def run(env):
    cluster = Cluster(env)
    folder = tempfile.mkdtemp(prefix="kafka-", dir=env.data)
    on_kafka = service_on(env, cluster, folder)
    try:
        rows = command_rows(on_kafka, cluster)
        idle = row.Row("an idle node on Kafka", "", "cores", [(1, idle_cores(on_kafka))], 0.05,
                       more_is_better=False)
    finally:
        on_kafka.service.stop()
        shutil.rmtree(folder)
        env.superuser_query(f"drop database {DATABASE} with (force)")
    return [*rows, *replay_rows(env, cluster), idle]
