"""A name server that takes questions and never answers: who makes a webhook gets an answer, files
are looked at meanwhile, and other receivers are told without waiting."""

import concurrent.futures
import os
import socket
import subprocess

import pytest

from client import box
from review_work import SETTINGS
from waiting import wait_until
from webhook_receiver import Receiver
from world import World

ADDRESS = "127.0.0.153"
NAME = "silent.annolog.example"
# So that who waits for the resolver itself waits for five minutes.
RESOLVER = "nameserver %s\noptions timeout:30 attempts:5\n" % ADDRESS
INSIDE = 'mount --bind "$0" "$1" && shift && exec "$@"'
LOOKUPS = 6  # more than threads look at files
DEADLINE_S = 60


def asks_the_silent_one(resolver):
    """What a program begins with that has this file for its resolver's."""
    system = os.path.realpath("/etc/resolv.conf")
    launcher = ["unshare", "--mount", "sh", "-c", INSIDE, str(resolver), system]
    done = subprocess.run([*launcher, "true"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no file can be mounted here: " + done.stderr.strip())
    return launcher


class Silence:
    """The name server; knows how often it was asked."""

    def __init__(self):
        self.questions = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.questions.bind((ADDRESS, 53))
        except PermissionError:
            pytest.skip("only root may listen where name servers do")
        self.questions.setblocking(False)

    def was_asked(self):
        try:
            return NAME.split(".", maxsplit=1)[0].encode() in self.questions.recv(512)
        except BlockingIOError:
            return False


@pytest.fixture
def silence():
    made = Silence()
    yield made
    made.questions.close()


@pytest.fixture
def serve(make_service, silence, tmp_path):
    def serve(settings):
        resolver = tmp_path / "resolv.conf"
        resolver.write_text(RESOLVER, encoding="ascii")
        service = make_service(settings)
        service.launcher = asks_the_silent_one(resolver)
        return service.start()

    return serve


def make_webhook(api, project_id, url):
    body = {"project_id": project_id, "url": url, "events": ["task.approved"]}
    return api.post("/webhooks", body, 201, timeout=DEADLINE_S).json()


def test_a_webhook_to_a_silent_name_is_made_and_files_are_looked_at_meanwhile(serve, silence):
    service = serve({})
    world = World(service)
    project = world.project()
    dataset = world.dataset()
    with concurrent.futures.ThreadPoolExecutor(LOOKUPS) as others:
        made = [others.submit(make_webhook, world.admin, project["id"],
                              "http://%s/%d" % (NAME, at)) for at in range(LOOKUPS)]
        wait_until(silence.was_asked, DEADLINE_S, "the name server is asked")
        world.upload_images(dataset["id"], 2)
        assert not all(one.done() for one in made), "files waited for the names"
        assert len({one.result()["id"] for one in made}) == LOOKUPS
    assert service.stop() == 0


def test_others_are_told_while_a_receiver_has_a_silent_name(serve, silence):
    service = serve(SETTINGS)
    world = World(service)
    _, task, _ = world.in_review([box()])
    with Receiver() as healthy:
        lost = make_webhook(world.admin, task["project_id"], "http://%s/" % NAME)
        make_webhook(world.admin, task["project_id"], healthy.url)
        world.admin.approve(task["id"])
        wait_until(lambda: healthy.taken, DEADLINE_S, "the healthy one is told")
        path = "/webhooks/%d/deliveries" % lost["id"]
        delivery = world.admin.get(path).json()["items"][0]["delivery_id"]

        def attempts():
            return world.admin.get(path + "/" + delivery).json()["attempts"]

        wait_until(lambda: len(attempts()) >= 2, DEADLINE_S, "it is tried again")
        assert silence.was_asked()
        assert all("timed out" in one["error"] for one in attempts())
    assert service.stop() == 0
