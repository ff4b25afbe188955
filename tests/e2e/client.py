"""A small client of the REST interface: every call says which status it expects."""

import datetime
import hashlib
import itertools
import os
import re
import urllib.parse
import uuid

import requests

from waiting import wait_until

_numbers = itertools.count(1)
_run = uuid.uuid4().hex[:8]


def unique(prefix="x"):
    """A name that no other test, run or process has."""
    return "%s-%s-%d-%d" % (prefix, _run, os.getpid(), next(_numbers))


def unique_seed():
    """A number for image bytes nobody else has in this process."""
    return next(_numbers)


def now(ahead_s=0):
    """This moment, or one near it, as the service writes times."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=ahead_s)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def md5(data):
    return hashlib.md5(data).hexdigest()


def box(class_name="car", x=0.1, y=0.2, width=0.3, height=0.4, **more):
    return {"type": "bbox", "class_name": class_name,
            "geometry": {"x": x, "y": y, "width": width, "height": height}, **more}


def polygon(class_name="car", points=((0.1, 0.1), (0.9, 0.1), (0.5, 0.8)), **more):
    return {"type": "polygon", "class_name": class_name,
            "geometry": {"points": [list(p) for p in points]}, **more}


def code_of(answer):
    """detail.code of an error answer; None when detail is plain text."""
    detail = answer.json().get("detail")
    return detail.get("code") if isinstance(detail, dict) else None


def error_locations(answer):
    """The loc of every error of a 422, as tuples."""
    detail = answer.json()["detail"]
    assert detail["code"] == "VALIDATION_ERROR", detail
    for error in detail["errors"]:
        assert {"loc", "msg", "type"} <= set(error), error
    return [tuple(error["loc"]) for error in detail["errors"]]


def without_link(task):
    """The task's facts. Its signed link is another one every five minutes."""
    return {name: value for name, value in task.items() if name != "file_url"}


class Api:
    """Calls as one user (or nobody). Paths are below /api/v1 unless root=True."""

    def __init__(self, service, token=None):
        self.service = service
        self.token = token
        self.session = requests.Session()
        self.session.trust_env = False

    def url(self, path, root=False):
        return self.service.base_url + ("" if root else "/api/v1") + path

    def call(self, method, path, expect=None, *, root=False, headers=None, key=None, timeout=30,
             **more):
        """Sends one request. expect: a status or a tuple of them; None takes any."""
        sent = {}
        if self.token:
            sent["Authorization"] = "Bearer " + self.token
        if key:
            sent["Idempotency-Key"] = key
        sent.update(headers or {})
        answer = self.session.request(
            method, self.url(path, root), headers=sent, timeout=timeout, allow_redirects=False,
            **more,
        )
        if expect is not None:
            allowed = expect if isinstance(expect, tuple) else (expect,)
            assert answer.status_code in allowed, "%s %s answered %d, expected %s: %s" % (
                method, path, answer.status_code, expect, answer.text[:2000])
        return answer

    def get(self, path, expect=200, **more):
        return self.call("GET", path, expect, **more)

    def get_when_shown(self, path, **more):
        """As the service asks of clients: what it can't show yet it is asked for again."""
        def shown():
            answer = self.get(path, (200, 503), **more)
            if answer.status_code == 200:
                return answer
            assert code_of(answer) == "READ_MODEL_BEHIND", answer.text
            return None

        return wait_until(shown, 60, "%s can be shown" % path)

    def post(self, path, body=None, expect=(200, 201, 202, 204), **more):
        return self.call("POST", path, expect, **_with_body(body, more))

    def patch(self, path, body=None, expect=200, **more):
        return self.call("PATCH", path, expect, **_with_body(body, more))

    def delete(self, path, expect=204, **more):
        return self.call("DELETE", path, expect, **more)

    def with_token(self, token):
        return Api(self.service, token)

    def login(self, username, password, expect=200):
        return self.post("/auth/login", {"username": username, "password": password}, expect)

    # --- walks ---

    def all_pages(self, path, params=None, limit=50):
        """Every item of a cursor list, in order."""
        items, cursor = [], None
        while True:
            asked = dict(params or {}, limit=limit)
            if cursor:
                asked["cursor"] = cursor
            page = self.get(path, params=asked).json()
            assert len(page["items"]) <= limit
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return items

    # --- objects ---

    def upload_init(self, dataset_id, name, data, content_type="image/png", expect=201, **more):
        body = {"file_name": name, "file_size": len(data), "content_type": content_type, **more}
        return self.post("/datasets/%d/items/upload-init" % dataset_id, body, expect)

    def put_object(self, init, data, expect=(200, 201, 204), **more):
        """PUTs bytes to a signed URL, as a browser would: no token."""
        return self.signed(init.get("method", "PUT"), init["upload_url"], expect, data=data,
                           headers=init.get("headers") or {}, **more)

    def signed(self, method, url, expect=None, headers=None, **more):
        full = urllib.parse.urljoin(self.service.base_url + "/", url)
        answer = requests.request(method, full, headers=headers, timeout=30, **more)
        if expect is not None:
            allowed = expect if isinstance(expect, tuple) else (expect,)
            assert answer.status_code in allowed, "%s signed URL answered %d: %s" % (
                method, answer.status_code, answer.text[:500])
        return answer

    def upload_complete(self, dataset_id, item_id, expect=200):
        path = "/datasets/%d/items/upload-complete/%d" % (dataset_id, item_id)
        return self.post(path, None, expect)

    def upload(self, dataset_id, name, data, content_type="image/png"):
        """The three steps of an upload; returns the ready item."""
        init = self.upload_init(dataset_id, name, data, content_type,
                                content_hash=md5(data)).json()
        self.put_object(init, data)
        return self.upload_complete(dataset_id, init["item_id"]).json()

    # --- what an operator sees ---

    def metric(self, name, **labels):
        """The value of a metric with these labels."""
        text = self.get("/metrics", root=True).text
        if labels:
            name += "{%s}" % ",".join('%s="%s"' % each for each in sorted(labels.items()))
        return float(re.search(r"^%s (\S+)$" % re.escape(name), text, re.M).group(1))

    # --- tasks ---

    def next(self, project_id, expect=200, batch_id=None, **more):
        body = {"project_id": project_id}
        if batch_id is not None:
            body["batch_id"] = batch_id
        return self.post("/tasks/next", body, expect, **more)

    def task(self, task_id):
        return self.get("/tasks/%d" % task_id).json()

    def submit(self, task_id, shapes=(), expect=201, **more):
        path = "/tasks/%d/annotations" % task_id
        return self.post(path, {"shapes": list(shapes)}, expect, **more)

    def save(self, task_id, shapes, expect=201, **more):
        """Adds shapes without submitting."""
        return self.submit(task_id, shapes, expect, params={"submit": "false"}, **more)

    def annotations(self, task_id):
        return self.all_pages("/tasks/%d/annotations/page" % task_id, limit=1000)

    def approve(self, task_id, expect=200):
        return self.post("/tasks/%d/review/approve" % task_id, None, expect)

    def reject(self, task_id, reason_type="missing", reason="look again", expect=200):
        body = {"reason_type": reason_type, "reason": reason}
        return self.post("/tasks/%d/review/reject" % task_id, body, expect)


def _with_body(body, more):
    if body is not None:
        more["json"] = body
    return more
