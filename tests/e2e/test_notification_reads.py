"""What people do with what they are told: read it, page through it, turn types of it off; and that
it lasts (decisions, section 8)."""

import concurrent.futures

import pytest

from client import box, code_of, error_locations, unique
from commenting import say
from notified import ALL, PATH, Reviewed, mute, read, read_all, told, types, unread_count
from postgres import run_sql
from waiting import wait_until
from world import World


@pytest.fixture
def case(world):
    return Reviewed(world)


# --- what was read ---

def test_one_is_read_and_stays_read(case):
    first, second = case.mentions(2)
    assert unread_count(case.watcher) == 2
    answer = read(case.watcher, first)
    assert "X-Event-Position" in answer.headers
    got = answer.json()
    assert got["read_at"] is not None
    assert {**got, "read_at": None} == first
    assert unread_count(case.watcher) == 1
    assert told(case.watcher) == [second, got]
    assert told(case.watcher, unread="true") == [second]
    assert told(case.watcher, unread="false") == [got]
    assert read(case.watcher, first).json() == got
    assert unread_count(case.watcher) == 1


def test_all_are_read(case):
    case.mentions(3)
    assert read_all(case.watcher) == {"marked": 3, "unread_count": 0}
    assert unread_count(case.watcher) == 0
    assert {n["read_at"] is None for n in told(case.watcher)} == {False}
    case.mentions(1)
    assert unread_count(case.watcher) == 1
    assert read_all(case.watcher) == {"marked": 1, "unread_count": 0}
    assert read_all(case.watcher) == {"marked": 0, "unread_count": 0}


def test_all_of_several_projects_are_read_at_once(world):
    person = world.person("reviewer")
    for _ in range(3):
        work, task, annotator = world.submitted([box()])
        world.add_member(work.project_id, person)
        say(annotator.api, task["id"], "@" + person.username)
    assert read_all(person) == {"marked": 3, "unread_count": 0}
    assert not told(person, unread="true")


def test_a_retry_of_a_mark_is_answered_as_the_first(case):
    first, _ = case.mentions(2)
    for path in ("%s/%d/read" % (PATH, first["id"]), ALL):
        key = unique("key")
        answers = [case.watcher.api.post(path, None, 200, key=key) for _ in range(2)]
        assert answers[0].json() == answers[1].json()
        assert "Idempotency-Replayed" not in answers[0].headers
        assert answers[1].headers.get("Idempotency-Replayed") == "true"


def test_a_key_of_another_request_is_refused(case):
    first, second = case.mentions(2)
    read(case.watcher, first, key="taken")
    assert code_of(read(case.watcher, second, 422, key="taken")) == "IDEMPOTENCY_KEY_REUSED"


def test_what_comes_while_all_is_read_is_counted_right(case):
    """Whoever wins: unread are exactly those that are shown as unread, and none is lost."""
    def talk():
        for _ in range(12):
            case.mention_watcher()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        saying = pool.submit(talk)
        marked = 0
        while not saying.done():
            marked += read_all(case.watcher)["marked"]
        saying.result()
    unread = told(case.watcher, unread="true")
    assert unread_count(case.watcher) == len(unread) == 12 - marked
    assert len(told(case.watcher)) == 12
    assert read_all(case.watcher) == {"marked": len(unread), "unread_count": 0}


def test_others_are_not_shown_nor_marked(case):
    only, = case.mentions(1)
    for api in (case.annotator.api, case.reviewer.api, case.world.admin):
        assert code_of(api.post("%s/%d/read" % (PATH, only["id"]), None, 404)) == "NOT_FOUND"
    read_all(case.reviewer)
    assert unread_count(case.watcher) == 1
    for path in (PATH, PATH + "/unread-count"):
        case.world.nobody.get(path, 401)
    for path in (ALL, "%s/%d/read" % (PATH, only["id"])):
        case.world.nobody.post(path, None, 401)


@pytest.mark.parametrize("number", ["0", "-1", "x", "4097", str(2 ** 53)])
def test_what_is_no_notification_is_404(world, number):
    world.person().api.post("%s/%s/read" % (PATH, number), None, 404)


# --- lists ---

def test_pages_show_each_once_newest_first(case):
    case.mentions(7)
    whole = told(case.watcher)
    times = [n["created_at"] for n in whole]
    assert times == sorted(times, reverse=True)
    assert len({n["id"] for n in whole}) == 7
    for limit in (1, 3, 7):
        assert case.watcher.api.all_pages(PATH, limit=limit) == whole
    page = case.watcher.api.get(PATH, params={"limit": 7}).json()
    assert set(page) == {"items", "next_cursor", "unread_count"}
    assert page["next_cursor"] is None and page["unread_count"] == 7


def test_a_new_one_moves_no_page(case):
    case.mentions(3)
    before = told(case.watcher)
    page = case.watcher.api.get(PATH, params={"limit": 1}).json()
    case.mentions(1)
    rest = case.watcher.api.get(PATH, params={"limit": 50, "cursor": page["next_cursor"]}).json()
    assert page["items"] + rest["items"] == before


def test_types_are_filtered(case):
    case.reviewer.api.reject(case.task_id)
    say(case.reviewer.api, case.task_id, "@" + case.annotator.username)
    assert types(case.annotator, type="task.rejected") == ["task.rejected"]
    assert types(case.annotator, type=["task.rejected", "comment.mention"]) == [
        "comment.mention", "task.rejected"]
    assert types(case.annotator, type="task.approved") == []
    page = case.annotator.api.get(PATH, params={"type": "task.approved"}).json()
    assert page["unread_count"] == 2, "whatever the filter"


@pytest.mark.parametrize("params, where", [
    ({"limit": 0}, "limit"), ({"limit": 201}, "limit"),
    ({"unread": "perhaps"}, "unread"), ({"type": "task.aproved"}, "type")])
def test_a_wrong_question_is_422(world, params, where):
    found, = error_locations(world.admin.get(PATH, 422, params=params))
    assert found[:2] == ("query", where)


def test_a_cursor_is_the_persons_and_the_filters_own(case):
    case.mentions(2)
    cursor = case.watcher.api.get(PATH, params={"limit": 1}).json()["next_cursor"]
    for api, more in ((case.reviewer.api, {}), (case.watcher.api, {"unread": "true"})):
        answer = api.get(PATH, 422, params={"limit": 1, "cursor": cursor, **more})
        assert code_of(answer) == "INVALID_CURSOR"


def test_a_list_shows_what_the_position_names(case):
    answer = case.reviewer.api.post("/tasks/%d/review/approve" % case.task_id, None, 200)
    position = {"X-Event-Position": answer.headers["X-Event-Position"]}
    page = case.annotator.api.get(PATH, headers=position).json()
    assert [n["type"] for n in page["items"]] == ["task.approved"]


# --- types turned off ---

def test_a_muted_type_is_neither_shown_nor_counted(case):
    mute(case.annotator, task__rejected=False)
    case.reviewer.api.reject(case.task_id)
    say(case.reviewer.api, case.task_id, "@" + case.annotator.username)
    assert types(case.annotator) == ["comment.mention"]
    assert types(case.annotator, type="task.rejected") == []
    assert unread_count(case.annotator) == 1
    mute(case.annotator, task__rejected=True)
    assert types(case.annotator) == ["comment.mention", "task.rejected"]
    assert unread_count(case.annotator) == 2
    rejection = told(case.annotator)[1]
    mute(case.annotator, task__rejected=False)
    read(case.annotator, rejection, 404)
    assert read_all(case.annotator) == {"marked": 1, "unread_count": 0}
    case.annotator.api.patch("/auth/me/preferences", {"notifications": None})
    assert types(case.annotator) == ["comment.mention", "task.rejected"]
    assert unread_count(case.annotator) == 0, "all means all"


@pytest.mark.parametrize("wishes, where", [
    ({"task.approved": "no"}, ("task.approved",)), ({"task.approved": None}, ("task.approved",)),
    ({"task.aproved": False}, ("task.aproved",)), ([], ()), (False, ())])
def test_preferences_that_mean_nothing_are_refused(world, wishes, where):
    person = world.person()
    answer = person.api.patch("/auth/me/preferences", {"notifications": wishes}, 422)
    assert error_locations(answer) == [("body", "notifications", *where)]
    assert person.api.get("/auth/me/preferences").json() == {}


def test_other_preferences_are_free(world):
    person = world.person()
    wishes = {"theme": {"task.approved": "no"}, "notifications": {"task.approved": False}}
    assert person.api.patch("/auth/me/preferences", wishes).json() == wishes


# --- over time ---

def state(people):
    return [(told(person), unread_count(person)) for person in people]


def test_all_is_the_same_after_a_restart_and_a_rebuild(make_service):
    service = make_service().start()
    case = Reviewed(World(service))
    mute(case.reviewer, comment__mention=False)
    say(case.annotator.api, case.task_id, "@%s @%s" % (case.watcher.username,
                                                       case.reviewer.username))
    case.reviewer.api.reject(case.task_id)
    first, *_ = case.mentions(3)
    read(case.watcher, first)
    read_all(case.annotator)
    case.annotator.api.submit(case.task_id, [box()])
    case.reviewer.api.approve(case.task_id)
    before = state(case.everyone())
    assert [count for _, count in before] == [1, 0, 3]
    service.restart()
    assert state(case.everyone()) == before
    done = service.command("projections", "rebuild")
    assert done.returncode == 0, done.stderr
    wait_until(lambda: state(case.everyone()) == before, 20, "the rebuilt rows say the same")


def test_they_go_after_90_days(make_service):
    service = make_service().start()
    case = Reviewed(World(service))
    _, kept = case.mentions(2)
    days = 24 * 3600 * 1000
    run_sql(service.database_url, "WITH of_watcher AS (SELECT id, row_number() OVER (ORDER BY id) n"
            " FROM read_live.notifications WHERE user_id = %d) UPDATE read_live.notifications t"
            " SET created_at_ms = created_at_ms - CASE n WHEN 1 THEN 91 ELSE 89 END * %d::bigint"
            " FROM of_watcher w WHERE t.id = w.id" % (case.watcher.id, days))
    service.restart()  # what tidies looks soon after a start
    wait_until(lambda: [n["id"] for n in told(case.watcher)] == [kept["id"]], 30, "one is left")
    assert unread_count(case.watcher) == 1
