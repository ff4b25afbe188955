"""Projects with tasks, for rows that need them. Items are registered only: no file is behind."""

import dataclasses
import itertools
import json
import random

import served

ITEMS_PER_CALL = 10_000
BOXES = 10
PASSWORD = "Bench-Pass-1"  # of everybody
_numbers = itertools.count(1)


@dataclasses.dataclass
class Project:
    """Ids of one project's tasks are evenly spaced: first, first + step, ..."""

    id: int
    first: int
    step: int
    count: int

    def ids(self, start=0, count=None):
        """For bench_load: `count` ids from the one at `start` on."""
        count = self.count - start if count is None else count
        return f"{self.first + start * self.step}:{self.step}:{count}"

    @property
    def last(self):
        return self.first + (self.count - 1) * self.step


def make_project(env):
    return env.call("POST", "/projects", {
        "name": f"bench project {next(_numbers)}",
        "classes_config": [{"name": "car", "color": "#ff0000", "aliases": []}]})["id"]


def make_dataset(env, count):
    """A dataset with that many items."""
    dataset = env.call("POST", "/datasets", {"name": f"bench dataset {next(_numbers)}"})["id"]
    for start in range(0, count, ITEMS_PER_CALL):
        numbers = range(start, min(count, start + ITEMS_PER_CALL))
        items = [{"file_name": f"{n:07}.png", "file_path": f"bench/{dataset}/{n:07}.png",
                  "file_size": 100_000, "width": 1920, "height": 1080} for n in numbers]
        answer = env.call("POST", f"/datasets/{dataset}/items/bulk", {"items": items})
        if answer["errors"] or answer["duplicates"]:
            raise RuntimeError("items were refused")
    env.service.catch_up()
    return dataset


def link(env, dataset, project):
    env.call("POST", f"/datasets/{dataset}/link", {"project_id": project}, 3600)


def look_up(env, project, count):
    """The project's tasks once the read models show them all."""
    for _ in served.polls(600):
        env.service.catch_up()
        first, last, found = map(int, env.query(
            "select coalesce(min(id), 0), coalesce(max(id), 0), count(*) "
            f"from {env.table('tasks')} where project_id = {project}")[0])
        if found >= count:
            break
    step = (last - first) // max(1, found - 1)
    if found != count or first + step * (found - 1) != last:
        raise RuntimeError(f"{found} tasks {first}..{last}, {count} evenly spaced ones expected")
    return Project(project, first, step, found)


def make_tasks(env, count, dataset=None):
    """A project with `count` pending tasks (of that dataset's items, or of a new one's)."""
    project = make_project(env)
    link(env, make_dataset(env, count) if dataset is None else dataset, project)
    return look_up(env, project, count)


def shapes_bodies(boxes=BOXES, count=64):
    """Bodies of submits with that many boxes, all different."""
    number = random.Random(boxes)

    def box():
        return {"type": "bbox", "class_name": "car", "geometry": {
            "x": round(number.uniform(0, 0.5), 6), "y": round(number.uniform(0, 0.5), 6),
            "width": round(number.uniform(0.01, 0.5), 6),
            "height": round(number.uniform(0.01, 0.5), 6)}}
    return [json.dumps({"shapes": [box() for _ in range(boxes)]}) for _ in range(count)]


def lock(env, ranges):
    """The signed-in user takes these tasks."""
    env.load(("POST", "/api/v1/tasks/{id}/lock"), ids=ranges, seconds=0)


def submit(env, ranges, **options):
    """Submits locked tasks with ten boxes each; returns the load's figures."""
    return env.load(("POST", "/api/v1/tasks/{id}/annotations", shapes_bodies()), ids=ranges,
                    **options)


def make_annotated(env):
    """A project whose tasks hold 1,000,000 boxes at scale 1."""
    project = make_tasks(env, env.size(1_000_000 // BOXES, 100))
    lock(env, project.ids())
    submit(env, project.ids(), seconds=0)
    env.service.catch_up()
    return project


def annotated(env):
    return env.once("annotated", lambda: make_annotated(env))


def name_of(number):
    """Of an annotator, in the order in which they were made."""
    return f"bench-{number}"


def annotators(env, project, count=64):
    """Tokens of that many annotators, all made members of the project."""
    people = env.once("annotators", dict)
    while len(people) < count:
        name = name_of(len(people))
        user = env.call("POST", "/users", {"username": name, "name": name, "role": "annotator",
                                           "password": PASSWORD})
        people[user["id"]] = env.token_of(name, PASSWORD)
    for user in list(people)[:count]:
        env.call("POST", f"/projects/{project}/members", {"user_id": user, "role": "annotator"})
    return list(people.values())[:count]
