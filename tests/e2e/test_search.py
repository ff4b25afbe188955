"""GET /search (specification, Projects; decisions 10)."""

import re

import pytest

from client import error_locations, unique

KINDS = ("projects", "tasks", "datasets", "members")


def search(api, q, **params):
    found = api.get("/search", params={"q": q, **params}).json()
    assert tuple(found) == KINDS
    return found


def ids(found, kind):
    return [entry["id"] for entry in found[kind]]


def make_tasks(world, names, **project_fields):
    """A project with a task for each file name; returns (project id, dataset id, tasks)."""
    project = world.project(**project_fields)
    dataset = world.dataset()
    items = [{"file_name": name, "file_path": "%s/%d" % (unique("search"), at)}
             for at, name in enumerate(names)]
    world.admin.post("/datasets/%d/items/bulk" % dataset["id"], {"items": items})
    world.link(dataset["id"], project["id"])
    return project["id"], dataset["id"], world.tasks_of(project["id"], len(names))


def test_every_kind_is_found_by_a_part_of_its_name(world):
    mark = unique("Everything")
    project = world.project(name=mark + " project")
    dataset = world.dataset(name=mark + " dataset")
    items = [{"file_name": mark + ".jpg", "file_path": mark + "/1"}]
    world.admin.post("/datasets/%d/items/bulk" % dataset["id"], {"items": items})
    world.link(dataset["id"], project["id"])
    task = world.tasks_of(project["id"], 1)[0]
    person = world.person("annotator", name=mark + " person")
    found = search(world.admin, mark.lower())
    assert found["projects"] == [{
        "id": project["id"], "display_id": project["display_id"], "name": mark + " project",
        "type_key": "image-det", "status": "in_progress"}]
    assert found["tasks"] == [{
        "id": task["id"], "display_id": task["display_id"], "name": mark + ".jpg",
        "project_id": project["id"], "status": "pending", "file_name": mark + ".jpg"}]
    assert found["datasets"] == [{
        "id": dataset["id"], "display_id": "D-%d" % dataset["id"], "name": mark + " dataset",
        "data_type": "image"}]
    assert found["members"] == [{
        "id": person.id, "display_id": "U-%d" % person.id, "name": mark + " person",
        "username": person.username, "is_active": True}]


def test_a_username_finds_its_person(world):
    person = world.person("viewer")
    assert ids(search(world.admin, person.username), "members") == [person.id]


def test_what_is_renamed_or_changed_is_found_as_it_is_now(world):
    before, after = unique("before"), unique("after")
    project = world.project(name=before)
    world.admin.patch("/projects/%d" % project["id"], {"name": after, "status": "completed"})
    assert search(world.admin, before)["projects"] == []
    found = search(world.admin, after)["projects"]
    assert [(p["id"], p["status"]) for p in found] == [(project["id"], "completed")]


def test_the_most_alike_comes_first_and_limit_holds(world):
    mark = unique("alike")
    names = [mark + " and much more behind it %d.jpg" % at for at in range(25)] + [mark]
    project_id, _, tasks = make_tasks(world, names)
    member = world.member(project_id)
    found = search(member.api, mark)["tasks"]
    assert len(found) == 5
    assert found[0]["name"] == mark
    assert [t["name"] for t in search(member.api, mark, limit=1)["tasks"]] == [mark]
    assert len(search(member.api, mark, limit=20)["tasks"]) == 20
    one = tasks[3]
    found = search(member.api, one["file_name"])["tasks"]
    assert [t["id"] for t in found] == [one["id"]]


def test_the_text_is_no_pattern(world):
    mark = unique("pattern")
    project_id, _, _ = make_tasks(world, [mark + "_100%.jpg", mark + "x100y.jpg",
                                          mark + "'); --.jpg"])
    member = world.member(project_id)
    for q, name in ((mark + "_100%", mark + "_100%.jpg"), (mark + "'); --", mark + "'); --.jpg")):
        assert [t["name"] for t in search(member.api, q)["tasks"]] == [name]
    assert search(member.api, mark + "%y")["tasks"] == []
    for q in ("%%", "__", "\\\\", "''", "--", "$1", "*.", "(("):
        search(member.api, q)
        search(world.admin, q)


@pytest.mark.parametrize("name, q", [
    ("Straße am Tor.jpg", "straße"), ("Москва.jpg", "москва"), ("東京タワー.jpg", "東京"),
    ("東京タワー.jpg", "東"), ("Я.jpg", "я"),
    ("naïve café.jpg", "CAFÉ"),
])
def test_names_in_other_scripts(world, name, q):
    project_id, _, tasks = make_tasks(world, [name])
    member = world.member(project_id)
    assert ids(search(member.api, q), "tasks") == [tasks[0]["id"]]


def test_display_ids_match_exactly(world):
    project_id, dataset_id, tasks = make_tasks(world, ["a%d.jpg" % at for at in range(3)])
    member = world.member(project_id)
    assert ids(search(member.api, "T-2"), "tasks") == [tasks[1]["id"]]
    assert ids(search(member.api, "t-2"), "tasks") == [tasks[1]["id"]]
    assert search(member.api, "T-4")["tasks"] == []
    assert ids(search(member.api, "P-%d" % project_id), "projects") == [project_id]
    assert ids(search(member.api, "D-%d" % dataset_id), "datasets") == [dataset_id]
    assert ids(search(member.api, "U-%d" % member.id), "members") == [member.id]
    other = world.project()["id"]
    assert search(member.api, "P-%d" % other)["projects"] == []
    assert search(member.api, "P-99999999999999999999")["projects"] == []


def test_only_what_is_visible_is_found(world):
    mark = unique("hidden")
    project_id, dataset_id, tasks = make_tasks(world, [mark + ".jpg"], name=mark)
    insider = world.member(project_id, "annotator", name=mark + " insider")
    stranger = world.person("project_admin", name=mark + " stranger")
    found = search(insider.api, mark)
    assert ids(found, "projects") == [project_id]
    assert ids(found, "tasks") == [tasks[0]["id"]]
    assert ids(found, "members") == [insider.id]
    assert ids(search(insider.api, "D-%d" % dataset_id), "datasets") == [dataset_id]
    assert search(stranger.api, mark) == {kind: [] for kind in KINDS}
    for q in ("P-%d" % project_id, "D-%d" % dataset_id, "U-%d" % insider.id):
        assert search(stranger.api, q) == {kind: [] for kind in KINDS}
    assert {insider.id, stranger.id} <= set(ids(search(world.admin, mark), "members"))

    world.admin.patch("/projects/%d" % project_id, {"status": "archived"})
    assert search(insider.api, mark) == {kind: [] for kind in KINDS}
    assert ids(search(world.admin, mark), "projects") == [project_id]
    world.admin.patch("/projects/%d" % project_id, {"status": "in_progress"})
    world.admin.delete("/projects/%d/members/%d" % (project_id, insider.id))
    assert search(insider.api, mark) == {kind: [] for kind in KINDS}


def test_one_s_own_dataset_is_found_before_it_is_linked(world):
    mark = unique("own")
    maker = world.person("project_admin")
    dataset = world.dataset(by=maker.api, name=mark)
    assert ids(search(maker.api, mark), "datasets") == [dataset["id"]]
    assert search(world.person("project_admin").api, mark)["datasets"] == []


def test_the_deactivated_are_shown_as_such_and_the_erased_not_at_all(world):
    mark = unique("gone")
    person = world.person("viewer", name=mark)
    world.admin.post("/users/%d/deactivate" % person.id)
    assert [m["is_active"] for m in search(world.admin, mark)["members"]] == [False]
    world.admin.post("/users/%d/erase" % person.id, {"reason": "asked for"})
    for q in (mark, person.username, "U-%d" % person.id):
        assert search(world.admin, q)["members"] == []


@pytest.mark.parametrize("params, field", [
    ({}, "q"), ({"q": ""}, "q"), ({"q": "   "}, "q"), ({"q": "x" * 101}, "q"),
    ({"q": "ab", "limit": 0}, "limit"), ({"q": "ab", "limit": 21}, "limit"),
    ({"q": "ab", "limit": "many"}, "limit"),
])
def test_a_bad_question_is_422(world, params, field):
    found = error_locations(world.admin.get("/search", 422, params=params))
    assert [loc[:2] for loc in found] == [("query", field)]


def test_the_ends_of_what_is_allowed(world):
    for q in ("a", " a ", "猫", "%", "ab", "é€", "x" * 100, "ж" * 100, " ab "):
        search(world.admin, q, limit=20)


def test_display_ids_have_their_form(world):
    found = search(world.admin, "project", limit=20)
    assert all(re.fullmatch(r"P-\d+", p["display_id"]) for p in found["projects"])
