"""Call a model behind any OpenAI-compatible endpoint. Only this module imports `openai`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import openai
from openai.types.chat import ChatCompletion

from .. import endpoints
from ..endpoints import Endpoint, EndpointError
from .conversation import Chat, Reply, ToolCall
from .steps import ModelError

_UNFINISHED = {
    "length": "the answer was cut off; let the model answer at greater length, or give it less with"
    " --chars-per-call",
    "content_filter": "the answer was held back by a content filter",
}


def endpoint(environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint in OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API_KEY.

    Raises ModelError.
    """
    model = environment.get("OPENAI_MODEL", "").strip()
    if not model:
        raise ModelError("OPENAI_MODEL: is not set; name the model that is to read the history")
    try:
        return endpoints.named(environment, model)
    except EndpointError as error:
        raise ModelError(str(error)) from None


class OpenAIModel:
    """The model of an endpoint. It retries after rate limits, time-outs and server errors."""

    def __init__(self, endpoint: Endpoint, timeout_s: float, retries: int) -> None:
        self._endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            # The package requires a key, even for endpoints that need none.
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
        # A compatible endpoint may omit any field, and the package does not check.
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
        return self._endpoint.place

    def _line(self, error: Exception) -> str:
        reason = error.__cause__ if isinstance(error, openai.APIConnectionError) else None
        return self._endpoint.line(reason or error)
