"""The house rules, each against a small tree that breaks it and one that does not."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpp_text  # noqa: E402
import tidy  # noqa: E402

HEADER = "// What it is.\n#pragma once\n"


def found(tmp_path, files):
    for path, text in files.items():
        full_path = tmp_path / path
        full_path.parent.mkdir(parents=True, exist_ok=True)
        full_path.write_text(text, encoding="utf-8")
    return [(path, line, rule) for path, line, rule, _ in tidy.findings(str(tmp_path))]


def test_a_clean_tree_has_no_findings(tmp_path):
    assert found(tmp_path, {
        "domain/task/state.hpp": HEADER + '#include <vector>\n#include "domain/support/ids.hpp"\n',
        "commands/runtime.cpp": '#include "eventstore/event_log.hpp"\n',
        "migrations/0001_tasks.sql": "create table tasks (id bigint);\n",
    }) == []


@pytest.mark.parametrize("path, include", [
    ("domain/task/decide.cpp", '"platform/clock.hpp"'),
    ("domain/task/decide.cpp", '"domain/codec/event_json.hpp"'),
    ("domain/task/decide.cpp", "<nlohmann/json.hpp>"),
    ("domain/task/decide.cpp", "<simdjson.h>"),
    ("domain/task/decide.cpp", "<random>"),
    ("domain/task/decide.cpp", "<boost/asio.hpp>"),
    ("domain/support/text.cpp", '"domain/task/state.hpp"'),
    ("platform/clock.cpp", '"domain/task/state.hpp"'),
    ("eventstore/log.cpp", '"domain/support/ids.hpp"'),
    ("eventstore/log.cpp", '"eventstore/faults/disk.hpp"'),
    ("eventstore/log.cpp", '"commands/bus.hpp"'),
    ("commands/bus.cpp", '"projections/engine/engine.hpp"'),
    ("commands/bus.cpp", '"api/routes/tasks.hpp"'),
    ("projections/tasks.cpp", '"commands/bus.hpp"'),
    ("api/routes/tasks.cpp", '"eventstore/event_log.hpp"'),
    ("api/routes/tasks.cpp", '"workers/export/coco.hpp"'),
    ("api/http/server.cpp", '"commands/bus.hpp"'),
    ("api/routes/tasks.cpp", "<pqxx/pqxx>"),
    ("api/routes/tasks.cpp", "<boost/beast/http.hpp>"),
    ("commands/bus.cpp", "<rocksdb/db.h>"),
    ("commands/bus.cpp", "<simdjson.h>"),
    ("workers/export/coco.cpp", '"api/routes/tasks.hpp"'),
    ("app/client/import.cpp", '"commands/bus.hpp"'),
    ("platform/clock.cpp", '"clock.hpp"'),
    ("domain/project/classes.cpp", "<unicode/normalizer2.h>"),
])
def test_an_arrow_the_architecture_lacks_is_found(tmp_path, path, include):
    assert found(tmp_path, {path: f"#include {include}\n"}) == [(path, 1, "layer")]


@pytest.mark.parametrize("path, include", [
    ("domain/codec/task.cpp", "<nlohmann/json.hpp>"),
    ("domain/codec/task.cpp", "<simdjson.h>"),
    ("domain/task/decide.cpp", "<boost/outcome.hpp>"),
    ("domain/support/case_fold.cpp", "<unicode/normalizer2.h>"),
    ("eventstore/faults/disk.cpp", '"eventstore/event_log.hpp"'),
    ("commands/bus.cpp", '"domain/codec/task.hpp"'),
    ("api/routes/tasks.cpp", '"commands/bus.hpp"'),
    ("app/serve.cpp", '"eventstore/rocksdb/rocksdb_log.hpp"'),
    ("tests/unit/any_test.cpp", '"eventstore/faults/disk.hpp"'),
])
def test_an_arrow_of_the_architecture_is_free(tmp_path, path, include):
    assert found(tmp_path, {path: f"#include {include}\n"}) == []


@pytest.mark.parametrize("path, code", [
    ("commands/a.cpp", "thread.detach();"),
    ("tests/unit/a_test.cpp", "std::this_thread::sleep_for(1s);"),
    ("commands/a.cpp", "int x = rand();"),
    ("commands/a.cpp", "std::strcpy(to, from);"),
    ("commands/a.cpp", "sprintf(to, from);"),
    ("commands/a.cpp", "auto x = atoi(text);"),
    ("commands/a.cpp", "std::cout << 1;"),
    ("commands/a.cpp", 'const char* x = std::getenv("HOME");'),
    ("commands/a.cpp", "auto* x = new Thing{};"),
    ("commands/a.cpp", "delete thing;"),
    ("commands/a.cpp", "out << std::endl;"),
    ("commands/a.cpp", "volatile int x = 0;"),
    ("commands/a.cpp", "using namespace std;"),
    ("commands/a.cpp", "std::format(x);"),
    ("commands/a.cpp", "try { f(); } catch (...) {}"),
    ("domain/a.cpp", "auto now = std::chrono::system_clock::now();"),
])
def test_a_banned_call_is_found(tmp_path, path, code):
    assert found(tmp_path, {path: code + "\n"}) == [(path, 1, "banned")]


@pytest.mark.parametrize("path, code", [
    ("app/main.cpp", "std::cout << 1;"),
    ("platform/settings.cpp", 'const char* x = std::getenv("HOME");'),
    ("commands/a.cpp", "Thing(const Thing&) = delete;"),
    ("commands/a.cpp", "// a new thing; delete it; std::endl"),
    ("commands/a.cpp", 'auto x = "delete from tasks; using namespace std;";'),
    ("commands/a.cpp", 'auto x = R"(delete\nnew Thing\nvolatile)";'),
    ("commands/a.cpp", "auto x = operand(1'000'000) + strand(2);"),
    ("commands/a.cpp", "co_spawn(context, task(), asio::detached);"),
    ("workers/a.cpp", "std::this_thread::sleep_for(1s);"),
])
def test_what_only_looks_banned_is_free(tmp_path, path, code):
    assert found(tmp_path, {path: code + "\n"}) == []


def test_sizes_are_limited(tmp_path):
    assert found(tmp_path, {"commands/a.cpp": "\n" * 401}) == [("commands/a.cpp", 401, "length")]
    body = "  f();\n" * 69
    assert found(tmp_path, {"commands/a.cpp": "void g() {\n" + body + "}\n"}) == [
        ("commands/a.cpp", 1, "function")]
    assert found(tmp_path, {"commands/a.cpp": "// " + "x" * 98 + "\n"}) == [
        ("commands/a.cpp", 1, "columns")]


def test_functions_are_told_from_scopes_and_initialisers():
    source = """
namespace annolog {
struct Base { int x = 1; std::vector<int> y{1, 2}; };
Thing::Thing(int a)
    : a_{a},
      b_(a) {
  start();
}
constexpr int kTable[] = {
    f(1),
};
auto Thing::find(std::string_view name) const -> std::optional<int> {
  if (name == "}") { return 1; }
  auto lambda = [&] { return 2; };
  return lambda();
}
class Other final : public Base {
 public:
  Other() : x_{1} {}
  bool operator==(const Other&) const = default;
};
template <class T>
  requires(sizeof(T) > 1)
T twice(T value) {
  return value + value;
}
}  // namespace annolog
"""
    assert list(cpp_text.functions(source)) == [(6, 8), (12, 16), (19, 19), (24, 26)]


@pytest.mark.parametrize("path, text, rule", [
    ("commands/a.hpp", "// What it is.\n", "header"),
    ("commands/a.hpp", "#pragma once\n", "header"),
    ("commands/a.cpp", "f();  // NOLINT\n", "nolint"),
    ("commands/a.cpp", "// TODO: later\n", "leftover"),
    ("commands/a.cpp", "\tf();\n", "tab"),
    ("commands/a.cpp", "f(); \n", "whitespace"),
    ("commands/a.cpp", "f();", "newline"),
    ("docs/a.md", "See /home/someone/file.\n", "path"),
    ("migrations/0002_tasks.sql", "select 1;\n", "migration"),
    ("migrations/tasks.sql", "select 1;\n", "migration"),
])
def test_each_rule_of_the_text_is_checked(tmp_path, path, text, rule):
    assert [finding[2] for finding in found(tmp_path, {path: text})] == [rule]


def test_a_migration_number_is_given_once(tmp_path):
    assert found(tmp_path, {"migrations/0001_a.sql": "", "migrations/0001_b.sql": ""}) == [
        ("migrations/0001_b.sql", 1, "migration")]


def test_a_silenced_check_with_its_reason_is_free(tmp_path):
    code = "f();  // NOLINT(bugprone-x): the library asks for it\n"
    assert found(tmp_path, {"commands/a.cpp": code}) == []


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xff\n")
    assert found(tmp_path, {}) == [("a.md", 1, "encoding")]
