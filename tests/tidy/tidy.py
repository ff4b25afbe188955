#!/usr/bin/env python3
"""House rules that a compiler does not check. Prints `file:line: rule: message`; exit code 1 when
anything is found. Usage: tests/tidy/tidy.py [ROOT]"""

import os
import re
import sys

import cpp_text
import layers

LINES_PER_FILE = 400
LINES_PER_FUNCTION = 70
COLUMNS = 100

# Tables of data may be longer than a file of code.
# Text that is compared byte by byte and whose lines are what a tool must write.
LONG_LINES = {"tests/unit/workers/export_json_test.cpp"}
LONG_FILES = {"docs/events.md"}

SKIPPED_FOLDERS = {".git", ".cache", "build", "data", "__pycache__", "golden", "corpus"}
CPP = (".cpp", ".hpp")
CODE = (*CPP, ".py", ".sh", ".cmake", ".sql")
TEXT = (*CODE, ".md", ".txt", ".json", ".conf", ".service", ".yml", ".yaml", ".html", ".js", ".css")


def is_test(path):
    return path.startswith("tests/")


def is_untimed_test(path):
    return is_test(path) and not layers.lies_in(path, "tests/bench")  # load comes at a pace


def outside(*folders):
    return lambda path: not any(layers.lies_in(path, folder) for folder in folders)


def inside(folder):
    return lambda path: layers.lies_in(path, folder)


def everywhere(_path):
    return True


# (pattern in code without comments and literals, where it holds, what to do instead)
BANNED = [
    (r"\.detach\(\)", everywhere, "a detached thread outlives its owner: use std::jthread"),
    (r"\b(?:std::)?(?:this_thread::)?(?:sleep_for|sleep_until)\b|(?<![\w.:>])u?sleep\(",
     is_untimed_test,
     "tests do not sleep: wait for the condition with a deadline, or move a fake clock"),
    (r"(?<![\w.>])(?:std::)?s?rand\(", everywhere, "use platform/random.hpp, or a seeded engine"),
    (r"\bstr(?:cpy|cat|ncpy|ncat|tok)\(", everywhere, "use std::string"),
    (r"\bv?sprintf\(", everywhere, "use fmt::format"),
    (r"(?<![\w.>])(?:std::)?(?:atoi|atol|atoll|atof)\(", everywhere, "use std::from_chars"),
    (r"(?<![\w.>])(?:std::)?(?:gmtime|localtime|asctime|ctime)\(", everywhere,
     "not safe with threads: use Timestamp"),
    (r"\bstd::c(?:out|err|log)\b|(?<![\w.>])(?:std::)?f?printf\(|\bfmt::print\(",
     outside("app", "tests"), "only app/ talks to the terminal: use the log of platform/"),
    (r"(?<![\w.>])(?:std::|::)?(?:secure_)?getenv\(", outside("platform", "tests"),
     "settings come from platform/settings.hpp"),
    (r"\b(?:system|steady|high_resolution)_clock::now\(", inside("domain"),
     "the domain is told the time"),
    (r"(?<!operator )\bnew\b(?!\s*\()", everywhere, "use std::make_unique or a container"),
    (r"(?<!operator )(?<!= )\bdelete\b", everywhere, "use std::unique_ptr or a container"),
    (r"\bstd::endl\b", everywhere, r"write '\n'; flush where it is meant"),
    (r"\bvolatile\b", everywhere, "use std::atomic"),
    (r"\busing\s+namespace\s+std\s*;", everywhere, "name what is used"),
    (r"\bstd::(?:format|print|expected)\b", everywhere, "libstdc++ 12 lacks it: fmt, Result"),
    (r"\bconst_cast\b|\bgoto\b", everywhere, "change the design instead"),
    (r"\bcatch\s*\(\s*\.\.\.\s*\)\s*\{\s*\}", everywhere, "an error that nobody hears of"),
]
BANNED = [(re.compile(pattern), holds, message) for pattern, holds, message in BANNED]

LEFTOVER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
SILENCED = re.compile(r"\bNOLINT(?:NEXTLINE|BEGIN)?\b(?!\([\w\-.*, ]+\):? \S)")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|Users|root|work)/\w")
MIGRATION = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")


def check_cpp(path, text, lines):
    yield from layers.check(path, lines)
    for first, last in cpp_text.functions(text):
        if last - first + 1 > LINES_PER_FUNCTION:
            yield first, "function", f"{last - first + 1} lines, at most {LINES_PER_FUNCTION}"
    for number, line in enumerate(cpp_text.code_only(text).split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        for pattern, holds, message in BANNED:
            found = pattern.search(line)
            if found and holds(path):
                yield number, "banned", f"{found.group(0).strip()}: {message}"
        if "\t" in line:
            yield number, "tab", "indent with spaces"
    for number, line in enumerate(lines, 1):
        if SILENCED.search(line):
            yield number, "nolint", "name the check and the reason: NOLINT(check): why"
    if path.endswith(".hpp"):
        if not any(line.strip() == "#pragma once" for line in lines):
            yield 1, "header", "no #pragma once"
        if not lines or not lines[0].startswith("//"):
            yield 1, "header", "open with what it is and who may call it from which thread"


def check_code(path, lines):
    if len(lines) > LINES_PER_FILE and path not in LONG_FILES:
        yield len(lines), "length", f"{len(lines)} lines, at most {LINES_PER_FILE}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and path not in LONG_LINES:
            yield number, "columns", f"{len(line)} columns, at most {COLUMNS}"
        if LEFTOVER.search(line) and not path.startswith("tests/tidy/"):
            yield number, "leftover", f"{LEFTOVER.search(line).group(0)}: do it or drop it"


def check_text(path, text, lines):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "whitespace", "at the end of the line"
        if MACHINE_PATH.search(line) and not path.startswith("tests/tidy/"):
            yield number, "path", "a path of one machine"
    if text and not text.endswith("\n"):
        yield len(lines), "newline", "missing at the end of the file"


def check_migrations(names):
    for expected, name in enumerate(sorted(names), 1):
        match = MIGRATION.match(name)
        if not match:
            yield f"migrations/{name}", 1, "migration", "name it NNNN_what.sql"
            return
        if int(match.group(1)) != expected:
            yield (f"migrations/{name}", 1, "migration",
                   f"number {expected:04} is next: no gaps, none twice")
            return


def is_script(full_path):
    with open(full_path, "rb") as file:
        return file.read(2) == b"#!"


def files_below(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            full_path = os.path.join(folder, name)
            if os.path.islink(full_path):
                continue
            if name.endswith(TEXT) or ("." not in name and is_script(full_path)):
                yield os.path.relpath(full_path, root), full_path


def check_file(path, full_path):
    try:
        with open(full_path, encoding="utf-8", newline="") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        yield 1, "encoding", f"not UTF-8: {error.reason} at byte {error.start}"
        return
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    yield from check_text(path, text, lines)
    if path.endswith(CODE) or "." not in os.path.basename(path) or path.endswith("CMakeLists.txt"):
        yield from check_code(path, lines)
    if path.endswith(CPP):
        yield from check_cpp(path, text, lines)


def findings(root):
    """Yields (path, line, rule, message) for all files below root."""
    migrations = []
    for path, full_path in files_below(root):
        if os.path.dirname(path) == "migrations" and path.endswith(".sql"):
            migrations.append(os.path.basename(path))
        for number, rule, message in check_file(path, full_path):
            yield path, number, rule, message
    yield from check_migrations(migrations)


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(here))
    count = 0
    for path, number, rule, message in findings(root):
        print(f"{path}:{number}: {rule}: {message}")
        count += 1
    print(f"tidy: {count} findings" if count else "tidy: clean", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
