"""What an auditor takes away and checks without the service: audit exports, archives, checkpoints,
and the log against what was signed of it (docs/decisions/0031)."""

import gzip
import hashlib
import json

import pytest

from client import box, code_of, error_locations, now
from waiting import wait_until
from world import World


@pytest.fixture(scope="module")
def service(make_service):
    return make_service({"ANNOLOG_CHECKPOINT_SECONDS": "1"}).start()


def public_keys(world, folder):
    file = folder / "keys.json"
    file.write_text(world.nobody.get("/audit/public-key").text, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def key(service, world, tmp_path_factory):
    """The public keys, as anybody gets them."""
    return public_keys(world, tmp_path_factory.mktemp("keys"))


def verify(service, file, *more):
    """Exit code and what was said; neither database nor log can be reached."""
    done = service.command("audit", "verify", str(file), *[str(part) for part in more],
                           environment={"ANNOLOG_DATABASE_URL": "postgresql://127.0.0.1:1/none",
                                        "ANNOLOG_DATA_DIR": "none"})
    return done.returncode, done.stdout + done.stderr


def work(world):
    """Some requests of several shards, refused ones among them."""
    for _ in range(2):
        _, task, annotator = world.started()
        annotator.api.save(task["id"], [box()])
        annotator.api.submit(task["id"], [])
        annotator.api.post("/projects", {"name": "no"}, 403)


def export_to(world, folder, **filters):
    file = folder / "audit.json"
    params = {"format": "json", **filters}
    file.write_bytes(world.admin.get("/audit-logs/export", params=params).content)
    return file


@pytest.fixture(scope="module")
def exported(service, world, tmp_path_factory):
    work(world)
    return export_to(world, tmp_path_factory.mktemp("export"))


# --- exports ---

def test_an_export_is_one_document_and_holds(service, exported, key):
    document = json.loads(exported.read_text(encoding="utf-8"))
    assert document["rows"]
    assert {row["action"] for row in document["rows"]} >= {"project.create"}
    assert 403 in {row["status_code"] for row in document["rows"]}
    for row in document["rows"]:
        assert json.loads(row["record"])["number"] == row["number"]
    code, said = verify(service, exported, "--key", key)
    assert code == 0, said
    assert "OK: %d rows" % len(document["rows"]) in said


def lines_of(file):
    return file.read_text(encoding="utf-8").split("\n")


def damaged(file, folder, change):
    lines = lines_of(file)
    change(lines)
    other = folder / "damaged.json"
    other.write_text("\n".join(lines), encoding="utf-8")
    return other


def flip(lines):
    at = lines[2].index('"action":"') + len('"action":"')
    lines[2] = lines[2][:at] + chr(ord(lines[2][at]) ^ 1) + lines[2][at + 1:]


def drop(lines):
    del lines[2]


def swap(lines):
    lines[2], lines[3] = lines[3], lines[2]


def double(lines):
    lines.insert(3, lines[2])


@pytest.mark.parametrize("change, line", [(flip, 3), (drop, 3), (swap, 3), (double, 4)])
def test_damage_is_named(service, exported, key, tmp_path, change, line):
    code, said = verify(service, damaged(exported, tmp_path, change), "--key", key)
    assert code == 1
    assert "line %d" % line in said and "DAMAGED" in said, said


def test_what_can_not_be_checked_is_neither_sound_nor_damaged(service, exported, key, tmp_path):
    assert verify(service, tmp_path / "none.json", "--key", key)[0] == 2
    other = tmp_path / "no.pem"
    other.write_text("no key", encoding="utf-8")
    assert verify(service, exported, "--key", other)[0] == 2


def test_what_no_key_was_given_for_is_not_called_sound(service, exported):
    code, said = verify(service, exported)
    assert code == 2 and "no --key was given" in said and "UNCHECKED" in said


def test_a_key_of_another_service_does_not_check_it(service, exported, make_service, tmp_path):
    other = World(make_service().start())
    code, said = verify(service, exported, "--key", public_keys(other, tmp_path))
    assert code == 2 and "none of those given" in said and "UNCHECKED" in said


def test_a_pem_is_enough(service, world, exported, tmp_path):
    pem = tmp_path / "key.pem"
    pem.write_text(world.nobody.get("/audit/public-key").json()["keys"][0]["pem"],
                   encoding="utf-8")
    assert verify(service, exported, "--key", pem)[0] == 0


def test_a_filtered_export_says_what_it_can_not_show(service, world, key, tmp_path):
    work(world)
    file = export_to(world, tmp_path, action="project.create")
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert rows and {row["action"] for row in rows} == {"project.create"}
    code, said = verify(service, file, "--key", key)
    assert code == 0 and "filtered" in said, said


def test_an_export_of_a_time_is_whole(service, world, key, tmp_path):
    since = now()
    work(world)
    file = export_to(world, tmp_path, **{"from": since, "to": now()})
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert rows and all(row["created_at"] >= since for row in rows)
    code, said = verify(service, file, "--key", key)
    assert code == 0 and "filtered" not in said, said


def test_an_export_leaves_its_own_row(world, tmp_path):
    export_to(world, tmp_path)
    rows = json.loads(export_to(world, tmp_path, action="audit.export").read_text("utf-8"))["rows"]
    assert rows and rows[-1]["status_code"] == 200


def test_a_table_for_people(world):
    answer = world.admin.get("/audit-logs/export", params={"format": "csv"})
    assert answer.headers["Content-Type"].startswith("text/csv")
    head, first = answer.text.split("\r\n")[:2]
    assert head.startswith("id,shard,number,created_at,") and head.endswith("record_sha256")
    assert len(first.rsplit(",", 1)[1]) == 64


def test_unknown_formats_are_refused(world):
    answer = world.admin.get("/audit-logs/export", 422, params={"format": "xml"})
    assert error_locations(answer) == [("query", "format")]


def test_an_erased_person_is_gone_and_all_still_holds(service, world, key, tmp_path):
    person = world.person("project_admin")
    person.api.session.headers["User-Agent"] = "Wombatbrowser/9"
    person.api.post("/projects", {"name": "wombats of %s" % person.username}, 201)
    scope = {"actor_id": person.id}
    before = export_to(world, tmp_path, **scope).read_text("utf-8")
    assert "Wombatbrowser" in before
    world.admin.post("/users/%d/erase" % person.id, {"reason": "asked for"})

    def erased():
        text = export_to(world, tmp_path, **scope).read_text("utf-8")
        return text if "Wombatbrowser" not in text else None
    after = wait_until(erased, 30, "the person is erased from exports")
    assert [row["record"] for row in json.loads(after)["rows"]][:1] == \
        [row["record"] for row in json.loads(before)["rows"]][:1]
    code, said = verify(service, export_to(world, tmp_path), "--key", key)
    assert code == 0, said


# --- archives and jobs ---

def ended(world, job_id):
    def job():
        answer = world.admin.get("/async-jobs/%d" % job_id, (200, 503))
        if answer.status_code == 503:  # a node that began a moment ago still reads the log
            assert code_of(answer) == "READ_MODEL_BEHIND"
            return None
        found = answer.json()
        return found if found["status"] in ("completed", "failed", "cancelled") else None
    return wait_until(job, 60, "the job ends")


def test_an_archive_is_made_and_holds(service, world, key, tmp_path):
    work(world)
    answer = world.admin.post("/audit-logs/archive", {"before": now()}, 202)
    assert answer.headers["Location"] == "/api/v1/async-jobs/%d" % answer.json()["job_id"]
    job = ended(world, answer.json()["job_id"])
    assert job["status"] == "completed", job
    assert (job["kind"], job["progress_pct"]) == ("audit_archive", 100)
    assert job["celery_task_id"] and job["started_at"] <= job["completed_at"]
    data = world.admin.signed("GET", job["download_url"], 200).content
    result = job["result"]
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (result["sha256"], result["size_bytes"])
    beside = (service.data / "objects" / (result["key"] + ".sha256")).read_text("ascii")
    assert beside.split() == [result["sha256"], result["key"].rpartition("/")[2]]
    assert result["key"].startswith("audit/archive-") and result["key"].endswith(".ndjson.gz")
    lines = gzip.decompress(data).splitlines()
    header = json.loads(json.loads(lines[0])["statement"])
    assert (len(lines), header["audit"]) == (result["rows"] + 2, result["audit"])
    file = tmp_path / "archive.ndjson.gz"
    file.write_bytes(data)
    code, said = verify(service, file, "--key", key)
    assert code == 0 and "OK: %d rows" % result["rows"] in said, said
    for damaged, why in ((data[:-1] + bytes([data[-1] ^ 1]), "the gzip stream is damaged"),
                         (data[:-1], "the gzip stream is cut off"),
                         (data + b"more", "the gzip stream is damaged")):
        file.write_bytes(damaged)
        code, said = verify(service, file, "--key", key)
        assert code == 1 and why in said and "DAMAGED" in said, said
    again = ended(world, world.admin.post("/audit-logs/archive", {"before": now()}, 202)
                  .json()["job_id"])
    assert again["result"]["rows"] > result["rows"], "the rows stay"


def test_an_archive_survives_the_process(make_service, tmp_path):
    service = make_service().start()
    world = World(service)
    work(world)
    job_id = world.admin.post("/audit-logs/archive", {"before": now()}, 202).json()["job_id"]
    service.kill9()
    service.start()
    job = ended(world, job_id)
    assert job["status"] == "completed", job
    assert world.admin.signed("GET", job["download_url"], 200).content


def test_jobs_are_listed_for_whom_they_concern(world):
    job_id = world.admin.post("/audit-logs/archive", {"before": now()}, 202).json()["job_id"]
    listed = world.admin.all_pages("/async-jobs", limit=1)
    ids = [job["id"] for job in listed]
    assert job_id in ids and ids == sorted(ids, reverse=True)
    assert world.admin.get("/async-jobs", params={"kind": "video_tracker"}).json()["items"] == []
    assert world.admin.get("/async-jobs", params={"project_id": 1}).json()["items"] == []
    ended(world, job_id)
    done = world.admin.get("/async-jobs", params={"status": "completed"}).json()["items"]
    assert job_id in [job["id"] for job in done]
    stranger = world.person("project_admin")
    assert stranger.api.get("/async-jobs").json()["items"] == []
    stranger.api.get("/async-jobs/%d" % job_id, 404)
    stranger.api.post("/async-jobs/%d/cancel" % job_id, None, 404)
    world.admin.get("/async-jobs", 422, params={"status": "sleeping"})


def test_a_job_that_has_ended_is_not_cancelled(world):
    job_id = world.admin.post("/audit-logs/archive", {"before": now()}, 202).json()["job_id"]
    answer = world.admin.post("/async-jobs/%d/cancel" % job_id, None, (200, 409))
    if answer.status_code == 200:
        assert answer.json()["status"] == "cancelled"
        assert answer.json()["completed_at"]
    ended(world, job_id)
    assert code_of(world.admin.post("/async-jobs/%d/cancel" % job_id, None, 409)) == "JOB_FINAL"
    world.admin.post("/async-jobs/999999999/cancel", None, 404)


def test_the_future_is_not_archived(world):
    answer = world.admin.post("/audit-logs/archive", {"before": now(ahead_s=3600)}, 422)
    assert error_locations(answer) == [("body", "before")]


def test_archives_are_no_items(world):
    dataset = world.dataset()
    answer = world.admin.post("/datasets/%d/items/bulk" % dataset["id"], {"items": [
        {"file_name": "a.png", "file_path": "audit/archive-1.ndjson.gz"}]}).json()
    assert answer["created"] == 0 and len(answer["errors"]) == 1


# --- checkpoints ---

def newest(world):
    items = world.admin.get("/audit/checkpoints", params={"limit": 1}).json()["items"]
    return items[0] if items else None


def positions(checkpoint):
    heads = json.loads(checkpoint["statement"])["heads"]
    return {head["shard"]: head["position"] for head in heads}


def signed_after(world, number):
    def later():
        checkpoint = newest(world)
        return checkpoint if checkpoint and checkpoint["number"] > number else None
    return wait_until(later, 30, "the next checkpoint is signed")


def test_checkpoints_grow_with_the_log_and_follow_each_other(service, world, key, tmp_path):
    first = signed_after(world, 0)
    work(world)
    second = signed_after(world, newest(world)["number"])
    assert sum(positions(second).values()) > sum(positions(first).values())
    one = world.admin.get("/audit/checkpoints/%d" % first["number"]).json()
    assert one == first
    world.admin.get("/audit/checkpoints/999999", 404)
    all_of_them = world.admin.all_pages("/audit/checkpoints", limit=2)
    numbers = [checkpoint["number"] for checkpoint in all_of_them]
    assert numbers == list(range(len(numbers), 0, -1))
    for later, earlier in zip(all_of_them, all_of_them[1:]):
        before = hashlib.sha256(earlier["statement"].encode()).hexdigest()
        assert json.loads(later["statement"])["previous"] == before
    file = service.data / "checkpoints.ndjson"
    done = service.command("checkpoint", "verify", str(file), "--key", str(key))
    assert done.returncode == 0, done.stdout + done.stderr
    shown = service.command("checkpoint", "show", "-n", "1")
    assert shown.returncode == 0 and "audit rows" in shown.stdout
    work(world)
    signed_after(world, second["number"])
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    some = tmp_path / "some.ndjson"
    some.write_text("".join([lines[0], *lines[2:]]), encoding="utf-8")
    done = service.command("checkpoint", "verify", str(some), "--key", str(key))
    assert done.returncode == 0 and "; 1 between them not there" in done.stdout
    kept = tmp_path / "one.json"
    kept.write_text(json.dumps(first), encoding="utf-8")
    assert service.command("checkpoint", "verify", str(kept), "--key", str(key)).returncode == 0


def test_the_file_covers_all_at_a_stop_and_goes_on_afterwards(make_service, tmp_path):
    service = make_service().start()  # too short a life for a checkpoint by the clock
    world = World(service)
    keys = public_keys(world, tmp_path)
    work(world)
    assert service.stop() == 0
    file = service.data / "checkpoints.ndjson"
    before = file.read_text("utf-8").splitlines()
    assert len(before) == 1
    done = service.command("log", "verify", "--checkpoint", str(file), "--key", str(keys))
    assert done.returncode == 0, done.stdout + done.stderr
    ends = {int(line.split()[1].rstrip(":")): int(line.split()[3])
            for line in service.command("log", "stat").stdout.splitlines()
            if line.startswith("shard ")}
    assert positions(json.loads(before[0])) == ends
    service.start()
    work(World(service))
    assert service.stop() == 0
    after = file.read_text("utf-8").splitlines()
    assert after[0] == before[0] and len(after) == 2
    done = service.command("checkpoint", "verify", str(file), "--key", str(keys))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_log_is_compared_with_what_was_signed(service, world, key, tmp_path):
    old = tmp_path / "old.json"
    checkpoint = signed_after(world, 0)
    old.write_text(json.dumps(checkpoint), encoding="utf-8")
    work(world)
    args = ("log", "verify", "--checkpoint", str(old), "--key", str(key))
    done = service.command(*args)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "signed positions are as they were" in done.stdout
    for unsigned in (args[:-2], ("checkpoint", "verify", str(old))):
        done = service.command(*unsigned)
        assert done.returncode == 2 and "UNCHECKED" in done.stdout
    # Whoever rewrites the log can't sign what the log says then.
    statement = json.loads(checkpoint["statement"])
    statement["heads"][0]["position"] += 1_000_000
    old.write_text(json.dumps(dict(checkpoint, statement=json.dumps(statement))), encoding="utf-8")
    done = service.command(*args)
    assert done.returncode == 1 and "signature" in done.stdout
    done = service.command("log", "verify", "--checkpoint", str(old))
    assert done.returncode == 1 and "TRUNCATED" in done.stdout
    statement["heads"][0]["position"] -= 1_000_000
    statement["heads"][0]["chain"] = "0" * 64
    old.write_text(json.dumps(dict(checkpoint, statement=json.dumps(statement))), encoding="utf-8")
    done = service.command("log", "verify", "--checkpoint", str(old))
    assert done.returncode == 1 and "REWRITTEN" in done.stdout
    assert "position %d" % statement["heads"][0]["position"] in done.stdout


def test_an_export_is_compared_with_an_older_checkpoint(service, world, key, tmp_path):
    work(world)
    checkpoint = signed_after(world, newest(world)["number"] if newest(world) else 0)
    old = tmp_path / "old.json"
    old.write_text(json.dumps(checkpoint), encoding="utf-8")
    file = export_to(world, tmp_path)
    code, said = verify(service, file, "--key", key, "--checkpoint", old)
    assert code == 0, said
