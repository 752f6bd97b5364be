"""Filter the memories that a search may find.

Imports nothing of Memgraph: the shell uses it too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..entities.names import Subject
from ..texts import text
from ..texts.dates import ALWAYS, Span
from . import schema
from .projects import Project


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filters of a search; an empty or None one does not filter. `tags`, `ids`: any of them.

    `within` has the time at which a text was said, `about` what it or the names beside it name,
    `ended` whether replaced ones are wanted, and `project` in which one a question is asked.
    """

    source: str | None = None
    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    within: Span = ALWAYS
    about: Subject | None = None
    ended: bool = True
    project: Project | None = None

    @classmethod
    def of(
        cls,
        source: str | None = None,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        states: Sequence[str] = (),
    ) -> "Wanted":
        """Return the filters that a caller states. Raises InvalidText, UnknownState."""
        return cls(
            None if source is None else text.name(source, "source_filter"),
            frozenset(schema.checked_names(types, "types")),
            frozenset(schema.checked_names(tags, "tags")),
            frozenset(schema.checked_states(states, "states")),
        )

    def admits(self, graph: Any, node: Any) -> bool:
        """Tell whether the memory *node*, as *graph* sees it, passes the filters."""
        return (
            (self.source is None or self.source == node.get("source"))
            and (not self.types or node.get("type") in self.types)
            and (not self.states or graph.state(node) in self.states)
            and (not self.tags or not self.tags.isdisjoint(node.get("tags")))
            and (not self.ids or node.memory_id in self.ids)
            and (self.within == ALWAYS or self.within.holds(node.told_at))
            and (self.about is None or self.about.is_in((node.content, *node.get("concepts"))))
            and (self.ended or graph.ended(node) is None)
            and (self.project is None or self.project.admits(node))
            # The texts around it would lead to it.
            and node.raw.get_property("content") != schema.SILENT
        )
