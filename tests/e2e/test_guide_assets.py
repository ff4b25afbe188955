"""Images of a project's guide (specification, Projects; decisions, section 3)."""

import pytest

import images
from client import code_of, error_locations, unique, unique_seed

TYPES = {"image/png": images.png, "image/jpeg": images.jpeg, "image/webp": images.webp,
         "image/gif": images.gif}
MAX_BYTES = 10 * 1024 * 1024


class Guide:
    """The four endpoints of one project, as one caller."""

    def __init__(self, api, project_id):
        self.api, self.project_id = api, project_id

    def by(self, api):
        return Guide(api, self.project_id)

    def call(self, what, body, expect, **more):
        return self.api.post("/projects/%d/guide-assets/%s" % (self.project_id, what), body,
                             expect, **more)

    def init(self, data, name="a.png", content_type="image/png", expect=201, size=None, **more):
        return self.call("upload-init", {"file_name": name, "content_type": content_type,
                                         "size": len(data) if size is None else size},
                         expect, **more)

    def complete(self, asset_id, expect=200, **more):
        return self.call("upload-complete", {"asset_id": asset_id}, expect, **more)

    def delete(self, asset_id, expect=204, **more):
        return self.call("delete", {"asset_id": asset_id}, expect, **more)

    def sign(self, asset_id, expect=200):
        return self.call("sign-url", {"asset_id": asset_id}, expect)

    def upload(self, data=None, **more):
        """The three steps; returns the ready image."""
        data = data or images.png(seed=unique_seed())
        init = self.init(data, **more).json()
        self.api.put_object(init, data)
        return self.complete(init["asset_id"]).json()

    def shown(self):
        return self.api.get("/projects/%d" % self.project_id).json()["guide_assets"]


@pytest.fixture
def guide(world):
    owner = world.person("project_admin")
    return Guide(owner.api, world.project(by=owner.api)["id"])


@pytest.mark.parametrize("content_type", TYPES)
def test_an_image_is_uploaded_shown_and_served(guide, content_type):
    data = TYPES[content_type](seed=unique_seed())
    answer = guide.init(data, "how to/näher.img", content_type)
    init = answer.json()
    assert {"asset_id", "upload_url", "expires_at"} <= set(init)
    assert init["expires_at"].endswith("Z")
    assert guide.shown() == []
    guide.api.put_object(init, data)
    assert guide.shown() == []
    made = guide.complete(init["asset_id"]).json()
    assert set(made) == {"asset_id", "file_name", "content_type", "size", "created_at"}
    assert made["asset_id"] == init["asset_id"]
    assert made["file_name"] == "how to/näher.img"
    assert (made["content_type"], made["size"]) == (content_type, len(data))
    assert guide.shown() == [made]
    link = guide.sign(made["asset_id"]).json()
    assert set(link) == {"url", "expires_at"}
    served = guide.api.signed("GET", link["url"], 200)
    assert served.content == data
    assert served.headers["Content-Type"] == content_type
    assert served.headers["X-Content-Type-Options"] == "nosniff"


def test_images_are_listed_in_order_in_every_view(guide):
    made = [guide.upload() for _ in range(3)]
    assert guide.shown() == made
    listed = [p for p in guide.api.all_pages("/projects") if p["id"] == guide.project_id]
    assert listed[0]["guide_assets"] == made
    path = "/projects/%d" % guide.project_id
    assert guide.api.patch(path, {"description": "x"}).json()["guide_assets"] == made


def test_what_is_shown_changes_the_version(guide):
    path = "/projects/%d" % guide.project_id
    tags = [guide.api.get(path).headers["ETag"]]
    data = images.png(seed=unique_seed())
    init = guide.init(data).json()
    assert guide.api.get(path).headers["ETag"] == tags[0]
    guide.api.put_object(init, data)
    guide.complete(init["asset_id"])
    tags.append(guide.api.get(path).headers["ETag"])
    guide.delete(init["asset_id"])
    tags.append(guide.api.get(path).headers["ETag"])
    assert len(set(tags)) == 3


def test_completing_again_changes_nothing(guide):
    made = guide.upload()
    tag = guide.api.get("/projects/%d" % guide.project_id).headers["ETag"]
    assert guide.complete(made["asset_id"]).json() == made
    assert guide.api.get("/projects/%d" % guide.project_id).headers["ETag"] == tag


def test_without_bytes_it_stays_pending(guide):
    data = images.png(seed=unique_seed())
    init = guide.init(data).json()
    answer = guide.complete(init["asset_id"], 422)
    assert error_locations(answer) == [("body", "asset_id")]
    guide.sign(init["asset_id"], 404)
    guide.api.put_object(init, data)
    guide.complete(init["asset_id"])


@pytest.mark.parametrize("wrong", [
    b"<html><script>alert(1)</script></html>", b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"\x89PNG\r\n\x1a\n", images.png()[:30], images.gif(), images.bmp(), b"x"])
def test_wrong_content_is_refused_and_can_be_replaced(guide, wrong):
    good = images.png(seed=unique_seed())
    init = guide.init(good).json()
    padded = wrong.ljust(len(good), b"\0")[:len(good)]
    guide.api.put_object(init, padded)
    answer = guide.complete(init["asset_id"], 422)
    assert error_locations(answer) == [("body", "asset_id")]
    assert guide.shown() == []
    guide.api.put_object(init, good)
    guide.complete(init["asset_id"])


def test_fewer_bytes_than_announced_are_refused(guide):
    data = images.png(seed=unique_seed())
    init = guide.init(data, size=len(data) + 1).json()
    guide.api.put_object(init, data)
    answer = guide.complete(init["asset_id"], 422)
    assert str(len(data)) in answer.text
    assert guide.shown() == []


def test_more_bytes_than_announced_are_not_taken(guide):
    data = images.png(seed=unique_seed())
    init = guide.init(data, size=len(data) - 1).json()
    guide.api.put_object(init, data, 413)
    guide.complete(init["asset_id"], 422)


def test_checked_bytes_can_not_be_replaced(guide):
    data = images.png(seed=unique_seed())
    init = guide.init(data).json()
    guide.api.put_object(init, data)
    guide.complete(init["asset_id"])
    other = bytes(len(data))
    guide.api.put_object(init, other, 409)
    guide.api.put_object(init, data)
    url = guide.sign(init["asset_id"]).json()["url"]
    assert guide.api.signed("GET", url, 200).content == data


@pytest.mark.parametrize("change, where", [
    ({"content_type": "image/bmp"}, ["content_type"]),
    ({"content_type": "image/svg+xml"}, ["content_type"]),
    ({"content_type": ""}, ["content_type"]),
    ({"content_type": 1}, ["content_type"]),
    ({"size": 0}, ["size"]),
    ({"size": -1}, ["size"]),
    ({"size": MAX_BYTES + 1}, ["size"]),
    ({"size": 1.5}, ["size"]),
    ({"size": "10"}, ["size"]),
    ({"file_name": ""}, ["file_name"]),
    ({"file_name": "x" * 256}, ["file_name"]),
    ({"file_name": "a\nb"}, ["file_name"]),
    ({"file_name": None}, ["file_name"]),
    ({"file_name": "", "size": 0}, ["file_name", "size"]),
])
def test_announcements_are_validated(guide, change, where):
    body = {"file_name": "a.png", "content_type": "image/png", "size": 10, **change}
    answer = guide.call("upload-init", body, 422)
    assert sorted(error_locations(answer)) == sorted(("body", name) for name in where)


def test_every_bad_member_of_an_announcement_is_named(guide):
    body = {"file_name": " ", "content_type": "image/bmp", "size": 10}
    assert set(error_locations(guide.call("upload-init", body, 422))) == {
        ("body", "file_name"), ("body", "content_type")}
    missing = error_locations(guide.call("upload-init", {}, 422))
    assert set(missing) == {("body", name) for name in ("file_name", "content_type", "size")}


def test_the_largest_image_may_be_announced(guide):
    guide.init(b"", size=MAX_BYTES)


@pytest.mark.parametrize("what", ["upload-complete", "delete", "sign-url"])
@pytest.mark.parametrize("body", [{}, {"asset_id": None}, {"asset_id": "1"}, {"asset_id": 0}])
def test_bodies_are_validated(guide, what, body):
    assert ("body", "asset_id") in error_locations(guide.call(what, body, 422))


@pytest.mark.parametrize("what", ["upload-complete", "delete", "sign-url"])
def test_images_of_other_projects_are_not_found(world, guide, what):
    theirs = Guide(world.admin, world.project()["id"]).upload()
    for asset_id in (theirs["asset_id"], 999999999):
        guide.call(what, {"asset_id": asset_id}, 404)


def test_a_deleted_image_is_gone_with_its_bytes(guide):
    stays, goes = guide.upload(), guide.upload()
    url = guide.sign(goes["asset_id"]).json()["url"]
    guide.api.signed("GET", url, 200)
    guide.delete(goes["asset_id"])
    assert guide.shown() == [stays]
    guide.api.signed("GET", url, 404)
    guide.sign(goes["asset_id"], 404)
    guide.complete(goes["asset_id"], 404)
    guide.delete(goes["asset_id"], 404)
    assert guide.upload()["asset_id"] > goes["asset_id"]


def test_a_pending_image_can_be_deleted(guide):
    data = images.png(seed=unique_seed())
    init = guide.init(data).json()
    guide.api.put_object(init, data)
    guide.delete(init["asset_id"])
    guide.complete(init["asset_id"], 404)


def test_two_hundred_are_the_most(guide):
    data = images.png(seed=unique_seed())
    first = guide.init(data).json()
    for _ in range(199):
        guide.init(data)
    answer = guide.init(data, expect=409)
    assert code_of(answer) == "GUIDE_ASSET_LIMIT"
    assert answer.json()["detail"]["limit"] == 200
    guide.delete(first["asset_id"])
    guide.init(data)


def test_members_read_and_admins_write(world, guide):
    made = guide.upload()
    for role in ("viewer", "annotator", "reviewer"):
        member = guide.by(world.member(guide.project_id, role).api)
        assert member.shown() == [made]
        url = member.sign(made["asset_id"]).json()["url"]
        member.api.signed("GET", url, 200)
        for answer in (member.init(b"x", expect=403), member.complete(made["asset_id"], 403),
                       member.delete(made["asset_id"], 403)):
            assert code_of(answer) == "FORBIDDEN"
    admin = guide.by(world.member(guide.project_id, "project_admin").api)
    admin.delete(admin.upload()["asset_id"])
    stranger = guide.by(world.person("project_admin").api)
    stranger.init(b"x", expect=404)
    stranger.complete(made["asset_id"], 404)
    stranger.delete(made["asset_id"], 404)
    stranger.sign(made["asset_id"], 404)
    guide.by(world.nobody).sign(made["asset_id"], 401)


def test_a_retry_with_the_same_key_is_answered_alike(guide):
    data, key = images.png(seed=unique_seed()), unique("key")
    first = guide.init(data, key=key).json()
    again = guide.init(data, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["asset_id"] == first["asset_id"]
    guide.api.put_object(again.json(), data)
    made = guide.complete(first["asset_id"], key=unique("key")).json()
    gone = unique("key")
    guide.delete(made["asset_id"], key=gone)
    assert guide.delete(made["asset_id"], key=gone).headers["Idempotency-Replayed"] == "true"
    guide.init(data, expect=404, key=key)


def test_images_survive_a_restart(make_service):
    from world import World
    service = make_service().start()
    world = World(service)
    guide = Guide(world.admin, world.project()["id"])
    made = guide.upload()
    pending = guide.init(b"x" * 10).json()
    service.restart()
    guide = guide.by(world.login_admin())
    assert guide.shown() == [made]
    guide.api.signed("GET", guide.sign(made["asset_id"]).json()["url"], 200)
    guide.delete(pending["asset_id"])
