"""Tokens of an OpenID Connect issuer: only those that are signed, meant and still valid here."""

import hashlib
import hmac
import json
import logging
import time

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from http_issuer import OwnIssuer, unsigned
from http_running import Running, running

from concept_graph_mcp.http import oidc
from concept_graph_mcp.http.oidc import LEEWAY_S, Issuer

AUDIENCE = "https://memory.example.com/mcp"


@pytest.fixture
def issuer():
    with OwnIssuer() as made:
        yield made


@pytest.fixture
def admitting(embedded, tokens, issuer, monkeypatch):
    """A server that admits the tokens of the issuer, and asks it for unknown keys every time."""
    monkeypatch.setattr(oidc, "AGAIN_S", 0.0)
    with running(embedded, tokens, issuer=Issuer(issuer.url, AUDIENCE)) as server:
        yield server


def asked(server: Running, token: str, **options) -> httpx2.Response:
    return server.post(user=None, headers={"authorization": f"Bearer {token}"}, **options)


def refused(server: Running, token: str) -> bool:
    answer = asked(server, token)
    assert answer.status_code == 401, answer.text
    assert token not in answer.text
    return 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.slow
@pytest.mark.parametrize("curve", [False, True])
def test_a_token_of_the_issuer_names_its_user(admitting, issuer, curve):
    issuer.rotate("signing", curve=curve)
    params = {"name": "remember", "arguments": {"text": "Ann likes hazelnuts."}}
    kept = asked(admitting, issuer.token(AUDIENCE), method="tools/call", params=params)
    assert kept.json()["result"]["structuredContent"]["id"]
    params = {"name": "search", "arguments": {"query": "hazelnuts"}}
    other = asked(admitting, issuer.token(AUDIENCE, sub="bob"), method="tools/call", params=params)
    assert other.json()["result"]["structuredContent"]["found"] == []
    # A token of our own for the same name is the same user.
    assert admitting.called("search", "ann", query="hazelnuts")["structuredContent"]["total"] == 1


@pytest.mark.slow
def test_the_page_admits_the_users_of_the_issuer(embedded, tokens, issuer):
    made = Issuer(issuer.url, AUDIENCE)
    with running(embedded, tokens, issuer=made, page=True) as server:
        server.called("remember", "ann", text="Ann likes hazelnuts.")

        def found(token: str) -> httpx2.Response:
            headers = {"authorization": f"Bearer {token}"}
            return httpx2.get(f"{server.base}/page/api/search?q=hazelnuts", headers=headers)

        assert "Ann likes" in found(issuer.token(AUDIENCE)).text
        assert found(issuer.token(AUDIENCE, sub="bob")).json()["rows"] == []
        for wrong in ({"exp": 1}, {"aud": "https://other.example.com"}):
            assert found(issuer.token(AUDIENCE, **wrong)).status_code == 401


def test_the_metadata_say_where_to_get_a_token(admitting, issuer):
    answer = admitting.post(user=None)
    challenge = answer.headers["www-authenticate"]
    where = challenge.partition('resource_metadata="')[2].partition('"')[0]
    assert where == f"{admitting.base}/.well-known/oauth-protected-resource/mcp"
    told = httpx2.get(where).json()
    assert told["resource"] == admitting.url
    assert told["authorization_servers"] == [issuer.url]
    assert told["scopes_supported"] == ["memory:read", "memory:write"]
    assert told["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "https://other.example.com/mcp"},
        {"aud": None},
        {"aud": []},
        {"iss": "https://other.example.com"},
        {"iss": None},
        {"exp": None},
        {"exp": 1_000},
        {"exp": "tomorrow"},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": "a\x1fb"},
        {"kid": None},
        {"kid": "unknown"},
    ],
    ids=str,
)
def test_a_token_that_is_not_meant_or_valid_here_is_refused(admitting, issuer, changed):
    key = issuer.keys["first"]
    assert refused(admitting, issuer.token(AUDIENCE, **{"key": key, **changed}))


def test_clocks_may_differ_by_so_many_seconds_and_no_more(admitting, issuer):
    now = int(time.time())
    margin = 20  # More than the test takes.
    late = issuer.token(AUDIENCE, exp=now - LEEWAY_S + margin)
    early = issuer.token(AUDIENCE, nbf=now + LEEWAY_S - margin, iat=now + LEEWAY_S - margin)
    assert asked(admitting, late).status_code == 200
    assert asked(admitting, early).status_code == 200
    assert refused(admitting, issuer.token(AUDIENCE, exp=now - LEEWAY_S - 1))


def test_several_audiences_may_hold_ours(admitting, issuer):
    token = issuer.token(AUDIENCE, aud=["https://other.example.com", AUDIENCE])
    assert asked(admitting, token).status_code == 200


def claims_of(token: str) -> dict:
    return jwt.decode(token, options={"verify_signature": False})


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE"])
def test_a_token_without_a_signature_is_refused(admitting, issuer, algorithm):
    token = issuer.token(AUDIENCE)
    assert refused(admitting, unsigned(claims_of(token), alg=algorithm, kid=issuer.kid))
    # Nor does a valid token stay valid without its signature.
    assert refused(admitting, token.rpartition(".")[0] + ".")


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(admitting, issuer):
    body = unsigned(claims_of(issuer.token(AUDIENCE)), alg="HS256", kid=issuer.kid).rstrip(".")
    signature = hmac.new(issuer.public_pem(), body.encode(), hashlib.sha256).digest()
    forged = f"{body}.{jwt.utils.base64url_encode(signature).decode()}"
    assert refused(admitting, forged)


@pytest.mark.slow
def test_a_token_signed_with_another_key_is_refused(admitting, issuer):
    with OwnIssuer() as other:
        other.keys["first"] = other.keys[other.kid]
        forged = other.token(AUDIENCE, iss=issuer.url, kid="first")
    assert refused(admitting, forged)


def test_a_token_that_was_changed_is_refused(admitting, issuer):
    head, _, signature = issuer.token(AUDIENCE).split(".")
    changed = issuer.token(AUDIENCE, sub="bob").split(".")[1]
    assert refused(admitting, f"{head}.{changed}.{signature}")


@pytest.mark.parametrize("token", ["x", "a.b.c", "..", "e30.e30.e30", "\xff" * 50, "x" * 20_000])
def test_other_texts_are_no_tokens(admitting, token):
    assert refused(admitting, token.encode("ascii", "replace").decode())


@pytest.mark.slow
def test_a_key_in_the_token_itself_is_not_used(admitting, issuer):
    with OwnIssuer() as other:
        key = other.keys[other.kid]
        headers = {"jwk": other._public(other.kid), "jku": f"{other.url}/keys", "kid": issuer.kid}
        forged = jwt.encode(claims_of(issuer.token(AUDIENCE)), key, "RS256", headers)
        assert refused(admitting, forged)
        assert other.requests == []


@pytest.mark.parametrize("algorithm", ["ES256", "ES512", "EdDSA", "RS256", "PS512"])
@pytest.mark.parametrize("curve", [False, True])
def test_an_algorithm_that_does_not_fit_the_key_is_refused(admitting, issuer, algorithm, curve):
    issuer.rotate("signing", curve=curve)
    head, body, signature = issuer.token(AUDIENCE).split(".")
    forged = jwt.utils.base64url_encode(
        json.dumps({"alg": algorithm, "kid": "signing", "typ": "JWT"}).encode()
    ).decode()
    if json.loads(jwt.utils.base64url_decode(head))["alg"] != algorithm:
        assert refused(admitting, f"{forged}.{body}.{signature}")


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_a_short_key_is_refused(admitting, issuer):
    issuer.keys["first"] = rsa.generate_private_key(65_537, 1_024)
    assert refused(admitting, issuer.token(AUDIENCE))


def searched(server: Running, token: str) -> int:
    params = {"name": "search", "arguments": {"query": "hazelnuts"}}
    answer = asked(server, token, method="tools/call", params=params)
    return answer.json()["result"]["structuredContent"]["total"]


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("K", "\u212a"), ("\u00e9", "e\u0301")])
def test_subjects_are_compared_exactly(admitting, issuer, one, other):
    told = {"name": "remember", "arguments": {"text": "Ann likes hazelnuts."}}
    asked(admitting, issuer.token(AUDIENCE, sub=one), method="tools/call", params=told)
    assert searched(admitting, issuer.token(AUDIENCE, sub=one)) == 1
    assert searched(admitting, issuer.token(AUDIENCE, sub=other)) == 0
    asked(admitting, issuer.token(AUDIENCE, sub=other), method="tools/call", params=told)
    assert searched(admitting, issuer.token(AUDIENCE, sub=other)) == 1
    # Nor is the id that the other has a subject that leads to it.
    hashed = oidc.HASHED + hashlib.sha256(other.encode()).hexdigest()
    assert searched(admitting, issuer.token(AUDIENCE, sub=hashed)) == 0


@pytest.mark.slow
def test_keys_are_rotated_without_a_restart(admitting, issuer):
    old = issuer.token(AUDIENCE)
    assert asked(admitting, old).status_code == 200
    issuer.rotate("second", keep=True)
    assert asked(admitting, issuer.token(AUDIENCE)).status_code == 200
    assert asked(admitting, old).status_code == 200
    issuer.rotate("third")
    assert asked(admitting, issuer.token(AUDIENCE)).status_code == 200
    assert refused(admitting, old)


@pytest.mark.slow
def test_forged_tokens_do_not_make_requests_to_the_issuer(embedded, tokens, issuer):
    with running(embedded, tokens, issuer=Issuer(issuer.url, AUDIENCE)) as server:
        assert asked(server, issuer.token(AUDIENCE)).status_code == 200
        requests = len(issuer.requests)
        for number in range(10):
            assert refused(
                server, issuer.token(AUDIENCE, kid=str(number), key=issuer.keys["first"])
            )
        assert len(issuer.requests) == requests


def test_an_issuer_that_cannot_be_reached_is_no_reason_to_discard_a_token(admitting, issuer):
    issuer.available = False
    token = issuer.token(AUDIENCE)
    answer = asked(admitting, token)
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
    line = answer.json()["error"]["message"]
    assert line == f"{issuer.url}/.well-known/openid-configuration: answered 503; try again later"
    assert admitting.post(user="bob").status_code == 200
    issuer.available = True
    assert asked(admitting, token).status_code == 200


def test_an_issuer_that_names_another_is_not_believed(admitting, issuer):
    issuer.claims_to_be = "https://other.example.com"
    assert asked(admitting, issuer.token(AUDIENCE)).status_code == 503


@pytest.mark.parametrize(
    ("said", "reads", "writes"),
    [
        ({"scope": "memory:read"}, True, False),
        ({"scope": "memory:write"}, True, True),
        ({"scope": None, "scp": ["memory:read", "memory:write"]}, True, True),
        ({"scope": None, "scp": "memory:read"}, True, False),
        ({"scope": "openid profile"}, False, False),
        ({"scope": None}, False, False),
        ({"scope": {"memory:read": 1, "memory:write": 1}}, False, False),
        ({"scope": ["memory:read", 7]}, False, False),
        ({"scope": 7}, False, False),
        ({"scope": True}, False, False),
        ({"scope": None, "scp": {"memory:read": True}}, False, False),
    ],
    ids=str,
)
def test_scopes_say_what_a_token_may_do(admitting, issuer, said, reads, writes):
    token = issuer.token(AUDIENCE, **said)
    assert asked(admitting, token).status_code == (200 if reads else 403)
    params = {"name": "remember", "arguments": {"text": "Ann likes hazelnuts."}}
    wrote = asked(admitting, token, method="tools/call", params=params)
    assert wrote.status_code == (200 if writes else 403)
    if not writes:
        challenge = wrote.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert "resource_metadata=" in challenge


@pytest.mark.parametrize(
    ("said", "admitted"),
    [
        ({"email": "ann@example.com", "email_verified": True}, True),
        ({"email": "ann@example.com", "email_verified": False}, False),
        ({"email": "ann@example.com"}, False),
        ({"email": ["ann@example.com"], "email_verified": True}, False),
    ],
    ids=str,
)
def test_an_address_names_a_user_only_if_it_is_verified(embedded, tokens, issuer, said, admitted):
    with running(embedded, tokens, issuer=Issuer(issuer.url, AUDIENCE, "email")) as server:
        answer = asked(server, issuer.token(AUDIENCE, **said))
        assert answer.status_code == (200 if admitted else 401)


def test_no_log_holds_a_token(admitting, issuer, caplog):
    caplog.set_level(logging.DEBUG)
    tokens = [issuer.token(AUDIENCE), issuer.token("https://other.example.com")]
    for token in tokens:
        asked(admitting, token)
    refused(admitting, "no-token-at-all")
    logged = [record for record in caplog.records if "concept_graph" in record.name]
    assert logged
    for record in caplog.records:
        for token in tokens:
            assert token.rpartition(".")[2] not in f"{record.getMessage()} {record.__dict__}"
