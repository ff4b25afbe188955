"""The log as Kafka's own console consumer prints it: what an operator sees without our program."""

import subprocess

from fetched import skip_or_fail
from service import SOURCE

CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
NO_KAFKA = 69  # deploy/kafka: Java or Kafka's program can't be had
SEPARATOR = "\x1f"  # in no header's value, unlike the usual comma


def consume(bootstrap, topic, count):
    """`count` records from the beginning, as lines of fields."""
    command = [SOURCE / "deploy" / "kafka", "tool", CONSUMER, "--bootstrap-server", bootstrap,
               "--topic", topic, "--from-beginning", "--isolation-level", "read_committed",
               "--max-messages", count, "--timeout-ms", 30000]
    for name, value in (("print.partition", "true"), ("print.offset", "true"),
                        ("print.headers", "true"), ("print.key", "true"),
                        ("headers.separator", SEPARATOR)):
        command += ["--property", "%s=%s" % (name, value)]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False)
    if done.returncode == NO_KAFKA:
        skip_or_fail("Kafka's own tools: " + done.stderr.decode().strip())
    assert done.returncode == 0, done.stderr.decode()
    return [line.split(b"\t") for line in done.stdout.splitlines()]


def test_the_console_consumer_prints_what_was_written(written_records, kafka_service):
    reader = kafka_service.reader
    lines = consume(reader.bootstrap, reader.topic("events"), len(written_records))
    printed = {}
    for partition, offset, headers, key, value in lines:
        place = (int(partition.removeprefix(b"Partition:")), int(offset.removeprefix(b"Offset:")))
        named = dict(header.split(b":", 1) for header in headers.split(SEPARATOR.encode()))
        printed[place] = ({name.decode(): text for name, text in named.items()}, key, value)
    assert printed == {(record.partition, record.offset): (record.headers, record.key, record.value)
                       for record in written_records}
