"""A memory block of LlamaIndex: `Memory.from_defaults(memory_blocks=[MemoryBlock(memory=memory)])`.

The block keeps the messages that the short-term memory lets go, and returns what bears on the last
one. This needs the extra `llama-index`, or the package llama-index-core.
"""

from collections.abc import Sequence
from typing import Any

from .missing import name_extra

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.memory.memory import BaseMemoryBlock
except ImportError as error:
    raise name_extra(error, "llama-index") from None

from anyio import to_thread

from ..memory import AsyncMemory, Memory
from . import kept
from .kept import Plan, Step

_ROOT = "llama-index"
_SAYING = ("user", "assistant")
# The messages before the last in which "she" and "it" have their names.
_BEFORE = 3
# As a tokenizer counts, at the least, in characters.
_PER_TOKEN = 4


class MemoryBlock(BaseMemoryBlock[str]):
    """A block with what the user of *memory* is known for, as far as it bears on the last message.

    Its *priority* is 1: too long a text loses its last lines. Its `token_budget` is that of a
    recall.
    """

    name: str = Field(default="KnownFromBefore", description="The name of the memory block.")
    priority: int = Field(default=1, description="0: it is never cut.")
    memory: Memory | AsyncMemory = Field(description="The memory, of one user.", exclude=True)
    token_budget: int = Field(default=1_200, description="The most tokens of the block.")

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [(one.role.value, one.content or "") for one in messages or ()]
        asked = [number for number, (role, text) in enumerate(said) if role == "user" and text]
        if not asked:
            return ""
        last = asked[-1]
        before = [text for role, text in said[max(0, last - _BEFORE) : last] if role in _SAYING]
        given = said[last][1], "\n".join(filter(None, before)) or None, self.token_budget
        if isinstance(self.memory, Memory):
            found = await to_thread.run_sync(self.memory.recall, *given)
        else:
            found = await self.memory.recall(*given)
        return found["text"]

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await kept.arun(self.memory, _plan_keeping(messages))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return *content* without its last lines, by so many tokens; None if nothing is left."""
        left = len(content) - _PER_TOKEN * tokens_to_truncate
        lines = content.split("\n")
        while lines and len("\n".join(lines)) > left:
            lines.pop()
        return "\n".join(lines) or None


def _plan_keeping(messages: Sequence[ChatMessage]) -> Plan[None]:
    """Keep what was said, in one transaction."""
    steps: list[Step] = []
    for one in messages:
        session = one.additional_kwargs.get("session_id") or ""
        said = kept.redact_text(one.content or "")
        if one.role.value in _SAYING and said.strip():
            steps.append(
                {
                    "do": "append",
                    "under": kept.path(_ROOT, str(session)),
                    "value": kept.encode_value({"role": one.role.value, "content": said}),
                    "text": kept.readable(said),
                    "source": _ROOT,
                    "speaker": one.role.value,
                }
            )
    yield steps
