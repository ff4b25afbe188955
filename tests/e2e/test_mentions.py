"""Whom comments mention (decisions, section 5)."""

import pytest

from client import unique
from commenting import Case, comments


@pytest.fixture
def case(world):
    return Case(world)


def test_members_and_the_owner_are_mentioned(case):
    viewer = case.member("viewer")
    assert case.mentions("@%s and @%s, look" % (viewer.username, case.owner.username)) == [
        viewer.id, case.owner.id]
    assert case.mentions("@%s @%s" % (viewer.username, viewer.username.upper())) == [viewer.id]
    assert case.mentions("@%s" % case.annotator.username) == [case.annotator.id]
    assert comments(case.owner.api, case.task_id)[0]["mentions"] == [viewer.id, case.owner.id]


def test_who_is_no_member_is_not_mentioned(case):
    stranger = case.world.person("annotator")
    gone = case.member()
    case.world.admin.delete("/projects/%d/members/%d" % (case.project_id, gone.id))
    root = case.world.person("super_admin")
    for person in (stranger, gone, root):
        assert case.mentions("@%s" % person.username) == []
    assert case.mentions("@nobody-of-this-name @ @@ @.") == []


def test_a_member_of_a_moment_ago_is_mentioned(case):
    for _ in range(5):
        new = case.member()
        assert case.mentions("Welcome, @%s!" % new.username) == [new.id]


def test_who_is_shut_out_is_not_mentioned(case):
    member = case.member()
    case.world.admin.post("/users/%d/deactivate" % member.id)
    assert case.mentions("@%s" % member.username) == []
    case.world.admin.post("/users/%d/activate" % member.id)
    assert case.mentions("@%s" % member.username) == [member.id]
    case.world.admin.post("/users/%d/erase" % member.id, {"reason": "asked for it"})
    assert case.mentions("@%s" % member.username) == []


def test_a_username_may_be_an_address(case):
    address = unique("ada") + "@example.org"
    ada = case.named(address)
    for body in ("@" + address, "Ask @%s." % address, "(@%s)" % address, "@" + address.upper(),
                 "@%s's" % address):
        assert case.mentions(body) == [ada], body
    # An address in a text is none, nor is a part of one.
    for body in (address, "mail " + address, "@%s.ch" % address, "@" + address.split("@")[0]):
        assert case.mentions(body) == [], body
    outside = unique("eve") + "@example.org"
    case.named(outside, member=False)
    assert case.mentions("@" + outside) == []


def test_the_longest_name_is_meant(case):
    short = unique("bo")
    one, two = case.named(short), case.named(short + ".li")
    assert case.mentions("@%s.li" % short) == [two]
    assert case.mentions("@%s." % short) == [one]
    assert case.mentions("@%s.lim" % short) == []
    assert case.mentions("x@%s" % short) == []


def test_names_are_compared_as_at_the_sign_in(case):
    zoe = case.named("Zo\u00eb-" + unique("n"))
    username = case.world.admin.get("/users/%d" % zoe).json()["username"]
    decomposed = username.replace("\u00eb", "e\u0308")
    for body in ("@" + username, "@" + username.upper(), "@" + decomposed):
        assert case.mentions(body) == [zoe], body


def test_a_name_with_a_blank_is_mentioned_whole(case):
    name = "Jo " + unique("Smith")
    jo = case.named(name)
    assert case.mentions("Thanks, @%s!" % name.lower()) == [jo]


def test_names_without_end_cost_nothing(case):
    for body in ("@" * 5000, "@ " * 2500, "@" + "a" * 4999, "@a" * 2500):
        assert case.mentions(body) == []
