"""Reads topics with kafka-python, which shares no code with the service's own client. Import its
modules late: they are fetched (conftest.py, python_clients)."""

import collections

# `headers` maps names to bytes; no name comes twice.
Record = collections.namedtuple("Record", "partition offset key headers value")


class Reader:
    def __init__(self, bootstrap, prefix):
        from kafka import KafkaConsumer  # pylint: disable=import-outside-toplevel
        self.bootstrap = bootstrap
        self.prefix = prefix
        # What the AsyncAPI description tells analytics to do.
        self.consumer = KafkaConsumer(bootstrap_servers=bootstrap.split(","), group_id=None,
                                      enable_auto_commit=False, isolation_level="read_committed")

    def topic(self, name):
        return self.prefix + "." + name

    def records(self, name):
        """All committed records of the topic, by partition and offset."""
        from kafka import TopicPartition  # pylint: disable=import-outside-toplevel
        consumer = self.consumer
        topic = self.topic(name)
        parts = [TopicPartition(topic, number)
                 for number in sorted(consumer.partitions_for_topic(topic))]
        consumer.assign(parts)
        consumer.seek_to_beginning(*parts)
        ends = consumer.end_offsets(parts)
        found = []
        while any(consumer.position(part) < ends[part] for part in parts):
            for messages in consumer.poll(timeout_ms=1000).values():
                found += [_record(message) for message in messages]
        return sorted(found, key=lambda record: (record.partition, record.offset))

    def close(self):
        """Nobody writes any more: takes the topics and groups out of the cluster."""
        from kafka import KafkaAdminClient  # pylint: disable=import-outside-toplevel
        self.consumer.close()
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap.split(","))
        try:
            groups = [group["group_id"] for group in admin.list_groups()]
            for names, delete in ((admin.list_topics(), admin.delete_topics),
                                  (groups, admin.delete_groups)):
                ours = [name for name in names if name.startswith(self.topic(""))]
                if ours:
                    delete(ours)
        finally:
            admin.close()


def _record(message):
    headers = dict(message.headers)
    assert len(headers) == len(message.headers), "a header comes twice: %s" % message.headers
    return Record(message.partition, message.offset, message.key, headers, message.value)
