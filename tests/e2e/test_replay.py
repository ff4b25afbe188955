"""`annolog replay`: the past of a project told from the log alone, beside the running service."""

import json

from client import box, now
from waiting import wait_until


def replay(service, *arguments):
    done = service.command("replay", *[str(part) for part in arguments])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_a_project_is_told_for_people_and_programs(service, world):
    _, task, annotator = world.started()
    annotator.api.save(task["id"], [box()])
    project = task["project_id"]
    lines = replay(service, "--project", project)
    name = world.admin.get("/users/%d" % annotator.id).json()["name"]
    assert any("project.created" in line for line in lines)
    assert any("task.annotations_added" in line and name in line for line in lines)
    events = [json.loads(line) for line in replay(service, "--project", project, "--json")]
    assert len(events) == len(lines)
    assert events[0]["type"] == "project.created"
    of_task = replay(service, "--project", project, "--task", task["id"])
    assert 0 < len(of_task) < len(lines)
    half = events[len(events) // 2]
    some = replay(service, "--project", project, "--until", half["sequence"], "--json")
    assert json.loads(some[-1])["sequence"] == half["sequence"]
    assert replay(service, "--project", project, "--until", "2020-01-01T00:00:00Z") == []
    assert service.command("replay", "--project", str(project), "--until", "soon").returncode != 0
    unknown = service.command("replay", "--project", "999999")
    assert unknown.returncode != 0 and "no project 999999" in unknown.stderr


def test_exports_are_told_in_their_place_among_the_projects_events(service, world):
    work = world.work()
    project = work.project_id
    world.admin.get("/projects/%d/export" % project, params={"format": "coco"})
    world.admin.patch("/projects/%d" % project, {"description": "exported"})

    def told(*until):
        lines = replay(service, "--project", project, "--json", *until)
        events = [json.loads(line) for line in lines]
        return [one for one in events if one["type"] != "request.recorded"]  # of its audit

    exported, updated = told()[-2:]
    assert (exported["type"], updated["type"]) == ("project.exported", "project.updated")
    assert told("--until", updated["sequence"])[-2:] == [exported, updated]
    assert exported in told("--until", exported["time"])
    # The last of its shard: nothing there says that the moment is over.
    lines = replay(service, "--project", project, "--json")
    last = [one for one in map(json.loads, lines)
            if one["partitionkey"] == updated["partitionkey"]][-1]
    wait_until(lambda: now() > last["time"], 10, "a later moment")
    world.admin.get("/projects/%d/export" % project, params={"format": "voc"})
    assert told()[-1]["data"]["format"] == "voc"
    assert told("--until", last["sequence"])[-1] == updated


def test_what_differs_is_what_the_service_says(service, world):
    _, task, annotator = world.started()
    first = annotator.api.save(task["id"], [box(), box("person")]).json()["annotations"]
    since = annotator.api.get("/tasks/%d" % task["id"]).json()["updated_at"]
    path = "/tasks/%d/annotations/%d"
    annotator.api.patch(path % (task["id"], first[0]["id"]), {"class_name": "person"})
    annotator.api.delete(path % (task["id"], first[1]["id"]))
    until = now()
    told = annotator.api.get("/tasks/%d/diff" % task["id"],
                             params={"from": since, "to": until}).json()
    lines = replay(service, "--project", task["project_id"], "--diff", since, until, "--json")
    found = [json.loads(line) for line in lines]
    assert [difference.pop("task_id") for difference in found] == [task["id"]]
    assert found == [told]
    backwards = service.command("replay", "--project", str(task["project_id"]),
                                "--diff", until, since)
    assert backwards.returncode != 0 and "before the first" in backwards.stderr
    shown = replay(service, "--project", task["project_id"], "--diff", since, until)
    assert shown[0] == "task %d" % task["id"]
    assert "  - annotation %d: person" % first[1]["id"] in shown
