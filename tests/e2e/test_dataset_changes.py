"""Datasets and items that are there already: renamed, deleted, measured (decisions, sections 1, 2
and 6)."""

import pytest

import images
from client import code_of, error_locations, unique, unique_seed
from waiting import wait_until


def path_of(dataset, *more):
    return "/".join(["/datasets/%d" % dataset["id"], *map(str, more)])


def register(world, dataset, names, **fields):
    body = {"items": [{"file_name": name, "file_path": name, **fields} for name in names]}
    return world.admin.post(path_of(dataset, "items", "bulk"), body, 200).json()


def put_file(world, name, data):
    """Into the object store's folder, as an operator would."""
    target = world.service.data / "objects" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def stored(world, dataset):
    folder = world.service.data / "objects" / "datasets" / str(dataset["id"])
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


# --- names and descriptions ---

def test_name_and_description_change(world):
    dataset = world.dataset(description="old")
    name = unique("renamed")
    changed = world.admin.patch(path_of(dataset), {"name": "  %s " % name}).json()
    assert (changed["name"], changed["description"]) == (name, "old")
    assert changed["version"] == dataset["version"] + 1
    changed = world.admin.patch(path_of(dataset), {"description": "new"}).json()
    assert (changed["name"], changed["description"]) == (name, "new")
    assert world.admin.get(path_of(dataset)).json() == changed
    assert world.admin.patch(path_of(dataset), {"name": name}).json() == changed, "no change"


def test_a_name_is_taken_once_per_creator_and_the_old_one_is_free(world):
    one, two = world.dataset(), world.dataset()
    answer = world.admin.patch(path_of(two), {"name": one["name"]}, 409)
    assert code_of(answer) == "NAME_TAKEN"
    world.admin.patch(path_of(one), {"name": unique("d")})
    world.admin.patch(path_of(two), {"name": one["name"]})
    other = world.person("project_admin")
    theirs = world.dataset(by=other.api)
    other.api.patch(path_of(theirs), {"name": one["name"]})
    # A super_admin renames among the creator's names, not among its own.
    world.admin.patch(path_of(theirs), {"name": one["name"] + "!"})
    other.api.post("/datasets", {"name": one["name"] + "!"}, 409)


@pytest.mark.parametrize("body, where", [
    ({"name": ""}, "name"), ({"name": "x" * 201}, "name"), ({"name": None}, "name"),
    ({"name": 3}, "name"), ({"description": "x" * 10_001}, "description"),
    ({"description": None}, "description"),
])
def test_changes_are_validated(world, body, where):
    dataset = world.dataset()
    assert ("body", where) in error_locations(world.admin.patch(path_of(dataset), body, 422))


def test_if_match_counts(world):
    dataset = world.dataset()
    etag = world.admin.get(path_of(dataset)).headers["ETag"]
    stale = {"If-Match": etag}
    world.admin.patch(path_of(dataset), {"name": unique("d")}, 200, headers=stale)
    world.admin.patch(path_of(dataset), {"name": unique("d")}, 412, headers=stale)
    world.admin.patch(path_of(dataset), {"description": "x"}, 412, headers=stale)
    world.admin.delete(path_of(dataset), 412, headers=stale)
    fresh = {"If-Match": world.admin.get(path_of(dataset)).headers["ETag"]}
    world.admin.delete(path_of(dataset), 204, headers=fresh)


# --- deleting a dataset ---

def test_a_dataset_goes_with_items_bytes_and_name(world):
    dataset = world.dataset()
    item = world.upload_images(dataset["id"], 3)[0]
    world.admin.upload_init(dataset["id"], "pending.png", images.png()).json()
    assert len(stored(world, dataset)) >= 3
    world.admin.delete(path_of(dataset))
    world.admin.get(path_of(dataset), 404)
    world.admin.get(path_of(dataset, "items"), 404)
    world.admin.get(path_of(dataset, "items", item["id"]), 404)
    assert dataset["id"] not in [d["id"] for d in world.admin.all_pages("/datasets", limit=200)]
    again = world.admin.post("/datasets", {"name": dataset["name"]}, 201).json()
    assert again["id"] != dataset["id"]
    wait_until(lambda: not stored(world, dataset), 20, "the uploads are gone")
    assert world.admin.get(path_of(again)).json()["items_count"] == 0


def test_nothing_can_be_done_to_a_deleted_dataset(world):
    dataset, project = world.dataset(), world.project()
    world.admin.delete(path_of(dataset))
    world.admin.delete(path_of(dataset), 404)
    world.admin.patch(path_of(dataset), {"name": "x"}, 404)
    world.admin.post(path_of(dataset, "link"), {"project_id": project["id"]}, 404)
    world.admin.upload_init(dataset["id"], "a.png", b"12345", expect=404)
    world.admin.post(path_of(dataset, "backfill-dimensions"), None, 404)


def test_a_retry_of_a_deletion_is_told_the_same(world):
    dataset = world.dataset()
    world.admin.delete(path_of(dataset), 204, key="gone-" + dataset["name"])
    again = world.admin.delete(path_of(dataset), 204, key="gone-" + dataset["name"])
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_linked_dataset_stays_and_counts_its_projects(world):
    work = world.work(1)
    answer = world.admin.delete("/datasets/%d" % work.dataset_id, 409)
    assert code_of(answer) == "DATASET_LINKED"
    assert answer.json()["detail"]["linked_projects"] == 1
    world.admin.get("/datasets/%d" % work.dataset_id)


def test_files_registered_in_place_stay(world):
    dataset, name = world.dataset(), unique("kept") + ".png"
    put_file(world, name, images.png(seed=unique_seed()))
    register(world, dataset, [name])
    item = world.admin.all_pages(path_of(dataset, "items"))[0]
    world.admin.delete(path_of(dataset, "items", item["id"]))
    register(world, dataset, [name])
    world.admin.delete(path_of(dataset))
    assert (world.service.data / "objects" / name).exists()


def test_thousands_of_items_go_across_a_kill(make_service):
    from world import World  # pylint: disable=import-outside-toplevel

    service = make_service().start()
    world = World(service)
    dataset = world.dataset()
    for part in range(3):
        register(world, dataset, ["f/%d/%d.png" % (part, at) for at in range(1500)])
    world.upload_images(dataset["id"], 1)
    world.admin.delete(path_of(dataset))
    service.kill9()
    service.start()
    world.login_admin()
    world.admin.get(path_of(dataset), 404)
    wait_until(lambda: not stored(world, dataset), 30, "the uploads are gone")
    world.admin.post("/datasets", {"name": dataset["name"]}, 201)

    def emptied():
        lines = service.command("log", "tail", "--last", "100000").stdout
        return "dataset.emptied" in lines and lines.count("items.removed") >= 5
    wait_until(emptied, 60, "all items are removed, a thousand a step")


def test_only_the_creator_and_super_admins_change_a_dataset(world):
    owner = world.person("project_admin")
    dataset = world.dataset(by=owner.api)
    project = world.project(by=owner.api)
    world.link(dataset["id"], project["id"], owner.api)
    member = world.member(project["id"], "project_admin")
    stranger = world.person("project_admin")
    for who, status in ((member, 403), (stranger, 404)):
        who.api.patch(path_of(dataset), {"name": "x"}, status)
        who.api.delete(path_of(dataset), status)
        who.api.delete(path_of(dataset, "items", 8), status)
        who.api.post(path_of(dataset, "backfill-dimensions"), None, status)
    owner.api.patch(path_of(dataset), {"description": "mine"})


# --- deleting an item ---

def test_a_pending_item_is_deleted_also_when_linked(world):
    dataset, project = world.dataset(), world.project()
    world.link(dataset["id"], project["id"])
    data = images.png(seed=unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.png", data).json()
    world.admin.put_object(init, data)
    world.admin.delete(path_of(dataset, "items", init["item_id"]))
    world.admin.get(path_of(dataset, "items", init["item_id"]), 404)
    world.admin.upload_complete(dataset["id"], init["item_id"], 404)
    world.admin.delete(path_of(dataset, "items", init["item_id"]), 404)
    wait_until(lambda: not stored(world, dataset), 20, "the upload is gone")


def test_a_ready_item_leaves_the_counters_and_its_bytes_may_come_again(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    item = world.admin.upload(dataset["id"], "a.png", data)
    world.admin.upload(dataset["id"], "b.png", images.png(seed=unique_seed()))
    world.admin.delete(path_of(dataset, "items", item["id"]))
    rest = world.admin.get(path_of(dataset)).json()
    assert rest["items_count"] == 1
    assert rest["total_size"] > 0
    assert world.admin.upload(dataset["id"], "a.png", data)["id"] != item["id"], "no duplicate"
    assert world.admin.get(path_of(dataset)).json()["items_count"] == 2


def test_an_item_has_no_version_to_be_named(world):
    dataset = world.dataset()
    path = path_of(dataset, "items", world.upload_images(dataset["id"], 1)[0]["id"])
    assert "ETag" not in world.admin.get(path).headers
    refused = world.admin.delete(path, 412, headers={"If-Match": '"1"'})
    assert code_of(refused) == "PRECONDITION_FAILED"
    world.admin.delete(path, 204, headers={"If-Match": "*"})


def test_a_ready_item_of_a_linked_dataset_is_in_use(world):
    work = world.work(1)
    path = "/datasets/%d/items/%d" % (work.dataset_id, work.items[0]["id"])
    answer = world.admin.delete(path, 409)
    assert code_of(answer) == "ITEM_IN_USE"
    assert answer.json()["detail"]["linked_projects"] == 1
    world.admin.get(path)


def test_a_link_gets_over_gaps(world):
    dataset, project = world.dataset(), world.project()
    items = world.upload_images(dataset["id"], 4)
    for at in (1, 3):
        world.admin.delete(path_of(dataset, "items", items[at]["id"]))
    made = world.link(dataset["id"], project["id"])
    assert made["created_tasks"] == 2
    world.tasks_of(project["id"], 2)


def test_an_item_of_another_dataset_is_404(world):
    one, two = world.dataset(), world.dataset()
    item = world.upload_images(one["id"], 1)[0]
    world.admin.delete(path_of(two, "items", item["id"]), 404)
    world.admin.delete(path_of(one, "items", 999_999_999), 404)


# --- the list of items ---

def test_items_are_paged_by_status(world):
    dataset = world.dataset()
    ready = [item["id"] for item in world.upload_images(dataset["id"], 5)]
    pending = [world.admin.upload_init(dataset["id"], "p%d.png" % at, b"12345").json()["item_id"]
               for at in range(3)]
    path = path_of(dataset, "items")
    for status, ids in (("ready", ready), ("pending", pending)):
        found = world.admin.all_pages(path, {"status": status}, limit=2)
        assert [item["id"] for item in found] == sorted(ids)
    assert len(world.admin.all_pages(path, limit=3)) == 8
    page = world.admin.get(path, params={"status": "ready", "limit": 2}).json()
    answer = world.admin.get(path, 422, params={"status": "pending", "limit": 2,
                                                "cursor": page["next_cursor"]})
    assert code_of(answer) == "INVALID_CURSOR"
    world.admin.get(path, 422, params={"status": "broken"})


# --- backfill-dimensions ---

def backfill(world, dataset, **params):
    return world.admin.post(path_of(dataset, "backfill-dimensions"), None, 200,
                            params=params).json()


def test_sizes_are_read_from_the_store_and_reach_the_tasks(world):
    dataset, one, two = world.dataset(), world.project(), world.project()
    world.link(dataset["id"], one["id"])
    folder = unique("fill")
    names = []
    for at, (kind, build, _, ending) in enumerate(images.FORMATS):
        names.append("%s/%s.%s" % (folder, kind, ending))
        put_file(world, names[-1], build(40 + at, 30, unique_seed()))
    register(world, dataset, names)
    world.tasks_of(one["id"], len(names))
    done = backfill(world, dataset)
    assert done == {"processed": len(names), "updated": len(names), "failed": [],
                    "remaining_from": None}
    items = world.admin.all_pages(path_of(dataset, "items"))
    assert sorted((i["width"], i["height"]) for i in items) == \
        [(40 + at, 30) for at in range(len(names))]

    def tasks_know():
        tasks = world.admin.all_pages("/tasks", {"project_id": one["id"]}, limit=200)
        return all(task["image_width"] and task["image_height"] for task in tasks)
    wait_until(tasks_know, 20, "the tasks know the sizes")
    world.link(dataset["id"], two["id"])
    assert all(t["image_height"] == 30 for t in world.tasks_of(two["id"], len(names)))
    assert backfill(world, dataset)["processed"] == 0


def test_it_goes_on_from_where_it_was_and_names_what_failed(world):
    dataset, folder = world.dataset(), unique("fill")
    names = ["%s/%d.png" % (folder, at) for at in range(7)]
    for at, name in enumerate(names):
        if at not in (0, 3):
            put_file(world, name, images.png(50, 40, unique_seed()))
    put_file(world, names[3], b"no image")
    register(world, dataset, names)
    ids = [item["id"] for item in world.admin.all_pages(path_of(dataset, "items"))]
    calls, cursor, failed, updated = 0, None, [], 0
    while True:
        done = backfill(world, dataset, batch=2, **({"cursor": cursor} if cursor else {}))
        calls += 1
        assert done["processed"] <= 2
        failed += done["failed"]
        updated += done["updated"]
        cursor = done["remaining_from"]
        if cursor is None:
            break
    assert (calls, updated) == (4, 5)
    assert [row["item_id"] for row in failed] == [ids[0], ids[3]]
    assert all(row["reason"] for row in failed)
    again = backfill(world, dataset)
    assert (again["processed"], again["updated"]) == (2, 0)


@pytest.mark.parametrize("params, where", [({"batch": 0}, "batch"), ({"batch": 1001}, "batch"),
                                           ({"batch": "x"}, "batch")])
def test_the_batch_has_bounds(world, params, where):
    dataset = world.dataset()
    path = path_of(dataset, "backfill-dimensions")
    assert ("query", where) in error_locations(world.admin.post(path, None, 422, params=params))
    world.admin.post(path, None, 422, params={"cursor": "made-up"})


def test_a_retry_of_a_backfill_is_told_the_same(world):
    dataset, name = world.dataset(), unique("fill") + ".png"
    put_file(world, name, images.png(20, 10, unique_seed()))
    register(world, dataset, [name, unique("missing") + ".png"])
    path = path_of(dataset, "backfill-dimensions")
    first = world.admin.post(path, None, 200, key=name)
    again = world.admin.post(path, None, 200, key=name)
    assert again.json() == first.json()
    assert first.json()["updated"] == 1
    assert again.headers["Idempotency-Replayed"] == "true"


def test_videos_are_left_alone(world):
    dataset = world.dataset(data_type="video")
    register(world, dataset, [unique("film") + ".mp4"])
    assert backfill(world, dataset)["processed"] == 0
