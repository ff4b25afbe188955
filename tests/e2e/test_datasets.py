"""Datasets, uploads to signed URLs and what the bytes say (decisions, section 6)."""

import pytest

import images
from client import code_of, error_locations, md5, unique, unique_seed

FORMATS = pytest.mark.parametrize("name, build, content_type, ending", images.FORMATS,
                                  ids=[row[0] for row in images.FORMATS])


def item_ids(api, dataset_id, **params):
    path = "/datasets/%d/items" % dataset_id
    return [item["id"] for item in api.all_pages(path, params)]


# --- datasets ---

def test_a_dataset_is_made_read_and_listed(world):
    name = unique("dataset")
    made = world.admin.post("/datasets", {"name": name, "description": "d"}, 201).json()
    path = "/datasets/%d" % made["id"]
    got = world.admin.get(path).json()
    assert (got["name"], got["description"], got["data_type"]) == (name, "d", "image")
    assert got["total_size"] == 0
    assert made["id"] in [d["id"] for d in world.admin.all_pages("/datasets", limit=200)]
    world.admin.post("/datasets", {"name": name}, 409)


@pytest.mark.parametrize("data_type", ["image", "video", "point_cloud", "multimodal", "other"])
def test_every_data_type_is_accepted(world, data_type):
    made = world.admin.post("/datasets", {"name": unique("d"), "data_type": data_type}, 201)
    assert made.json()["data_type"] == data_type


@pytest.mark.parametrize("body, where", [
    ({}, "name"), ({"name": ""}, "name"), ({"name": 1}, "name"),
    ({"name": "n", "data_type": "audio"}, "data_type"),
])
def test_dataset_bodies_are_validated(world, body, where):
    assert ("body", where) in error_locations(world.admin.post("/datasets", body, 422))


def test_a_dataset_name_is_unique_per_creator(world):
    name = unique("d")
    world.admin.post("/datasets", {"name": name}, 201)
    world.admin.post("/datasets", {"name": name}, 409)
    world.person("project_admin").api.post("/datasets", {"name": name}, 201)


# --- upload ---

@FORMATS
@pytest.mark.parametrize("width, height", [(64, 48), (1, 1), (333, 7)])
def test_width_and_height_come_from_the_bytes(world, name, build, content_type, ending, width,
                                              height):
    dataset = world.dataset()
    data = build(width, height, unique_seed())
    item = world.admin.upload(dataset["id"], "folder/photo." + ending, data, content_type)
    assert (item["width"], item["height"]) == (width, height)
    assert item["file_size"] == len(data)
    assert item["content_hash"] == md5(data)
    assert item["file_name"].endswith("photo." + ending)
    assert world.admin.get("/datasets/%d" % dataset["id"]).json()["total_size"] == len(data)


def test_upload_init_says_where_and_how_to_put(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.png", data).json()
    assert init["item_id"] > 0
    assert init["method"] == "PUT"
    assert isinstance(init["headers"], dict)
    assert init["expires_at"].endswith("Z")
    assert item_ids(world.admin, dataset["id"], status="pending") == [init["item_id"]]
    assert item_ids(world.admin, dataset["id"], status="ready") == []
    world.admin.put_object(init, data)
    world.admin.upload_complete(dataset["id"], init["item_id"])
    assert item_ids(world.admin, dataset["id"], status="ready") == [init["item_id"]]


def test_a_name_too_long_for_its_key_is_refused_before_an_item_is_made(world):
    dataset, data = world.dataset(), images.png(seed=unique_seed())
    folder = "ä" * 100  # 200 bytes
    answer = world.admin.upload_init(dataset["id"], "/".join([folder] * 5), data, expect=422)
    assert ("body", "file_name") in error_locations(answer)
    assert item_ids(world.admin, dataset["id"]) == []
    longest = "/".join(["ä" * 99] * 4 + ["a" * 104])
    assert len(longest.encode()) == 900
    world.admin.upload_init(dataset["id"], longest, data)


def test_an_image_dataset_takes_no_videos(world):
    answer = world.admin.upload_init(world.dataset()["id"], "a.mp4", b"12345", "video/mp4", 422)
    assert ("body", "content_type") in error_locations(answer)
    videos = world.dataset(data_type="video")
    world.admin.upload_init(videos["id"], "a.mp4", b"12345", "video/mp4")


def test_upload_complete_is_idempotent(world):
    dataset = world.dataset()
    item = world.admin.upload(dataset["id"], "a.png", images.png(seed=unique_seed()))
    again = world.admin.upload_complete(dataset["id"], item["id"]).json()
    assert again["id"] == item["id"]
    assert again["width"] == item["width"]
    assert item_ids(world.admin, dataset["id"]) == [item["id"]]


def stays_pending(world, dataset, item_id):
    assert item_ids(world.admin, dataset["id"], status="pending") == [item_id]
    assert item_ids(world.admin, dataset["id"], status="ready") == []


def test_complete_without_an_upload_is_422(world):
    dataset = world.dataset()
    init = world.admin.upload_init(dataset["id"], "a.png", images.png()).json()
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    stays_pending(world, dataset, init["item_id"])


def test_a_wrong_md5_is_422_and_the_item_stays_pending(world):
    dataset = world.dataset()
    promised, sent = images.png(seed=unique_seed()), bytearray(images.png(seed=unique_seed()))
    sent = (bytes(sent) + bytes(len(promised)))[: len(promised)]
    init = world.admin.upload_init(dataset["id"], "a.png", promised,
                                   content_hash=md5(promised)).json()
    world.admin.put_object(init, sent, None)
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    stays_pending(world, dataset, init["item_id"])


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"x",
                                    lambda data: b""], ids=["shorter", "longer", "empty"])
def test_a_wrong_size_is_refused_and_the_item_stays_pending(world, change):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.png", data).json()
    put = world.admin.put_object(init, change(data), None)
    assert put.ok or 400 <= put.status_code < 500
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    stays_pending(world, dataset, init["item_id"])


def test_a_refused_item_can_be_uploaded_again(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    init = world.admin.upload_init(dataset["id"], "a.png", data, content_hash=md5(data)).json()
    world.admin.put_object(init, data[:-1], None)
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    world.admin.put_object(init, data)
    assert world.admin.upload_complete(dataset["id"], init["item_id"]).json()["width"] == 64


@pytest.mark.parametrize("data", [
    pytest.param(b"this is not an image at all", id="text"),
    pytest.param(images.png()[:20], id="cut-in-the-header"),
    pytest.param(b"\x89PNG\r\n\x1a\n", id="signature-only"),
    pytest.param(images.png_header_only(2**31 - 1, 2**31 - 1), id="bomb"),
    pytest.param(images.png_header_only(0, 5), id="no-width"),
    pytest.param(b"GIF89a", id="gif-signature-only"),
    pytest.param(b"\xff\xd8\xff\xe0\x00\x10JFIF", id="jpeg-without-a-frame"),
    pytest.param(b"RIFF\xff\xff\xff\xffWEBPVP8L", id="webp-cut"),
    pytest.param(b"II*\0\xff\xff\xff\xff", id="tiff-directory-outside"),
])
def test_bytes_that_are_no_sane_image_are_422(world, data):
    dataset = world.dataset()
    init = world.admin.upload_init(dataset["id"], "a.png", data).json()
    world.admin.put_object(init, data)
    world.admin.upload_complete(dataset["id"], init["item_id"], 422)
    stays_pending(world, dataset, init["item_id"])


def test_an_image_above_the_limit_is_refused_at_once(world):
    dataset = world.dataset()
    body = {"file_name": "a.png", "file_size": 100 * 1024 * 1024 + 1, "content_type": "image/png"}
    path = "/datasets/%d/items/upload-init" % dataset["id"]
    world.admin.post(path, body, (413, 422))
    world.admin.post(path, {**body, "file_size": 100 * 1024 * 1024}, 201)


@pytest.mark.parametrize("name", [
    "../escape.png", "a/../../escape.png", "..", "/etc/passwd.png", "nul\u0000.png", "tab\t.png",
    "line\n.png", "", "a/..", "x\u007f.png",
])
def test_a_name_that_leaves_its_place_is_422(world, name):
    dataset = world.dataset()
    answer = world.admin.upload_init(dataset["id"], name, b"12345", expect=(400, 422))
    assert answer.json()["detail"]
    assert item_ids(world.admin, dataset["id"]) == []


@pytest.mark.parametrize("name", ["sub/folder/photo 1.png", "Straße-日本-🚲.png", "a..b.png",
                                  "%2e%2e.png", "a?b#c&d=e.png", "it's \"quoted\".png"])
def test_a_friendly_but_odd_name_is_kept(world, name):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    item = world.admin.upload(dataset["id"], name, data)
    assert item["file_name"] == name


@pytest.mark.parametrize("change, where", [
    ({"file_name": None}, "file_name"), ({"file_size": -1}, "file_size"),
    ({"file_size": "9"}, "file_size"), ({"file_size": 1.5}, "file_size"),
    ({"content_type": 3}, "content_type"), ({"content_type": "image"}, "content_type"),
    ({"content_type": "image/png\r\nA: b"}, "content_type"),
    ({"content_hash": "xyz"}, "content_hash"),
])
def test_upload_init_is_validated(world, change, where):
    dataset = world.dataset()
    body = {"file_name": "a.png", "file_size": 9, "content_type": "image/png", **change}
    path = "/datasets/%d/items/upload-init" % dataset["id"]
    assert ("body", where) in error_locations(world.admin.post(path, body, 422))


# --- duplicates ---

def test_known_bytes_are_409_with_the_item_that_has_them(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    first = world.admin.upload(dataset["id"], "a.png", data)
    answer = world.admin.upload_init(dataset["id"], "b.png", data, expect=409,
                                     content_hash=md5(data))
    assert code_of(answer) == "DUPLICATE"
    assert answer.json()["detail"]["duplicate_of"] == first["id"]
    assert item_ids(world.admin, dataset["id"]) == [first["id"]]


def test_duplicates_without_a_promised_hash_are_found_at_the_end(world):
    dataset = world.dataset()
    data = images.png(seed=unique_seed())
    first = world.admin.upload(dataset["id"], "a.png", data)
    init = world.admin.upload_init(dataset["id"], "b.png", data).json()
    world.admin.put_object(init, data)
    answer = world.admin.upload_complete(dataset["id"], init["item_id"], (409, 422))
    assert code_of(answer) == "DUPLICATE"
    assert answer.json()["detail"]["duplicate_of"] == first["id"]


def test_the_same_bytes_may_lie_in_two_datasets(world):
    data = images.png(seed=unique_seed())
    one, two = world.dataset(), world.dataset()
    first = world.admin.upload(one["id"], "a.png", data)
    second = world.admin.upload(two["id"], "a.png", data)
    assert first["id"] != second["id"]


def test_an_item_of_another_dataset_is_404(world):
    one, two = world.dataset(), world.dataset()
    init = world.admin.upload_init(one["id"], "a.png", images.png()).json()
    world.admin.upload_complete(two["id"], init["item_id"], 404)
