"""Choose the spelling of a name to show: Michael, and not Micheal."""

from collections.abc import Iterator
from typing import Final

from ...words import given_names
from .. import names
from ..language import spans
from ..node import Graph, Node
from . import components, ledger, spelling

# The wrong spelling follows these words: "Michael, not Micheal".
_WRONG: Final = ("not", "nicht", "instead of", "statt")


def show_best(graph: Graph, node: Node) -> None:
    """Show *node*, a canonical entity, by the best spelling of its name in its component.

    A spelling that the user corrected is never shown. Among the rest, the order is: the spelling
    the user wrote most often, the better known given name, the later one. Other names are no
    spellings: a puppy called Max is shown as Max, or as the entity that it was merged into.
    """
    members = components.members(graph, node)
    spellings = [one for one in members if spelling.is_one_name(one.bare, node.bare)]
    corrected = list(_said(graph, members))

    def rank(one: Node) -> tuple[bool, int, int, int, bool]:
        known = sum(map(given_names.count_forms, names.words(names.canonical(one.bare))))
        is_wrong = any(said.find(f"{word} {one.bare}") for said in corrected for word in _WRONG)
        return not is_wrong, one.get("user_mention_count"), known, one.created_at, one.id == node.id

    best = max(spellings, key=rank).bare
    shown = None if best == node.bare else best
    if node.get("shown_label") != shown:
        node.set(shown_label=shown)


def _said(graph: Graph, members: list[Node]) -> Iterator[spans.Said]:
    for one in members:
        for entry in ledger.entries(graph, one):
            if entry.get("is_active") and entry.get("said"):
                yield spans.Said(entry.get("said"))
