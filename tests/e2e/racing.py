"""What the tests of races share: many cheap tasks, callers with connections of their own."""

from client import Api, unique


def registered(world, count):
    """The id of a dataset of images that nobody uploaded: a race needs no pixels."""
    dataset_id = world.dataset()["id"]
    folder = unique("race")
    items = [{"file_name": "%05d.png" % at, "file_path": "%s/%05d.png" % (folder, at),
              "file_size": 1000, "width": 640, "height": 480} for at in range(count)]
    said = world.admin.post("/datasets/%d/items/bulk" % dataset_id, {"items": items}).json()
    assert said["errors"] == said["duplicates"] == []
    return dataset_id


def new_tasks(world, project_id, count):
    """The ids of so many tasks, the first of their project."""
    world.link(registered(world, count), project_id)
    return [task["id"] for task in world.tasks_of(project_id, count)]


def connections(api, count):
    """The same caller on so many connections."""
    return [Api(api.service, api.token) for _ in range(count)]
