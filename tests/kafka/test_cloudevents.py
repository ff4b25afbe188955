"""Records of the log, read as anybody may: by a Kafka client of its own and the CloudEvents SDK."""

import collections
import datetime
import json
import re

import pytest

from asyncapi import Description
from story import Story

UTC = datetime.timedelta(0)


@pytest.fixture(scope="module")
def events(written_records):
    """Each record as the CloudEvents SDK understands it, with the record."""
    from cloudevents.core.bindings import kafka  # pylint: disable=import-outside-toplevel
    return [(record, kafka.from_binary_event(
                kafka.KafkaMessage(record.headers, record.key, record.value)))
            for record in written_records]


@pytest.fixture(scope="module")
def description(story):
    return Description(story.world.nobody.get("/asyncapi.json", root=True).json())


def time_of(header):
    return datetime.datetime.fromisoformat(header.decode())


def sequence_of(event):
    return int(event.get_id().partition("-")[2])


def of_project(events, project_id):
    return [(record, event) for record, event in events
            if event.get_subject() == "project/%d" % project_id
            or event.get_data().get("project_id") == project_id]


def test_every_record_is_a_cloudevent_1_0(events, story):
    assert events
    sources = {event.get_source() for _, event in events}
    assert len(sources) == 1
    assert re.fullmatch(r"/annolog/[0-9a-f-]{36}", sources.pop())
    assert len({event.get_id() for _, event in events}) == len(events)
    for record, event in events:
        assert event.get_specversion() == "1.0"
        assert event.get_datacontenttype() == "application/json"
        assert re.fullmatch(r"request/[A-Za-z0-9._-]{1,128}|[a-z_]+/[0-9]+", event.get_subject())
        assert int(event.get_extension("schemaversion") or 1) >= 1
        assert event.get_data() == json.loads(record.value)
        assert event.get_time().utcoffset() == UTC
    first = min(event.get_time() for _, event in of_project(events, story.project_id))
    last = max(event.get_time() for _, event in events)
    slack = datetime.timedelta(milliseconds=1)  # times are cut to whole milliseconds
    assert story.began - slack <= first <= last <= story.ended


def test_a_cloudevent_goes_back_to_the_headers_it_came_from(events):
    from cloudevents.core.bindings import kafka  # pylint: disable=import-outside-toplevel
    for record, event in events:
        again = kafka.to_binary_event(event)
        theirs, ours = dict(again.headers), dict(record.headers)
        ours.pop("annolog-writer", None)  # of the transport, no attribute
        del theirs["ce_partitionkey"]  # the SDK's name of the key
        # The SDK writes as many digits of a second as it likes.
        assert time_of(theirs.pop("ce_time")) == time_of(ours.pop("ce_time")) == event.get_time()
        assert theirs == ours
        assert again.key.encode() == record.key
        assert json.loads(again.value) == json.loads(record.value)


def test_every_record_is_what_the_description_says(events, description, written_records):
    wrong = []
    for record, event in events:
        headers = {name: value.decode() for name, value in record.headers.items()}
        errors = description.header_errors(event.get_type(), headers)
        errors += description.payload_errors(event.get_type(), event.get_data())
        if errors:
            wrong.append((event.get_type(), errors))
    assert not wrong
    unknown = {name for record in written_records for name in record.headers} - set(
        description.document["components"]["schemas"]["EventHeaders"]["properties"])
    assert not unknown


def test_the_description_names_this_log(description, kafka_service):
    addresses = {channel["address"] for channel in description.document["channels"].values()
                 if not channel["address"].startswith("/")}
    assert addresses == {kafka_service.reader.topic(name) for name in (
        "events", "commands", "replies", "realtime", "subject-keys")}


def test_each_partition_counts_its_records_without_gaps(events):
    by_partition = collections.defaultdict(list)
    for record, event in events:
        assert record.key == b"shard/%d" % record.partition
        by_partition[record.partition].append(sequence_of(event))
        assert event.get_id() == "%d-%d" % (record.partition, sequence_of(event))
    for partition, sequences in by_partition.items():
        assert sequences == list(range(1, len(sequences) + 1)), partition


def test_the_first_record_of_each_partition_says_who_wrote_it(events):
    first = {}
    for record, _ in events:
        first.setdefault(record.partition, record)
    assert first
    assert all(record.headers.get("annolog-writer") for record in first.values())


def test_a_projects_events_are_in_one_partition_in_order(events, story, kafka_service):
    partitions = len(kafka_service.reader.consumer.partitions_for_topic(
        kafka_service.reader.topic("events")))
    for project_id in (story.project_id, story.other_project_id):
        own = of_project(events, project_id)
        own_shard = [(record, event) for record, event in own
                     if not event.get_type().startswith(("name.", "dataset."))]
        assert {record.partition for record, _ in own_shard} == {project_id % partitions}
        sequences = [sequence_of(event) for _, event in own_shard]
        assert sequences == sorted(sequences)
        assert own_shard[0][1].get_type() == "project.created"


def test_a_tasks_story_is_told_in_full(events, story):
    subject = "task/%d" % story.task_id
    told = [event for _, event in events if event.get_subject() == subject]
    assert [event.get_type() for event in told] == Story.TASK_EVENTS
    assert told[0].get_extension("actor") == str(story.annotator.id)
    assert told[0].get_extension("requestid")
    # What one call does is one command, and all but its last record, that of the request itself,
    # say that it goes on.
    assert {event.get_extension("commandcontinues") for event in told} == {"true"}
    for event in told:
        request = event.get_extension("requestid")
        of_call = [other for _, other in events if other.get_extension("requestid") == request]
        assert [other.get_extension("commandcontinues") for other in of_call] == (
            ["true"] * (len(of_call) - 1) + [None])
        assert of_call[-1].get_type() == "request.recorded"
        assert of_call[-1].get_subject() == "request/" + request


def test_nothing_personal_stands_open_in_a_record(events, written_records, story):
    created = [event.get_data() for _, event in events if event.get_type() == "user.created"]
    assert story.annotator.id in [data["user_id"] for data in created]
    secrets = [story.annotator.username.encode(), b"Name of "]
    for record in written_records:
        for part in (record.value, *record.headers.values()):
            assert not any(secret in part for secret in secrets)
