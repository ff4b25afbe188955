"""A damaged log: an unacknowledged tail is repaired, anything else is named and refused."""

import contextlib
import os
import re
import struct

import pytest

from load import Load, fault_seed
from service import ServiceDied
from world import World

# A refusal must let a person find the place.
NAMED = re.compile(r"shard|position|corrupt|checksum|missing|\.sst|\.log|MANIFEST", re.I)


def log_files(service, ending):
    """Files of the log with that ending, largest first."""
    found = (service.data / "log").rglob("*" + ending)
    return sorted((path for path in found if path.stat().st_size > 0),
                  key=lambda path: path.stat().st_size, reverse=True)


def last_byte(path):
    """The place of the last byte that is not padding."""
    return len(path.read_bytes().rstrip(b"\0")) - 1


def flip(path, at):
    with open(path, "r+b") as data:
        data.seek(at)
        byte = data.read(1)
        data.seek(at)
        data.write(bytes([byte[0] ^ 0x40]))
        data.flush()
        os.fsync(data.fileno())


def refuses_to_start(service):
    """The start ends by itself with a non-zero code and a line that names the damage."""
    seen = len(service.log_text())
    with pytest.raises(ServiceDied) as died:
        service.start(deadline_s=60)
    assert died.value.exit_code > 0, "a refusal is an exit code, not a crash"
    assert not service.address_file.exists()
    said = service.log_text()[seen:]
    assert NAMED.search(said), said
    return said


@pytest.fixture
def filled(make_service):
    """A service with acknowledged writes in its log, and the oracle that saw them."""
    service = make_service().start()
    load = Load(World(service), fault_seed(), writers=4)
    with load:
        load.wait_for(150)
    return service, load


def make_tables(service):
    """Clean restarts until the log has written table files."""
    for _ in range(5):
        service.restart()
        if log_files(service, ".sst"):
            break
    assert service.stop() == 0
    tables = log_files(service, ".sst")
    if not tables:
        pytest.skip("the log wrote no table file after five restarts")
    return tables


def test_a_flipped_byte_amid_acknowledged_writes_is_refused(filled):
    service, load = filled
    service.kill9()  # so that the newest writes are in the write-ahead log alone
    journal = next(iter(log_files(service, ".log")), None)
    if journal is None or last_byte(journal) < 4096:
        pytest.skip("the write-ahead log holds too little to flip a byte amid it")
    place = last_byte(journal) // 2
    flip(journal, place)
    refuses_to_start(service)
    flip(journal, place)
    service.start()
    load.verify()


def test_a_flipped_byte_in_a_table_is_found(filled):
    service, load = filled
    table = make_tables(service)[0]
    place = table.stat().st_size // 3
    flip(table, place)
    verified = service.command("log", "verify")
    assert verified.returncode > 0, verified.stdout
    assert NAMED.search(verified.stdout + verified.stderr)
    flip(table, place)
    verified = service.command("log", "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    service.start()
    load.verify()


@pytest.mark.parametrize("ending", [".sst", "CURRENT"])
def test_a_missing_file_is_refused(filled, ending):
    service, load = filled
    make_tables(service)
    path = log_files(service, ending)[0]
    aside = service.folder / "taken-away"
    path.rename(aside)
    refuses_to_start(service)
    # The refused start must not have begun a new log in the place of the old one.
    if path.exists():
        path.unlink()
    aside.rename(path)
    service.start()
    load.verify()


def torn_record(length=500, there=100):
    """The beginning of a write-ahead record whose rest never reached the disk."""
    return struct.pack("<IHB", 0x1234ABCD, length, 1) + b"t" * there


@pytest.mark.parametrize("tail", [b"\0" * 64, torn_record()[:3], torn_record()],
                         ids=["zeros", "half-a-header", "half-a-record"])
def test_a_torn_tail_is_repaired_and_every_acknowledged_write_is_there(filled, tail):
    service, load = filled
    service.kill9()
    journals = log_files(service, ".log")
    if not journals:
        pytest.skip("no write-ahead log was left")
    newest = max(journals, key=lambda path: path.stat().st_mtime_ns)
    with open(newest, "ab") as data:
        data.write(tail)
    service.start()
    load.verify()
    load.verify_replays()
    with contextlib.closing(service):
        assert service.stop() == 0
        verified = service.command("log", "verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_log_with_another_number_of_shards_is_refused(filled):
    service, load = filled
    assert service.stop() == 0
    service.settings["ANNOLOG_SHARDS"] = "4"
    said = refuses_to_start(service)
    assert "shard" in said.lower()
    del service.settings["ANNOLOG_SHARDS"]
    service.start()
    load.verify()


def test_two_services_never_share_a_data_folder(filled, make_service):
    service, load = filled
    second = make_service(database_url=service.database_url, folder=service.folder / "second")
    second.data = service.data
    address = service.address_file.read_text(encoding="ascii")
    second.process = None
    # The second one must not take the first one's address file away either.
    second_code = second.command("serve", timeout_s=60).returncode
    assert second_code > 0
    assert service.address_file.read_text(encoding="ascii") == address
    load.verify()
