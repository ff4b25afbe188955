"""A full disk: writes get 503, reads go on, nothing acknowledged is lost, room brings it back."""

import errno
import os
import subprocess

import pytest
import requests

from client import box, md5
from load import Load, fault_seed
from waiting import wait_until
from world import World

SIZE_MIB = 384


@pytest.fixture
def small_disk(tmp_path):
    """A folder whose data/ is a file system of its own with little room."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount the small file system this test needs")
    data = tmp_path / "data"
    data.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dm" % SIZE_MIB, "tmpfs", str(data)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no file system can be mounted here: " + done.stderr.strip())
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", str(data)], check=False)


@pytest.fixture
def served(make_service, small_disk):
    service = make_service(folder=small_disk).start()
    yield service
    service.close()  # before the file system goes away


def fill(service):
    """Takes every free byte of the disk; returns the ballast."""
    ballast = service.data / "ballast"
    with open(ballast, "wb", buffering=0) as out:
        size = 1 << 20
        while size:
            try:
                out.write(b"\xff" * size)
            except OSError as full:
                assert full.errno == errno.ENOSPC
                size //= 2
    return ballast


def write_until_refused(annotator, task_id):
    """Saves ever more shapes until the disk refuses; returns the ids that were acknowledged."""
    acknowledged = []

    def refused():
        try:
            answer = annotator.api.save(task_id, [box()] * 500, None, timeout=60)
        except requests.RequestException as error:
            raise AssertionError("no answer at all on a full disk: %s" % error) from error
        if answer.status_code == 201:
            acknowledged.extend(a["id"] for a in answer.json()["annotations"])
            return False
        assert answer.status_code == 503, answer.text
        assert int(answer.headers["Retry-After"]) >= 1
        assert answer.json()["detail"]
        return True

    wait_until(refused, 180, "a write is refused on a full disk")
    return acknowledged


def export_until_refused(admin):
    """Nothing is given away without its row in the audit, for which there is no room."""
    def refused():
        answer = admin.get("/audit-logs/export", (200, 503), params={"format": "csv"})
        if answer.status_code == 503:
            assert int(answer.headers["Retry-After"]) >= 1
            assert "annotation.create" not in answer.text
        return answer.status_code == 503

    wait_until(refused, 180, "an export is refused on a full disk")


def test_a_full_disk_refuses_writes_serves_reads_and_loses_nothing(served):
    world = World(served)
    work, task, annotator = world.started()
    kept = [a["id"] for a in annotator.api.save(task["id"], [box()]).json()["annotations"]]
    ballast = fill(served)
    kept += write_until_refused(annotator, task["id"])
    for _ in range(5):
        assert world.admin.get("/projects/%d" % work.project_id).json()["id"] == work.project_id
        assert world.admin.task(task["id"])["status"] == "in_progress"
    assert sorted(a["id"] for a in annotator.api.annotations(task["id"])) == sorted(kept)
    export_until_refused(world.admin)
    assert served.running()

    ballast.unlink()

    def writes_again():
        answer = annotator.api.save(task["id"], [box()], (201, 503))
        if answer.status_code == 201:
            kept.append(answer.json()["annotations"][0]["id"])
        return answer.status_code == 201

    wait_until(writes_again, 60, "writes work again once there is room")
    assert sorted(a["id"] for a in annotator.api.annotations(task["id"])) == sorted(kept)
    served.restart()
    assert sorted(a["id"] for a in annotator.api.annotations(task["id"])) == sorted(kept)


def test_a_disk_that_fills_and_empties_under_load_loses_nothing(served):
    load = Load(World(served), fault_seed(), writers=4)
    with load:
        load.wait_for(50)
        ballast = fill(served)
        # Some room may have been set aside by the log; what was acknowledged counts either way.
        load.failed_once.wait(timeout=20)
        ballast.unlink()
        load.wait_for(50)
    load.verify()
    served.restart()
    load.verify()
    load.verify_replays()


def test_an_upload_to_a_full_disk_is_refused_and_leaves_no_half_object(served):
    world = World(served)
    dataset = world.dataset()
    data = b"BM" + os.urandom(8 << 20)
    init = world.admin.upload_init(dataset["id"], "big.bmp", data, "image/bmp",
                                   content_hash=md5(data)).json()
    ballast = fill(served)
    try:
        answer = world.admin.signed(init["method"], init["upload_url"], data=data,
                                    headers=init["headers"])
        assert answer.status_code in (503, 507), answer.text
    except requests.ConnectionError:
        pass  # refused while the bytes were still coming: the answer may be lost with them
    ballast.unlink()
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    objects = served.data / "objects"
    left = [path for path in objects.rglob("*") if path.is_file() and path.stat().st_size > 1024]
    assert left == []
