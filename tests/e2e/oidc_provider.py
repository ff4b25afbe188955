"""A real OpenID Connect provider as a child process, and the browser of a person who signs in.

The program is tests/oidc/provider.mjs on the npm package oidc-provider, fetched as its lock file
says into the user's cache folder."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import urllib.parse

import requests

from fetched import need, node, npm_packages
from service import SOURCE
from waiting import wait_until

PROGRAM = SOURCE / "tests" / "oidc"
PINS = [PROGRAM / "package.json", PROGRAM / "package-lock.json"]
PAGES = 8  # more redirects and forms than any sign-in here has


class SignInFailed(Exception):
    """The provider showed a page instead of going on: a wrong password, or an error."""


class OidcProvider:
    """One provider with one client, running inside `with`. An account is a dict of `sub`,
    `password` and its claims: email, email_verified, name, preferred_username."""

    def __init__(self, accounts, redirect_uris, client_id="annolog",
                 client_secret="a secret of the tests' client", id_token_alg="RS256"):
        self.settings = {"port": 0, "accounts": accounts, "redirect_uris": redirect_uris,
                         "client_id": client_id, "client_secret": client_secret,
                         "id_token_alg": id_token_alg}
        self.issuer = None
        self._process = None
        self._folder = None

    @property
    def client_id(self):
        return self.settings["client_id"]

    @property
    def client_secret(self):
        return self.settings["client_secret"]

    def __enter__(self):
        modules = need(npm_packages, "oidc-provider", PINS)
        self._folder = tempfile.TemporaryDirectory(prefix="annolog-oidc-")
        # Node looks for modules beside the program; the checkout stays free of them.
        (self._path / "node_modules").symlink_to(modules)
        shutil.copy(PROGRAM / "provider.mjs", self._path)
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    def start(self, deadline_s=30):
        assert not self.running(), "it already runs"
        config = self._path / "config.json"
        config.write_text(json.dumps(self.settings), encoding="utf-8")
        with open(self._path / "output", "wb") as output, open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [need(node), str(self._path / "provider.mjs"), str(config)], cwd=self._path,
                stdin=subprocess.DEVNULL, stdout=output, stderr=log)
        said = wait_until(self._said, deadline_s, "the provider names its issuer")
        self.issuer = json.loads(said)["issuer"]
        # Another start is the same issuer.
        self.settings["port"] = urllib.parse.urlsplit(self.issuer).port
        return self

    def stop(self, deadline_s=10):
        """Its sessions, codes and keys are gone; the issuer stays the same at the next start."""
        if self.running():
            self._process.terminate()
            try:
                self._process.wait(timeout=deadline_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(timeout=30)

    def restart(self, **changes):
        """With other accounts, redirect_uris, client_id, client_secret or id_token_alg."""
        unknown = changes.keys() - self.settings.keys()
        assert not unknown, "no such settings: %s" % ", ".join(sorted(unknown))
        self.stop()
        self.settings.update(changes)
        return self.start()

    def close(self):
        self.stop()
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def running(self):
        return self._process is not None and self._process.poll() is None

    def log_tail(self, lines=40):
        text = self._log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def rotate_keys(self):
        """All keys are new, none of the old ones is published any more."""
        answer = requests.post(self.issuer + "/test/rotate-keys", timeout=30)
        assert answer.status_code == 204, answer.text

    def sign_in(self, authorization_url, account):
        """The person opens the URL in a fresh browser, types the account's `sub` and `password`.
        Returns where the provider sends the browser back to; nothing requests that."""
        return self._browse(authorization_url, {
            "account": account["sub"], "password": account["password"], "press": "sign-in"})

    def refuse(self, authorization_url):
        """The same, but the person presses Cancel: error=access_denied."""
        return self._browse(authorization_url, {"account": "", "password": "", "press": "cancel"})

    def _browse(self, url, typed):
        """Follows the provider's own redirects and answers its form once."""
        with requests.Session() as browser:
            answer = browser.get(url, allow_redirects=False, timeout=30)
            for _ in range(PAGES):
                if answer.is_redirect:
                    url = urllib.parse.urljoin(answer.url, answer.headers["Location"])
                    if not url.startswith(self.issuer + "/"):
                        return url
                    answer = browser.get(url, allow_redirects=False, timeout=30)
                elif answer.status_code == 200 and typed and "<form" in answer.text:
                    answer = browser.post(answer.url, typed, allow_redirects=False, timeout=30)
                    typed = None
                else:
                    break
        raise SignInFailed("%s %s\n%s\n%s" % (
            answer.status_code, answer.url, answer.text, self.log_tail()))

    @property
    def _path(self):
        return pathlib.Path(self._folder.name)

    @property
    def _log(self):
        return self._path / "log"

    def _said(self):
        """The whole first line of its output, or ""."""
        code = self._process.poll()
        assert code is None, "the provider ended with %s\n%s" % (code, self.log_tail())
        line, end, _ = (self._path / "output").read_text(encoding="utf-8").partition("\n")
        return line if end else ""
