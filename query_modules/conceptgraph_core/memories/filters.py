"""Which memories a search is to find. Imports nothing of Memgraph: the shell checks it too."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import text
from . import schema


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories are wanted; what is empty or None says nothing. `tags`: any of them."""

    source: str | None = None
    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        source: str | None = None,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        states: Sequence[str] = (),
    ) -> "Wanted":
        """Return what a caller means. Raises InvalidText, UnknownState."""
        return cls(
            None if source is None else text.name(source, "source_filter"),
            frozenset(schema.checked_names(types, "types")),
            frozenset(schema.checked_names(tags, "tags")),
            frozenset(schema.checked_states(states, "states")),
        )

    def admits(self, graph: Any, node: Any) -> bool:
        """Tell whether the memory *node*, as *graph* sees it, is among those that are wanted."""
        return (
            (self.source is None or self.source == node.value("source"))
            and (not self.types or node.value("type") in self.types)
            and (not self.states or graph.state(node) in self.states)
            and (not self.tags or not self.tags.isdisjoint(node.value("tags")))
        )
