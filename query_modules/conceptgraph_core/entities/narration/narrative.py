"""What is known of whom a message speaks, as a narrative whose every sentence can be traced.

Prose and no dump of nodes: dated, with doubts told as doubts, and what only a model said marked as
inferred. It is about those whom the message names, and about nobody else. Each sentence cites the
mentions or facts that it rests on; what rests on none is not told.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from ... import budgets
from ... import text as texts
from .. import kinds, schema
from ..identity import components, likenesses, resolution
from ..language import cues
from ..node import Graph, Node, Tie
from . import asked, named, reading, together
from .current_facts import facts_now, value_briefly, value_in_full
from .sentences import (
    INFERRED,
    Part,
    Sentence,
    called,
    ended,
    listed,
    parts_listed,
    quoted,
    text,
    tokens,
)
from .wholes import Whole, Wholes, time_of

Row = dict[str, Any]

MOST_NAMED: Final = 10
MOST_DOUBTS: Final = 3
# So many facts of one are told in a line.
MOST_BRIEFLY: Final = 8
# So many of what the user said last are told.
_LATEST: Final = 2
_STRONG: Final = 0.7
# No sentence with its source has fewer bytes.
_SHORTEST: Final = 100


def context(graph: Graph, message: str, token_budget: int | None = None) -> Row:
    """Tell what is known of whom *message* names, in at most *token_budget* tokens (estimated).

    In the order in which it names them; what only a model mentioned comes last, and is what is left
    out first. Returns text; paragraphs, of sentences, of parts that are texts or times (unix ms);
    sources, {entity_ids, mention_ids, fact_ids} of each sentence in its order; and tokens, those of
    the sources included. What does not fit is left out. Nothing is changed by being told.
    """
    texts.summary(message, "message")
    room = budgets.budget(token_budget) * budgets.BYTES_A_TOKEN
    told: list[list[Sentence]] = []
    for paragraph in _paragraphs(graph, message):
        kept: list[Sentence] = []
        # What cannot fit any more is not looked for either.
        while room > _SHORTEST and (whole := next(paragraph, None)) is not None:
            sentence = next((one for one in whole.forms if one.size <= room), None)
            if sentence is not None:
                room -= sentence.size
                kept.append(sentence)
        if kept:
            told.append(kept)
    parts = [[list(sentence.parts) for sentence in paragraph] for paragraph in told]
    sources = [sentence.source for paragraph in told for sentence in paragraph]
    made = text(parts)
    return {
        "text": made,
        "paragraphs": parts,
        "sources": sources,
        "tokens": tokens(made, sources),
    }


def brief(graph: Graph, message: str) -> Iterator[tuple[Node, list[Part]]]:
    """Yield whom *message* names, each with a line: who it is, and what is believed of it now.

    In the order of `context`. The parts of a line are texts and times (unix ms). Facts that
    contradict come first; then whom it may be, how many are called so, and, where no fact is known,
    the words in which the user spoke of it last.
    """
    told = Wholes(graph)
    meant = named_by(graph, message)
    called_so = Counter(place for _, place in meant)
    for node, place in meant:
        yield node, _briefly(graph, told, told.whole(node), called_so[place])


def _briefly(graph: Graph, told: Wholes, whole: Whole, several: int) -> list[Part]:
    also, _ = _also_called(graph, whole)
    mark = "" if whole.users else f", {INFERRED}"
    parts: list[Part] = [f"{whole.name} ({whole.described}{_until(graph, whole)}{also}{mark})"]
    if several > 1:
        parts.append(f", one of {several} so called")
    contested, valid = facts_now(graph, whole.members)
    for one, other in contested:
        start = f"; uncertain: {called(one.get('predicate'))} is "
        parts += [start, *value_briefly(graph, one), " or ", *value_briefly(graph, other)]
    for one in valid[:MOST_BRIEFLY]:
        parts += [f"; {called(one.get('predicate'))}: ", *value_briefly(graph, one)]
    asked = [other for _, other in _questions(graph, told, whole)]
    parts += [f"; perhaps the same as {other.name}" for other in asked]
    last = next(iter(whole.users), None)
    if last is not None and not contested and not valid and (said := last.get("mention_context")):
        parts += ["; last mentioned on ", last.created_at, f": {quoted(said)}"]
    return parts


def _paragraphs(graph: Graph, message: str) -> Iterator[Iterator[Sentence]]:
    told = Wholes(graph)
    meant = named_by(graph, message)
    wholes = [told.whole(node) for node, _ in meant]
    yield _several(told, meant)
    yield _of_user(graph, told, message, wholes)
    for whole in wholes:
        yield chain(
            _who(graph, whole),
            _facts(graph, whole),
            _doubts(graph, told, whole),
            _felt(whole),
            _before(whole),
            together.joined(graph, told, whole),
        )


def _of_user(
    graph: Graph, told: Wholes, message: str, wholes: Sequence[Whole]
) -> Iterator[Sentence]:
    """Tell of the facts of the user's own those for which the message asks: "Where do I work?"."""
    asks = asked.asked(message)
    selves = (one for one in graph.of(schema.ENTITY) if components.is_self(one))
    for node in selves if asks.sentences else ():
        whole = told.whole(node)
        if whole not in wholes:
            yield from _facts(graph, whole, asks)


def named_by(graph: Graph, message: str) -> list[tuple[Node, named.Place]]:
    """Return the canonical entities that *message* names, in its order, and where it names each.

    What only a model mentioned comes after all that the user did (anti-pattern 7). What was set
    aside is told of as well, when it is named.
    """
    read = named.read(message)
    entities = (
        (node, read.meant(node.bare, node.node_type, node.get("entity_kind")))
        for node in graph.of(schema.ENTITY)
    )
    found = named.narrowed(
        ((node, meant) for node, meant in entities if meant is not None), read.definite
    )
    best: dict[int, tuple[tuple[Any, ...], Node, named.Place]] = {}
    for node, meant in found:
        canonical = components.canonical(graph, node)
        inferred = components.said(graph, canonical).user == 0
        place = meant.places[0]
        # Of two at one place first whom it calls by the whole name, then who was spoken of last.
        last = -canonical.get("last_activated")
        rank = (inferred, place[0], not meant.is_whole, last, canonical.key)
        if canonical.id not in best or rank < best[canonical.id][0]:
            best[canonical.id] = rank, canonical, place
    ordered = [(node, place) for _, node, place in sorted(best.values(), key=lambda one: one[0])]
    told = {pair for pair in ordered if _is_told_apart(graph, message, read, *pair)}
    places = {place for _, place in told}
    return [pair for pair in ordered if pair in told or pair[1] not in places][:MOST_NAMED]


def _is_told_apart(
    graph: Graph, message: str, read: named.Message, node: Node, place: named.Place
) -> bool:
    """Tell whether *message* says which one of its name it means: my sister Anna, from the gym."""
    kind = cues.kind(message, node.bare)
    behind = read.behind(place)
    return any(
        kinds.nearness(one.get("entity_kind"), kind) > 1
        or (qualifier and resolution.telling(qualifier) & behind)
        for one in components.members(graph, node)
        for qualifier in (one.get("qualifier"),)
    )


def _several(told: Wholes, meant: Sequence[tuple[Node, named.Place]]) -> Iterator[Sentence]:
    """Tell where one name may mean several, who they are."""
    by_place: dict[named.Place, list[Whole]] = {}
    for node, place in meant:
        by_place.setdefault(place, []).append(told.whole(node))
    for wholes in by_place.values():
        known = [(whole, whole.latest) for whole in wholes]
        cited = [(whole, last) for whole, last in known if last is not None]
        if len(cited) > 1:
            each = [_one_of_several(whole, last) for whole, last in cited]
            start = f"The message may mean any of {len(cited)}: "
            yield Sentence(
                (start, *parts_listed(each, "or"), "."),
                tuple(whole.node.key for whole, _ in cited),
                tuple(last.key for _, last in cited),
            )


def _one_of_several(whole: Whole, last: Node) -> tuple[Part, ...]:
    by = "the user" if whole.users else f"the model ({INFERRED})"
    return f"{whole.name} ({whole.described}), last mentioned by {by} on ", last.created_at


def _who(graph: Graph, whole: Whole) -> Iterator[Sentence]:
    """Tell who it is and when the user last spoke of it, in the words of then."""
    last = whole.latest
    if last is None:
        return
    also, others = _also_called(graph, whole)
    start = f"{whole.name} ({whole.described}{_until(graph, whole)}{also})"
    cited = tuple(dict.fromkeys((last.key, *others)))
    if whole.users:
        how = "was last mentioned by the user on "
    elif last.get("inferred_from"):
        how = f"is {INFERRED}: the model read it in words of the user's on "
    else:
        how = f"is {INFERRED}: only the model mentioned it, last on "
    short = Sentence((f"{start} {how}", last.created_at, "."), (whole.node.key,), cited)
    said = last.get("mention_context")
    if not said:
        yield short
        return
    parts = (f"{start} {how}", last.created_at, f": {ended(said)}")
    yield Sentence(parts, (whole.node.key,), cited, shorter=short)


def _before(whole: Whole) -> Iterator[Sentence]:
    """Tell what the user said of it before that."""
    heard: dict[str, None] = {}
    for mention in whole.users:
        words = mention.get("mention_context")
        if words and words not in heard:
            heard[words] = None
            if len(heard) > 1:
                start = f"The user mentioned {whole.name} before, on "
                told = (start, mention.created_at, f": {ended(words)}")
                yield Sentence(told, (whole.node.key,), (mention.key,))
        if len(heard) == _LATEST:
            return


def _until(graph: Graph, whole: Whole) -> str:
    """Tell that it has ended, where that is known."""
    until = whole.node.get("valid_until")
    return "" if until is None or until > graph.now_ms else ", ended"


def _also_called(graph: Graph, whole: Whole) -> tuple[str, list[str]]:
    """Return what else it is called, and a mention by each of these names.

    A merge that is not by the user's own words is a guess.
    """
    names: dict[str, str] = {}
    for one in whole.members[1:]:
        if one.name != whole.node.name and one.name not in names:
            mention = max(reading.mentions_of(graph, one), key=time_of, default=None)
            names[one.name] = "" if mention is None else mention.key
    if not names:
        return "", []
    guessed = any(
        row["is_active"] and row["by"] != schema.USER_CORRECTION
        for row in reading.ledger_rows(graph, whole.members)
    )
    mark = f" ({INFERRED})" if guessed else ""
    others = listed([called(name) for name in names])
    return f", also called {others}{mark}", [key for key in names.values() if key]


def _questions(graph: Graph, told: Wholes, whole: Whole) -> Iterator[tuple[Tie, Whole]]:
    """Yield whom it may be, where that is open, each once: the most alike."""
    asked = [
        tie
        for member in whole.members
        for tie in graph.ties(member, schema.SAME_AS)
        if tie.get("status") == schema.CANDIDATE
    ]
    asked.sort(key=lambda tie: (-tie.get("confidence"), tie.other.key))
    seen = {whole.node.id}
    for tie in asked:
        other = told.whole(tie.other)
        if _is_settled(whole, other, tie):
            continue
        if other.node.id not in seen and len(seen) <= MOST_DOUBTS:
            seen.add(other.node.id)
            yield tie, other


def _doubts(graph: Graph, told: Wholes, whole: Whole) -> Iterator[Sentence]:
    """Tell whom it may be, and what the doubt rests on."""
    for tie, other in _questions(graph, told, whole):
        cited = [one.latest.key for one in (whole, other) if one.latest is not None]
        near = f"alike by {tie.get('confidence'):.2f}"
        names = [whole.name, other.name]
        if names[0] == names[1]:
            names = [f"{one.name} ({one.described})" for one in (whole, other)]
        said = f"It is uncertain whether {listed(names)} are the same: {near}."
        if cited:
            yield Sentence((said,), (whole.node.key, other.node.key), tuple(cited))


def _is_settled(whole: Whole, other: Whole, tie: Tie) -> bool:
    """Tell whether it was said already that two are not the same, of one name as they are."""
    first, second = (one.node.get("qualifier") for one in (whole, other))
    differ = first and second and not resolution.is_one_qualifier(first, second)
    return bool(differ) or tie.get("evidence") == likenesses.SETTLED


def _facts(graph: Graph, whole: Whole, asks: asked.Asked | None = None) -> Iterator[Sentence]:
    """Tell the facts that are believed and valid now, and first those that contradict.

    Of these only what *asks* asks for, if it is given.
    """
    contested, certain = facts_now(graph, whole.members, asks)
    for one, other in contested:
        start = f"It is uncertain what the {called(one.get('predicate'))} of {whole.name} is: "
        parts = (start, *value_in_full(graph, one), " or ", *value_in_full(graph, other), ".")
        yield Sentence(parts, (whole.node.key,), (), (one.key, other.key))
    for one in certain:
        start = f"{whole.name} – {called(one.get('predicate'))}: "
        parts = (start, *value_in_full(graph, one), ".")
        yield Sentence(parts, (whole.node.key,), (), (one.key,))


def _felt(whole: Whole) -> Iterator[Sentence]:
    """Tell what moved the user much, and when."""
    felt = max(whole.users, key=lambda one: (_intensity(one), *time_of(one)), default=None)
    if felt is None or _intensity(felt) <= _STRONG:
        return
    valence = felt.get("emotional_valence")
    how = "" if not valence else " and it felt good" if valence > 0 else " and it felt bad"
    parts = (f"{whole.name} moved the user on ", felt.created_at, f"{how}.")
    yield Sentence(parts, (whole.node.key,), (felt.key,))


def _intensity(mention: Node) -> float:
    valence, intensity = mention.get("emotional_valence"), mention.get("emotional_intensity")
    return max(abs(float(valence or 0.0)), float(intensity or 0.0))
