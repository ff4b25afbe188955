"""Network namespaces with a link each to this machine, which can be cut. Needs root and `ip`."""

import os
import shutil
import subprocess

import pytest

from kafka_cluster import Leftovers


def _ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, "ip %s: %s" % (" ".join(words), done.stderr)
    return done.stdout


class Namespaces:
    """Namespaces 1..n; this machine has addresses 0..m beside them, all on one bridge."""

    def __init__(self, count, addresses_here):
        if os.geteuid() != 0 or not shutil.which("ip"):
            pytest.skip("network namespaces need root and the program ip")
        self.count, self.addresses_here = count, addresses_here
        self.id = "ankf%d" % (os.getpid() % 1000000)  # an interface's name has at most 15 letters
        used = _ip("-o", "-4", "address", "show") + _ip("route", "show")
        self.net = next(net for net in ("10.231.%d." % at for at in range(256)) if net not in used)
        self._rules = set()
        self._leftovers = Leftovers(
            'ip rule show | grep -F "$2" | sed "s/^[0-9]*:\\t//; s/ lookup.*//" |'
            ' while read -r rule; do ip rule del $rule; done;'
            ' for n in $(seq "$3"); do ip link del "$1-$n"; ip netns del "$1-$n"; done;'
            ' ip link del "$1"',
            self.id, self.net, count)

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self._leftovers.close()
            raise
        return self

    def __exit__(self, *_):
        self.heal_all()
        self._leftovers.close()

    def _make(self):
        _ip("link", "add", self.id, "type", "bridge")
        for at in range(self.addresses_here + 1):  # the first is what others here speak from
            _ip("address", "add", self.here(at) + "/24", "dev", self.id)
        _ip("link", "set", self.id, "up")
        for at in range(1, self.count + 1):
            _ip("netns", "add", self.name(at))
            _ip("link", "add", self._link(at), "type", "veth", "peer", "name", "eth0", "netns",
                self.name(at))
            _ip("link", "set", self._link(at), "master", self.id, "up")
            for words in (("address", "add", self.inside(at) + "/24", "dev", "eth0"),
                          ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
                _ip("-n", self.name(at), *words)

    def name(self, at):
        return "%s-%d" % (self.id, at)

    def here(self, at):
        return self.net + str(10 + at)

    def inside(self, at):
        return self.net + str(100 + at)

    def launcher(self, at):
        """What a command that is to run inside begins with; its process is the command's own."""
        return ["ip", "netns", "exec", self.name(at)]

    def _link(self, at):
        return "%s-%d" % (self.id, at)

    def unplug(self, at):
        """Nothing passes between the namespace and anybody."""
        _ip("link", "set", self._link(at), "down")

    def plug(self, at):
        _ip("link", "set", self._link(at), "up")

    def cut(self, at, here):
        """What this address here sends to the namespace is lost without a word."""
        self._rule("add", here, at)

    def heal(self, at, here):
        self._rule("del", here, at)

    def heal_all(self):
        for rule in list(self._rules):
            self._rule("del", *rule)
        for at in range(1, self.count + 1):
            self.plug(at)

    def _rule(self, action, here, at):
        _ip("rule", action, "from", self.here(here), "to", self.inside(at), "blackhole")
        (self._rules.add if action == "add" else self._rules.discard)((here, at))
