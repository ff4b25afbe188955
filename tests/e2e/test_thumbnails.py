"""Thumbnails of images: made by themselves, small, turned the right way, never a danger."""

import pathlib
import struct

import pytest

import images
from client import unique, unique_seed
from service import SOURCE
from waiting import wait_until
from world import World

DEMO = sorted(path for path in pathlib.Path(SOURCE, "deploy/demo/images").rglob("*")
              if path.is_file())
TYPES = {".jpg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif",
         ".bmp": "image/bmp", ".tiff": "image/tiff"}


@pytest.fixture(scope="module")
def service(make_service):
    """One that makes thumbnails, as services do unless told otherwise."""
    return make_service({"ANNOLOG_THUMBNAIL_WORKERS": None}).start()


def item_of(world, dataset, item_id):
    return world.admin.get("/datasets/%d/items/%d" % (dataset["id"], item_id)).json()


def settled(world, dataset, item_id):
    """The item once it has a thumbnail, or the reason why it has none."""

    def found():
        item = item_of(world, dataset, item_id)
        return item if item["thumbnail_path"] or item["thumbnail_error"] else None
    return wait_until(found, 60, "a thumbnail of item %d" % item_id)


def webp_size(data):
    """Width and height of a WebP, lossy, lossless or extended."""
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    kind = data[12:16]
    if kind == b"VP8X":
        return tuple(1 + int.from_bytes(data[at:at + 3], "little") for at in (24, 27))
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    width, height = struct.unpack("<HH", data[26:30])
    return (width & 0x3FFF, height & 0x3FFF)


def thumbnail(world, item):
    assert item["thumbnail_error"] is None, item
    answer = world.admin.signed("GET", item["thumbnail_url"], 200)
    assert answer.headers["Content-Type"] == "image/webp"
    return answer.content


def with_orientation(data, orientation):
    """The JPEG with an EXIF segment that holds nothing else."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 274, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(body)) + body + data[2:]


@pytest.mark.parametrize("path", DEMO, ids=[path.name for path in DEMO])
def test_real_images_of_every_format(world, path):
    dataset = world.dataset()
    item = world.admin.upload(dataset["id"], path.name, path.read_bytes(), TYPES[path.suffix])
    item = settled(world, dataset, item["id"])
    width, height = webp_size(thumbnail(world, item))
    assert max(width, height) == min(512, max(item["width"], item["height"]))
    assert width / height == pytest.approx(item["width"] / item["height"], rel=0.02)
    assert item["thumbnail_path"] != item["file_path"]


@pytest.mark.parametrize("name, build, content_type, ending", images.FORMATS,
                         ids=[row[0] for row in images.FORMATS])
def test_small_images_keep_their_size(world, name, build, content_type, ending):
    dataset = world.dataset()
    data = build(33, 21, unique_seed())
    item = world.admin.upload(dataset["id"], name + "." + ending, data, content_type)
    assert webp_size(thumbnail(world, settled(world, dataset, item["id"]))) == (33, 21)


def test_exif_orientation_is_honoured_and_left_out(world):
    dataset = world.dataset()
    data = with_orientation(images.jpeg(64, 48, unique_seed()), 6)
    item = world.admin.upload(dataset["id"], "turned.jpg", data, "image/jpeg")
    item = settled(world, dataset, item["id"])
    assert (item["width"], item["height"]) == (64, 48), "annotations are of the stored grid"
    made = thumbnail(world, item)
    assert webp_size(made) == (48, 64)
    assert b"EXIF" not in made and b"Exif" not in made


def test_bombs_are_refused_and_the_service_goes_on(world):
    dataset = world.dataset()
    for width, height in ((20_000, 20_000), (90_000, 20_000), (9_000, 9_000)):
        data = images.png_header_only(width, height, unique_seed())
        item = world.admin.upload(dataset["id"], "bomb-%d.png" % width, data)
        item = settled(world, dataset, item["id"])
        assert item["thumbnail_path"] is None
        assert item["thumbnail_error"]
        assert item["thumbnail_url"] is None
    good = world.upload_images(dataset["id"], 1)[0]
    thumbnail(world, settled(world, dataset, good["id"]))


def test_bulk_items_get_one_too_or_a_reason(world):
    dataset, name = world.dataset(), unique("bulk")
    target = world.service.data / "objects" / (name + ".png")
    target.write_bytes(images.png(800, 400, unique_seed()))
    world.admin.post("/datasets/%d/items/bulk" % dataset["id"], {"items": [
        {"file_name": "a.png", "file_path": name + ".png"},
        {"file_name": "b.png", "file_path": name + "-missing.png"}]}, 200)
    there, missing = world.admin.all_pages("/datasets/%d/items" % dataset["id"])
    assert webp_size(thumbnail(world, settled(world, dataset, there["id"]))) == (512, 256)
    assert "file_path" in settled(world, dataset, missing["id"])["thumbnail_error"]


def test_videos_and_pending_items_get_none(world):
    films = world.dataset(data_type="video")
    world.admin.post("/datasets/%d/items/bulk" % films["id"], {"items": [
        {"file_name": "a.mp4", "file_path": unique("film") + ".mp4"}]}, 200)
    dataset = world.dataset()
    pending = world.admin.upload_init(dataset["id"], "a.png", images.png()).json()["item_id"]
    # What comes later is done, so these were passed over.
    later = world.upload_images(dataset["id"], 1)[0]
    settled(world, dataset, later["id"])
    for item in (item_of(world, dataset, pending),
                 *world.admin.all_pages("/datasets/%d/items" % films["id"])):
        assert item["thumbnail_path"] is None and item["thumbnail_error"] is None


def test_they_are_counted(world):
    text = world.nobody.get("/metrics", root=True).text
    for name in ("thumbnails_made_total", "thumbnails_failed_total", "thumbnails_waiting"):
        assert name in text


def test_it_can_be_turned_off_and_catches_up_after(make_service):
    service = make_service().start()
    world = World(service)
    dataset = world.dataset()
    items = world.upload_images(dataset["id"], 3)
    service.settings["ANNOLOG_THUMBNAIL_WORKERS"] = "2"
    service.kill9()
    service.start()
    world.login_admin()
    for item in items:
        assert item["thumbnail_path"] is None
        thumbnail(world, settled(world, dataset, item["id"]))


def test_a_deleted_item_takes_its_thumbnail_along(world):
    dataset = world.dataset()
    item = world.upload_images(dataset["id"], 1)[0]
    path = world.service.data / "objects" / settled(world, dataset, item["id"])["thumbnail_path"]
    assert path.exists()
    world.admin.delete("/datasets/%d/items/%d" % (dataset["id"], item["id"]))
    wait_until(lambda: not path.exists(), 20, "the thumbnail is gone")


def test_lists_carry_the_links_too(world):
    dataset = world.dataset()
    made = world.upload_images(dataset["id"], 1)[0]
    one = settled(world, dataset, made["id"])
    listed = world.admin.all_pages("/datasets/%d/items" % dataset["id"])
    assert [i["id"] for i in listed] == [made["id"]]
    world.admin.signed("GET", listed[0]["file_url"], 200)
    answer = world.admin.signed("GET", listed[0]["thumbnail_url"], 200)
    assert answer.content == world.admin.signed("GET", one["thumbnail_url"], 200).content
