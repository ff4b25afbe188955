"""Fault tests use the harness and the fixtures of the end-to-end tests."""

import os
import sys

import pytest

_here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _here)
sys.path.insert(0, os.path.join(os.path.dirname(_here), "e2e"))
pytest.register_assert_rewrite("client", "world", "load")

# pylint: disable=wrong-import-position
from fixtures import *  # noqa: E402,F401,F403
