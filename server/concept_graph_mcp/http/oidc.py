"""Verify access tokens of an OpenID Connect issuer: signed JWTs for this server."""

import hashlib
import logging
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from mcp.server.auth.provider import AccessToken
from starlette.authentication import AuthenticationError

from conceptgraph_core.texts import text
from conceptgraph_core.verbs.errors import ConceptGraphError

from ..errors import one_line
from ..logs import tell
from .access import READ, WRITE

logger = logging.getLogger(__name__)

# Public keys only: with a shared secret (HS256), whoever knows the public key could sign tokens.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
# Seconds by which the clocks of issuer and server may differ.
LEEWAY_S = 30
# Seconds until the issuer's keys are read anew; keys that it withdrew end then.
KEYS_LAST_S = 300
# Seconds between two requests for unknown keys, and after a failure: forged tokens cost no more.
AGAIN_S = 10.0
# RFC 7518, 3.3: a smaller RSA key must not be used.
LEAST_BITS = 2_048
# The id of a user whose subject is in no normal form of Unicode begins with this.
HASHED = "oidc-sha256:"
_TIMEOUT_S = 5.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class IssuerError(Exception):
    """The issuer cannot be reached or is not what it claims; the message is one line."""


class Issuer(NamedTuple):
    """The issuer of tokens, the audience that they must have, and the claim that names the user."""

    url: str
    audience: str
    user_claim: str = "sub"


class Verifier:
    """Verifies the tokens of *issuer* (a `TokenVerifier`), whose keys it reads when needed."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer
        self._keys: jwt.PyJWKClient | None = None
        self._failed: tuple[float, IssuerError] | None = None
        self._fetching = anyio.Lock()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what *token* allows, or None if it is not valid here.

        Raises AuthenticationError if the issuer's keys cannot be read: then nobody knows.
        """
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS or not header.get("kid"):
                tell(logger, "token refused", why="no kid, or no algorithm of public keys")
                return None
            key = await self._key(header["kid"])
            if isinstance(key.key, RSAPublicKey) and key.key.key_size < LEAST_BITS:
                tell(logger, "token refused", why=f"an RSA key of under {LEAST_BITS} bits")
                return None
            claims = jwt.decode(
                token,
                key.key,
                algorithms=ALGORITHMS,
                audience=self._issuer.audience,
                issuer=self._issuer.url,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        # A key of another kind than the token's algorithm: TypeError, ValueError.
        except (jwt.PyJWTError, TypeError, ValueError) as error:
            # The reason without the token, for whoever sets up an issuer.
            tell(logger, "token refused", logging.INFO, why=type(error).__name__)
            return None
        except IssuerError as error:
            raise AuthenticationError(f"{error}; try again later") from error
        user_id = _user(claims, self._issuer.user_claim)
        if user_id is None:
            tell(logger, "token refused", why=f"no user in the claim {self._issuer.user_claim}")
            return None
        client = str(claims.get("azp") or claims.get("client_id") or self._issuer.url)
        return AccessToken(token=token, client_id=client, scopes=_scopes(claims), subject=user_id)

    async def _key(self, kid: str) -> jwt.PyJWK:
        """Return the key called *kid*. Raises PyJWKClientError, IssuerError."""
        if (known := self._find_known_key(kid)) is not None:
            return known
        async with self._fetching:
            if self._failed is not None and monotonic() - self._failed[0] < AGAIN_S:
                raise self._failed[1]
            try:
                if self._keys is None:
                    self._keys = await self._discover_keys()
                key = await anyio.to_thread.run_sync(self._keys.get_signing_key, kid)
            except (jwt.PyJWKClientConnectionError, jwt.PyJWKSetError, ValueError) as error:
                self._fail(IssuerError(one_line(f"the issuer's keys cannot be read: {error}")))
            except IssuerError as error:
                self._fail(error)
            self._failed = None
            return key

    def _find_known_key(self, kid: str) -> jwt.PyJWK | None:
        """Return the key called *kid* if it was read lately: without waiting for other tokens."""
        cache = self._keys.jwk_set_cache if self._keys is not None else None
        keys = cache.get() if cache is not None else None
        return jwt.PyJWKClient.match_kid(keys.keys, kid) if keys is not None else None

    def _fail(self, error: IssuerError) -> NoReturn:
        self._failed = monotonic(), error
        tell(logger, "issuer unreachable", logging.WARNING, why=str(error))
        raise error

    async def _discover_keys(self) -> jwt.PyJWKClient:
        """Return a client of the key set that the issuer's metadata names. Raises IssuerError."""
        url = self._issuer.url
        address = f"{url.removesuffix('/')}/.well-known/openid-configuration"
        try:
            async with httpx2.AsyncClient(timeout=_TIMEOUT_S) as client:
                answer = await client.get(address)
                if not answer.is_success:
                    raise IssuerError(f"{address}: answered {answer.status_code}")
                said = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise IssuerError(f"{address}: {error or type(error).__name__}") from error
        if not isinstance(said, dict) or said.get("issuer") != url:
            raise IssuerError(f"{address}: does not name {url} as its issuer")
        keys = str(said.get("jwks_uri", ""))
        if not is_safe(keys):
            raise IssuerError(f"{address}: its jwks_uri must begin with https://")
        return jwt.PyJWKClient(
            keys, lifespan=KEYS_LAST_S, timeout=_TIMEOUT_S, cooldown_duration=AGAIN_S
        )


def is_safe(url: str) -> bool:
    """Return whether *url* is of https, or on this machine: anything else can be tampered with."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _user(claims: Mapping[str, Any], claim: str) -> str | None:
    """Return the user that *claim* names; None if it names none, or an unverified address."""
    if claim == "email" and claims.get("email_verified") is not True:
        return None
    try:
        named = text.name(claims.get(claim), claim)
        user_id = text.user(named, claim)
    except ConceptGraphError:
        return None
    return user_id if user_id == named and not named.startswith(HASHED) else _hash_subject(named)


def _hash_subject(subject: str) -> str:
    """Return the id of a user whose *subject* is not in NFC, the form of all ids of users.

    An issuer compares subjects exactly (OpenID Connect Core, 2), so two that only normalize to the
    same text are two users.
    """
    return HASHED + hashlib.sha256(subject.encode()).hexdigest()


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes of a token, as `scope` (RFC 9068) or `scp` has them; writing is reading."""
    said = claims.get("scope") or claims.get("scp") or ""
    scopes = said.split() if isinstance(said, str) else said
    if not isinstance(scopes, list) or not all(isinstance(one, str) for one in scopes):
        return []
    return [READ, *scopes] if WRITE in scopes and READ not in scopes else scopes
