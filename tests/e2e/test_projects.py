"""Projects, their classes and their status (specification, Projects; decisions, section 3)."""

import re

import pytest

from client import box, code_of, error_locations, polygon, unique

FIELDS = ("id", "display_id", "name", "description", "type_key", "classes_config",
          "attribute_schema", "ai_enabled", "ml_backend_id", "review_required",
          "status", "owner_id", "owner_name", "member_count", "ml_backend_limit",
          "annotation_guide", "guide_assets", "rendering_config")


def classes_of(project):
    return [entry["name"] for entry in project["classes_config"]]


def with_classes(*entries):
    return {"name": unique("classes"), "classes_config": list(entries)}


# --- create, get, list ---

def test_a_new_project_has_every_field_and_its_defaults(world):
    name = unique("fresh")
    made = world.admin.post("/projects", {"name": name}, 201).json()
    got = world.admin.get("/projects/%d" % made["id"]).json()
    for field in FIELDS:
        assert field in got, field
    assert got["name"] == name
    assert got["type_key"] == "image-det"
    assert got["status"] == "in_progress"
    assert got["review_required"] is False
    assert got["ai_enabled"] is False
    assert got["ml_backend_id"] is None
    assert got["ml_backend_limit"] == 1
    assert got["owner_id"] == world.admin_id
    assert re.fullmatch(r"P-\d+", got["display_id"])
    assert got["classes_config"] == []
    assert got["guide_assets"] == []
    assert got["member_count"] == 0
    assert got["owner_name"]
    listed = [p for p in world.admin.all_pages("/projects", limit=200) if p["id"] == made["id"]]
    assert listed == [got]


def test_everything_given_at_creation_is_kept(world):
    body = {
        "name": unique("full"), "description": "Straße 🚲", "type_key": "image-seg",
        "review_required": True, "annotation_guide": "# Guide", "rendering_config": {"zoom": 2},
        "classes_config": [{"name": "car", "color": "#FF0000", "aliases": ["auto", "automobile"]}],
        "attribute_schema": {"attributes": [
            {"key": "colour", "label": "Colour", "input_type": "select", "required": False,
             "options": [{"value": "red", "label": "Red"}], "applies_to": ["car"]}]},
    }
    made = world.admin.post("/projects", body, 201).json()
    got = world.admin.get("/projects/%d" % made["id"]).json()
    for field in ("name", "description", "type_key", "review_required", "annotation_guide",
                  "rendering_config"):
        assert got[field] == body[field], field
    entry = got["classes_config"][0]
    assert (entry["name"], entry["color"].upper()) == ("car", "#FF0000")
    assert sorted(entry["aliases"]) == ["auto", "automobile"]
    assert got["attribute_schema"]["attributes"][0]["key"] == "colour"


@pytest.mark.parametrize("type_key", ["image-det", "image-seg", "image-kpt", "video-track",
                                      "video-det", "other"])
def test_every_type_key_is_accepted(world, type_key):
    made = world.admin.post("/projects", {"name": unique("type"), "type_key": type_key}, 201)
    assert made.json()["type_key"] == type_key


@pytest.mark.parametrize("type_key", ["image", "IMAGE-DET", "", None, 1])
def test_an_unknown_type_key_is_422(world, type_key):
    if type_key is None:
        return
    answer = world.admin.post("/projects", {"name": unique("type"), "type_key": type_key}, 422)
    assert ("body", "type_key") in error_locations(answer)


def test_type_key_is_immutable(world):
    made = world.project()
    path = "/projects/%d" % made["id"]
    answer = world.admin.patch(path, {"type_key": "image-seg"}, (200, 409, 422))
    if answer.status_code == 200:
        assert "type_key" in answer.headers["X-Ignored-Fields"]
    assert world.admin.get(path).json()["type_key"] == "image-det"


def test_a_name_is_unique_and_a_refusal_leaves_no_trace(world):
    made = world.project()
    world.admin.post("/projects", {"name": made["name"]}, 409)
    other = world.project()
    world.admin.patch("/projects/%d" % other["id"], {"name": made["name"]}, 409)
    names = [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    assert names.count(made["name"]) == 1
    assert other["name"] in names


def test_a_name_given_up_is_free_again(world):
    made = world.project()
    new = unique("renamed")
    world.admin.patch("/projects/%d" % made["id"], {"name": new})
    world.admin.post("/projects", {"name": made["name"]}, 201)
    world.admin.post("/projects", {"name": new}, 409)


def test_a_repeated_rename_does_not_take_back_a_later_one(world):
    made = world.project()
    path, key = "/projects/%d" % made["id"], unique("key")
    second, third = unique("second"), unique("third")
    world.admin.patch(path, {"name": second}, key=key)
    world.admin.patch(path, {"name": third})
    again = world.admin.patch(path, {"name": second}, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert world.admin.get(path).json()["name"] == third
    world.admin.post("/projects", {"name": third}, 409)
    world.admin.post("/projects", {"name": second}, 201)


def test_a_repeated_rename_is_told_again_though_another_bears_the_name_now(world):
    made = world.project()
    path, key = "/projects/%d" % made["id"], unique("key")
    second, third = unique("second"), unique("third")
    world.admin.patch(path, {"name": second}, key=key)
    world.admin.patch(path, {"name": third})
    world.admin.post("/projects", {"name": second}, 201)
    again = world.admin.patch(path, {"name": second}, key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["name"] == third
    refused = world.admin.patch(path, {"name": second}, 409, key=unique("key"))
    assert code_of(refused) == "NAME_TAKEN"


@pytest.mark.parametrize("name", ["", None, 3, ["x"], "   "])
def test_an_impossible_name_is_422(world, name):
    answer = world.admin.post("/projects", {"name": name}, 422)
    assert ("body", "name") in error_locations(answer)


def test_list_walks_every_project_once_and_filters(world):
    owner = world.person("project_admin")
    made = [world.project(by=owner.api, type_key=key)["id"]
            for key in ("image-det", "image-seg", "image-kpt", "image-det")]
    walked = [p["id"] for p in owner.api.all_pages("/projects", limit=1)]
    assert sorted(walked) == sorted(made)
    assert len(set(walked)) == len(walked)
    picked = owner.api.get("/projects", params=[("type_key", "image-seg"),
                                                ("type_key", "image-kpt")]).json()["items"]
    assert sorted(p["id"] for p in picked) == sorted(made[1:3])
    none = owner.api.get("/projects", params={"created_to": "2001-01-01T00:00:00Z"}).json()
    assert none == {"items": [], "next_cursor": None}
    later = owner.api.get("/projects", params={"created_from": "2001-01-01T00:00:00Z"}).json()
    assert len(later["items"]) == 4


def test_list_by_member(world):
    project = world.project()
    person = world.member(project["id"], "annotator")
    found = world.admin.get("/projects", params={"member_id": person.id}).json()["items"]
    assert [p["id"] for p in found] == [project["id"]]


def test_a_backend_that_is_not_there_is_422(world):
    answer = world.admin.post("/projects", {"name": unique("ml"), "ml_backend_source_id": 1}, 422)
    assert error_locations(answer) == [("body", "ml_backend_source_id")]
    path = "/projects/%d" % world.project()["id"]
    assert error_locations(world.admin.patch(path, {"ml_backend_id": 1}, 422)) == [
        ("body", "ml_backend_id")]
    strict = {"Prefer": "handling=strict"}
    assert world.admin.patch(path, {"ml_backend_id": None},
                             headers=strict).json()["ml_backend_id"] is None


# --- patch, status ---

def test_null_is_refused_where_nothing_can_be_cleared(world):
    project = "/projects/%d" % world.project()["id"]
    group = "/groups/%d" % world.admin.post("/groups", {"name": unique("g")}, 201).json()["id"]
    for path, fields in ((project, ("name", "status", "rendering_config")),
                         (group, ("name", "description"))):
        for field in fields:
            answer = world.admin.patch(path, {field: None}, 422)
            assert error_locations(answer) == [("body", field)], (path, field)


def test_patch_changes_only_what_it_names(world):
    made = world.project(description="before", annotation_guide="g")
    path = "/projects/%d" % made["id"]
    after = world.admin.patch(path, {"description": "after"}).json()
    assert after["description"] == "after"
    assert after["annotation_guide"] == "g"
    assert after["name"] == made["name"]
    assert classes_of(after) == ["car", "person"]


@pytest.mark.parametrize("first", ["in_progress", "completed", "archived"])
@pytest.mark.parametrize("second", ["in_progress", "completed", "archived"])
def test_status_moves_between_any_two(world, first, second):
    made = world.project()
    path = "/projects/%d" % made["id"]
    world.admin.patch(path, {"status": first})
    assert world.admin.patch(path, {"status": second}).json()["status"] == second
    assert world.admin.get(path).json()["status"] == second


def test_an_unknown_status_is_422(world):
    made = world.project()
    answer = world.admin.patch("/projects/%d" % made["id"], {"status": "deleted"}, 422)
    assert ("body", "status") in error_locations(answer)


def test_an_archived_project_is_invisible_to_its_annotators_only(world):
    made = world.project()
    annotator = world.member(made["id"], "annotator")
    path = "/projects/%d" % made["id"]
    annotator.api.get(path)
    world.admin.patch(path, {"status": "archived"})
    annotator.api.get(path, 404)
    assert made["id"] not in [p["id"] for p in annotator.api.all_pages("/projects")]
    world.admin.get(path)
    world.admin.patch(path, {"status": "in_progress"})
    annotator.api.get(path)


# --- classes ---

@pytest.mark.parametrize("entries, where", [
    pytest.param([{"name": "a"}, {"name": "A"}], (1, "name"), id="same-name-other-case"),
    pytest.param([{"name": "Äpfel"}, {"name": "äpfel"}], (1, "name"), id="other-case-beyond-ascii"),
    pytest.param([{"name": ""}], (0, "name"), id="empty-name"),
    pytest.param([{"name": "x" * 101}], (0, "name"), id="name-of-101"),
    pytest.param([{"color": "#000000"}], (0, "name"), id="no-name"),
    pytest.param([{"name": "a", "color": "red"}], (0, "color"), id="colour-by-name"),
    pytest.param([{"name": "a", "color": "#12345"}], (0, "color"), id="five-digits"),
    pytest.param([{"name": "a", "color": "#GGGGGG"}], (0, "color"), id="not-hex"),
    pytest.param([{"name": "a", "color": 7}], (0, "color"), id="colour-number"),
    pytest.param([{"name": "a", "aliases": "x"}], (0, "aliases"), id="aliases-text"),
])
def test_classes_are_validated(world, entries, where):
    found = error_locations(world.admin.post("/projects", with_classes(*entries), 422))
    wanted = ("body", "classes_config") + where
    assert any(loc[:len(wanted)] == wanted for loc in found), found


def test_an_alias_is_unique_in_the_project(world):
    entries = [{"name": "car", "aliases": ["auto"]}, {"name": "truck", "aliases": ["auto"]}]
    found = error_locations(world.admin.post("/projects", with_classes(*entries), 422))
    assert all(loc[:2] == ("body", "classes_config") for loc in found)


def test_1000_classes_are_taken_and_1001_are_not(world):
    entries = [{"name": "class %d" % at} for at in range(1001)]
    made = world.admin.post("/projects", with_classes(*entries[:1000]), 201).json()
    assert len(made["classes_config"]) == 1000
    found = error_locations(world.admin.post("/projects", with_classes(*entries), 422))
    assert ("body", "classes_config") in found


def test_a_missing_colour_comes_from_a_palette(world):
    made = world.admin.post("/projects", with_classes({"name": "a"}, {"name": "b" * 100}), 201)
    for entry in made.json()["classes_config"]:
        assert re.fullmatch(r"#[0-9A-Fa-f]{6}", entry["color"])
        assert entry["aliases"] == []


def test_patch_replaces_the_classes_as_a_whole(world):
    made = world.project(classes=("a", "b", "c"))
    path = "/projects/%d" % made["id"]
    new = [{"name": "c", "color": "#111111", "aliases": []},
           {"name": "d", "color": "#222222", "aliases": []}]
    assert classes_of(world.admin.patch(path, {"classes_config": new}).json()) == ["c", "d"]
    assert classes_of(world.admin.get(path).json()) == ["c", "d"]


def test_a_class_in_use_can_not_be_removed(world):
    work, task, annotator = world.submitted([box("car"), box("car", x=0.5)])
    path = "/projects/%d" % work.project_id
    answer = world.admin.patch(path, {"classes_config": [{"name": "person"}]}, 409)
    assert code_of(answer) == "CLASS_IN_USE"
    assert "2" in answer.text and "car" in answer.text
    assert classes_of(world.admin.get(path).json()) == ["car", "person"]
    for annotation in annotator.api.annotations(task["id"]):
        world.admin.delete("/tasks/%d/annotations/%d" % (task["id"], annotation["id"]))
    after = world.admin.patch(path, {"classes_config": [{"name": "person"}]}).json()
    assert classes_of(after) == ["person"]


def rename(api, project_id, old, new, expect=200):
    body = {"old_name": old, "new_name": new}
    return api.post("/projects/%d/classes/rename" % project_id, body, expect)


def test_a_rename_takes_the_annotations_along(world):
    work, task, annotator = world.submitted([box("car"), polygon("person"), box("car", x=0.4)],
                                            type_key="image-seg")
    after = rename(world.admin, work.project_id, "car", "vehicle").json()
    assert classes_of(after) == ["vehicle", "person"]
    names = sorted(a["class_name"] for a in annotator.api.annotations(task["id"]))
    assert names == ["person", "vehicle", "vehicle"]


@pytest.mark.parametrize("old, new, status", [
    ("no such", "x", (404, 422)), ("car", "person", (409, 422)), ("car", "PERSON", (409, 422)),
    ("car", "", 422), ("car", "x" * 101, 422),
])
def test_an_impossible_rename_changes_nothing(world, old, new, status):
    made = world.project()
    rename(world.admin, made["id"], old, new, status)
    assert classes_of(world.admin.get("/projects/%d" % made["id"]).json()) == ["car", "person"]


def test_a_rename_may_change_the_case_alone(world):
    made = world.project()
    assert classes_of(rename(world.admin, made["id"], "car", "Car").json()) == ["Car", "person"]
