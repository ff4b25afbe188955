#!/usr/bin/env python3
"""clang-tidy over the layers that hold the rules, the files of a layer together: what they all
include is read once (cmake/unity.cmake). What passed is remembered for all checkouts, in
ANNOLOG_TIDY_CACHE or ~/.cache/annolog-clang-tidy, by a digest of the files, of all they include
from the checkout, of the checks, of the compiler's flags and of the packages whose headers they
read; it is not looked at again.
Usage: clang_tidy.py --build FOLDER [--jobs N] [FILE...]; FOLDER is made and configured. With FILEs:
only the units they are in."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("domain", "platform", "eventstore", "commands")
TOOL = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SECONDS_PER_UNIT = 3600  # a few minutes; far longer where all else goes first
FORGET_DAYS = 30  # what no run asked for in so long


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def with_includes(path, seen):
    """All files of the checkout that `path` includes, itself among them."""
    if path in seen or not os.path.isfile(os.path.join(ROOT, path)):
        return seen
    seen.add(path)
    for target in INCLUDE.findall(read(path).decode("utf-8", "replace")):
        with_includes(target, seen)
    return seen


def packages():
    """The installed packages that may bring headers, and the tool itself, with their versions."""
    return subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", "*-dev", TOOL],
                          capture_output=True, check=True).stdout


class Unit:
    """Files that are compiled together: `file` includes `sources`."""

    def __init__(self, build, entry):
        self.file = entry["file"]
        with open(self.file, encoding="utf-8") as file:
            together = INCLUDE.findall(file.read()) if self.file.startswith(build) else [self.file]
        self.sources = [os.path.relpath(source, ROOT) for source in together]
        # Without this machine's paths.
        self.command = entry["command"].replace(build, "BUILD").replace(ROOT, "ROOT")

    def layer(self):
        return self.sources[0].split("/")[0]

    def digest(self, around):
        digest = hashlib.sha256(read(".clang-tidy") + around + self.command.encode())
        read_too = set()
        for source in self.sources:
            with_includes(source, read_too)
        for name in sorted(read_too):
            digest.update(name.encode() + b"\0" + read(name))
        return digest.hexdigest()


def units(build):
    """All of FOLDERS."""
    subprocess.run(["cmake", "--preset", "dev", "-B", build, "-DBUILD_TESTING=OFF",
                    "-DANNOLOG_UNITY=ON"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        known = [Unit(build, entry) for entry in json.load(file)]
    return [unit for unit in known if unit.layer() in FOLDERS]


def cache_folder():
    folder = os.environ.get("ANNOLOG_TIDY_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "annolog-clang-tidy")
    os.makedirs(folder, exist_ok=True)
    return folder


def forget_old(folder):
    oldest = time.time() - FORGET_DAYS * 86400
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < oldest:
            os.unlink(entry.path)


def check(build, unit, stamp):
    """Returns what was found: empty when clean. `stamp`: the file that says it was."""
    if os.path.exists(stamp):
        os.utime(stamp)
        return ""
    command = [TOOL, "--quiet", "--config-file=" + os.path.join(ROOT, ".clang-tidy"), "-p", build,
               unit.file]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_UNIT,
                             check=False)
    except subprocess.TimeoutExpired:
        return f"{unit.file}: not done after {SECONDS_PER_UNIT} s\n"
    if run.returncode != 0:
        return run.stdout or run.stderr
    with open(stamp, "w", encoding="utf-8"):
        pass
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    asked, around, cache = units(build), packages(), cache_folder()
    forget_old(cache)
    if arguments.files:
        asked = [unit for unit in asked if set(unit.sources) & set(arguments.files)]
    asked.sort(key=lambda unit: -len(unit.sources))  # the longest first
    stamps = [os.path.join(cache, unit.digest(around)) for unit in asked]
    new = sum(not os.path.exists(stamp) for stamp in stamps)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for found in pool.map(lambda each: check(build, *each), zip(asked, stamps)):
            if found:
                failed += 1
                print(found, end="", flush=True)
    files = sum(len(unit.sources) for unit in asked)
    print(f"clang-tidy: {failed} of {len(asked)} units ({files} files) have findings; "
          f"{new} were looked at now")
    return 1 if failed or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
