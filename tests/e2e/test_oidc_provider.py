"""The OpenID Connect provider of the tests keeps to the protocol: what it issues is checked here
by code that shares nothing with it, so that a failing sign-in is the service's fault."""

import base64
import hashlib
import json
import secrets
import subprocess
import time
import urllib.parse

import pytest
import requests

from fetched import node
from oidc_provider import OidcProvider, SignInFailed

REDIRECT_URI = "https://annolog.example/api/v1/auth/oidc/callback"
ANNA = {"sub": "person-1", "password": "Anna-pass-1", "email": "anna@example.org",
        "email_verified": True, "name": "Anna Ångström", "preferred_username": "anna"}
BORIS = {"sub": "person-2", "password": "Boris-pass-1", "email": "boris@example.org",
         "email_verified": False}
# Exit code 0: the signature over the input holds. Node's crypto takes keys as the JWKS has them.
VERIFY = """
const { createPublicKey, verify } = require('node:crypto');
const [key, input, signature] = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
const holds = verify('sha256', input, publicKey, Buffer.from(signature, 'base64url'));
process.exit(holds ? 0 : 1);
"""


@pytest.fixture(scope="module")
def provider():
    with OidcProvider([ANNA, BORIS], [REDIRECT_URI]) as running:
        yield running


def get_json(url, **more):
    answer = requests.get(url, timeout=30, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def discovery(provider):
    return get_json(provider.issuer + "/.well-known/openid-configuration")


def jwks(provider):
    return get_json(discovery(provider)["jwks_uri"])["keys"]


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def answered(url):
    """The parameters of a redirect to the client."""
    assert url.startswith(REDIRECT_URI + "?"), url
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def signature_holds(token, keys):
    signed, signature = token.rsplit(".", 1)
    kid = decoded(token.split(".")[0])["kid"]
    [key] = [key for key in keys if key["kid"] == kid]
    done = subprocess.run([node(), "-e", VERIFY], timeout=30, check=False,
                          input=json.dumps([key, signed, signature]).encode())
    assert done.returncode in (0, 1)
    return done.returncode == 0


class Attempt:
    """A client's sign-in: its secrets, and where it sends the browser."""

    def __init__(self, provider, **changes):
        self.provider = provider
        self.state, self.nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.verifier = secrets.token_urlsafe(48)
        asked = {
            "response_type": "code", "client_id": provider.client_id,
            "redirect_uri": REDIRECT_URI, "scope": "openid email profile", "state": self.state,
            "nonce": self.nonce, "code_challenge_method": "S256",
            "code_challenge": unpadded(hashlib.sha256(self.verifier.encode()).digest())}
        asked.update(changes)
        query = urllib.parse.urlencode({k: v for k, v in asked.items() if v is not None})
        self.url = discovery(provider)["authorization_endpoint"] + "?" + query

    def code(self, account):
        got = answered(self.provider.sign_in(self.url, account))
        assert (got["state"], got["iss"]) == (self.state, self.provider.issuer)
        return got["code"]

    def redeem(self, code, verifier=None, secret=None):
        """The token endpoint's answer. Both halves of the credentials go form-encoded
        (RFC 6749, 2.3.1)."""
        user, password = (urllib.parse.quote_plus(part) for part in (
            self.provider.client_id, secret or self.provider.client_secret))
        return requests.post(
            discovery(self.provider)["token_endpoint"], auth=(user, password), timeout=30,
            data={"grant_type": "authorization_code", "code": code,
                  "redirect_uri": REDIRECT_URI, "code_verifier": verifier or self.verifier})

    def tokens(self, account):
        answer = self.redeem(self.code(account))
        assert answer.status_code == 200, answer.text
        return answer.json()


def refused(answer):
    return answer.status_code, answer.json()["error"]


def test_discovery_names_what_a_client_needs(provider):
    found = discovery(provider)
    assert found["issuer"] == provider.issuer
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"):
        assert found[name].startswith(provider.issuer + "/")
    assert found["response_types_supported"] == ["code"]
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["token_endpoint_auth_methods_supported"] == ["client_secret_basic"]
    assert set(found["id_token_signing_alg_values_supported"]) == {"RS256", "ES256"}
    assert set(found["scopes_supported"]) >= {"openid", "email", "profile"}


def test_the_key_set_has_a_public_key_of_each_kind(provider):
    keys = {key["alg"]: key for key in jwks(provider)}
    assert {alg: key["kty"] for alg, key in keys.items()} == {"RS256": "RSA", "ES256": "EC"}
    assert keys["ES256"]["crv"] == "P-256"
    assert keys["RS256"]["kid"] != keys["ES256"]["kid"]
    assert not any("d" in key for key in keys.values())


def check_id_token(provider, alg):
    attempt = Attempt(provider)
    tokens = attempt.tokens(ANNA)
    assert tokens["token_type"] == "Bearer"
    header, payload, _ = tokens["id_token"].split(".")
    assert decoded(header)["alg"] == alg
    assert signature_holds(tokens["id_token"], jwks(provider))

    claims = decoded(payload)
    assert (claims["iss"], claims["aud"]) == (provider.issuer, provider.client_id)
    assert claims["nonce"] == attempt.nonce
    assert claims["iat"] - 5 <= time.time() < claims["exp"]
    about = {name: value for name, value in ANNA.items() if name != "password"}
    assert {name: claims.get(name) for name in about} == about
    return tokens


def test_a_code_gives_an_id_token_with_the_claims(provider):
    tokens = check_id_token(provider, "RS256")
    bearer = {"Authorization": "Bearer " + tokens["access_token"]}
    told = get_json(discovery(provider)["userinfo_endpoint"], headers=bearer)
    assert told == {name: value for name, value in ANNA.items() if name != "password"}


def test_an_account_has_only_its_own_claims_and_those_of_the_scopes(provider):
    claims = decoded(Attempt(provider).tokens(BORIS)["id_token"].split(".")[1])
    assert (claims["sub"], claims["email_verified"]) == ("person-2", False)
    assert not {"name", "preferred_username"} & claims.keys()
    tokens = Attempt(provider, scope="openid").tokens(ANNA)
    claims = decoded(tokens["id_token"].split(".")[1])
    assert claims["sub"] == "person-1" and not {"email", "name"} & claims.keys()


def test_a_changed_token_does_not_hold(provider):
    token = Attempt(provider).tokens(ANNA)["id_token"]
    header, payload, signature = token.split(".")
    other = unpadded(json.dumps({**decoded(payload), "sub": "person-2"}).encode())
    assert not signature_holds(".".join((header, other, signature)), jwks(provider))


def test_another_verifier_is_refused(provider):
    attempt = Attempt(provider)
    answer = attempt.redeem(attempt.code(ANNA), verifier=secrets.token_urlsafe(48))
    assert refused(answer) == (400, "invalid_grant")


def test_a_code_serves_once(provider):
    attempt = Attempt(provider)
    code = attempt.code(ANNA)
    assert attempt.redeem(code).status_code == 200
    assert refused(attempt.redeem(code)) == (400, "invalid_grant")


def test_another_secret_is_refused(provider):
    attempt = Attempt(provider)
    answer = attempt.redeem(attempt.code(ANNA), secret="guessed")
    assert refused(answer) == (401, "invalid_client")


def test_no_challenge_no_code(provider):
    url = Attempt(provider, code_challenge=None, code_challenge_method=None).url
    assert answered(provider.sign_in(url, ANNA))["error"] == "invalid_request"
    url = Attempt(provider, code_challenge="0" * 43, code_challenge_method="plain").url
    assert answered(provider.sign_in(url, ANNA))["error"] == "invalid_request"


def test_cancel_is_access_denied(provider):
    attempt = Attempt(provider)
    got = answered(provider.refuse(attempt.url))
    assert (got["error"], got["state"]) == ("access_denied", attempt.state)
    assert "code" not in got


def test_a_wrong_password_leads_nowhere(provider):
    with pytest.raises(SignInFailed, match="^401 .*/interaction/"):
        provider.sign_in(Attempt(provider).url, {**ANNA, "password": "guessed"})
    with pytest.raises(SignInFailed, match="^401 .*/interaction/"):
        provider.sign_in(Attempt(provider).url, {**ANNA, "sub": "nobody"})


def test_an_unknown_redirect_uri_leads_nowhere(provider):
    with pytest.raises(SignInFailed, match="^400 "):
        provider.sign_in(Attempt(provider, redirect_uri="https://thief.example/").url, ANNA)


def test_rotated_keys_sign_and_the_old_ones_are_gone(provider):
    attempt = Attempt(provider)
    code = attempt.code(ANNA)
    before = jwks(provider)
    provider.rotate_keys()
    after = jwks(provider)
    assert not {key["kid"] for key in before} & {key["kid"] for key in after}
    # A sign-in that was under way goes on.
    token = attempt.redeem(code).json()["id_token"]
    assert signature_holds(token, after)


def test_a_restart_keeps_the_issuer_and_may_change_the_algorithm():
    with OidcProvider([BORIS], [REDIRECT_URI]) as restarted:
        issuer = restarted.issuer
        restarted.restart(accounts=[ANNA], id_token_alg="ES256")
        assert restarted.issuer == issuer
        check_id_token(restarted, "ES256")
    assert not restarted.running()
