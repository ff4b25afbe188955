"""Export of 1,000,000 boxes as COCO, against COPY ... TO STDOUT of the same rows."""

import subprocess
import time
import urllib.request

import row
import tasks


def copy_out(env, project):
    began = time.monotonic()
    env.psql("-c", f"copy (select a.*, t.file_name, t.image_width, t.image_height "
             f"from {env.table('annotations')} a join {env.table('tasks')} t on t.id = a.task_id "
             f"where t.project_id = {project.id} and a.deleted_at_ms is null "
             "order by t.id, a.id) to stdout", stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def export(env, project):
    """(seconds, seconds until the first byte, MiB that the service grew, MiB read)."""
    request = urllib.request.Request(
        f"{env.service.url}/api/v1/projects/{project.id}/export?format=coco",
        headers={"Authorization": "Bearer " + env.token})
    before = env.memory_mib()
    env.forget_peak()
    began = time.monotonic()
    with urllib.request.urlopen(request, timeout=3600) as answer:
        size = len(answer.read(1))
        first = time.monotonic() - began
        while piece := answer.read(1 << 20):
            size += len(piece)
    took = time.monotonic() - began
    return took, first, env.memory_mib(peak=True) - before, size / (1 << 20)


def run(env):
    project = tasks.annotated(env)
    env.query(f"analyze {env.table('annotations')}")
    pairs = row.sample(env.samples, lambda: copy_out(env, project), lambda: export(env, project))
    boxes = project.count * tasks.BOXES
    notes = {"boxes": boxes, "mib": pairs[0][1][3]}
    return [
        row.Row(f"export of {boxes:,} boxes as COCO", "COPY TO STDOUT of the same rows", "s",
                [(copied, one[0]) for copied, one in pairs], 3, more_is_better=False, notes=notes),
        row.Row("first byte of that export", "the whole of it", "s",
                [(one[0], one[1]) for _, one in pairs], 0.05, more_is_better=False),
        row.Row("memory rise during it", "", "MiB", [(1, one[2]) for _, one in pairs], 64,
                more_is_better=False),
    ]
