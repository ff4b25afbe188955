"""What the tests of `annolog log` share: places of logs, services on them, and what they show."""

import concurrent.futures
import re
import shutil

from client import box, unique
from world import World

OK = re.compile(r"^OK: (\d+) records in 8 shards, chains equal$", re.M)


class RocksdbPlace:
    """The log in the data folder of a service."""

    settings = {"ANNOLOG_LOG": "rocksdb"}

    def __init__(self, service):
        self.spec = "rocksdb:%s" % (service.data / "log")


class KafkaPlace:
    def __init__(self, bootstrap, prefix):
        self.spec = "kafka:%s/%s" % (bootstrap, prefix)
        self.settings = {"ANNOLOG_LOG": "kafka", "ANNOLOG_KAFKA_BOOTSTRAP": bootstrap,
                         "ANNOLOG_KAFKA_PREFIX": prefix}


def run(service, *arguments, place=None):
    """`annolog log …` with the service's settings, or for a log elsewhere."""
    return service.command("log", *arguments, environment=place.settings if place else None)


def copy(service, source, target, *more):
    return run(service, "copy", "--from", source, "--to", target, *more)


def copied(service, source, target, *more):
    """A copy that must succeed; how many records the log has."""
    done = copy(service, source, target, *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(OK.search(done.stdout).group(1))


def refused(service, source, target, *more):
    """A copy that must be refused; why."""
    done = copy(service, source, target, *more)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "OK" not in done.stdout
    return done.stderr


def chains(service, place=None):
    """What `log verify` says of a log that is whole: shards, records and chains."""
    done = run(service, "verify", place=place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().rpartition("\n")[2].startswith("OK: ")
    return done.stdout


def count(service, place=None):
    """How many records `log stat` sees; 0 where there is no log yet."""
    done = run(service, "stat", place=place)
    found = re.search(r"^(\d+) records$", done.stdout, re.M)
    return int(found.group(1)) if done.returncode == 0 else 0


def live(service):
    """People, some invited, a project, images and annotations; the project's id."""
    world = World(service)
    work, task, annotator = world.started(review_required=True)
    annotator.api.submit(task["id"], [box("car"), box("person", x=0.5)])
    world.member(work.project_id, "reviewer").api.approve(task["id"])
    world.work(2)
    world.admin.post("/users/invite", {"email": unique("guest") + "@example.org",
                                       "role": "annotator"}, 201)
    return work.project_id


def write_records(service, how_many):
    """So many records more, at the least, a command each."""
    world = World(service)
    projects = [world.project()["id"] for _ in range(8)]

    def describe(at):
        world.admin.patch("/projects/%d" % projects[at % 8], {"description": "text %d" % at})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(describe, range(how_many)))


def picture(service, project_id):
    """What the interface shows: equal on a copy of the log, whose clients sign in anew."""
    admin = World(service).admin
    tasks = admin.all_pages("/tasks", {"project_id": project_id}, limit=200)
    project = admin.get("/projects/%d" % project_id).json()
    export = admin.get("/projects/%d/export" % project_id, params={"format": "coco"}).json()
    return {
        "people": sorted((user["id"], user["username"], user["name"], user["role"])
                         for user in admin.get("/users").json()),
        "invited": sorted((each["id"], each["email"])
                          for each in admin.all_pages("/invitations", {"scope": "all"})),
        "project": (project["name"], project["description"], project["classes_config"]),
        "tasks": [(task["id"], task["status"], task["file_name"]) for task in tasks],
        "annotations": [(a["id"], a["class_name"], a["geometry"])
                        for task in tasks for a in admin.annotations(task["id"])],
        "coco": (export["images"], export["annotations"], export["categories"]),
        "datasets": [(d["id"], d["name"]) for d in admin.all_pages("/datasets")],
    }


def move_folders(from_service, to_service, keys=True):
    """What lies beside the log; without `keys`, the signing keys alone."""
    skipped = () if keys else ("subjects",)
    shutil.copytree(from_service.data / "keys", to_service.data / "keys",
                    ignore=shutil.ignore_patterns(*skipped))
    shutil.copytree(from_service.data / "objects", to_service.data / "objects")
