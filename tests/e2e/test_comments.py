"""Comments on tasks (specification, Tasks; decisions, section 5)."""

import pytest

from client import box, code_of, error_locations, unique
from commenting import Case, bodies, comments, path_of, say
from waiting import wait_until
from world import World


@pytest.fixture
def case(world):
    return Case(world)


# --- writing and reading ---

def test_a_comment_is_shown_with_its_author(case):
    made = say(case.annotator.api, case.task_id, "Is this a car?").json()
    assert made == {
        "id": made["id"], "task_id": case.task_id, "project_id": case.project_id,
        "annotation_id": None, "author_id": case.annotator.id,
        "author": {"id": case.annotator.id, "name": "Name of " + case.annotator.username,
                   "username": case.annotator.username},
        "body": "Is this a car?", "mentions": [], "created_at": made["created_at"]}
    assert made["created_at"].endswith("Z")
    for reader in (case.annotator, case.owner, case.member("viewer")):
        assert comments(reader.api, case.task_id) == [made]
    assert comments(case.owner.api, case.other_task_id) == []


def test_a_writer_reads_what_it_wrote(case):
    for number in range(20):
        made = say(case.annotator.api, case.task_id, "number %d" % number)
        assert made.headers["X-Event-Position"]
        assert bodies(case.annotator.api, case.task_id)[-1] == "number %d" % number
        other = case.owner.api.get(
            path_of(case.task_id), headers={"X-Event-Position": made.headers["X-Event-Position"]})
        assert other.json()["items"][-1] == made.json()


@pytest.mark.parametrize("body", [
    "\u00e4\u00f6 \u4f60\u597d \U0001f600\U0001f1e8\U0001f1ed", "a\nb\r\n\tc", " x ",
    "'; DROP TABLE comments; --", "<b>&amp;</b>", "\\u0041 \" %s {}", "e\u0301 \u202e\u05d0", "x",
    pytest.param("\u00e4" * 5000, id="5000"), pytest.param("\U0001f600" * 5000, id="5000-wide")])
def test_text_comes_back_as_it_was_sent(case, body):
    assert say(case.annotator.api, case.task_id, body).json()["body"] == body
    assert bodies(case.annotator.api, case.task_id) == [body]


@pytest.mark.parametrize("body, where", [
    ({}, "body"), ({"body": ""}, "body"), ({"body": None}, "body"), ({"body": 7}, "body"),
    pytest.param({"body": "x" * 5001}, "body", id="5001"),
    pytest.param({"body": "\U0001f600" * 5001}, "body", id="5001-wide"),
    ({"body": " \n\t "}, "body"), ({"body": "x", "annotation_id": 0}, "annotation_id"),
    ({"body": "x", "annotation_id": "7"}, "annotation_id"),
    ({"body": "x", "annotation_id": 999999999}, "annotation_id"),
])
def test_a_bad_comment_is_refused_with_its_field(case, body, where):
    answer = case.annotator.api.post(path_of(case.task_id), body, 422)
    assert ("body", where) in error_locations(answer)
    assert comments(case.annotator.api, case.task_id) == []


def test_a_comment_does_not_change_its_task(case):
    before = case.annotator.api.get("/tasks/%d" % case.task_id)
    say(case.annotator.api, case.task_id)
    after = case.annotator.api.get("/tasks/%d" % case.task_id)
    assert after.headers["ETag"] == before.headers["ETag"]
    assert after.json()["updated_at"] == before.json()["updated_at"]


def test_any_status_and_lock_of_the_task_will_do(world):
    work, task, annotator = world.started()
    other = world.member(work.project_id)
    reviewer = world.member(work.project_id, "reviewer")
    say(other.api, task["id"], "while it is locked")
    annotator.api.submit(task["id"], [box()])
    say(annotator.api, task["id"], "submitted")
    reviewer.api.approve(task["id"])
    say(other.api, task["id"], "completed")
    assert bodies(reviewer.api, task["id"]) == ["while it is locked", "submitted", "completed"]


def test_a_retry_with_its_key_gives_the_same_comment(case):
    key = unique("key")
    first = say(case.annotator.api, case.task_id, "once @%s" % case.owner.username, key=key)
    again = say(case.annotator.api, case.task_id, "once @%s" % case.owner.username, key=key)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(comments(case.annotator.api, case.task_id)) == 1
    other = say(case.annotator.api, case.task_id, "twice", 422, key=key)
    assert code_of(other) == "IDEMPOTENCY_KEY_REUSED"


# --- pages ---

def test_pages_go_from_the_oldest_to_the_newest(case):
    said = [say(case.annotator.api, case.task_id, "n%d" % at).json() for at in range(23)]
    for limit in (1, 7, 22, 23, 200):
        assert comments(case.owner.api, case.task_id, limit=limit) == said
    assert [c["created_at"] for c in said] == sorted(c["created_at"] for c in said)
    page = case.owner.api.get(path_of(case.task_id), params={"limit": 23}).json()
    assert page["next_cursor"] is None
    default = case.owner.api.get(path_of(case.task_id)).json()
    assert len(default["items"]) == 23


def test_a_cursor_goes_on_where_the_list_has_changed(case):
    said = [say(case.annotator.api, case.task_id, "n%d" % at).json() for at in range(6)]
    page = case.owner.api.get(path_of(case.task_id), params={"limit": 3}).json()
    case.annotator.api.delete(path_of(case.task_id, said[1]["id"]))
    case.annotator.api.delete(path_of(case.task_id, said[4]["id"]))
    said.append(say(case.annotator.api, case.task_id, "n6").json())
    rest = case.owner.api.get(path_of(case.task_id),
                              params={"limit": 50, "cursor": page["next_cursor"]}).json()
    assert rest["items"] == [said[3], said[5], said[6]]


@pytest.mark.parametrize("params, where", [
    ({"limit": 0}, "limit"), ({"limit": 201}, "limit"), ({"limit": "x"}, "limit"),
    ({"annotation_id": "x"}, "annotation_id"), ({"annotation_id": 0}, "annotation_id"),
])
def test_a_bad_query_is_refused_with_its_field(case, params, where):
    answer = case.owner.api.get(path_of(case.task_id), 422, params=params)
    assert ("query", where) in error_locations(answer)


def test_a_foreign_cursor_is_refused(case):
    for at in range(2):
        say(case.annotator.api, case.task_id, "n%d" % at)
    cursor = case.owner.api.get(path_of(case.task_id), params={"limit": 1}).json()["next_cursor"]
    for api, task_id in ((case.owner.api, case.other_task_id), (case.annotator.api, case.task_id)):
        answer = api.get(path_of(task_id), 422, params={"cursor": cursor})
        assert code_of(answer) == "INVALID_CURSOR"
    answer = case.owner.api.get(path_of(case.task_id), 422, params={"cursor": cursor + "x"})
    assert code_of(answer) == "INVALID_CURSOR"


# --- about an annotation ---

@pytest.fixture
def drawn(world):
    """A task with two annotations: (work, task id, annotations, annotator)."""
    work, task, annotator = world.started()
    made = annotator.api.save(task["id"], [box(), box("person")]).json()["annotations"]
    return work, task["id"], made, annotator


def test_a_comment_may_be_about_an_annotation(drawn):
    _, task_id, (one, two), annotator = drawn
    say(annotator.api, task_id, "the task")
    for annotation in (one, two, one):
        made = say(annotator.api, task_id, "of %d" % annotation["id"],
                   annotation_id=annotation["id"]).json()
        assert made["annotation_id"] == annotation["id"]
    assert len(comments(annotator.api, task_id)) == 4
    of_one = comments(annotator.api, task_id, limit=1, annotation_id=one["id"])
    assert [c["annotation_id"] for c in of_one] == [one["id"]] * 2
    assert bodies(annotator.api, task_id, annotation_id=two["id"]) == ["of %d" % two["id"]]
    assert bodies(annotator.api, task_id, annotation_id=999999999) == []


def test_a_comment_on_a_deleted_annotation_is_refused_but_older_ones_stay(drawn):
    _, task_id, (one, _), annotator = drawn
    say(annotator.api, task_id, "before", annotation_id=one["id"])
    annotator.api.delete("/tasks/%d/annotations/%d" % (task_id, one["id"]))
    answer = say(annotator.api, task_id, "after", 422, annotation_id=one["id"])
    assert error_locations(answer) == [("body", "annotation_id")]
    assert bodies(annotator.api, task_id, annotation_id=one["id"]) == ["before"]
    annotator.api.post("/tasks/%d/annotations/%d/restore" % (task_id, one["id"]), None, 200)
    say(annotator.api, task_id, "again", annotation_id=one["id"])
    assert bodies(annotator.api, task_id, annotation_id=one["id"]) == ["before", "again"]


def test_an_annotation_of_another_task_is_refused(world, drawn):
    _, _, (one, _), _ = drawn
    _, other_task, other = world.started()
    answer = say(world.admin, other_task["id"], "x", 422, annotation_id=one["id"])
    assert error_locations(answer) == [("body", "annotation_id")]
    assert comments(other.api, other_task["id"]) == []


# --- deleting ---

def test_a_deleted_comment_leaves_the_list(case):
    one = say(case.annotator.api, case.task_id, "one").json()
    say(case.annotator.api, case.task_id, "two")
    path = path_of(case.task_id, one["id"])
    assert case.annotator.api.delete(path).content == b""
    assert bodies(case.annotator.api, case.task_id) == ["two"]
    case.annotator.api.delete(path, 404)
    case.owner.api.delete(path, 404)


def test_who_may_delete_a_comment(case):
    others = [case.member(), case.member("reviewer"), case.member("project_admin"),
              case.member("viewer")]
    for deleter in (case.annotator.api, case.owner.api, case.world.admin):
        made = say(case.annotator.api, case.task_id).json()
        path = path_of(case.task_id, made["id"])
        for other in others:
            assert code_of(other.api.delete(path, 403)) == "FORBIDDEN"
        case.world.person("project_admin").api.delete(path, 404)
        deleter.delete(path)
    assert comments(case.owner.api, case.task_id) == []


def test_a_comment_is_found_only_under_its_own_task(case):
    made = say(case.annotator.api, case.task_id).json()
    case.annotator.api.delete(path_of(case.other_task_id, made["id"]), 404)
    case.annotator.api.delete(path_of(case.task_id, made["id"] + 1_000_000), 404)
    case.annotator.api.delete(path_of(999999999, made["id"]), 404)
    assert comments(case.annotator.api, case.task_id) == [made]


def test_a_deletion_is_repeated_by_its_key(case):
    made = say(case.annotator.api, case.task_id).json()
    key = unique("key")
    case.annotator.api.delete(path_of(case.task_id, made["id"]), key=key)
    again = case.annotator.api.delete(path_of(case.task_id, made["id"]), key=key)
    assert again.headers["Idempotency-Replayed"] == "true"


# --- who may ---

def test_viewers_read_and_strangers_see_nothing(case):
    made = say(case.annotator.api, case.task_id).json()
    viewer = case.member("viewer")
    assert comments(viewer.api, case.task_id) == [made]
    for body in ("x", "@" + case.owner.username):
        assert code_of(say(viewer.api, case.task_id, body, 403)) == "FORBIDDEN"
    stranger = case.world.person("project_admin")
    stranger.api.get(path_of(case.task_id), 404)
    for body in ("x", "@" + case.owner.username):
        foreign = say(stranger.api, case.task_id, body, 404)
        absent = say(stranger.api, 999999999, body, 404)
        assert foreign.json()["detail"] == absent.json()["detail"]
    case.world.nobody.get(path_of(case.task_id), 401)


def test_an_archived_project_takes_no_comments_and_keeps_those_it_has(case):
    made = say(case.annotator.api, case.task_id).json()
    case.owner.api.patch("/projects/%d" % case.project_id, {"status": "archived"})
    for body in ("x", "@" + case.owner.username):
        assert code_of(say(case.owner.api, case.task_id, body, 409)) == "PROJECT_ARCHIVED"
        say(case.annotator.api, case.task_id, body, 404)
    answer = case.owner.api.delete(path_of(case.task_id, made["id"]), 409)
    assert code_of(answer) == "PROJECT_ARCHIVED"
    assert comments(case.owner.api, case.task_id) == [made]
    case.annotator.api.get(path_of(case.task_id), 404)


def test_an_erased_author_is_named_no_more(case):
    author = case.member()
    made = say(author.api, case.task_id).json()
    case.world.admin.post("/users/%d/erase" % author.id, {"reason": "asked for it"})

    def nameless():
        found = comments(case.owner.api, case.task_id)[0]
        return found["author"]["name"] == "" and found

    found = wait_until(nameless, 10, "the author's name to go")
    assert found["author"] == {"id": author.id, "name": "", "username": ""}
    assert found["body"] == made["body"]


def test_comments_outlive_a_restart(make_service):
    service = make_service().start()  # its own
    world = World(service)
    case = Case(world)
    kept = say(case.annotator.api, case.task_id, "kept @%s" % case.owner.username).json()
    gone = say(case.annotator.api, case.task_id, "gone").json()
    case.annotator.api.delete(path_of(case.task_id, gone["id"]))
    service.restart()
    world.login_admin()
    assert comments(world.admin, case.task_id) == [kept]
    later = say(world.admin, case.task_id, "later").json()
    assert later["id"] > gone["id"]
    assert comments(world.admin, case.task_id) == [kept, later]
