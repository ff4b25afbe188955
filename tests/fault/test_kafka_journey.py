"""The README's first annotation, told to whichever node comes next while one of them is killed."""

import itertools

import requests

import images
from client import Api, box, md5, unique, unique_seed
from load import NOT_NOW
from waiting import wait_until
from world import World

JOURNEYS = 12
KILLED_AT = 5  # journeys before a node is killed; it comes back as many later
PATIENCE_S = 60


class AnyNode:
    """One caller who tells each call to the next node, without any word of where it was before, and
    asks on, under the same key, while the answer is "not now"."""

    def __init__(self, nodes, token):
        self.apis = itertools.cycle([Api(node, token) for node in nodes])

    def call(self, method, path, body=None, expect=(200, 201), **more):
        key = unique("step")
        heard = []

        def answered():
            try:
                answer = next(self.apis).call(method, path, None, key=key, timeout=15,
                                              **({"json": body} if body is not None else {}),
                                              **more)
            except requests.RequestException:
                return False
            heard[:] = [answer]
            return answer.status_code not in NOT_NOW

        wait_until(answered, PATIENCE_S, "%s %s is answered" % (method, path))
        assert heard[0].status_code in expect, "%s %s: %d %s" % (
            method, path, heard[0].status_code, heard[0].text[:500])
        return heard[0]

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more).json()

    def upload(self, dataset, name):
        data = images.png(64, 48, unique_seed())
        init = self.post("/datasets/%d/items/upload-init" % dataset, {
            "file_name": name, "file_size": len(data), "content_type": "image/png",
            "content_hash": md5(data)})

        next(self.apis).put_object(init, data)  # at the node that the URL names
        return self.post("/datasets/%d/items/upload-complete/%d" % (dataset, init["item_id"]))


def journey(caller):
    project = caller.post("/projects", {"name": unique("journey"),
                                        "classes_config": [{"name": "car"}]})["id"]
    dataset = caller.post("/datasets", {"name": unique("journey")})["id"]
    item = caller.upload(dataset, "one.png")
    assert item["status"] == "ready"
    assert caller.post("/datasets/%d/link" % dataset, {"project_id": project}) == {
        "created_tasks": 1, "existing_tasks": 0}
    task = caller.post("/tasks/next", {"project_id": project})["id"]
    done = caller.post("/tasks/%d/annotations" % task, {"shapes": [box("car")]})
    assert done["task"]["status"] == "submitted"
    assert caller.post("/tasks/%d/review/approve" % task)["status"] == "completed"
    coco = caller.call("GET", "/projects/%d/export" % project, params={"format": "coco"}).json()
    assert len(coco["annotations"]) == 1


def test_a_journey_over_alternating_nodes_while_one_is_killed(make_nodes, kafka):
    nodes = make_nodes(kafka.bootstrap)
    caller = AnyNode(nodes.all, World(nodes.all[0]).admin.token)
    for at in range(JOURNEYS):
        if at == KILLED_AT:
            nodes.all[1].kill9()
        if at == 2 * KILLED_AT:
            nodes.all[1].start()
        journey(caller)
    nodes.stop()
    nodes.verify_log()
    nodes.verify_rebuild()
