"""What a captcha shows, for tests: they lie on the service's machine and know its key, people read
the picture. Follows api/auth/captchas.cpp."""

import hashlib
import hmac
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LETTERS = 5


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def alphabet():
    header = (SOURCE / "platform" / "captcha_image.hpp").read_text(encoding="utf-8")
    return re.search(r'kCaptchaAlphabet = "([^"]+)"', header).group(1)


def captcha_answer(service, captcha_id):
    lines = (service.data / "keys" / "signing.keys").read_text(encoding="ascii").splitlines()
    root = bytes.fromhex(lines[1].removeprefix("root "))
    code = mac(mac(root, "annolog/captcha\x01"), "answer\n" + captcha_id)
    letters = alphabet()
    return "".join(letters[int.from_bytes(code[4 * i:4 * i + 4], "big") % len(letters)]
                   for i in range(LETTERS))
