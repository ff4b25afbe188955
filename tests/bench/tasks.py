"""Projects with tasks, for rows that need them."""

import os
import struct
import zlib

ITEMS_PER_CALL = 10_000


def tiny_png(number):
    """A 1 x 1 PNG whose bytes differ by number."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    pixel = zlib.compress(b"\0" + struct.pack(">I", number)[1:])
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"tEXt", b"n\0" + str(number).encode()) + chunk(b"IDAT", pixel) +
            chunk(b"IEND", b""))


def put_objects(env, name, count):
    """Files in the object store, below a folder of that name; returns their keys."""
    folder = os.path.join(env.data, "objects", name)
    os.makedirs(folder, exist_ok=True)
    keys = []
    for number in range(count):
        file_name = f"{number:07}.png"
        with open(os.path.join(folder, file_name), "wb") as file:
            file.write(tiny_png(number))
        keys.append(f"{name}/{file_name}")
    return keys


def make_project(env, name, count):
    """A project with one class and `count` tasks from registered items; returns (id, task ids)."""
    project = env.call("POST", "/projects", {
        "name": name, "classes_config": [{"name": "car", "color": "#ff0000", "aliases": []}]})
    dataset = env.call("POST", "/datasets", {"name": name})
    keys = put_objects(env, name, count)
    for start in range(0, count, ITEMS_PER_CALL):
        items = [{"file_name": os.path.basename(key), "file_path": key, "width": 1, "height": 1}
                 for key in keys[start:start + ITEMS_PER_CALL]]
        answer = env.call("POST", f"/datasets/{dataset['id']}/items/bulk", {"items": items})
        if answer["errors"] or answer["duplicates"]:
            raise RuntimeError(f"items were refused: {answer}")
    env.call("POST", f"/datasets/{dataset['id']}/link", {"project_id": project["id"]}, 1800)
    return project["id"], task_ids(env, project["id"], count)


def task_ids(env, project_id, expected):
    found, cursor = [], ""
    while True:
        page = env.call("GET", f"/tasks?project_id={project_id}&limit=200{cursor}")
        found += [task["id"] for task in page["items"]]
        if not page["next_cursor"]:
            break
        cursor = "&cursor=" + page["next_cursor"]
    if len(found) != expected:
        raise RuntimeError(f"{len(found)} tasks instead of {expected}")
    return found
