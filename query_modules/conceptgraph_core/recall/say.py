"""Say what belongs to a message, in lines that fit a budget."""

from collections.abc import Iterable, Sequence
from typing import Final

from ..everyday import passages, schema
from ..everyday.lines import SAID, Line, Room, make_line, size, title_size
from ..memories import rendering
from ..memories.entries import Told, entries, find_renewed
from ..memories.view import Node
from ..retrieval.searching import merge_found
from ..texts import quoting
from . import budgets
from .gather import Candidate
from .read import Question

# The mark of a day that is still to come.
_AHEAD: Final = " (ahead)"
# A shorter text is not cut further.
_LEAST_CUT: Final = 40
# The words of so many matches lead to what only a link or its meaning found.
_FIRST_FEW: Final = 3


def put_in_order(
    question: Question, belonging: Sequence[Candidate], *, later_first: bool = False
) -> list[Told]:
    """Return what *belongs* to *question* as it is told: each wording once, by its latest text.

    Texts of the time that *question* names come first, and of a past those that were so then. With
    *later_first*, times count no more than they do in the score, and a later text on the matter of
    another one comes before it, however far behind.
    """
    graph, past, around = question.graph, question.past, question.around
    every = merge_found([[found] for one in belonging for found in one.found.values()])
    copies = {node for one in belonging for node in one.also}
    ordered = [one.node for one in belonging]
    told = entries(graph, ordered, copies, find_renewed(every) if later_first else {})
    by_node = {one.node: one for one in every}
    told = [one._replace(found=by_node.get(one.node)) for one in told]
    if past is None:
        told = [one for one in told if graph.ended(one.node) is None]
    elif not later_first:
        told.sort(key=lambda one: past.order(one.node.told_at, graph.ended(one.node)))
    if around is not None and not later_first:
        told.sort(key=lambda one: not around.holds(one.node.told_at))
    return told


def quote(
    question: Question, told: Sequence[Told], room: Room, reserved: int, shown: Iterable[Node]
) -> tuple[list[Line], list[Node]]:
    """Return lines that quote those of *told* that fit, and their nodes.

    *reserved* bytes of the *room* stay free, and what is *shown* elsewhere is left out. The best
    text is cut if it does not fit; of the others there may be shorter ones.
    """
    lines: list[Line] = []
    put: list[Node] = []
    known = set(shown)
    for one in told:
        if one.node in known or not question.recent.holds(one.node.told_at):
            continue
        line = _line(question, one, told, is_best=not lines)
        most, length = room.bytes - reserved - title_size(SAID), passages.LONG
        while not lines and size(line) > most and length > _LEAST_CUT:
            length //= 2
            line = _line(question, one, told, length, is_best=True)
        if room.holds(line, title=not lines, least=reserved):
            lines.append(line)
            put.append(one.node)
    return lines, put


def _line(
    question: Question, one: Told, told: Sequence[Told], most: int | None = None, *, is_best: bool
) -> Line:
    """Return the line of *one*, its text cut to passages of *most* bytes if it is long."""
    row, said = one.entry, str(one.entry["text"])
    if most is not None or budgets.size(said) > passages.LONG:
        languages = question.graph.context.languages
        said = passages.passages(said, _weights(one, told), languages, most, is_best=is_best)
    ahead = _AHEAD if one.node.told_at > question.at else ""
    quoted = f"{ahead}, {rendering.teller(row)}: {quoting.quote(said)}"
    marks: list[tuple[str | int, ...]] = []
    if row["also"]:
        marks.append((f"{row['also']} more say the same",))
    if (until := question.graph.outdated(one.node)) is not None:
        marks.append(("no longer so since ", until))
    elif row["contradicted_by"]:
        marks.append(("a later one contradicts this",))
    if (corrected := one.node.get("corrects")) is not None:
        marks.append(("corrects what was said on ", corrected))
    between = [(" (" if number == 0 else "; ", *mark) for number, mark in enumerate(marks)]
    behind = [part for mark in between for part in mark] + [")"] * bool(marks)
    key = one.node.memory_id
    return make_line(SAID, schema.MEMORY, key, one.node.told_at, quoted, *behind)


def _weights(one: Told, told: Sequence[Told]) -> dict[str, float]:
    """Return the terms that led to *one*; if a link or its meaning did, those of the others."""
    if one.found is not None and (terms := one.found.terms):
        return terms
    every: dict[str, float] = {}
    for other in told[:_FIRST_FEW]:
        every |= {} if other.found is None else other.found.terms
    return every
