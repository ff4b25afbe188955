#!/usr/bin/env python3
"""clang-tidy over the layers that hold the rules. What passed is remembered in the build folder by
a digest of the file, of all it includes from the checkout and of the checks, and not looked at
again.
Usage: clang_tidy.py --build BUILD_FOLDER [--jobs N] [FILE...]"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("domain", "platform", "eventstore", "commands")
TOOL = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SECONDS_PER_FILE = 300


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


def digest_of(path):
    digest = hashlib.sha256(read(".clang-tidy"))
    for name in sorted(with_includes(path, set())):
        digest.update(name.encode() + b"\0" + read(name))
    return digest.hexdigest()


def sources(build):
    """Files of FOLDERS that the build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        paths = {os.path.relpath(entry["file"], ROOT) for entry in json.load(file)}
    return sorted(path for path in paths if path.split("/")[0] in FOLDERS)


def check(build, path):
    """Returns (path, output): empty output when clean."""
    stamp = os.path.join(build, "clang-tidy", digest_of(path))
    if os.path.exists(stamp):
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
    os.makedirs(os.path.join(build, "clang-tidy"), exist_ok=True)
    paths = arguments.files or sources(build)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, output in pool.map(lambda path: check(build, path), paths):
            if output:
                failed += 1
                print(output, end="", flush=True)
    print(f"clang-tidy: {failed} of {len(paths)} files have findings")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
