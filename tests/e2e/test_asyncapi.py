"""The served AsyncAPI description of the event log: valid, complete, and true of the events that
the golden files hold."""

import copy
import json
import os
import pathlib
import re

import pytest

from asyncapi import Description, errors_against
from fetched import need, npm_file
from service import SOURCE

GOLDEN = pathlib.Path(SOURCE) / "tests" / "golden" / "asyncapi.json"
EVENTS = pathlib.Path(SOURCE) / "tests" / "golden" / "events"
# The schema that the makers of AsyncAPI publish for its version 3.0.0.
SPECS = ("@asyncapi/specs", "6.11.1", "schemas/3.0.0-without-$id.json")


def topics_in(document):
    """The channels that are no sockets."""
    return [channel for channel in document["channels"].values()
            if not channel["address"].startswith("/")]


@pytest.fixture(scope="module")
def document(world):
    """As served, but for the topics' prefix: that is always the default one."""
    answer = world.nobody.get("/asyncapi.json", root=True)
    assert answer.headers["Content-Type"].startswith("application/json")
    served = answer.json()
    prefix = world.service.environment().get("ANNOLOG_KAFKA_PREFIX", "annolog")
    for channel in topics_in(served):
        channel["address"] = "annolog" + channel["address"].removeprefix(prefix)
    return served


@pytest.fixture(scope="module")
def description(document):
    return Description(document)


@pytest.fixture(scope="module")
def official_schema():
    return json.loads(need(npm_file, *SPECS).read_text(encoding="utf-8"))


def golden_files():
    """(type, version, data) of every one: all versions ever written."""
    for path in sorted(EVENTS.glob("*.json")):
        event_type, version = re.fullmatch(r"(.+)\.v(\d+)(\.min)?\.json", path.name).group(1, 2)
        yield event_type, int(version), json.loads(path.read_text(encoding="utf-8"))


def newest_versions():
    newest = {}
    for event_type, version, _ in golden_files():
        newest[event_type] = max(version, newest.get(event_type, 0))
    return newest


def newest_events():
    """(type, data) of the golden files of each type's newest version."""
    newest = newest_versions()
    return [(event_type, data) for event_type, version, data in golden_files()
            if version == newest[event_type]]


def test_the_description_is_asyncapi_3_0(document):
    assert document["asyncapi"] == "3.0.0"
    assert document["info"]["title"]
    assert document["info"]["version"]


def test_the_description_equals_the_golden_file(document):
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if os.environ.get("ANNOLOG_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    if not GOLDEN.exists():
        pytest.skip("there is no tests/golden/asyncapi.json; ANNOLOG_UPDATE_GOLDEN=1 writes it")
    assert document == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_description_fits_the_official_schema(document, official_schema):
    assert not errors_against(official_schema, document)


def test_the_official_schema_finds_what_is_wrong(document, official_schema):
    wrong = copy.deepcopy(document)
    wrong["operations"]["receiveEvents"]["action"] = "read"
    wrong["components"]["schemas"]["Role"]["type"] = "words"
    del wrong["info"]["version"]
    assert len(errors_against(official_schema, wrong)) == 3


def test_every_reference_leads_somewhere_and_stands_alone(document, description):
    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                assert node["$ref"].startswith("#/")
                assert len(node) == 1, "what stands beside a $ref is ignored: %s" % node
                assert description.resolved(node)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(document)


def test_the_channels_are_the_topics_of_the_log(document):
    addresses = {name: channel["address"] for name, channel in document["channels"].items()
                 if channel in topics_in(document)}
    assert addresses == {
        "events": "annolog.events", "commands": "annolog.commands", "replies": "annolog.replies",
        "realtime": "annolog.realtime", "subjectKeys": "annolog.subject-keys"}


def test_the_sockets_are_those_of_the_specification(document):
    addresses = {channel["address"] for channel in document["channels"].values()
                 if channel not in topics_in(document)}
    assert addresses == {"/ws", "/ws/notifications", "/ws/projects/{project_id}/preannotate",
                         "/ws/video-tracker-jobs/{job_id}", "/ws/prediction-jobs"}


def test_readers_receive_the_events_and_nothing_else(document, description):
    of_topics = [name for name in document["operations"] if "ocket" not in name]
    assert of_topics == ["receiveEvents"]
    operation = document["operations"]["receiveEvents"]
    assert operation["action"] == "receive"
    assert operation["channel"] == {"$ref": "#/channels/events"}
    received = {description.resolved(message)["name"] for message in operation["messages"]}
    assert received == set(description.messages)


def test_every_event_type_has_a_message_of_its_newest_version(description):
    described = {}
    for event_type, message in description.messages.items():
        headers = message["headers"]["allOf"][1]["properties"]
        assert headers["ce_type"] == {"const": event_type}
        assert message["summary"], event_type
        described[event_type] = int(headers["ce_schemaversion"]["const"])
    assert described == newest_versions()


def test_the_data_of_every_stored_event_fits_its_schema(description):
    wrong = [(event_type, errors) for event_type, data in newest_events()
             for errors in [description.payload_errors(event_type, data)] if errors]
    assert not wrong


def test_data_without_a_required_member_or_with_a_wrong_one_does_not_fit(description):
    for event_type, data in newest_events():
        schema = description.resolved(description.message_of(event_type)["payload"])
        assert schema["required"], event_type
        for member in schema["required"]:
            missing = {name: value for name, value in data.items() if name != member}
            assert description.payload_errors(event_type, missing), (event_type, member)
            form = description.resolved(schema["properties"][member])
            if form:  # else any JSON
                # Members that are not known fit an object that asks for none.
                is_object = form.get("type") == "object"
                wrong = {**data, member: 1 if is_object else {"no": {"such": "form"}}}
                assert description.payload_errors(event_type, wrong), (event_type, member)


def test_personal_fields_are_sealed(document, description):
    created = description.resolved(description.message_of("user.created")["payload"])
    sealed = {"$ref": "#/components/schemas/Sealed"}
    for member in ("username", "name", "password_hash"):
        assert created["properties"][member] == sealed
    assert sealed in created["properties"]["email"]["anyOf"]
    assert "sealed" in document["components"]["schemas"]["Sealed"]["description"]
    assert "Sealed" in document["channels"]["events"]["description"]
