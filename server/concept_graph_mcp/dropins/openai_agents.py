"""A `Session` of the OpenAI Agents SDK on a memory: `MemorySession("id", memory)`.

The items of a session are kept exactly, and what user and assistant said is recalled too. This
needs the extra `openai-agents`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .missing import name_extra

try:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings
except ImportError as error:
    raise name_extra(error, "openai-agents") from None

from ..memory import AsyncMemory, Memory
from . import kept
from .kept import Plan, Step

_SAYING = ("user", "assistant")


class MemorySession:
    """The conversation *session_id* of the user of *memory*.

    *session_settings* may limit how many of the latest items a run gets. Sessions of one id and
    *root* are one, in any process.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | AsyncMemory,
        *,
        session_settings: SessionSettings | None = None,
        root: str = "openai-agents",
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._memory = memory
        self._under = kept.path(root, session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in their order; with *limit* the latest so many of them."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await kept.arun(self._memory, self._get(limit))

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        """Append *items*, all of them or none."""
        await kept.arun(self._memory, self._add([self._step(item) for item in items]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item for ever and return it; None if there is none."""
        return await kept.arun(self._memory, self._pop())

    async def clear_session(self) -> None:
        """Remove all items for ever."""
        await kept.arun(self._memory, self._clear())

    def _get(self, limit: int | None) -> Plan[list[TResponseInputItem]]:
        # As in SQLiteSession, a negative limit is none.
        most = {} if limit is None or limit < 0 else {"limit": limit}
        rows = yield [self._find(backwards=True, **most)]
        return [json.loads(row["value"]) for row in reversed(rows)]

    def _add(self, steps: Sequence[Step]) -> Plan[None]:
        yield steps

    def _pop(self) -> Plan[TResponseInputItem | None]:
        while found := (yield [self._find(backwards=True, limit=1)]):
            # If another one was faster, the next is to be popped.
            if gone := (yield [{"do": "remove", "path": found[0]["path"]}]):
                return json.loads(gone[0]["value"])
        return None

    def _clear(self) -> Plan[None]:
        found = yield [self._find()]
        yield [{"do": "remove", "path": row["path"]} for row in found]

    def _find(self, **how: Any) -> Step:
        return {"do": "find", "under": self._under, "ordered": True, **how}

    def _step(self, item: TResponseInputItem) -> Step:
        role = item.get("role")
        is_said = item.get("type") in (None, "message") and role in _SAYING
        said = kept.redact_text(_text(item.get("content"))) if is_said else ""
        return {
            "do": "append",
            "under": self._under,
            "value": kept.encode_value(item),
            "text": kept.readable(said),
            "source": "openai-agents",
            **({"speaker": role} if said else {}),
        }


def _text(content: Any) -> str:
    """Return the text of a message's content: a text, or parts with texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(one for one in texts if isinstance(one, str))
