"""Waiting with a deadline, the only way a test here may wait."""

import time


def wait_until(condition, deadline_s, what):
    """Polls until condition() is truthy and returns that value; fails naming what never came."""
    until = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            raise TimeoutError("not within %s s: %s" % (deadline_s, what))
        time.sleep(0.02)
