"""Ask any chat model that can call tools, behind an OpenAI-compatible endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .. import endpoints
from ..endpoints import Endpoint, EndpointError

Chat = dict[str, Any]

_TIMEOUT_S, _RETRIES = 180.0, 8
_UNFINISHED = {
    "length": "the answer was cut off; let the model answer at greater length",
    "content_filter": "the answer was held back by a content filter",
}


class ModelError(Exception):
    """The model is not configured, cannot be reached, or gave a useless answer; one line."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call by the model; its arguments should be JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply, and the tokens that it cost."""

    text: str
    calls: tuple[ToolCall, ...]
    tokens_in: int
    tokens_out: int


class Model(Protocol):
    """Any chat model that can call tools."""

    async def reply(self, chat: Sequence[Chat], tools: Sequence[Chat]) -> Reply:
        """Return the model's next message in *chat*. Raises ModelError."""


def find_endpoint(environment: Mapping[str, str], model: str | None = None) -> Endpoint:
    """Return the endpoint of *model* (else OPENAI_MODEL) from OPENAI_BASE_URL and OPENAI_API_KEY.

    Raises ModelError.
    """
    model = model or environment.get("OPENAI_MODEL", "").strip()
    if not model:
        raise ModelError("OPENAI_MODEL: is not set; name the model that is to read the history")
    try:
        return endpoints.named(environment, model)
    except EndpointError as error:
        raise ModelError(str(error)) from None


class OpenAIModel:
    """The model of an endpoint. It retries after rate limits, time-outs and server errors.

    Raises ModelError where the package openai is not installed.
    """

    def __init__(
        self, endpoint: Endpoint, timeout_s: float = _TIMEOUT_S, retries: int = _RETRIES
    ) -> None:
        self._endpoint = endpoint
        try:
            self._client = endpoint.connect(timeout_s, max_retries=retries)
        except ImportError:
            raise ModelError(
                "a model needs the openai package: pip install 'openai>=1.66,<4'"
            ) from None

    async def reply(self, chat: Sequence[Chat], tools: Sequence[Chat]) -> Reply:
        """Return the model's next message in *chat*. Raises ModelError."""
        offered: dict[str, Any] = {"tools": list(tools)} if tools else {}
        from openai import OpenAIError

        try:
            completion = await self._client.chat.completions.create(
                model=self._endpoint.model, messages=list(chat), **offered
            )
        except (OpenAIError, ValueError) as error:
            raise ModelError(self._endpoint.explain(error, "chat completion")) from None
        return _read_reply(completion, self._endpoint.place)

    async def close(self) -> None:
        await self._client.close()


def _read_reply(completion: Any, place: str) -> Reply:
    # A compatible endpoint may omit any field, and the package does not check.
    choices = getattr(completion, "choices", None)
    if not choices or choices[0].message is None:
        raise ModelError(f"{place}: gave no chat completion")
    if choices[0].finish_reason in _UNFINISHED:
        raise ModelError(f"{place}: {_UNFINISHED[choices[0].finish_reason]}")
    message = choices[0].message
    calls = tuple(
        ToolCall(call.id, call.function.name, call.function.arguments or "")
        for call in message.tool_calls or ()
        if getattr(call, "function", None) is not None
    )
    usage = completion.usage
    tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
    return Reply(message.content or "", calls, *tokens)
