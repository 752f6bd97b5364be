"""Tell from the counts of the indexes what a search of names may rely on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.layers import TextIndex
from conceptgraph_core.name_lists import schema as lists

# A scan this short needs no index; and a storage that does not count its indexes reports 10.
FEW = 1_000
# Names put into lists in one transaction, before a connection or after a search: some tens of
# milliseconds' work. Imports list their names themselves.
MOST_LISTED = 5_000

Counts = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class State:
    """The state of the nodes that a search reads.

    It says whether there are any lists and, if known, how many texts the text index has, and how
    many of them are in no list.
    """

    has_lists: bool = True
    texts: int | None = None
    unlisted: int = 0

    @property
    def has_many_unlisted(self) -> bool:
        return self.unlisted >= MOST_LISTED


def state_of(counts: Counts | None, index: TextIndex) -> State:
    """Return the state of the nodes with a text of *index*; *counts* may be unknown."""
    if counts is None:
        return State()
    source, unlisted = of(counts, index)
    are_lists = has_lists(counts)
    if source is None or source < FEW or unlisted is None:
        return State(are_lists)
    return State(are_lists, source, unlisted)


def counts_of(rows: Sequence[Mapping[str, Any]], index: TextIndex) -> Counts:
    """Return the counts in *rows*, those of SHOW INDEX INFO."""
    ours = {
        tuple(listed(row["property"])): row["count"] for row in rows if row["label"] == index.label
    }
    of_lists = [row["count"] for row in rows if row["label"] == lists.LIST]
    return ours | ({(lists.LIST,): max(of_lists)} if of_lists else {})


def of(counts: Counts, index: TextIndex) -> list[int | None]:
    """Return how many shared nodes have a text, and how many of these are in no list."""
    source = counts.get((index.source,))
    shared = None if source is None else source - counts.get((index.owned,), 0)
    return [shared, counts.get((index.unlisted,))]


def has_lists(counts: Counts) -> bool:
    return counts.get((lists.LIST,), 1) > 0


def listed(properties: Any) -> list[Any]:
    """Return the properties of a constraint or index, which some versions return without a list."""
    if properties is None:
        return []
    return properties if isinstance(properties, list) else [properties]
