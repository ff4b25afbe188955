"""The command line, the settings, and what a first start leaves behind (decisions, section 2)."""

import datetime
import os
import re
import select
import stat

import pytest

from client import Api
from service import ADMIN_PASSWORD, ADMIN_USERNAME, ServiceDied
from world import World

SETTINGS = ["data-dir", "http-address", "http-port", "database-url", "shards", "public-url",
            "trusted-proxies", "admin-username", "admin-password", "log-level", "io-threads",
            "access-token-minutes", "task-lock-minutes", "signed-url-minutes",
            "login-rate-per-minute", "max-body-bytes", "config"]


def test_the_version_is_the_one_that_health_tells(world):
    said = world.service.command("version")
    assert said.returncode == 0
    assert world.nobody.get("/health", root=True).json()["version"] in said.stdout


def test_help_lists_every_setting(world):
    said = world.service.command("serve", "--help")
    assert said.returncode == 0
    missing = [name for name in SETTINGS if "--" + name not in said.stdout]
    assert not missing
    assert ADMIN_PASSWORD not in said.stdout


def test_help_names_every_command(world):
    said = world.service.command("--help")
    assert said.returncode == 0
    for word in ("serve", "migrate", "projections", "log", "import", "export", "version"):
        assert word in said.stdout, word


@pytest.mark.parametrize("arguments", [("fly",), ("serve", "--no-such-flag"), ("log", "erase")])
def test_an_unknown_command_or_flag_is_refused(world, arguments):
    said = world.service.command(*arguments, timeout_s=30)
    assert said.returncode > 0
    assert arguments[-1].lstrip("-") in said.stdout + said.stderr


def lock_minutes(service):
    world = World(service)
    task = world.work(1).tasks[0]
    held = world.admin.post("/tasks/%d/lock" % task["id"], None, 200).json()
    at, until = (datetime.datetime.fromisoformat(held[name].replace("Z", "+00:00"))
                 for name in ("locked_at", "expires_at"))
    return (until - at).total_seconds() / 60


@pytest.mark.parametrize("given, minutes", [
    (("file",), 7), (("file", "environment"), 8), (("environment", "flag"), 9),
    (("file", "flag"), 9), (("file", "environment", "flag"), 9), ((), 30),
], ids=lambda v: "-".join(v) if isinstance(v, tuple) else str(v))
def test_a_flag_beats_the_environment_beats_the_file(make_service, given, minutes):
    service = make_service()
    if "file" in given:
        config = service.folder / "annolog.conf"
        config.write_text("# comment\n\ntask_lock_minutes = 7\n", encoding="utf-8")
        service.settings["ANNOLOG_CONFIG"] = str(config)
    if "environment" in given:
        service.settings["ANNOLOG_TASK_LOCK_MINUTES"] = "8"
    if "flag" in given:
        service.arguments = ["--task-lock-minutes", "9"]
    service.start()
    assert lock_minutes(service) == minutes
    assert service.stop() == 0


@pytest.mark.parametrize("name, value", [
    ("ANNOLOG_SHARDS", "many"), ("ANNOLOG_SHARDS", "0"), ("ANNOLOG_HTTP_PORT", "70000"),
    ("ANNOLOG_HTTP_PORT", "-1"), ("ANNOLOG_TASK_LOCK_MINUTES", "soon"),
    ("ANNOLOG_LOG_LEVEL", "loud"), ("ANNOLOG_CONFIG", "/no/such/file"),
])
def test_an_impossible_setting_is_refused_by_name(make_service, name, value):
    service = make_service({name: value})
    with pytest.raises(ServiceDied) as died:
        service.start()
    assert died.value.exit_code > 0
    plain = name.removeprefix("ANNOLOG_").lower()
    said = service.log_text().lower()
    assert plain in said or plain.replace("_", "-") in said, said
    service.close()


def test_an_unknown_line_in_the_file_is_refused_by_name(make_service):
    service = make_service()
    config = service.folder / "annolog.conf"
    config.write_text("http_prot = 8080\n", encoding="utf-8")
    service.settings["ANNOLOG_CONFIG"] = str(config)
    with pytest.raises(ServiceDied) as died:
        service.start()
    assert died.value.exit_code > 0
    assert "http_prot" in service.log_text()
    service.close()


def test_a_taken_port_is_refused_by_name(world, make_service):
    _, port = world.service.socket_address()
    service = make_service({"ANNOLOG_HTTP_PORT": str(port)})
    with pytest.raises(ServiceDied) as died:
        service.start()
    assert died.value.exit_code > 0
    assert str(port) in service.log_text()
    service.close()
    world.admin.get("/me")


@pytest.fixture
def without_password(make_service):
    return make_service({"ADMIN_USERNAME": None, "ADMIN_PASSWORD": None})


def test_without_a_given_password_the_terminal_is_told_a_random_one_once(without_password):
    service = without_password
    ours, service.terminal = os.openpty()
    service.start()
    told = os.read(ours, 4096).decode()
    password = re.fullmatch(r"First sign-in: user admin, password (\S{16,})\s*", told).group(1)
    Api(service).login("admin", password)
    service.restart()
    assert not select.select([ours], [], [], 0)[0], "a later start tells it again"
    assert password not in service.log_text()
    assert not (service.data / "run" / "first-admin").exists()
    os.close(service.terminal)
    os.close(ours)


def test_without_a_terminal_the_random_password_lies_in_a_file_of_its_owner(without_password):
    service = without_password.start()
    file = service.data / "run" / "first-admin"
    username, password = file.read_text(encoding="ascii").split()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "First sign-in: user admin, password in %s" % file in service.log_text()
    assert password not in service.log_text()
    Api(service).login(username, password)
    file.unlink()
    service.restart()
    assert not file.exists()


def test_a_later_start_with_another_password_changes_no_account(make_service):
    service = make_service().start()
    assert service.stop() == 0
    service.settings["ADMIN_PASSWORD"] = "Other-pass-2"
    service.start()
    nobody = Api(service)
    nobody.login(ADMIN_USERNAME, ADMIN_PASSWORD)
    nobody.login(ADMIN_USERNAME, "Other-pass-2", 401)


def test_keys_are_readable_by_their_owner_alone(world):
    world.person(email="someone@example.org")
    keys = [path for path in (world.service.data / "keys").rglob("*") if path.is_file()]
    assert keys
    for path in keys:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_personal_data_is_not_in_the_log_in_the_clear(make_service):
    service = make_service().start()
    world = World(service)
    world.person(name="Wilhelmina Nevermore", email="wilhelmina@nevermore.example")
    assert service.stop() == 0
    for path in (service.data / "log").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"Wilhelmina" not in data, path
            assert b"nevermore.example" not in data, path


def test_the_address_file_comes_and_goes_with_the_service(make_service):
    service = make_service().start()
    host, port = service.socket_address()
    assert service.address_file.read_text(encoding="ascii") == "%s:%d\n" % (host, port)
    assert service.stop() == 0
    assert not service.address_file.exists()
