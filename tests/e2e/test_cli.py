"""`annolog import` and `annolog export`: a folder becomes a project, a project a file."""

import json

import pytest

import images
from client import box, unique, unique_seed
from service import ADMIN_PASSWORD, ADMIN_USERNAME
from world import PASSWORD


@pytest.fixture
def folder(tmp_path):
    """Images of every format in sub-folders, one of them twice, and a file that is no image."""
    where = tmp_path / unique("photos")
    for at, (name, build, _, ending) in enumerate(images.FORMATS):
        path = where / ("part%d" % (at % 2)) / (name + "." + ending)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(build(100, 50, unique_seed()))
    (where / "part0" / "twice.png").write_bytes((where / "part0" / "png.png").read_bytes())
    (where / "notes.txt").write_text("not an image", encoding="utf-8")
    return where


def credentials(service, username=ADMIN_USERNAME, password=ADMIN_PASSWORD):
    return {"ANNOLOG_URL": service.base_url, "ANNOLOG_USERNAME": username,
            "ANNOLOG_PASSWORD": password}


def run(service, *arguments, **more):
    return service.command(*arguments, environment=credentials(service, **more))


def project_named(world, name):
    found = [p for p in world.admin.all_pages("/projects", limit=200) if p["name"] == name]
    assert len(found) == 1
    return found[0]


def test_a_folder_becomes_a_project_with_a_task_per_distinct_image(world, folder):
    name = unique("imported")
    done = run(world.service, "import", str(folder), "--project", name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()
    project = project_named(world, name)
    tasks = world.tasks_of(project["id"], 6)
    assert all((t["image_width"], t["image_height"]) == (100, 50) for t in tasks)
    assert {t["file_name"] for t in tasks} >= {"part0/webp.webp", "part1/jpeg.jpg"}


def test_importing_again_adds_nothing_and_what_is_new_is_added(world, folder):
    name = unique("again")
    assert run(world.service, "import", str(folder), "--project", name).returncode == 0
    assert run(world.service, "import", str(folder), "--project", name).returncode == 0
    project = project_named(world, name)
    world.tasks_of(project["id"], 6)
    (folder / "new.png").write_bytes(images.png(seed=unique_seed()))
    assert run(world.service, "import", str(folder), "--project", name).returncode == 0
    world.tasks_of(project["id"], 7)


def test_folders_of_one_name_stay_in_their_projects(world, tmp_path):
    names = [unique("cats"), unique("dogs")]
    for name in names:
        images_of = tmp_path / name / "images"
        images_of.mkdir(parents=True)
        (images_of / (name + ".png")).write_bytes(images.png(seed=unique_seed()))
        done = run(world.service, "import", str(images_of), "--project", name)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in names:
        tasks = world.tasks_of(project_named(world, name)["id"], 1)
        assert [task["file_name"] for task in tasks] == [name + ".png"]


def test_a_dataset_of_somebody_else_is_left_alone(world, folder):
    person, name = world.person("project_admin"), unique("images")
    theirs = world.dataset(name=name)
    shown = world.project()
    world.link(theirs["id"], shown["id"])
    world.add_member(shown["id"], person)
    done = run(world.service, "import", str(folder), "--project", name, "--dataset", name,
               username=person.username, password=PASSWORD)
    assert done.returncode == 0, done.stdout + done.stderr
    world.tasks_of(project_named(world, name)["id"], 6)
    assert world.admin.all_pages("/datasets/%d/items" % theirs["id"]) == []


def test_a_dataset_that_other_projects_use_must_be_named(world, folder):
    name, other = unique("shared"), world.project()
    world.link(world.dataset(name=name)["id"], other["id"])
    done = run(world.service, "import", str(folder), "--project", name)
    assert done.returncode == 1
    assert "linked to other projects" in done.stderr and "--dataset" in done.stderr
    assert name not in [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    done = run(world.service, "import", str(folder), "--project", name, "--dataset", name)
    assert done.returncode == 0, done.stdout + done.stderr
    world.tasks_of(project_named(world, name)["id"], 6)
    world.tasks_of(other["id"], 6)


def test_one_broken_image_is_named_and_stops_no_other(world, folder):
    name = unique("broken")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    done = run(world.service, "import", str(folder), "--project", name)
    assert done.returncode == 1
    assert "broken.png" in done.stdout + done.stderr
    world.tasks_of(project_named(world, name)["id"], 6)


def test_wrong_credentials_are_told_and_nothing_is_made(world, folder):
    name = unique("refused")
    done = run(world.service, "import", str(folder), "--project", name, password="Wrong-pass-9")
    assert done.returncode > 0
    assert "Wrong-pass-9" not in done.stdout + done.stderr
    assert name not in [p["name"] for p in world.admin.all_pages("/projects", limit=200)]


def test_a_missing_folder_is_told(world, tmp_path):
    done = run(world.service, "import", str(tmp_path / "nowhere"), "--project", unique("none"))
    assert done.returncode > 0
    assert "nowhere" in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["coco", "native_json", "voc", "yolo"])
def test_an_exported_file_is_what_the_interface_serves(world, tmp_path, kind):
    work, _, _ = world.submitted()
    target = tmp_path / "export.out"
    done = run(world.service, "export", "--project", work.project["name"], "--format", kind,
               "--output", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    served = world.admin.get("/projects/%d/export" % work.project_id, params={"format": kind})
    if kind in ("voc", "yolo"):
        assert target.read_bytes() == served.content
    else:
        ours, theirs = json.loads(target.read_bytes()), served.json()
        assert ours.keys() == theirs.keys()
        assert ours["annotations"] == theirs["annotations"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["export.out"]


def test_an_export_can_be_of_some_statuses_and_classes(world, tmp_path):
    work, task, annotator = world.started(classes=("car", "a, b", "dog"))
    annotator.api.submit(task["id"], [box("car"), box("a, b"), box("dog")])
    target = tmp_path / "some.json"
    done = run(world.service, "export", "--project", work.project["name"], "--output", str(target),
               "--class", "a, b", "--class", "dog", "--status", "submitted,review", "--status",
               "completed")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(target.read_bytes())
    names = {c["id"]: c["name"] for c in document["categories"]}
    assert sorted(names[a["category_id"]] for a in document["annotations"]) == ["a, b", "dog"]
    none = tmp_path / "none.json"
    done = run(world.service, "export", "--project", work.project["name"], "--output", str(none),
               "--status", "pending")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(none.read_bytes())["images"] == []
    done = run(world.service, "export", "--project", work.project["name"], "--output",
               str(tmp_path / "refused.json"), "--class", "cat")
    assert done.returncode > 0
    assert "cat" in done.stdout + done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["none.json", "some.json"]


def test_an_export_can_be_of_one_batch(world, tmp_path):
    work = world.work(2)
    body = {"name": unique("batch"), "task_ids": [work.tasks[0]["id"]]}
    batch = world.admin.post("/projects/%d/batches" % work.project_id, body, 201).json()
    for given in (str(batch["id"]), batch["display_id"]):
        target = tmp_path / (given + ".json")
        done = run(world.service, "export", "--project", work.project["name"], "--batch", given,
                   "--output", str(target))
        assert done.returncode == 0, done.stdout + done.stderr
        document = json.loads(target.read_bytes())
        assert [i["file_name"] for i in document["images"]] == [work.tasks[0]["file_name"]]
    for given, code in (("B-99", 1), ("", 2)):
        refused = tmp_path / "refused.json"
        done = run(world.service, "export", "--project", work.project["name"], "--batch", given,
                   "--output", str(refused))
        assert done.returncode == code, done.stdout + done.stderr
        assert not refused.exists()


def test_an_export_of_an_unknown_project_leaves_no_file(world, tmp_path):
    target = tmp_path / "export.out"
    done = run(world.service, "export", "--project", unique("none"), "--output", str(target))
    assert done.returncode > 0
    assert list(tmp_path.iterdir()) == []
