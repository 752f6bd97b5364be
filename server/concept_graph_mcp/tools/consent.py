"""Ask the user before a tool does what changes much, where the client can ask (elicitation).

Other clients decide by a tool's annotations. MCP 2026-07-28 has no requests from a server: there
the result of the call is the question, and the client calls again with the answer.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp.server.elicitation import render_elicitation_schema
from mcp.shared.exceptions import NoBackChannelError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, Field

from conceptgraph_core.quoting import quote

Arguments = Mapping[str, Any]
# Returns the question to the user before a call with these arguments, if there is one.
Asking = Callable[[Arguments], str | None]

DECLINED: Final = "the user said no; nothing was changed"
_KEY: Final = "consent"
_WITHOUT_REQUESTS: Final = "2026-07-28"
# More calls than these within that time are asked about.
_MANY: Final = 5
_WITHIN_S: Final = 60.0


class _Consent(BaseModel):
    go_on: bool = Field(title="Go on", description="Yes: do it.")


async def asked(context: Any, question: str) -> bool | InputRequiredResult:
    """Return whether the user agrees, or the result that asks for it; True if nobody can ask."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return True
    version = context.protocol_version
    if version is not None and is_version_at_least(version, _WITHOUT_REQUESTS):
        answer = (context.input_responses or {}).get(_KEY)
        if not isinstance(answer, ElicitResult):
            schema = render_elicitation_schema(_Consent)
            form = ElicitRequestFormParams(message=question, requested_schema=schema)
            return InputRequiredResult(input_requests={_KEY: ElicitRequest(params=form)})
        return answer.action == "accept" and bool((answer.content or {}).get("go_on"))
    try:
        result = await context.elicit(question, _Consent)
    except NoBackChannelError:
        return True
    except ValueError:
        return False  # The answer has another form.
    return result.action == "accept" and bool(result.data.go_on)


def merging(source: str, target: str) -> Asking:
    """Return the question before the arguments *source* and *target* count as one."""

    def asking(given: Arguments) -> str | None:
        if given.get(target) is None or given.get("same") is False:
            return None
        one, other = (quote(str(given[name]), 200) for name in (source, target))
        return f"Let {one} and {other} count as one from now on? It can be undone."

    return asking


def of_many(what: str) -> Asking:
    """Return the question before the sixth call within a minute, and each one after it."""
    calls = deque[float]()

    def asking(_: Arguments) -> str | None:
        now = time.monotonic()
        while calls and now - calls[0] > _WITHIN_S:
            calls.popleft()
        calls.append(now)
        if len(calls) <= _MANY:
            return None
        return f"This is one of many calls within a minute that want to {what}. Let it?"

    return asking
