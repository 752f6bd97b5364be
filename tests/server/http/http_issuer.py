"""An OpenID Connect issuer on a loopback port, whose keys and tokens a test chooses."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm


class OwnIssuer:
    """Answers for its metadata and keys, and signs tokens."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {}
        self.requests: list[str] = []
        self.available = True
        self.claims_to_be: str | None = None
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.requests.append(self.path)
                said = issuer.answer(self.path)
                self.send_response(200 if said is not None else 503)
                self.end_headers()
                self.wfile.write(json.dumps(said).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.rotate("first")

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> dict[str, Any] | None:
        if not self.available:
            return None
        if path == "/keys":
            return {"keys": [self._public(kid) for kid in self.keys]}
        return {"issuer": self.claims_to_be or self.url, "jwks_uri": f"{self.url}/keys"}

    def rotate(self, kid: str, keep: bool = False, curve: bool = False) -> None:
        """Sign with a new key from now on; with *keep* the earlier keys stay valid."""
        if not keep:
            self.keys.clear()
        key: Any = ec.generate_private_key(ec.SECP256R1()) if curve else _rsa()
        self.keys[kid] = key
        self.kid = kid

    def token(self, audience: str, **changed: Any) -> str:
        """Return a token of ann for *audience*; *changed* claims that are None are left out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": audience,
            "sub": "ann",
            "iat": now,
            "exp": now + 600,
            "scope": "openid memory:read memory:write",
        }
        kid = changed.pop("kid", self.kid)
        key = changed.pop("key", self.keys.get(kid))
        curve = isinstance(key, ec.EllipticCurvePrivateKey)
        algorithm = changed.pop("algorithm", "ES256" if curve else "RS256")
        told = {name: value for name, value in (claims | changed).items() if value is not None}
        return jwt.encode(told, key, algorithm, {"kid": kid} if kid is not None else None)

    def public_pem(self) -> bytes:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        public = self.keys[self.kid].public_key()
        pem: bytes = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return pem

    def _public(self, kid: str) -> dict[str, Any]:
        public = self.keys[kid].public_key()
        curve = isinstance(public, ec.EllipticCurvePublicKey)
        written = (ECAlgorithm if curve else RSAAlgorithm).to_jwk(public, as_dict=True)
        return {**written, "kid": kid, "use": "sig"}


def _rsa() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65_537, 2_048)


def unsigned(claims: dict[str, Any], **header: Any) -> str:
    """Return a token without a signature, made by hand."""
    parts = ({"typ": "JWT", **header}, claims)
    first, second = (base64.urlsafe_b64encode(json.dumps(one).encode()) for one in parts)
    return f"{first.decode().rstrip('=')}.{second.decode().rstrip('=')}."
