"""Which of several spellings of one name is shown: Michael, and not Micheal."""

from collections.abc import Iterator
from typing import Final

from ...words import given_names
from .. import names
from ..language import spans
from ..node import Graph, Node
from . import components, ledger, spelling

# "Michael, not Micheal": behind these is what was wrong.
_WRONG: Final = ("not", "nicht", "instead of", "statt")


def show_best(graph: Graph, node: Node) -> None:
    """Let *node*, a canonical entity, be shown by the best spelling of its name in its component.

    Not by one that the user corrected. Else by the one that the user wrote most often; of equal
    ones by the better known given name; else by the later. Other names are no spellings of it: a
    puppy called Max is shown as Max, or as what it was merged into.
    """
    members = components.members(graph, node)
    spellings = [one for one in members if spelling.is_one_name(one.bare, node.bare)]
    corrected = list(_said(graph, members))

    def rank(one: Node) -> tuple[bool, int, int, int, bool]:
        known = sum(map(given_names.listed, names.words(names.canonical(one.bare))))
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
