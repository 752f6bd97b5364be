"""Read the address of an OpenAI-compatible endpoint from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from .errors import one_line

_MOST_OF_A_REASON = 300
_CONNECT_TIMEOUT_S = 10.0


class EndpointError(Exception):
    """The environment names no valid endpoint; the message is one line."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address and name of a model; `base_url` None is OpenAI's own."""

    model: str
    base_url: str | None
    key: str = field(repr=False)

    @property
    def place(self) -> str:
        """Return the model and its address for messages, without credentials."""
        url = urlsplit(self.base_url or "https://api.openai.com/v1")
        place = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        return f"{self.model} at {place}"

    def line(self, said: object) -> str:
        """Return *said* as one line without the key, which endpoints may repeat."""
        line = one_line(said)
        if self.key:
            line = line.replace(self.key, "***")
        return line[:_MOST_OF_A_REASON] or "no reason given"

    def connect(self, timeout_s: float, **options: Any) -> Any:
        """Return a client of the endpoint. Raises ImportError without the package openai."""
        import openai

        timeout = openai.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_TIMEOUT_S))
        # The package requires a key, even for endpoints that need none.
        given: dict[str, Any] = {
            "api_key": self.key or "none",
            "base_url": self.base_url,
            "timeout": timeout,
        }
        return openai.AsyncOpenAI(**given, **options)

    def explain(self, error: Exception, wanted: str) -> str:
        """Return what went wrong with a request for *wanted*, as one line.

        The error is one of the package openai, or the JSON decoder's, which it lets through.
        """
        import openai

        said = f"gave no {wanted}, nor any JSON"
        if isinstance(error, openai.APITimeoutError):
            said = "did not answer in time"
        elif isinstance(error, openai.APIConnectionError):
            said = f"cannot be reached: {self.line(error.__cause__ or error)}"
        elif isinstance(error, openai.APIStatusError):
            said = f"answered {error.status_code}: {self.line(error)}"
        elif isinstance(error, openai.OpenAIError):
            said = self.line(error)
        return f"{self.place}: {said}"


def named(environment: Mapping[str, str], model: str) -> Endpoint:
    """Return the endpoint of *model* from OPENAI_BASE_URL and OPENAI_API_KEY.

    Raises EndpointError.
    """
    base_url = environment.get("OPENAI_BASE_URL", "").strip()
    key = environment.get("OPENAI_API_KEY", "").strip()
    if base_url and not _usable(base_url):
        raise EndpointError("OPENAI_BASE_URL: must be like http://localhost:11434/v1")
    if not (key.isascii() and key.isprintable()):
        raise EndpointError("OPENAI_API_KEY: has characters that no key can have")
    if not (key or base_url):
        raise EndpointError(
            "OPENAI_API_KEY: is not set; set it, or OPENAI_BASE_URL for an endpoint without keys"
        )
    return Endpoint(model, base_url or None, key)


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
