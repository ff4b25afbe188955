"""Registering many items whose objects lie in the store already (decisions, section 6)."""

import pytest

import images
from client import error_locations, md5, unique, unique_seed


def bulk(api, dataset_id, items, expect=(200, 201)):
    return api.post("/datasets/%d/items/bulk" % dataset_id, items, expect)


def bulk_items(world, count, size=64):
    """Items whose objects really lie in the file store, under a folder of their own."""
    folder = unique("import")
    made = []
    for at in range(count):
        data = images.png(size, size, unique_seed())
        path = world.service.data / "objects" / folder / ("%05d.png" % at)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        made.append({"file_name": "%05d.png" % at, "file_path": "%s/%05d.png" % (folder, at),
                     "file_size": len(data), "content_hash": md5(data), "width": size,
                     "height": size})
    return made


@pytest.fixture(scope="module")
def bulk_body(world):
    """How a list of items is wrapped: the documents name the members, not the wrapper."""
    dataset = world.dataset()
    wrapped = {"items": bulk_items(world, 1)}
    answer = bulk(world.admin, dataset["id"], wrapped, (200, 201, 400, 422))
    return (lambda items: {"items": items}) if answer.ok else (lambda items: items)


def test_bulk_items_are_ready_at_once(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 30)
    answer = bulk(world.admin, dataset["id"], bulk_body(items)).json()
    assert answer["created"] == 30 or len(answer["created"]) == 30
    assert answer["duplicates"] == []
    assert answer["errors"] == []
    listed = world.admin.all_pages("/datasets/%d/items" % dataset["id"], {"status": "ready"})
    assert sorted(i["file_name"] for i in listed) == [i["file_name"] for i in items]
    assert all((i["width"], i["height"]) == (64, 64) for i in listed)


def test_bulk_names_duplicates_and_errors_by_index(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 4)
    bulk(world.admin, dataset["id"], bulk_body(items[:1]))
    known = world.admin.all_pages("/datasets/%d/items" % dataset["id"])[0]["id"]
    sent = [items[1], items[0], {**items[2], "file_path": "../escape.png"}, items[3],
            {**items[2], "file_path": "/etc/passwd"}]
    answer = bulk(world.admin, dataset["id"], bulk_body(sent)).json()
    assert [(d["index"], d["duplicate_of"]) for d in answer["duplicates"]] == [(1, known)]
    assert sorted(e["index"] for e in answer["errors"]) == [2, 4]
    names = [i["file_name"] for i in world.admin.all_pages("/datasets/%d/items" % dataset["id"])]
    assert sorted(names) == sorted(items[at]["file_name"] for at in (0, 1, 3))


def test_the_stores_own_folder_is_no_place_for_items(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 2)
    sent = [{**items[0], "file_path": ".partial/1"}, {**items[0], "file_path": ".partial"},
            {**items[1], "file_name": ".partial/is/a/good/name.png"}]
    answer = bulk(world.admin, dataset["id"], bulk_body(sent)).json()
    assert answer["created"] == 1
    assert [(e["index"], e["code"]) for e in answer["errors"]] == [
        (0, "INVALID_FILE_PATH"), (1, "INVALID_FILE_PATH")]


def test_a_bad_number_refuses_its_row_only(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 5)
    sent = [{**items[0], "width": 0}, {**items[1], "file_size": -1},
            {**items[2], "height": 1_000_001}, items[3], {**items[4], "file_size": 1 << 60}]
    answer = bulk(world.admin, dataset["id"], bulk_body(sent)).json()
    assert answer["created"] == 1
    assert [(e["index"], e["code"]) for e in answer["errors"]] == [
        (0, "INVALID_WIDTH"), (1, "INVALID_FILE_SIZE"), (2, "INVALID_HEIGHT"),
        (4, "INVALID_FILE_SIZE")]
    assert all(e["message"] for e in answer["errors"])
    bulk(world.admin, dataset["id"], [], 422)
    bulk(world.admin, dataset["id"], {"items": {}}, 422)


@pytest.mark.parametrize("metadata", [[], "text", {"text": "x" * 65_536}])
def test_metadata_is_an_object_of_a_bounded_size(world, bulk_body, metadata):
    dataset = world.dataset()
    bad, largest = bulk_items(world, 2)
    bad["metadata"] = metadata
    largest["metadata"] = {"text": "x" * (65_536 - len('{"text":""}'))}
    answer = bulk(world.admin, dataset["id"], bulk_body([bad, largest])).json()
    assert answer["created"] == 1
    assert [(e["index"], e["code"]) for e in answer["errors"]] == [(0, "INVALID_METADATA")]
    listed = world.admin.all_pages("/datasets/%d/items" % dataset["id"])
    assert listed[0]["metadata"] == largest["metadata"]


def test_registered_items_have_the_type_that_their_name_tells(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 4)
    for item, name in zip(items, ("a.png", "b.JPG", "c.mp4", "d.unknown"), strict=True):
        item["file_name"] = name
    bulk(world.admin, dataset["id"], bulk_body(items))
    listed = world.admin.all_pages("/datasets/%d/items" % dataset["id"])
    assert [i["file_type"] for i in listed] == ["image/png", "image/jpeg", "video/mp4", ""]


def test_bulk_twice_creates_nothing_more(world, bulk_body):
    dataset = world.dataset()
    items = bulk_items(world, 5)
    bulk(world.admin, dataset["id"], bulk_body(items))
    answer = bulk(world.admin, dataset["id"], bulk_body(items)).json()
    assert [d["index"] for d in answer["duplicates"]] == [0, 1, 2, 3, 4]
    assert len(world.admin.all_pages("/datasets/%d/items" % dataset["id"])) == 5


def test_10001_items_are_too_many(world, bulk_body):
    dataset = world.dataset()
    one = bulk_items(world, 1)[0]
    sent = [{**one, "file_name": "%d.png" % at, "content_hash": md5(b"%d" % at)}
            for at in range(10_001)]
    answer = bulk(world.admin, dataset["id"], bulk_body(sent), 422)
    assert len(error_locations(answer)) >= 1
    assert world.admin.all_pages("/datasets/%d/items" % dataset["id"]) == []


def test_the_files_of_another_dataset_can_not_be_registered(world):
    owner, thief = world.person("project_admin"), world.person("project_admin")
    theirs = world.dataset(by=owner.api)
    data = images.png(seed=unique_seed())
    item = owner.api.upload(theirs["id"], "secret.png", data)
    mine = world.dataset(by=thief.api)
    answer = thief.api.post("/datasets/%d/items/bulk" % mine["id"], {"items": [
        {"file_name": "x.png", "file_path": item["file_path"], "width": 5, "height": 5}]}).json()
    assert answer["created"] == 0
    assert [e["code"] for e in answer["errors"]] == ["INVALID_FILE_PATH"]


@pytest.mark.parametrize("path", ["projects/1/guide/2/image.png", "projects", "datasets",
                                  "datasets/1/x.png", "datasets/1"])
def test_what_the_service_keeps_for_others_can_not_be_registered(world, path):
    mine = world.dataset()
    answer = world.admin.post("/datasets/%d/items/bulk" % mine["id"], {"items": [
        {"file_name": "x.png", "file_path": path},
        {"file_name": "y.png", "file_path": "my/" + path}]}).json()
    assert answer["created"] == 1
    assert [(e["index"], e["code"]) for e in answer["errors"]] == [(0, "INVALID_FILE_PATH")]
