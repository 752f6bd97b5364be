"""A model behind any OpenAI-compatible endpoint. The only module that imports `openai`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletion

from ..errors import one_line
from .conversation import Chat, Reply, ToolCall
from .errors import ModelError

_MOST_OF_A_REASON = 300
_UNFINISHED = {
    "length": "the answer was cut off; let the model answer at greater length, or give it less with"
    " --chars-per-call",
    "content_filter": "the answer was held back by a content filter",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is and what it is called; `base_url` None is OpenAI's own."""

    model: str
    base_url: str | None
    key: str = field(repr=False)


def endpoint(environment: Mapping[str, str]) -> Endpoint:
    """Return what OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API_KEY name. Raises ModelError."""
    model, base_url, key = (
        environment.get(f"OPENAI_{name}", "").strip() for name in ("MODEL", "BASE_URL", "API_KEY")
    )
    if not model:
        raise ModelError("OPENAI_MODEL: is not set; name the model that is to read the history")
    if base_url and not _usable(base_url):
        raise ModelError("OPENAI_BASE_URL: must be like http://localhost:11434/v1")
    if not (key.isascii() and key.isprintable()):
        raise ModelError("OPENAI_API_KEY: has characters that no key can have")
    if not (key or base_url):
        raise ModelError(
            "OPENAI_API_KEY: is not set; set it, or OPENAI_BASE_URL for an endpoint without keys"
        )
    return Endpoint(model, base_url or None, key)


class OpenAIModel:
    """The model of an endpoint. Rate limits, time-outs and server errors are tried again."""

    def __init__(self, endpoint: Endpoint, timeout_s: float, retries: int) -> None:
        self._endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            # The package wants a key, even for endpoints that want none.
            api_key=endpoint.key or "none",
            base_url=endpoint.base_url,
            timeout=openai.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
            max_retries=retries,
        )

    async def reply(self, chat: Sequence[Chat], tools: Sequence[Chat]) -> Reply:
        """Return the model's next message in *chat*. Raises ModelError."""
        offered: dict[str, Any] = {"tools": list(tools)} if tools else {}
        try:
            completion = await self._client.chat.completions.create(
                model=self._endpoint.model, messages=cast(Any, list(chat)), **offered
            )
        except openai.APITimeoutError:
            raise ModelError(f"{self._place}: did not answer in time") from None
        except openai.APIConnectionError as error:
            raise ModelError(f"{self._place}: cannot be reached: {self._line(error)}") from None
        except openai.APIStatusError as error:
            status = f"{self._place}: answered {error.status_code}"
            raise ModelError(f"{status}: {self._line(error)}") from None
        except openai.OpenAIError as error:
            raise ModelError(f"{self._place}: {self._line(error)}") from None
        except ValueError:
            # The package lets the JSON decoder's error through.
            raise ModelError(f"{self._place}: gave no chat completion, nor any JSON") from None
        return self._reply(completion)

    async def close(self) -> None:
        await self._client.close()

    def _reply(self, completion: ChatCompletion) -> Reply:
        # What calls itself compatible may leave out anything; the package does not check.
        choices = getattr(completion, "choices", None)
        if not choices or choices[0].message is None:
            raise ModelError(f"{self._place}: gave no chat completion")
        if choices[0].finish_reason in _UNFINISHED:
            raise ModelError(f"{self._place}: {_UNFINISHED[choices[0].finish_reason]}")
        message = choices[0].message
        calls = tuple(
            ToolCall(call.id, call.function.name, call.function.arguments or "")
            for call in cast(Any, message.tool_calls or ())
            if getattr(call, "function", None) is not None
        )
        usage = completion.usage
        tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
        return Reply(message.content or "", calls, *tokens)

    @property
    def _place(self) -> str:
        url = urlsplit(self._endpoint.base_url or "https://api.openai.com/v1")
        place = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        return f"{self._endpoint.model} at {place}"

    def _line(self, error: Exception) -> str:
        """Return the reason of *error* as one line without the key, which endpoints may repeat."""
        reason = error.__cause__ if isinstance(error, openai.APIConnectionError) else None
        line = one_line(reason or error)
        if self._endpoint.key:
            line = line.replace(self._endpoint.key, "***")
        return line[:_MOST_OF_A_REASON] or "no reason given"


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
