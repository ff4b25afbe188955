"""Documents of annotations come into a project: matched, counted off, told row by row
(docs/decisions, 0020)."""

import concurrent.futures
import io
import json
import zipfile

import pytest

import images
from client import box, code_of, error_locations, polygon, unique_seed
from exported import FORMATS, export
from waiting import wait_until

KEYS = {"imported", "skipped", "unmatched", "error_count", "errors_by_code", "errors", "dry_run"}


def bring(api, project_id, document, kind="coco", expect=200, **params):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return api.call("POST", "/projects/%d/annotations/import" % project_id, expect,
                    params={"format": kind, **params}, data=data,
                    headers={"Content-Type": "application/json"}, timeout=120)


def counts(answer):
    body = answer.json()
    assert set(body) == KEYS
    return body["imported"], body["skipped"], body["error_count"]


def coco_of(tasks, rows):
    """Rows are (task's place, class, x, y, width, height) in pixels."""
    names = sorted({row[1] for row in rows})
    return {
        "images": [{"id": at + 1, "file_name": task["file_name"], "width": task["image_width"],
                    "height": task["image_height"]} for at, task in enumerate(tasks)],
        "categories": [{"id": at + 1, "name": name} for at, name in enumerate(names)],
        "annotations": [{"id": at + 1, "image_id": row[0] + 1,
                         "category_id": names.index(row[1]) + 1, "bbox": list(row[2:])}
                        for at, row in enumerate(rows)]}


def zipped(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return made.getvalue()


ROWS = [(0, "car", 6, 7, 20, 10), (0, "person", 0, 0, 64, 48), (1, "car", 1, 1, 13, 11)]


@pytest.fixture
def work(world):
    return world.work(2)


def test_coco_rows_become_annotations_and_nothing_else_changes(world, work):
    answer = bring(world.admin, work.project_id, coco_of(work.tasks, ROWS))
    assert counts(answer) == (3, 0, 0)
    assert answer.headers["X-Event-Position"]
    for task in work.tasks:
        now = world.admin.task(task["id"])
        assert (now["status"], now["assignee_id"], now["lock"]) == ("pending", None, None)
    made = world.admin.annotations(work.tasks[0]["id"])
    assert {a["source"] for a in made} == {"import:coco"}
    assert {a["created_by"] for a in made} == {world.admin_id}
    assert len(made) == 2


def test_twice_changes_nothing(world, work):
    document = coco_of(work.tasks, ROWS + ROWS[:1])
    assert counts(bring(world.admin, work.project_id, document)) == (4, 0, 0)
    before = export(world.admin, work.project_id, "native_json").content
    assert counts(bring(world.admin, work.project_id, document)) == (0, 4, 0)
    assert export(world.admin, work.project_id, "native_json").content == before


@pytest.mark.parametrize("kind", ["coco", "native_json"])
@pytest.mark.parametrize("attributes", ["false", "true"])
def test_an_export_brought_back_is_the_same_bytes(world, work, kind, attributes):
    bring(world.admin, work.project_id, coco_of(work.tasks, ROWS))
    first = export(world.admin, work.project_id, kind, include_attributes=attributes).content
    assert counts(bring(world.admin, work.project_id, first, kind)) == (0, 3, 0)
    again = export(world.admin, work.project_id, kind, include_attributes=attributes).content
    assert again == first


ODD_BOXES = [box("car", 1 / 3, 1 / 7, 1 / 9, 1 / 11), box("person", 0.1, 0.2, 0.7, 0.3),
             box("car", 0, 0, 1 / 3, 1), box("car", 2 / 3, 0.123456789, 1 / 3, 0.0123),
             box("car", 1 / 3, 1 / 7, 1 / 9, 1 / 11), box("car", 0.334, 1 / 7, 1 / 9, 1 / 11),
             box("car", 0.3, 0.4, 0.1 + 0.2 - 0.3, 0.1 + 0.2 - 0.3)]  # a click, no drag


@pytest.mark.parametrize("kind", ["yolo", "voc"])
@pytest.mark.parametrize("attributes", ["false", "true"])
def test_a_zip_brought_back_changes_nothing(world, kind, attributes):
    work, task, annotator = world.started()
    annotator.api.submit(task["id"], ODD_BOXES)
    before = export(world.admin, work.project_id, "native_json").content
    zip_file = export(world.admin, work.project_id, kind, include_attributes=attributes).content
    assert counts(bring(world.admin, work.project_id, zip_file, kind)) == (0, len(ODD_BOXES), 0)
    assert export(world.admin, work.project_id, "native_json").content == before


# Texts that XML can't hold, and texts that look like other values.
ODD_ATTRIBUTES = {"a\x01": "\x02|\ufffe", "empty": "[]", "list": '["a", "b"]',
                  "nearly": '["a","b"]', "number": "5", "occluded": "True",
                  "tags": ["\x03", "\uffff"], "word": "False"}


def test_odd_attributes_brought_back_in_xml_are_there_already(world):
    work, task, annotator = world.started()
    annotator.api.submit(task["id"], [box("car", attributes=ODD_ATTRIBUTES)])
    for attributes in ("false", "true"):
        first = export(world.admin, work.project_id, "voc", include_attributes=attributes).content
        assert counts(bring(world.admin, work.project_id, first, "voc")) == (0, 1, 0)
        again = export(world.admin, work.project_id, "voc", include_attributes=attributes).content
        assert again == first


@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_with_images_of_one_path_can_be_brought_back(world, kind):
    project = world.project()
    for _ in range(2):
        dataset = world.dataset()
        world.admin.upload(dataset["id"], "one/a.png", images.png(seed=unique_seed()))
        world.link(dataset["id"], project["id"])
    tasks = world.tasks_of(project["id"], 2)
    rows = [{"task_match": {"display_id": task["display_id"]}, "class_name": "car",
             "geometry": {"kind": "bbox", "bbox": [0.25, 0.25, 0.5, 0.5]}} for task in tasks]
    document = {"schema_version": "1.0", "annotations": rows}
    assert counts(bring(world.admin, project["id"], document, "native_json")) == (2, 0, 0)
    first = export(world.admin, project["id"], kind).content
    assert counts(bring(world.admin, project["id"], first, kind)) == (0, 2, 0)
    assert export(world.admin, project["id"], kind).content == first


def without_project(kind, content):
    """The entries of a zip; VOC names the project in each file."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    lines = {name: archive.read(name).split(b"\n") for name in archive.namelist()}
    if kind == "voc":
        own = (b"    <annotation>", b"    <image>")
        lines = {name: [line for line in some if not line.startswith(own)]
                 for name, some in lines.items()}
    return lines


@pytest.mark.parametrize("kind", ["yolo", "voc"])
def test_another_project_gives_the_same_zip(world, kind):
    work, task, annotator = world.started()
    annotator.api.submit(task["id"], ODD_BOXES)
    first = export(world.admin, work.project_id, kind).content
    other = world.project()
    world.link(work.dataset_id, other["id"])
    world.tasks_of(other["id"], 1)
    assert counts(bring(world.admin, other["id"], first, kind)) == (len(ODD_BOXES), 0, 0)
    second = export(world.admin, other["id"], kind).content
    assert without_project(kind, second) == without_project(kind, first)
    if kind == "yolo":
        assert second == first
    assert counts(bring(world.admin, other["id"], first, kind)) == (0, len(ODD_BOXES), 0)


def test_every_bad_line_of_a_zip_is_told_with_its_place(world, work):
    stem = work.tasks[0]["file_name"].rsplit(".", 1)[0]
    document = zipped({
        "data.yaml": "names: [car, cat]\n",
        "train/labels/%s.txt" % stem: "0 .5 .5 .2 .2\r\n1 .5 .5 .2 .2\n9 .5 .5 .2 .2\nx\n",
        "train/labels/nowhere.txt": "0 .5 .5 .2 .2\n"})
    answer = bring(world.admin, work.project_id, document, "yolo")
    assert counts(answer) == (1, 0, 4)
    entry = "train/labels/%s.txt:" % stem
    assert [(e["place"], e["code"]) for e in answer.json()["errors"]] == [
        (entry + "2", "UNKNOWN_CLASS"), (entry + "3", "UNKNOWN_CATEGORY"),
        (entry + "4", "SHAPE_UNREADABLE"), ("train/labels/nowhere.txt:1", "TASK_NOT_FOUND")]
    assert counts(bring(world.admin, work.project_id, document, "yolo")) == (0, 1, 4)
    made = world.admin.annotations(work.tasks[0]["id"])
    assert [a["source"] for a in made] == ["import:yolo"]


def test_every_bad_object_of_a_zip_is_told_with_its_place(world, work):
    task = work.tasks[0]
    thing = ("<object><name>%s</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>%d</xmax>"
             "<ymax>9</ymax></bndbox></object>")
    document = zipped({
        "Annotations/a.xml": "<annotation><filename>%s</filename>%s%s%s</annotation>" % (
            task["file_name"], thing % ("car", 9), thing % ("cat", 9), thing % ("car", 1)),
        "Annotations/b.xml": "<annotation><object>",
        "Annotations/c.xml": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><annotation/>"})
    answer = bring(world.admin, work.project_id, document, "voc")
    assert counts(answer) == (1, 0, 4)
    assert [(e["place"], e["code"]) for e in answer.json()["errors"]] == [
        ("Annotations/a.xml#object/2", "UNKNOWN_CLASS"),
        ("Annotations/a.xml#object/3", "SHAPE_UNREADABLE"),
        ("Annotations/b.xml", "INVALID_XML"), ("Annotations/c.xml", "INVALID_XML")]
    assert counts(bring(world.admin, work.project_id, document, "voc")) == (0, 1, 4)


def without_ids(kind, content):
    """What of an export does not name this project's own resources or times."""
    document = json.loads(content)
    if kind == "coco":
        files = {i["id"]: i["file_name"] for i in document["images"]}
        names = {c["id"]: c["name"] for c in document["categories"]}
        return sorted(json.dumps([files[a["image_id"]], names[a["category_id"]], a["bbox"],
                                  a["area"]]) for a in document["annotations"])
    return sorted(json.dumps([a["task_match"]["file_path"], a["class_name"], a["geometry"],
                              a["confidence"], a["group_id"], a.get("attributes")])
                  for a in document["annotations"])


@pytest.mark.parametrize("kind", ["coco", "native_json"])
def test_another_project_gets_the_same_shapes_to_the_last_digit(world, kind):
    shapes = [box("car", 1 / 3, 1 / 7, 1 / 9, 1 / 11), box("person", 0.1, 0.2, 0.7, 0.3),
              box("car", 0.123456789, 0.987654321, 0.2, 0.0123)]
    if kind == "native_json":
        shapes.append(polygon("car", group_id=7))
    project_fields = {"type_key": "image-seg"}
    work, task, annotator = world.started(**project_fields)
    annotator.api.submit(task["id"], shapes)
    first = export(world.admin, work.project_id, kind).content
    other = world.project(**project_fields)
    world.link(work.dataset_id, other["id"])
    world.tasks_of(other["id"], 1)
    assert counts(bring(world.admin, other["id"], first, kind)) == (len(shapes), 0, 0)
    second = export(world.admin, other["id"], kind).content
    assert without_ids(kind, second) == without_ids(kind, first)


def test_a_dry_run_tells_the_same_and_writes_nothing(world, work):
    document = coco_of(work.tasks, ROWS + [(0, "cat", 1, 1, 2, 2)])
    before = export(world.admin, work.project_id, "native_json").content
    tried = bring(world.admin, work.project_id, document, dry_run="true").json()
    assert tried.pop("dry_run") is True
    assert export(world.admin, work.project_id, "native_json").content == before
    done = bring(world.admin, work.project_id, document).json()
    assert done.pop("dry_run") is False
    assert tried == done


def test_every_bad_row_is_told_with_its_place(world, work):
    document = coco_of(work.tasks, ROWS + [(0, "cat", 1, 1, 2, 2)])
    document["images"].append({"id": 9, "file_name": "nowhere.png", "width": 5, "height": 5})
    document["annotations"] += [
        {"image_id": 9, "category_id": 1, "bbox": [1, 1, 1, 1]},
        {"image_id": 1, "category_id": 99, "bbox": [1, 1, 1, 1]},
        {"image_id": 1, "category_id": 1, "bbox": [1, 1, 0, 1]},
        {"image_id": 1, "category_id": 1, "bbox": [1, 1, 1, 1], "attributes": {"x": {}}}]
    answer = bring(world.admin, work.project_id, document)
    assert counts(answer) == (3, 0, 5)
    body = answer.json()
    assert [(e["place"], e["code"]) for e in body["errors"]] == [
        ("/annotations/3", "UNKNOWN_CLASS"), ("/annotations/4", "TASK_NOT_FOUND"),
        ("/annotations/5", "UNKNOWN_CATEGORY"), ("/annotations/6", "SHAPE_UNREADABLE"),
        ("/annotations/7", "INVALID_ATTRIBUTES")]
    assert all(e["message"] for e in body["errors"])
    assert body["unmatched"] == 1
    assert body["errors_by_code"]["UNKNOWN_CLASS"] == 1


def test_of_images_with_one_id_the_first_counts(world, work):
    document = coco_of(work.tasks, ROWS)
    document["images"].append({**document["images"][1], "id": 1})
    answer = bring(world.admin, work.project_id, document)
    assert counts(answer) == (3, 0, 1)
    assert [(e["place"], e["code"]) for e in answer.json()["errors"]] == [
        ("/images/2", "DUPLICATE_ID")]
    assert len(world.admin.annotations(work.tasks[0]["id"])) == 2


def test_a_long_name_of_a_class_is_told_cut_off(world, work):
    document = coco_of(work.tasks, [(0, "x" * 1_000_000, 1, 1, 2, 2)] * 40)
    answer = bring(world.admin, work.project_id, document)
    assert counts(answer) == (0, 0, 40)
    assert {e["code"] for e in answer.json()["errors"]} == {"UNKNOWN_CLASS"}
    assert len(answer.content) < 20_000


def test_matching_goes_by_display_id_then_path_then_name(world):
    project, dataset = world.project(), world.dataset()
    for path in ("one/a.png", "two/a.png", "two/b.png"):
        world.admin.upload(dataset["id"], path, images.png(seed=unique_seed()))
    world.link(dataset["id"], project["id"])
    tasks = {t["file_name"]: t for t in world.tasks_of(project["id"], 3)}

    def row(**match):
        return {"task_match": match, "class_name": "car",
                "geometry": {"kind": "bbox", "bbox": [0.1, 0.1, 0.2, 0.2]}}

    answer = bring(world.admin, project["id"], {
        "schema_version": "1.0", "annotations": [
            row(display_id=tasks["one/a.png"]["display_id"]),
            row(display_id=tasks["one/a.png"]["display_id"], file_path="two/a.png"),
            row(file_path="b.png"), row(file_path="a.png"), row()]}, "native_json")
    assert counts(answer) == (3, 0, 2)
    assert [(e["place"], e["code"]) for e in answer.json()["errors"]] == [
        ("/annotations/3", "TASK_AMBIGUOUS"), ("/annotations/4", "TASK_NOT_FOUND")]
    assert all(len(world.admin.annotations(t["id"])) == 1 for t in tasks.values())


def test_tasks_past_editing_and_held_ones_are_left_alone(world):
    work, task, annotator = world.started()
    document = coco_of([task], [(0, "car", 1, 1, 2, 2)])
    held = bring(world.admin, work.project_id, document).json()
    assert [e["code"] for e in held["errors"]] == ["TASK_LOCKED"]
    annotator.api.submit(task["id"])
    done = bring(world.admin, work.project_id, document).json()
    assert [e["code"] for e in done["errors"]] == ["TASK_NOT_EDITABLE"]
    assert world.admin.annotations(task["id"]) == []


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_an_archived_project_takes_nothing_in(world, work, dry_run):
    world.admin.patch("/projects/%d" % work.project_id, {"status": "archived"})
    refused = bring(world.admin, work.project_id, coco_of(work.tasks, ROWS), expect=409,
                    dry_run=dry_run)
    assert code_of(refused) == "PROJECT_ARCHIVED"


def test_what_a_finished_task_holds_already_is_no_error(world, work):
    document = coco_of(work.tasks, ROWS)
    bring(world.admin, work.project_id, document)
    annotator = world.member(work.project_id)
    for _ in work.tasks:
        annotator.api.submit(annotator.api.next(work.project_id).json()["id"])
    assert counts(bring(world.admin, work.project_id, document)) == (0, 3, 0)


def test_imports_at_once_double_nothing(world, work):
    document = coco_of(work.tasks, ROWS * 20)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(
            lambda _: bring(world.admin.with_token(world.admin.token), work.project_id, document),
            range(2)))
    assert sum(a.json()["imported"] for a in answers) == 60
    assert sum(a.json()["skipped"] for a in answers) == 60
    assert sum(len(world.admin.annotations(t["id"])) for t in work.tasks) == 60


def test_only_those_who_run_the_project_import(world, work):
    document = coco_of(work.tasks, ROWS)
    for role in ("viewer", "annotator", "reviewer"):
        person = world.member(work.project_id, role)
        assert code_of(bring(person.api, work.project_id, document, expect=403)) == "FORBIDDEN"
    bring(world.person("project_admin").api, work.project_id, document, expect=404)
    admin = world.member(work.project_id, "project_admin")
    assert counts(bring(admin.api, work.project_id, document)) == (3, 0, 0)


@pytest.mark.parametrize("params", [{"kind": "parquet"}, {"kind": "coco", "shapes": "circles"},
                                    {"kind": "coco", "dry_run": "perhaps"}])
def test_unknown_words_are_refused_with_what_is_allowed(world, work, params):
    answer = bring(world.admin, work.project_id, {}, expect=422, **params)
    assert error_locations(answer)[0][0] == "query"


@pytest.mark.parametrize("kind, document, code", [
    ("coco", b"[]", "INVALID_DOCUMENT"), ("coco", b'{"annotations": {}}', "INVALID_DOCUMENT"),
    ("coco", b'{"images": [{"id": 1, "file_name"', "INVALID_DOCUMENT"),
    ("coco", b"", "INVALID_DOCUMENT"),
    ("native_json", b'{"annotations": []}', "UNSUPPORTED_SCHEMA_VERSION"),
    ("native_json", b'{"schema_version": "2.0"}', "UNSUPPORTED_SCHEMA_VERSION"),
    ("yolo", b"", "INVALID_ARCHIVE"), ("voc", b"<annotation/>", "INVALID_ARCHIVE"),
    ("yolo", zipped({"labels/a.txt": ""}), "CLASS_LIST_MISSING"),
    ("yolo", zipped({"classes.txt": "car"})[:-20], "INVALID_ARCHIVE"),
    ("yolo", zipped({"classes.txt": "x" * (2 << 20)}), "CLASS_LIST_TOO_LARGE"),
    ("voc", zipped({"labels/a.txt": ""}), "INVALID_DOCUMENT")])
def test_a_document_that_is_none_is_refused_whole(world, work, kind, document, code):
    assert code_of(bring(world.admin, work.project_id, document, kind, 422)) == code


def test_the_documents_on_disk_go_again(world, work):
    bring(world.admin, work.project_id, coco_of(work.tasks, ROWS))
    bring(world.admin, work.project_id, b"[]", expect=422)
    folder = world.service.data / "imports"
    wait_until(lambda: not list(folder.iterdir()), 10, "an empty folder")


def test_the_first_annotation_starts_an_active_batch(world, work):
    path = "/projects/%d/batches" % work.project_id
    person = world.member(work.project_id)
    batch = world.admin.post(path, {"task_ids": [t["id"] for t in work.tasks],
                                    "annotator_id": person.id}, 201).json()
    one = "%s/%d" % (path, batch["id"])
    document = coco_of(work.tasks, ROWS)
    early = bring(world.admin, work.project_id, document)
    assert counts(early) == (0, 0, 3)
    assert set(early.json()["errors_by_code"]) == {"BATCH_NOT_OPEN"}
    world.admin.post(one + "/transition", {"target_status": "active"}, 200)
    assert counts(bring(world.admin, work.project_id, document)) == (3, 0, 0)
    assert world.admin.get(one).json()["status"] == "annotating"
