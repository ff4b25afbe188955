"""The end of a project (specification, Projects; decisions, sections 1 and 2)."""

import threading

import pytest

import images
from client import code_of, unique, unique_seed
from waiting import wait_until
from world import World


def path_of(project):
    return "/projects/%d" % project["id"]


def expect_gone(world, project, *people):
    path = path_of(project)
    for api in [world.admin, *(person.api for person in people)]:
        api.get(path, 404)
        api.patch(path, {"description": "x"}, 404)
        api.patch(path, {"name": unique("x")}, 404)
        api.get(path + "/members", 404)
        api.get(path + "/datasets", 404)
        api.get(path + "/export", 404, params={"format": "coco"})
        api.post("/tasks/next", {"project_id": project["id"]}, 404)
        assert project["id"] not in [p["id"] for p in api.all_pages("/projects", limit=200)]
    world.admin.delete(path, 404)
    world.admin.post(path + "/transfer", {"new_owner_id": world.admin_id}, 404)
    world.admin.post(path + "/guide-assets/upload-init", {
        "file_name": "a.png", "content_type": "image/png", "size": 10}, 404)
    body = {"user_id": world.admin_id, "role": "viewer"}
    world.admin.post(path + "/members", body, 404)


def test_a_deleted_project_is_gone_for_everyone(world):
    owner = world.person("project_admin")
    project = world.project(by=owner.api)
    member = world.member(project["id"], "annotator")
    answer = world.admin.delete(path_of(project))
    assert answer.content == b""
    assert answer.headers["X-Event-Position"]
    expect_gone(world, project, owner, member)
    foreign = owner.api.get(path_of(project), 404).json()["detail"]
    assert foreign == owner.api.get("/projects/999999999", 404).json()["detail"]


def test_its_name_is_free_at_once_and_its_id_is_not(world):
    project = world.project()
    for _ in range(3):
        world.admin.delete(path_of(project))
        again = world.admin.post("/projects", {"name": project["name"]}, 201).json()
        assert again["id"] > project["id"]
        assert again["member_count"] == 0
        project = again


def test_tasks_must_be_removed_first(world):
    work = world.work(2)
    path = "/projects/%d" % work.project_id
    answer = world.admin.delete(path, 409)
    assert code_of(answer) == "PROJECT_HAS_TASKS"
    assert answer.json()["detail"]["task_count"] == 2
    world.admin.get(path)
    assert len(world.tasks_of(work.project_id, 2)) == 2


def test_links_without_tasks_go_with_it(world):
    project, other = world.project(), world.project()
    member = world.member(project["id"], "viewer")
    dataset = world.dataset()
    path = "/datasets/%d" % dataset["id"]
    for one in (project, other):
        world.link(dataset["id"], one["id"])
    member.api.get(path)
    assert world.admin.get(path).json()["linked_project_count"] == 2
    world.admin.delete(path_of(project))
    assert world.admin.get(path).json()["linked_project_count"] == 1
    member.api.get(path, 404)
    # What comes later becomes tasks of the other project only.
    world.upload_images(dataset["id"], 2)
    assert len(world.tasks_of(other["id"], 2)) == 2
    linked = world.admin.get(path_of(other) + "/datasets").json()["items"]
    assert [one["id"] for one in linked] == [dataset["id"]]


def test_a_dataset_can_not_be_linked_to_it_any_more(world):
    project, dataset = world.project(), world.dataset()
    world.admin.delete(path_of(project))
    world.admin.post("/datasets/%d/link" % dataset["id"], {"project_id": project["id"]}, 404)
    assert world.admin.get("/datasets/%d" % dataset["id"]).json()["linked_project_count"] == 0


def test_links_and_the_deletion_at_once_leave_no_link_behind(world):
    project = world.project()
    datasets = [world.dataset()["id"] for _ in range(6)]
    codes = []

    def link(dataset_id):
        api = world.admin.with_token(world.admin.token)  # a connection of its own
        answer = api.post("/datasets/%d/link" % dataset_id, {"project_id": project["id"]},
                          (200, 202, 404))
        codes.append(answer.status_code)

    threads = [threading.Thread(target=link, args=(dataset_id,)) for dataset_id in datasets]
    for thread in threads:
        thread.start()
    world.admin.delete(path_of(project))
    for thread in threads:
        thread.join()
    assert len(codes) == len(datasets)
    for dataset_id in datasets:
        def unlinked(path="/datasets/%d" % dataset_id):
            return world.admin.get(path).json()["linked_project_count"] == 0
        wait_until(unlinked, 20, "dataset %d without links" % dataset_id)


def test_the_version_that_was_seen_counts(world):
    project = world.project()
    path = path_of(project)
    tag = world.admin.get(path).headers["ETag"]
    world.admin.patch(path, {"description": "changed"})
    world.admin.delete(path, 412, headers={"If-Match": tag})
    world.admin.get(path)
    world.admin.delete(path, headers={"If-Match": world.admin.get(path).headers["ETag"]})


def test_only_a_super_admin_deletes(world):
    owner = world.person("project_admin")
    project = world.project(by=owner.api)
    member = world.member(project["id"], "project_admin")
    for person in (owner, member):
        assert code_of(person.api.delete(path_of(project), 403)) == "FORBIDDEN"
    world.person("project_admin").api.delete(path_of(project), 404)
    world.nobody.delete(path_of(project), 401)
    world.admin.get(path_of(project))


def test_a_retry_with_the_same_key_is_answered_alike(world):
    project, key = world.project(), unique("key")
    world.admin.delete(path_of(project), key=key)
    again = world.admin.delete(path_of(project), key=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    world.admin.delete(path_of(project), 404)


def test_a_retried_creation_of_what_was_deleted_makes_nothing(world):
    body, key = {"name": unique("once")}, unique("key")
    made = world.admin.post("/projects", body, 201, key=key).json()
    world.admin.delete(path_of(made))
    world.admin.post("/projects", body, 404, key=key)
    names = [p["name"] for p in world.admin.all_pages("/projects", limit=200)]
    assert body["name"] not in names


def test_an_archived_project_can_be_deleted(world):
    project = world.project()
    world.admin.patch(path_of(project), {"status": "archived"})
    world.admin.delete(path_of(project))
    expect_gone(world, project)


def test_the_guides_bytes_go_too(world):
    project = world.project()
    data = images.png(seed=unique_seed())
    path = path_of(project) + "/guide-assets/"
    init = world.admin.post(path + "upload-init", {
        "file_name": "a.png", "content_type": "image/png", "size": len(data)}, 201).json()
    world.admin.put_object(init, data)
    asset = {"asset_id": init["asset_id"]}
    world.admin.post(path + "upload-complete", asset, 200)
    url = world.admin.post(path + "sign-url", asset, 200).json()["url"]
    world.admin.signed("GET", url, 200)
    world.admin.delete(path_of(project))
    world.admin.signed("GET", url, 404)
    world.admin.post(path + "sign-url", asset, 404)


@pytest.mark.parametrize("how", ["kill", "restart"])
def test_it_lasts_over_a_restart(make_service, how):
    service = make_service().start()
    world = World(service)
    project, dataset = world.project(), world.dataset()
    world.link(dataset["id"], project["id"])
    world.admin.delete(path_of(project))
    if how == "kill":
        service.kill9()
        service.start()
    else:
        service.restart()
    world.login_admin()
    expect_gone(world, project)
    assert world.admin.get("/datasets/%d" % dataset["id"]).json()["linked_project_count"] == 0
    world.admin.post("/projects", {"name": project["name"]}, 201)
