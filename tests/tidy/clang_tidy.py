#!/usr/bin/env python3
"""clang-tidy over the layers that hold the rules. What passed is remembered for all checkouts, in
ANNOLOG_TIDY_CACHE or ~/.cache/annolog-clang-tidy, by a digest of the file, of all it includes from
the checkout, of the checks, of the compiler's flags and of the packages whose headers it reads; it
is not looked at again.
Usage: clang_tidy.py --build FOLDER [--jobs N] [FILE...]; FOLDER is made and configured."""

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
SECONDS_PER_FILE = 300
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


def commands(build):
    """How each file of FOLDERS is compiled: {path: command without this machine's paths}."""
    subprocess.run(["cmake", "--preset", "dev", "-B", build, "-DBUILD_TESTING=OFF"], cwd=ROOT,
                   stdout=subprocess.DEVNULL, check=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    paths = {os.path.relpath(entry["file"], ROOT): entry["command"] for entry in entries}
    return {path: command.replace(build, "BUILD").replace(ROOT, "ROOT")
            for path, command in paths.items() if path.split("/")[0] in FOLDERS}


def digest_of(path, command, around):
    digest = hashlib.sha256(read(".clang-tidy") + around + command.encode())
    for name in sorted(with_includes(path, set())):
        digest.update(name.encode() + b"\0" + read(name))
    return digest.hexdigest()


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


def check(build, path, stamp):
    """Returns (path, output): empty output when clean. `stamp`: the file that says it was."""
    if os.path.exists(stamp):
        os.utime(stamp)
        return path, ""
    command = [TOOL, "--quiet", "-p", build, os.path.join(ROOT, path)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_FILE,
                             check=False)
    except subprocess.TimeoutExpired:
        return path, f"{path}: not done after {SECONDS_PER_FILE} s\n"
    if run.returncode != 0:
        return path, run.stdout or run.stderr
    with open(stamp, "w", encoding="utf-8"):
        pass
    return path, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    known, around, cache = commands(build), packages(), cache_folder()
    forget_old(cache)
    paths = arguments.files or sorted(known)
    stamps = [os.path.join(cache, digest_of(path, known.get(path, ""), around)) for path in paths]
    new = sum(not os.path.exists(stamp) for stamp in stamps)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, output in pool.map(lambda each: check(build, *each), zip(paths, stamps)):
            if output:
                failed += 1
                print(output, end="", flush=True)
    print(f"clang-tidy: {failed} of {len(paths)} files have findings; {new} were looked at now")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
