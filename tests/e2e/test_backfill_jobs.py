"""The sizes of a dataset's images read by a job (docs/decisions/0025)."""

import images
from client import code_of, error_locations, unique, unique_seed
from test_dataset_changes import path_of, put_file, register
from waiting import wait_until
from world import World


def job_of(api, dataset, expect=200):
    return api.get(path_of(dataset, "backfill-dimensions"), expect).json()


def start_job(api, dataset, expect=202, **more):
    return api.post(path_of(dataset, "backfill-dimensions"), None, expect,
                    params={"async": "true"}, **more)


def ended_job(world, dataset):
    def ended():
        job = job_of(world.admin, dataset)
        return job if job["status"] != "running" else None
    return wait_until(ended, 60, "the job ends")


def put_images(world, dataset, count, broken=()):
    folder = unique("job")
    names = ["%s/%05d.png" % (folder, at) for at in range(count)]
    for at, name in enumerate(names):
        put_file(world, name, b"no image" if at in broken else images.png(50, 40, unique_seed()))
    register(world, dataset, names)
    return names


def test_a_job_reads_all_sizes_and_tells_how_it_went(world):
    dataset = world.dataset()
    job_of(world.admin, dataset, 404)
    put_images(world, dataset, 250, broken=(7, 180))
    answer = start_job(world.admin, dataset)
    assert answer.headers["Location"].endswith(path_of(dataset, "backfill-dimensions"))
    begun = answer.json()
    assert begun["job_id"] == 1
    assert begun["started_by"] == world.admin.get("/me").json()["id"]
    done = ended_job(world, dataset)
    assert done["status"] == "completed"
    assert (done["processed"], done["updated"], done["failed"]) == (250, 248, 2)
    ids = [item["id"] for item in world.admin.all_pages(path_of(dataset, "items"), limit=200)]
    assert [row["item_id"] for row in done["failures"]] == [ids[7], ids[180]]
    assert all(row["reason"] for row in done["failures"])
    assert done["started_at"] == begun["started_at"] <= done["finished_at"]
    items = world.admin.all_pages(path_of(dataset, "items"), limit=200)
    assert sum(item["width"] == 50 for item in items) == 248
    start_job(world.admin, dataset)
    again = ended_job(world, dataset)
    assert (again["processed"], again["updated"], again["failed"]) == (2, 0, 2)
    assert (done["job_id"], again["job_id"]) == (1, 2)


def test_an_empty_job_ends_at_once(world):
    dataset = world.dataset()
    start_job(world.admin, dataset)
    done = ended_job(world, dataset)
    assert (done["status"], done["processed"], done["failures"]) == ("completed", 0, [])
    refused = world.admin.delete(path_of(dataset, "backfill-dimensions"), 409)
    assert code_of(refused) == "JOB_FINAL"


def test_a_job_is_cancelled_and_what_it_read_stays(world):
    dataset = world.dataset()
    put_images(world, dataset, 600)
    world.admin.delete(path_of(dataset, "backfill-dimensions"), 404)
    first = start_job(world.admin, dataset).json()
    second = start_job(world.admin, dataset).json()
    cancelled = world.admin.delete(path_of(dataset, "backfill-dimensions"), (200, 409))
    if second["started_at"] != first["started_at"] or cancelled.status_code == 409:
        assert ended_job(world, dataset)["updated"] == 600  # it was faster
        return
    assert cancelled.json()["status"] == "cancelled"
    assert job_of(world.admin, dataset)["finished_at"]
    start_job(world.admin, dataset)
    done = ended_job(world, dataset)
    assert (done["status"], cancelled.json()["updated"] + done["updated"]) == ("completed", 600)


def test_a_job_asks_for_no_cursor_and_a_deleted_dataset_has_none(world):
    dataset = world.dataset()
    answer = world.admin.post(path_of(dataset, "backfill-dimensions"), None, 422,
                              params={"async": "true", "cursor": "x"})
    assert ("query", "cursor") in error_locations(answer)
    put_images(world, dataset, 300)
    start_job(world.admin, dataset)
    world.admin.delete(path_of(dataset), 204)
    job_of(world.admin, dataset, 404)


def test_a_job_goes_on_after_a_kill(make_service):
    service = make_service().start()  # its own
    world = World(service)
    dataset = world.dataset()
    put_images(world, dataset, 1000, broken=(3,))
    start_job(world.admin, dataset)
    wait_until(lambda: job_of(world.admin, dataset)["processed"] > 0, 30, "it has begun")
    service.kill9()
    service.start()
    world.login_admin()
    done = ended_job(world, dataset)
    assert (done["status"], done["processed"]) == ("completed", 1000)
    assert (done["updated"], done["failed"]) == (999, 1)
