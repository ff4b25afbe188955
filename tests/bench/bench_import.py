"""Import of a COCO document of some 500 MB, against the bytes being parsed by this program."""

import http.client
import json
import os
import tempfile
import time
import urllib.parse

import row
import tasks

ROWS = 2_200_000  # some 235 bytes each: 500 MB
BOXES_A_TASK = 30


def write_document(file, project, rows):
    """Boxes of all tasks, one after the other; images are called by their display ids' files."""
    file.write('{"images":[')
    for at in range(project.count):
        image = {"id": at, "file_name": f"{at:07}.png", "width": 1920, "height": 1080}
        file.write((",\n" if at else "") + json.dumps(image))
    file.write('],"categories":[{"id":1,"name":"car"}],"annotations":[')
    for at in range(rows):
        x, y = (at * 37) % 1500 + at / rows, (at * 53) % 800 + 0.25
        box = {"id": at, "image_id": at % project.count, "category_id": 1, "iscrowd": 0,
               "bbox": [x, y, 100.5, 60.125], "area": 6042.5625,
               "segmentation": [[x, y, x + 100.5, y, x + 100.5, y + 60.125]]}
        file.write((",\n" if at else "") + json.dumps(box))
    file.write("]}\n")
    file.flush()


def parse(path):
    """Seconds that a whole parse takes."""
    began = time.monotonic()
    with open(path, encoding="utf-8") as file:
        json.load(file)
    return time.monotonic() - began


def bring(env, project, path):
    """(seconds, MiB that the service grew, the answer)."""
    url = urllib.parse.urlsplit(env.service.url)
    before = env.memory_mib()
    env.forget_peak()
    began = time.monotonic()
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=3600)
    with open(path, "rb") as body:
        connection.request("POST", f"/api/v1/projects/{project.id}/annotations/import?format=coco",
                           body, {"Authorization": "Bearer " + env.token,
                                  "Content-Type": "application/json",
                                  "Content-Length": str(os.path.getsize(path))})
        answer = json.loads(connection.getresponse().read())
    took = time.monotonic() - began
    return took, env.memory_mib(peak=True) - before, answer


def run(env):
    rows = env.size(ROWS, 3_000)
    count = max(1, rows // BOXES_A_TASK)
    first, again = [], []
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        for at in range(env.samples):
            project = tasks.make_tasks(env, count)  # of images that are called the same each time
            if at == 0:
                write_document(file, project, rows)
                env.service.stop()  # what it keeps of earlier work would hide what this takes
                env.service.start()
                env.sign_in()
            parsed = parse(file.name)
            took, rise, answer = bring(env, project, file.name)
            took_again, _, answer_again = bring(env, project, file.name)
            if (answer.get("imported"), answer_again.get("skipped")) != (rows, rows):
                raise RuntimeError(f"not all rows were imported: {answer}, then {answer_again}")
            first.append((parsed, took))
            again.append((parsed, took_again))
            if at == 0:
                risen = rise
        mib = os.path.getsize(file.name) / (1 << 20)
    return [
        row.Row(f"import of {rows:,} COCO boxes, {mib:.0f} MiB",
                "Python's json.load of the document", "s", first, 20, more_is_better=False,
                notes={"rows": rows, "mib": mib}),
        row.Row("the same document once more", "Python's json.load of the document", "s", again,
                20, more_is_better=False),
        row.Row("memory rise during the import", "", "MiB", [(1, risen)], 256,
                more_is_better=False),
    ]
