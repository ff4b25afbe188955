"""`annolog log copy`, `verify`, `stat` and `tail`, on logs in RocksDB and in Kafka."""

import json
import os
import re
import signal
import subprocess

import pytest

from client import unique
from fetched import skip_or_fail
from held_process import HeldCommand
from log_copies import (KafkaPlace, RocksdbPlace, chains, copied, copy, count, live, move_folders,
                        picture, refused, run, write_records)
from service import binary_path
from waiting import wait_until
from world import World


@pytest.fixture
def bootstrap():
    given = os.environ.get("ANNOLOG_TEST_KAFKA")
    if not given:
        skip_or_fail("ANNOLOG_TEST_KAFKA names no cluster")
    return given


@pytest.fixture
def kafka_place(bootstrap):
    return KafkaPlace(bootstrap, unique("copy-test"))


@pytest.fixture(scope="module")
def make_embedded(make_service):
    return lambda: make_service(RocksdbPlace.settings)


@pytest.fixture(scope="module")
def stopped(make_embedded):
    """A stopped service that has lived, with enough records for several commits of a copy."""
    service = make_embedded().start()
    service.project_id = live(service)
    write_records(service, 3000)
    service.picture = picture(service, service.project_id)
    assert service.stop() == 0
    service.chains = chains(service)
    service.records = count(service)
    return service


@pytest.fixture
def held(stopped):
    """Starts a copy of the stopped service's log that stands still after its first commit."""
    made = []

    def start(service, source, target):
        made.append(HeldCommand(["log", "copy", "--from", source, "--to", target],
                                service.environment(), service.folder))
        return made[-1]

    yield start
    for command in made:
        command.close()


# --- copy ---

def test_a_log_moves_to_kafka_and_back_with_all_that_it_tells(stopped, kafka_place, make_service,
                                                              make_embedded):
    source = RocksdbPlace(stopped)
    assert copied(stopped, source.spec, kafka_place.spec) == stopped.records
    assert chains(stopped, kafka_place) == stopped.chains

    nodes = make_service(kafka_place.settings)
    move_folders(stopped, nodes, keys=False)
    nodes.start()
    assert picture(nodes, stopped.project_id) == stopped.picture
    live(nodes)
    after = picture(nodes, stopped.project_id)
    assert nodes.stop() == 0
    grown = chains(nodes)
    assert grown != stopped.chains

    back = make_embedded()
    move_folders(stopped, back, keys=False)
    records = copied(back, kafka_place.spec, RocksdbPlace(back).spec)
    assert records == count(nodes) > stopped.records
    assert chains(back) == grown
    back.start()
    assert picture(back, stopped.project_id) == after


def test_a_log_moves_between_folders(stopped, make_embedded):
    moved = make_embedded()
    assert copied(stopped, RocksdbPlace(stopped).spec, RocksdbPlace(moved).spec) == stopped.records
    assert chains(moved) == stopped.chains
    move_folders(stopped, moved)
    moved.start()
    assert picture(moved, stopped.project_id) == stopped.picture


def test_with_the_same_database_nothing_is_built_anew(make_embedded, make_service, kafka_place):
    service = make_embedded().start()
    project_id = live(service)
    before = picture(service, project_id)
    assert service.stop() == 0
    copied(service, RocksdbPlace(service).spec, kafka_place.spec)
    service.settings.update(kafka_place.settings)
    service.start()
    assert picture(service, project_id) == before
    assert "rebuilt the read models" not in service.log_text()


@pytest.mark.parametrize("store", ["rocksdb", "kafka"])
def test_a_killed_copy_goes_on_where_it_ends(store, stopped, held, make_embedded, request):
    target = make_embedded() if store == "rocksdb" else stopped
    place = RocksdbPlace(target) if store == "rocksdb" else request.getfixturevalue("kafka_place")
    command = held(stopped, RocksdbPlace(stopped).spec, place.spec)
    there = wait_until(lambda: count(target, place), 60, "the target has records")
    command.kill9()
    done = copy(stopped, RocksdbPlace(stopped).spec, place.spec)
    assert done.returncode == 0, done.stdout + done.stderr
    # A transaction of Kafka becomes visible partition by partition: there may be more by now.
    begun = int(re.match(r"(\d+) of %d records\n" % stopped.records, done.stderr).group(1))
    assert 0 < there <= begun < stopped.records
    assert chains(target, place) == stopped.chains


def test_an_interrupted_copy_says_so_and_goes_on(stopped, held, make_embedded):
    target = make_embedded()
    place = RocksdbPlace(target)
    command = held(stopped, RocksdbPlace(stopped).spec, place.spec)
    there = wait_until(lambda: count(target), 60, "the target has records")
    exit_code, output, _ = command.interrupt()
    assert exit_code == 128 + signal.SIGINT
    assert "interrupted: %d records were copied" % there in output
    assert count(target) == there < stopped.records
    assert copied(stopped, RocksdbPlace(stopped).spec, place.spec) == stopped.records


def test_what_is_written_meanwhile_is_told_and_copied_too(stopped, held, make_embedded):
    source, target = make_embedded(), make_embedded()
    copied(stopped, RocksdbPlace(stopped).spec, RocksdbPlace(source).spec)
    move_folders(stopped, source)
    source.start()
    command = held(source, RocksdbPlace(source).spec, RocksdbPlace(target).spec)
    wait_until(lambda: count(target), 60, "the target has records")
    write_records(source, 5)
    exit_code, output, errors = command.let_go()
    assert exit_code == 0, output + errors
    assert "the source has grown by" in errors
    assert source.stop() == 0
    assert count(source) >= count(target) > stopped.records


def test_a_copy_that_went_its_own_way_is_refused(stopped, make_embedded):
    moved = make_embedded()
    source, target = RocksdbPlace(stopped).spec, RocksdbPlace(moved).spec
    copied(stopped, source, target)
    assert copied(stopped, source, target) == stopped.records  # again: nothing to do
    move_folders(stopped, moved)
    moved.start()
    World(moved)  # a sign-in is a record
    why = refused(stopped, source, target)
    assert "in use by another process" in why
    assert moved.stop() == 0
    why = refused(stopped, source, target)
    assert "shard 0: the target has offset" in why
    assert "is not a copy of it" in why


def test_places_that_are_no_new_home_are_refused(stopped, make_embedded, tmp_path):
    source = RocksdbPlace(stopped).spec
    other = make_embedded().start()
    assert other.stop() == 0
    why = refused(stopped, source, RocksdbPlace(other).spec)
    assert "holds another log: its id is" in why
    chains(other)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "is not empty and holds no log: notes.txt" in refused(stopped, source,
                                                                 "rocksdb:%s" % tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.txt"]
    assert "onto itself" in refused(stopped, source, source)
    assert "(there is one in" in refused(stopped, "rocksdb:%s" % stopped.data, "rocksdb:elsewhere")
    assert "there is no log" in refused(stopped, "rocksdb:nowhere", "rocksdb:elsewhere")
    for wrong in ("elsewhere", "rocksdb:", "kafka:", "kafka:/prefix", "kafka:host:1/a b"):
        assert "a log is rocksdb:DIR or kafka:BOOTSTRAP[/PREFIX]" in refused(stopped, source, wrong)


def test_topics_of_another_log_and_a_folder_without_keys_are_refused(stopped, kafka_place,
                                                                     make_service, tmp_path):
    source = RocksdbPlace(stopped).spec
    why = refused(stopped, source, kafka_place.spec, "--keys-dir", str(tmp_path))
    assert "holds no signing.keys" in why
    assert "--without-keys" in why
    nodes = make_service(kafka_place.settings).start()
    assert nodes.stop() == 0
    why = refused(stopped, source, kafka_place.spec)
    assert "holds another log" in why
    missing = KafkaPlace(kafka_place.settings["ANNOLOG_KAFKA_BOOTSTRAP"], unique("missing"))
    assert "there is no topic" in refused(stopped, missing.spec, "rocksdb:elsewhere")


def test_a_key_that_was_erased_does_not_come_back(stopped, kafka_place, make_embedded):
    old = make_embedded()
    copied(stopped, RocksdbPlace(stopped).spec, RocksdbPlace(old).spec)
    move_folders(stopped, old)
    copied(old, RocksdbPlace(old).spec, kafka_place.spec)
    key_files = [path for path in (old.data / "keys" / "subjects").rglob("*") if path.is_file()]
    key_files[0].unlink()
    done = copy(old, RocksdbPlace(old).spec, kafka_place.spec)
    assert done.returncode == 1
    assert "%s has keys of people who have none" % kafka_place.spec in done.stderr
    for path in key_files[1:]:
        path.unlink()
    done = copy(old, RocksdbPlace(old).spec, kafka_place.spec)
    assert done.returncode == 1
    assert "none of %d people has a key" % len(key_files) in done.stderr
    done = copy(old, kafka_place.spec, RocksdbPlace(old).spec)
    assert done.returncode == 0, done.stderr
    assert "OK: keys of %d people, 0 have none any more" % len(key_files) in done.stdout


# --- verify, stat and tail ---

@pytest.fixture(scope="module", params=["rocksdb", "kafka"])
def running(request, make_service):
    """A running service with some records, on each kind of log."""
    settings = RocksdbPlace.settings
    if request.param == "kafka":
        given = os.environ.get("ANNOLOG_TEST_KAFKA")
        if not given:
            skip_or_fail("ANNOLOG_TEST_KAFKA names no cluster")
        settings = KafkaPlace(given, unique("tail-test")).settings
    service = make_service(settings).start()
    service.project_id = live(service)
    return service


def tail(service, *arguments):
    done = run(service, "tail", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def tail_json(service, *arguments):
    return [json.loads(line) for line in tail(service, "--json", *arguments)]


def test_verification_may_begin_behind_a_record(running):
    last = tail_json(running, "--shard", "0", "-n", "1")[0]
    end = int(last["sequence"])
    done = run(running, "verify", "--from", "0:%d" % (end - 2))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "shard 0: 2 records, chain %s\nOK: 2 records in 1 shard\n" % last["chain"]
    assert run(running, "verify", "--from", "0:%d" % (end + 1)).returncode == 1
    assert run(running, "verify", "--from", "zero").returncode == 1


def test_the_newest_records_come_in_the_order_of_their_times(running):
    every = tail_json(running, "--from", "1")
    assert len(every) == count(running) > 20
    assert [e["time"] for e in every] == sorted(e["time"] for e in every)
    assert tail_json(running) == every[-20:]
    assert tail_json(running, "-n", "3") == every[-3:]
    assert tail_json(running, "-n", "0") == []


def test_a_record_is_a_cloudevent(running):
    for event in tail_json(running, "--from", "1"):
        assert event["specversion"] == "1.0"
        assert event["source"].startswith("/annolog/")
        assert set(event) >= {"id", "type", "time", "subject", "partitionkey", "sequence",
                              "schemaversion", "chain", "datacontenttype", "data"}
        assert isinstance(event["data"], dict)
    created = tail_json(running, "--from", "1", "--type", "user.created")
    assert len(created) >= 3
    assert all(set(event["data"]["name"]) == {"key_id", "base64"} for event in created)


def test_shard_type_and_offset_choose(running):
    of_zero = tail_json(running, "--from", "3", "--shard", "0")
    assert [int(e["sequence"]) for e in of_zero] == list(range(3, 3 + len(of_zero)))
    assert {e["partitionkey"] for e in of_zero} == {"shard/0"}
    tasks = tail_json(running, "--type", "task.*", "-n", "5")
    assert len(tasks) == 5
    assert all(e["type"].startswith("task.") for e in tasks)
    assert tail(running, "--type", "no.such") == []
    assert run(running, "tail", "--shard", "8").returncode == 1
    assert run(running, "tail", "--from", "0").returncode == 1
    assert run(running, "tail", "--from", "1", "-n", "2").returncode != 0


def test_a_line_is_for_a_person(running):
    [line] = tail(running, "--type", "task.approved")
    event = tail_json(running, "--type", "task.approved")[0]
    place = "%s-%s" % (event["partitionkey"].removeprefix("shard/"), event["sequence"])
    assert line.split() == [event["time"], place, "task.approved", event["subject"],
                            event["actor"], event["requestid"]]


@pytest.fixture
def follower(running):
    """`log tail --follow` as a child, with its output to read."""
    with subprocess.Popen(
            [str(binary_path()), "log", "tail", "--follow", "--json", "-n", "1"],
            env=running.environment(), cwd=running.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_following_shows_what_comes_until_it_is_told_to_end(running, follower, ending):
    json.loads(follower.stdout.readline())
    name = unique("followed")
    World(running).admin.patch("/projects/%d" % running.project_id, {"description": name})
    while True:
        event = json.loads(follower.stdout.readline())
        if event["type"] == "project.updated" and name in json.dumps(event["data"]):
            break
    follower.send_signal(ending)
    assert follower.wait(timeout=20) == 0


def test_following_ends_when_nobody_reads(running, follower):
    json.loads(follower.stdout.readline())
    follower.stdout.close()
    assert follower.wait(timeout=20) == 0


def test_a_closed_pipe_ends_a_long_tail(running):
    program = '"$0" log tail --from 1 --json | head -n 1'
    done = subprocess.run(["sh", "-c", program, str(binary_path())], env=running.environment(),
                          cwd=running.folder, capture_output=True, text=True, timeout=60,
                          check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
