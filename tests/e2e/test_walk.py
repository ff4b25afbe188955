"""A whole walk: a COCO dataset is imported, worked through in three batches with a rejection, a
reset and a reopening, and exported; every reader of the three formats sees the same."""

import collections
import json
import zipfile

import pytest

import images
import readers
from client import box, unique, unique_seed
from exported import annotation_files, labels, objects
from service import ADMIN_PASSWORD, ADMIN_USERNAME

WIDTH, HEIGHT = 200, 100
CLASSES = ("car", "person", "dog")
FEEDBACK, REASON = "a person is missing", "labelled by the old guide"

# File and its boxes, in pixels, as the dataset has them.
DATASET = {
    "day/one.png": [("car", 20, 20, 60, 40)],
    "day/two.png": [("car", 0, 0, 200, 100), ("dog", 10, 10, 20, 20)],
    "day/three.jpg": [("person", 50, 10, 25, 80)],
    "day/four.png": [],
    "night/five.png": [("dog", 100, 50, 50, 50)],
    "night/six.webp": [("car", 12.5, 30, 100, 25.5), ("car", 5, 5, 10, 10)],
    "night/seven.png": [],
    "night/eight.bmp": [("person", 150, 0, 50, 100)],
    "nine.png": [("car", 0, 60, 40, 40), ("person", 60, 20, 20, 60), ("dog", 90, 80, 20, 10)],
    "ten.gif": [],
    "eleven.tiff": [("dog", 1, 1, 198, 98)],
    "twelve.png": [("person", 33.25, 44.5, 66.5, 22.25)],
}
BUILDERS = {ending: build for _, build, _, ending in images.FORMATS}


def write_dataset(folder):
    """Images and a COCO instances file beside them; its path."""
    for name in DATASET:
        path = folder / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(BUILDERS[path.suffix[1:]](WIDTH, HEIGHT, unique_seed()))
    body = {
        "images": [{"id": at, "file_name": name, "width": WIDTH, "height": HEIGHT}
                   for at, name in enumerate(DATASET, 1)],
        "categories": [{"id": at, "name": name} for at, name in enumerate(CLASSES, 1)],
        "annotations": [],
    }
    for image, boxes in enumerate(DATASET.values(), 1):
        for name, *bbox in boxes:
            body["annotations"].append({
                "id": len(body["annotations"]) + 1, "image_id": image, "iscrowd": 0,
                "category_id": CLASSES.index(name) + 1, "bbox": bbox, "area": bbox[2] * bbox[3],
                "segmentation": []})
    file = folder / "instances.json"
    file.write_text(json.dumps(body), encoding="utf-8")
    return file


class Walk:
    """The project on its way; `boxes` is what each file must hold by now."""

    def __init__(self, world, folder):
        self.world, self.folder, self.api = world, folder, world.admin
        self.boxes = {name: list(boxes) for name, boxes in DATASET.items()}
        self.worked_on = set()
        self.name = unique("walk")
        instances = write_dataset(folder)
        for _ in range(2):  # the second time there is nothing left to do
            self.command("import", str(folder / "images"), "--project", self.name, "--coco",
                         str(instances), "--review-required")
            self.id = next(project["id"] for project in self.api.all_pages("/projects", limit=200)
                           if project["name"] == self.name)
            self.check_boxes()
        self.first, self.second = [world.member(self.id) for _ in range(2)]
        self.reviewer = world.member(self.id, "reviewer")

    def command(self, *arguments):
        done = self.world.service.command(*arguments, environment={
            "ANNOLOG_URL": self.world.service.base_url, "ANNOLOG_USERNAME": ADMIN_USERNAME,
            "ANNOLOG_PASSWORD": ADMIN_PASSWORD})
        assert done.returncode == 0, done.stdout + done.stderr

    def url(self, batch="", tail=""):
        part = batch and "/%d" % batch["id"]
        return "/projects/%d/batches%s%s" % (self.id, part, tail and "/" + tail)

    def see(self, batch):
        return self.api.get(self.url(batch)).json()

    def move(self, batch, target, by=None, **more):
        body = {"target_status": target, **more}
        return (by or self.api).post(self.url(batch, "transition"), body, 200).json()

    def tasks_in(self, batch):
        found = self.api.all_pages("/tasks", {"batch_id": batch["id"]}, limit=200)
        return sorted(found, key=lambda task: task["id"])

    def check_boxes(self):
        """Every task has the annotations that its file must hold."""
        tasks = self.world.tasks_of(self.id, len(DATASET))
        assert {t["file_name"]: t["annotation_count"] for t in tasks} == {
            name: len(boxes) for name, boxes in self.boxes.items()}
        for task in tasks:
            read = [in_pixels(a) for a in self.api.annotations(task["id"])]
            same(read, self.boxes[task["file_name"]])

    # --- what people do ---

    def work_off(self, batch, person):
        """The tasks that the person submitted."""
        done = []
        while (answer := person.api.next(self.id, (200, 204), batch["id"])).status_code == 200:
            task = answer.json()
            done.append(task)
            if task["file_name"] not in self.worked_on:
                self.worked_on.add(task["file_name"])
                self.improve(person.api, task)
            person.api.submit(task["id"])
        return done

    def improve(self, api, task):
        """Empty images get a box, dogs are persons, small boxes go, wide ones shrink."""
        mine = self.boxes[task["file_name"]]
        if not mine:
            self.add(api, task, ("person", 10, 10, 25, 50))
            return
        for made in api.annotations(task["id"]):
            path = "/tasks/%d/annotations/%d" % (task["id"], made["id"])
            name, left, top, width, height = in_pixels(made)
            mine.remove(next(b for b in mine if near(b, (name, left, top, width, height))))
            if width <= 10:
                api.delete(path)
                continue
            after = ("person" if name == "dog" else name, left, top, min(width, 80), height)
            if (after[0], after[3]) != (name, width):
                shape = shape_of(after)
                api.patch(path, {part: shape[part] for part in ("class_name", "geometry")})
            mine.append(after)

    def add(self, api, task, wanted):
        api.save(task["id"], [shape_of(wanted)])
        self.boxes[task["file_name"]].append(wanted)

    def approve(self, batch):
        """What waits is approved, and the batch with it."""
        for task in self.tasks_in(batch):
            if task["status"] == "review":
                self.reviewer.api.approve(task["id"])
        self.move(batch, "approved", by=self.reviewer.api)
        seen = self.see(batch)
        assert (seen["status"], seen["progress"]["completed"]) == ("approved", 4)

    # --- the walk ---

    def distribute(self):
        """Three batches of four tasks, for two annotators in turn and one reviewer."""
        made = [self.api.post(self.url(), {"task_count": 4}, 201).json() for _ in range(3)]
        self.api.post(self.url("", "distribute-batches"), {
            "annotator_ids": [self.first.id, self.second.id], "reviewer_ids": [self.reviewer.id],
            "scope": "unassigned"}, 200)
        ids = [batch["id"] for batch in made]
        said = self.api.post(self.url("", "bulk-activate"), {"batch_ids": ids}, 200).json()
        assert sorted(said["succeeded"]) == ids
        batches = [self.see(batch) for batch in made]
        assert [(b["status"], b["annotator_id"], b["reviewer_id"]) for b in batches] == [
            ("active", person.id, self.reviewer.id)
            for person in (self.first, self.second, self.first)]
        assert self.api.get(self.url("", "unclassified-count")).json() == {"unclassified_count": 0}
        return batches

    def straight(self, batch):
        assert len(self.work_off(batch, self.first)) == 4
        assert self.see(batch)["status"] == "reviewing"
        self.approve(batch)

    def with_a_rejection(self, batch):
        self.work_off(batch, self.second)
        bad = self.tasks_in(batch)[0]
        self.reviewer.api.reject(bad["id"], "missing", "the dog in the corner")
        sent_back = self.move(batch, "rejected", by=self.reviewer.api, review_feedback=FEEDBACK)
        assert sent_back["review_feedback"] == FEEDBACK
        self.move(batch, "active")
        again = self.second.api.next(self.id, batch_id=batch["id"]).json()
        assert (again["id"], again["reject_reason"]) == (bad["id"], "the dog in the corner")
        self.add(self.second.api, again, ("dog", 180, 80, 20, 20))
        self.second.api.submit(again["id"])
        assert self.see(batch)["status"] == "reviewing"
        self.approve(batch)

    def reset_and_reopened(self, batch):
        self.work_off(batch, self.first)
        self.approve(batch)
        after = self.api.post(self.url(batch, "reset"), {"reason": REASON}, 200).json()
        assert (after["status"], after["progress"]["pending"]) == ("draft", 4)
        self.check_boxes()  # a reset takes nobody's boxes
        self.api.patch(self.url(batch), {"annotator_id": self.second.id})
        self.move(batch, "active")
        assert len(self.work_off(batch, self.second)) == 4
        self.approve(batch)

        self.move(batch, "reviewing", reason=REASON)
        task = self.reviewer.api.post(
            "/tasks/%d/reopen" % self.tasks_in(batch)[0]["id"], None, 200).json()
        assert (task["status"], task["reopened_count"]) == ("in_progress", 1)
        again = self.second.api.next(self.id, batch_id=batch["id"]).json()
        assert again["id"] == task["id"]
        self.add(self.second.api, again, ("car", 5, 70, 90, 25))
        self.second.api.submit(task["id"])
        self.approve(batch)


def shape_of(pixels):
    name, left, top, width, height = pixels
    return box(name, left / WIDTH, top / HEIGHT, width / WIDTH, height / HEIGHT)


def in_pixels(annotation):
    of = annotation["geometry"]
    return (annotation["class_name"], of["x"] * WIDTH, of["y"] * HEIGHT, of["width"] * WIDTH,
            of["height"] * HEIGHT)


def near(one, other, tolerance=0.001):
    return one[0] == other[0] and all(
        abs(a - b) <= tolerance for a, b in zip(one[1:], other[1:], strict=True))


def same(found, wanted, tolerance=0.001):
    """The same boxes, in any order."""
    rest = list(wanted)
    for each in found:
        twin = next((other for other in rest if near(each, other, tolerance)), None)
        assert twin, "%s is not among %s" % (each, rest)
        rest.remove(twin)
    assert rest == []


@pytest.fixture(scope="module")
def walked(world, tmp_path_factory):
    walk = Walk(world, tmp_path_factory.mktemp("walk"))
    one, two, three = walk.distribute()
    walk.straight(one)
    walk.with_a_rejection(two)
    walk.reset_and_reopened(three)
    return walk


@pytest.fixture(scope="module")
def files(walked):
    """The three exports, as the command writes them: {format: path}."""
    made = {}
    for kind, ending in (("coco", "json"), ("yolo", "zip"), ("voc", "zip")):
        made[kind] = walked.folder / (kind + "." + ending)
        walked.command("export", "--project", walked.name, "--format", kind, "--output",
                       str(made[kind]))
    return made


def test_at_the_end_everything_is_done_and_counted(walked):
    walked.check_boxes()
    tasks = walked.world.tasks_of(walked.id, len(DATASET))
    assert {(task["status"], task["lock"]) for task in tasks} == {("completed", None)}
    assert {task["reviewer_id"] for task in tasks} == {walked.reviewer.id}
    assert sorted(task["reopened_count"] for task in tasks) == [0] * 11 + [1]
    shown = next(project for project in walked.api.all_pages("/dashboard", {"view": "projects"})
                 if project["id"] == walked.id)
    assert (shown["progress"], shown["completed_tasks"]) == (1, len(DATASET))
    assert shown["total_annotations"] == sum(map(len, walked.boxes.values()))
    batches = walked.api.all_pages(walked.url())
    assert {batch["status"] for batch in batches} == {"approved"}


def test_the_coco_file_has_every_box(walked, files):
    body = json.loads(files["coco"].read_bytes())
    names = {category["id"]: category["name"] for category in body["categories"]}
    assert sorted(names.values()) == sorted(CLASSES)
    images_by_id = {image["id"]: image for image in body["images"]}
    assert sorted(image["file_name"] for image in body["images"]) == sorted(DATASET)
    assert {(i["width"], i["height"]) for i in body["images"]} == {(WIDTH, HEIGHT)}
    found = collections.defaultdict(list)
    for each in body["annotations"]:
        name = images_by_id[each["image_id"]]["file_name"]
        found[name].append((names[each["category_id"]], *each["bbox"]))
    for name, boxes in walked.boxes.items():
        same(found[name], boxes)


def test_the_yolo_archive_has_every_box(walked, files):
    with zipfile.ZipFile(files["yolo"]) as archive:
        names = archive.read("classes.txt").decode().splitlines()
        found = labels(archive)
    assert sorted(names) == sorted(CLASSES)
    by_stem = {stem_of(name): boxes for name, boxes in walked.boxes.items()}
    assert set(found) == {"labels/%s.txt" % stem for stem in by_stem}
    for stem, boxes in by_stem.items():
        read = []
        for line in found["labels/%s.txt" % stem]:
            at, *numbers = line.split()
            x, y, width, height = map(float, numbers)
            read.append((names[int(at)], (x - width / 2) * WIDTH, (y - height / 2) * HEIGHT,
                         width * WIDTH, height * HEIGHT))
        same(read, boxes, 0.01)


def test_the_voc_archive_has_every_box(walked, files):
    with zipfile.ZipFile(files["voc"]) as archive:
        found = annotation_files(archive)
    assert set(found) == {stem_of(name) for name in DATASET}
    for name, boxes in walked.boxes.items():
        read = [(label, left, top, right - left, bottom - top)
                for label, left, top, right, bottom in objects(found[stem_of(name)])]
        same(read, boxes, 1.01)  # whole pixels


def test_the_readers_of_others_see_the_same_in_all_three(walked, files):
    said = readers.read(*files.values())
    count = sum(map(len, walked.boxes.values()))
    for kind in ("COCO", "YOLO", "VOC"):
        assert ": %s, %d images, %d boxes" % (kind, len(DATASET), count) in said
    assert "AP 1.0 with itself" in said
    for kind in ("YOLO", "VOC"):
        assert "COCO and %s hold the same %d boxes" % (kind, count) in said


def stem_of(name):
    return name.rpartition(".")[0]
