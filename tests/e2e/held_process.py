"""A command of the binary that stands still at a known place: after it has written the first line
of its progress and before it has written the second one."""

import fcntl
import os
import signal
import subprocess

import service

PIPE_BYTES = 4096  # a page: the least that a pipe can hold


class HeldCommand:
    """Its standard error is a pipe with room for one line of `room` bytes and not for another: the
    write of the next one waits until let_go(). So nothing depends on how fast it is."""

    def __init__(self, arguments, environment, cwd, room=24):
        self._reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._filled = b"." * (PIPE_BYTES - room)
        os.write(writer, self._filled)
        self.process = subprocess.Popen(
            [str(service.binary_path()), *arguments], env=environment, cwd=cwd,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)

    def kill9(self):
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def interrupt(self):
        """SIGINT while it stands still; it goes on, and ends. (exit code, output, errors)"""
        self.process.send_signal(signal.SIGINT)
        return self.let_go()

    def let_go(self):
        with open(self._reader, "rb") as errors:
            self._reader = None
            said = errors.read()[len(self._filled):].decode()
        return self._end(), self.output, said

    def _end(self):
        self.output = self.process.communicate(timeout=60)[0].decode()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self._end()
        if self._reader is not None:
            os.close(self._reader)
            self._reader = None
