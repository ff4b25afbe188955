"""Fixtures of the end-to-end tests: a cluster per run, one service per module, a fresh world."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
pytest.register_assert_rewrite("client", "world")

# pylint: disable=wrong-import-position
from fixtures import *  # noqa: E402,F401,F403
