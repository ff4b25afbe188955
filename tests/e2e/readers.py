"""The readers that others use for exports: datumaro and pycocotools, run by export_check.py in a
process of their own, with packages that no other test meets."""

import os
import pathlib
import subprocess
import sys

from fetched import need, python_packages

# All that datumaro loads for the three formats; not what it needs for others (pyarrow).
PINS = (
    "datumaro==1.13.12", "pycocotools==2.0.11", "attrs==26.1.0", "cachetools==7.3.2",
    "defusedxml==0.7.1", "imagesize==2.0.1", "json-stream==2.5.1",
    "json-stream-rs-tokenizer==0.5.4", "lxml==6.1.3", "numpy==2.4.6",
    "opencv-python-headless==4.14.0.94", "orjson==3.13.0", "pandas==2.3.3", "pillow==12.3.0",
    "python-dateutil==4.0.0", "pytz==2026.6", "PyYAML==6.0.3", "ruamel.yaml==0.19.1",
    "shapely==2.2.0", "six==1.17.0", "tqdm==4.70.1", "typing_extensions==4.16.0",
    "tzdata==2026.6",
)
CHECK = pathlib.Path(__file__).with_name("export_check.py")


def read(*files):
    """What export_check.py says of files that must hold; skips the test without the packages."""
    packages = need(python_packages, "datumaro", PINS)
    done = subprocess.run(
        [sys.executable, str(CHECK), "--strict", *map(str, files)], stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(packages)}, capture_output=True, text=True,
        timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
