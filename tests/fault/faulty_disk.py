"""A disk that fails on demand: a library preloaded into the service, built from C when needed."""

import errno
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).with_name("faulty_disk.c")


class FaultyDisk:
    """Turns faults on and off below a folder of one service, while it runs."""

    def __init__(self, service, library, folder):
        self.service = service
        self.control = folder / "faulty-disk.control"
        service.settings["LD_PRELOAD"] = str(library)
        service.settings["FAULTY_DISK_CONTROL"] = str(self.control)
        service.settings["ASAN_OPTIONS"] = "verify_asan_link_order=0"

    def fail(self, what, error, below):
        """what: "sync", or "write" for everything that changes the disk. At once, atomically."""
        fresh = self.control.with_suffix(".new")
        fresh.write_text("%s %d %s\n" % (what, error, below), encoding="utf-8")
        fresh.rename(self.control)

    def mend(self):
        self.control.unlink(missing_ok=True)


def build(folder):
    """Compiles the library; skips the test where that can't be done."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") \
        or shutil.which("clang")
    if not compiler:
        pytest.skip("no C compiler: the library that makes a disk fail can't be built")
    library = folder / "faulty_disk.so"
    done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE),
                           "-ldl"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library


EIO, EROFS, ENOSPC = errno.EIO, errno.EROFS, errno.ENOSPC
