"""Narrate the entities that a message names, in prose whose every sentence cites its sources.

A narrative has dates, reports doubts as doubts, and marks as inferred what only a model said. It
covers the entities that the message names, and no others. Each sentence cites the mentions or facts
it rests on; a sentence without a source is left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from ...graph.primitives import Union
from ...language import oneself
from ...recall import budgets
from ...retrieval.question import Past
from ...texts import text as texts
from ...texts.words import talk
from ...texts.words.splitting import split
from .. import kinds, lookups, schema
from ..identity import components, likenesses, resolution
from ..language import beside, endings, kin
from ..node import Graph, Node, Tie
from . import current_facts, describing, named
from .current_facts import facts_now, tell_facts, value_in_full
from .describing import Whole, Wholes
from .sentences import (
    INFERRED,
    Part,
    Sentence,
    called,
    ended,
    listed,
    parts_listed,
    quoted,
    stated,
    text,
    tokens,
)

Row = dict[str, Any]

MOST_NAMED: Final = 10
MOST_DOUBTS: Final = 3
# The most facts in the one line of an entity.
MOST_BRIEFLY: Final = 8
# The most of the user's latest mentions.
_LATEST: Final = 2
_STRONG: Final = 0.7
# No sentence with its source has fewer bytes.
_SHORTEST: Final = 100


def context(graph: Graph, message: str, token_budget: int | None = None) -> Row:
    """Narrate the entities that *message* names, in at most *token_budget* tokens (estimated).

    They come in the order of the message. Entities that only a model mentioned come last, and are
    left out first. Returns text; paragraphs of sentences, whose parts are texts or times (unix ms);
    sources, {entity_ids, mention_ids, fact_ids} of each sentence; and tokens, with those of the
    sources. Sentences beyond the budget are left out. The call changes nothing.
    """
    texts.summary(message, "message")
    room = budgets.budget(token_budget) * budgets.BYTES_A_TOKEN
    graph.pull(Union(tuple(lookups.named_by(message, graph.user_id))))
    told: list[list[Sentence]] = []
    for paragraph in _paragraphs(graph, message):
        kept: list[Sentence] = []
        # Entities beyond the budget are not even looked up.
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


def brief(
    graph: Graph,
    message: str,
    meant: Sequence[tuple[Node, named.Place]],
    quotes: Callable[[Node], bool],
    past: Past | None = None,
) -> Iterator[tuple[Node, list[Part]]]:
    """Yield those *meant* by *message*, each with a line: who it is, its current facts.

    *meant* is what `named_by` returns. For a *past*, ended ones and ended facts come first. The
    parts of a line are texts and times (unix ms). Contradicting facts come first, then candidates
    and the number of entities of the name. Without any fact, the time of the user's latest mention
    that is no mere question follows, with its words where *quotes* says true of it.
    """
    told = Wholes(graph)
    at_place = Counter(place for _, place in meant)
    # "The doctor" is a kind: who shares that has not the same name.
    read = named.read(message)
    members = (one for node, _ in meant for one in components.members(graph, node))
    found = (read.meant(one.bare, one.node_type, None) for one in members)
    by_name = {place for one in found if one is not None for place in one.places}
    # "My kids" means all of them.
    several_meant = read.groups.keys()
    for node, place in meant:
        is_one_of = at_place[place] > 1 and place not in several_meant
        several = f"one of {at_place[place]} {'so called' if place in by_name else 'of this kind'}"
        yield (
            node,
            _briefly(graph, told, told.whole(node), several if is_one_of else "", quotes, past),
        )


def _briefly(
    graph: Graph,
    told: Wholes,
    whole: Whole,
    several: str,
    quotes: Callable[[Node], bool],
    past: Past | None,
) -> list[Part]:
    also, _ = _also_called(graph, whole)
    mark = "" if whole.users else f", {INFERRED}"
    until = _ended(graph, whole)
    parts: list[Part] = [f"{whole.name} ({whole.described}", *until, f"{also}{mark})"]
    if several:
        parts.append(f", {several}")
    told_facts = tell_facts(graph, whole.members, past, most=MOST_BRIEFLY)
    parts += told_facts
    asked = [other for _, other in _questions(graph, told, whole)]
    parts += [f"; perhaps the same as {other.name}" for other in asked]
    said = ((one, one.words or "") for one in whole.users)
    telling = (pair for pair in said if not talk.says_nothing(pair[1], talk.USER))
    if not told_facts and (told_last := next(telling, None)) is not None:
        last, quoted_words = told_last
        words = [f": {quoted(quoted_words)}"] if quotes(last) else []
        parts += ["; last mentioned on ", last.created_at, *words]
    return parts


def _paragraphs(graph: Graph, message: str) -> Iterator[Iterator[Sentence]]:
    told = Wholes(graph)
    meant = named_by(graph, message)
    wholes = [told.whole(node) for node, _ in meant]
    groups = named.read(message).groups
    yield _several(told, [pair for pair in meant if pair[1] not in groups])
    yield _of_user(graph, told, message, wholes)
    for whole in wholes:
        yield chain(
            _who(graph, whole),
            _facts(graph, whole),
            _doubts(graph, told, whole),
            _felt(whole),
            _before(whole),
            _contradicted(graph, told, whole),
        )


def _of_user(
    graph: Graph, told: Wholes, message: str, wholes: Sequence[Whole]
) -> Iterator[Sentence]:
    """Narrate the facts of the user that the message asks for: "Where do I work?"."""
    asks = oneself.asked(message)
    selves = (one for one in graph.of(schema.ENTITY) if components.is_self(one))
    for node in selves if asks else ():
        whole = told.whole(node)
        if whole not in wholes:
            yield from _facts(graph, whole, None if asks.everything else asks.words)


def named_by(
    graph: Graph, message: str, is_of_past: bool = False
) -> list[tuple[Node, named.Place]]:
    """Return the canonical entities that *message* names, in its order, each with its places.

    Entities that only a model mentioned come after the user's, so that invented ones displace none.
    An archived entity is included if the message names it. If it *is_of_past*, ended ones come
    first.
    """
    nodes = list(graph.of(schema.ENTITY))
    if not nodes:
        return []
    read = named.read(message)
    entities = (
        (node, read.meant(node.bare, node.node_type, node.get("entity_kind"))) for node in nodes
    )
    found = named.narrowed(((node, meant) for node, meant in entities if meant is not None), read)
    best: dict[int, tuple[tuple[Any, ...], Node, named.Place]] = {}
    for node, meant in found:
        canonical = components.canonical(graph, node)
        inferred = components.said(graph, canonical).user == 0
        place = meant.places[0]
        # At one place, a whole name comes first, then the entity mentioned last.
        last = -canonical.get("last_activated")
        # How close one is to the user among those that one word means: "the family".
        group = read.groups.get(place)
        near = 0 if group is None else kin.closeness(node.get("entity_kind") or "", group)
        is_over = is_ended(graph, Whole(graph, canonical))
        rank = (
            is_over is not is_of_past,
            inferred,
            place[0],
            not meant.is_whole,
            near,
            last,
            canonical.key,
        )
        if canonical.id not in best or rank < best[canonical.id][0]:
            best[canonical.id] = rank, canonical, place
    ordered = [(node, place) for _, node, place in sorted(best.values(), key=lambda one: one[0])]
    told = {pair for pair in ordered if _is_told_apart(graph, message, read, *pair)}
    places = {place for _, place in told}
    return [pair for pair in ordered if pair in told or pair[1] not in places][:MOST_NAMED]


def names_several(message: str) -> bool:
    """Tell whether *message* has a word for several of the user's: "my kids"."""
    return bool(named.read(message).groups)


def names_of(message: str, meant: Sequence[tuple[Node, named.Place]]) -> list[frozenset[str]]:
    """Return the words by which *message* names each of those *meant* by it: Rui, my sister."""
    places = {place for _, place in meant if place[0] >= 0}
    words = named.read(message).words
    return [
        frozenset(split(" ".join(one.bare for one in words[first:beyond])))
        for first, beyond in sorted(places)
    ]


def _is_told_apart(
    graph: Graph, message: str, read: named.Message, node: Node, place: named.Place
) -> bool:
    """Tell whether *message* says which one of a name it means: my sister Anna, from the gym."""
    kind = beside.kind(message, node.bare)
    behind = read.behind(place)
    return any(
        kinds.nearness(one.get("entity_kind"), kind) > 1
        or (qualifier and resolution.telling(qualifier) & behind)
        for one in components.members(graph, node)
        for qualifier in (one.get("qualifier"),)
    )


def _several(told: Wholes, meant: Sequence[tuple[Node, named.Place]]) -> Iterator[Sentence]:
    """List the entities that one name may mean, if there are several."""
    by_place: dict[named.Place, list[Whole]] = {}
    for node, place in meant:
        by_place.setdefault(place, []).append(told.whole(node))
    for wholes in by_place.values():
        known = [(whole, whole.latest) for whole in wholes]
        cited = [(whole, last) for whole, last in known if last is not None]
        if len(cited) > 1:
            each = [
                (
                    f"{whole.name} ({whole.described}), last mentioned by"
                    f" {'the user' if whole.users else f'the model ({INFERRED})'} on ",
                    last.created_at,
                )
                for whole, last in cited
            ]
            start = f"The message may mean any of {len(cited)}: "
            yield Sentence(
                (start, *parts_listed(each, "or"), "."),
                tuple(whole.node.key for whole, _ in cited),
                tuple(last.key for _, last in cited),
            )


def _who(graph: Graph, whole: Whole) -> Iterator[Sentence]:
    """Say who it is and when the user last spoke of it, in the words of that time."""
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
    said = last.words
    if not said:
        yield short
        return
    parts = (f"{start} {how}", last.created_at, f": {ended(said)}")
    yield Sentence(parts, (whole.node.key,), cited, shorter=short)


def _before(whole: Whole) -> Iterator[Sentence]:
    """Report the user's earlier words about it."""
    heard: dict[str, None] = {}
    for mention in whole.users:
        words = mention.words
        if words and words not in heard:
            heard[words] = None
            if len(heard) > 1:
                start = f"The user mentioned {whole.name} before, on "
                told = (start, mention.created_at, f": {ended(words)}")
                yield Sentence(told, (whole.node.key,), (mention.key,))
        if len(heard) == _LATEST:
            return


def _ended(graph: Graph, whole: Whole) -> list[Part]:
    """Say that it has ended, that one has died, or that it is over with a partner."""
    over, dead = current_facts.since_no_longer(whole), current_facts.dead_since(whole)
    is_former = endings.is_former_kind(whole.described)
    said: list[Part] = [_until(graph, whole)]
    if over is not None:
        # An ex-wife is one from that day on.
        said = [", as told on " if is_former else " until ", over]
    return said if dead is None else [*said, ", died, as told on ", dead]


def describe_kind(graph: Graph, node: Node) -> str | None:
    """Return the kind of an entity as it is now: "former boss", "dog (died)"; None: it has none."""
    whole = Whole(graph, node)
    kind = components.find_kind(whole.members)
    if kind is None:
        return None
    is_over = current_facts.since_no_longer(whole) is not None
    kind = f"former {kind}" if is_over and not endings.is_former_kind(kind) else kind
    return f"{kind} (died)" if current_facts.dead_since(whole) is not None else str(kind)


def is_ended(graph: Graph, whole: Whole) -> bool:
    """Tell whether one died, is no longer what the kind says, or has ended."""
    return bool(_until(graph, whole)) or bool(_ended(graph, whole)[1:])


def _until(graph: Graph, whole: Whole) -> str:
    """Say that it has ended, if that is known."""
    until = whole.node.get("valid_until")
    return "" if until is None or until > graph.now_ms else ", ended"


def _also_called(graph: Graph, whole: Whole) -> tuple[str, list[str]]:
    """Return its other names, and a mention by each of them.

    A merge without the user's own words is only a guess.
    """
    names: dict[str, str] = {}
    for one in whole.members[1:]:
        if one.name != whole.node.name and one.name not in names:
            told = components.mentions_of(graph, [one])
            mention = max(told, key=lambda mention: mention.turn, default=None)
            names[one.name] = "" if mention is None else mention.key
    if not names:
        return "", []
    guessed = any(
        row["is_active"] and row["by"] != schema.USER_CORRECTION
        for row in describing.ledger_rows(graph, whole.members)
    )
    mark = f" ({INFERRED})" if guessed else ""
    others = listed([called(name) for name in names])
    return f", also called {others}{mark}", [key for key in names.values() if key]


def _questions(graph: Graph, told: Wholes, whole: Whole) -> Iterator[tuple[Tie, Whole]]:
    """Yield the candidates of open questions, each once: the most similar."""
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
        first, second = (one.node.get("qualifier") for one in (whole, other))
        differ = first and second and not resolution.is_one_qualifier(first, second)
        if differ or tie.get("evidence") == likenesses.SETTLED:
            # These two of one name were said to be different already.
            continue
        if other.node.id not in seen and len(seen) <= MOST_DOUBTS:
            seen.add(other.node.id)
            yield tie, other


def _doubts(graph: Graph, told: Wholes, whole: Whole) -> Iterator[Sentence]:
    """Report the candidates of each doubt, and its reason."""
    for tie, other in _questions(graph, told, whole):
        cited = [one.latest.key for one in (whole, other) if one.latest is not None]
        near = f"alike by {tie.get('confidence'):.2f}"
        names = [whole.name, other.name]
        if names[0] == names[1]:
            names = [f"{one.name} ({one.described})" for one in (whole, other)]
        said = f"It is uncertain whether {listed(names)} are the same: {near}."
        if cited:
            yield Sentence((said,), (whole.node.key, other.node.key), tuple(cited))


def _contradicted(graph: Graph, told: Wholes, whole: Whole) -> Iterator[Sentence]:
    """Report what was observed to contradict it."""
    for tie in describing.ties(graph, whole.members):
        if tie.type == schema.CONTRADICTS and tie.is_active:
            other, said = told.whole(tie.other), tie.get("evidence")
            words = f": {ended(said)}" if said else "."
            start = f"{'' if said and tie.by_user else f'({INFERRED}) '}{whole.name} contradicts "
            cited = [one.latest.key for one in (whole, other) if one.latest is not None]
            ids = whole.node.key, other.node.key
            yield Sentence((f"{start}{other.name}{words}",), ids, tuple(cited))


def _facts(graph: Graph, whole: Whole, words: Collection[str] | None = None) -> Iterator[Sentence]:
    """Report the facts that are believed and valid now, contradictions first.

    With *words*, only facts that have one of them.
    """
    contested, certain = facts_now(graph, whole.members, words)
    for one, other in contested:
        start = f"It is uncertain what the {stated(one.get('predicate'))} of {whole.name} is: "
        parts = (start, *value_in_full(graph, one), " or ", *value_in_full(graph, other), ".")
        yield Sentence(parts, (whole.node.key,), (), (one.key, other.key))
    for one in certain:
        start = f"{whole.name} – {stated(one.get('predicate'))}: "
        parts = (start, *value_in_full(graph, one), ".")
        yield Sentence(parts, (whole.node.key,), (), (one.key,))


def _felt(whole: Whole) -> Iterator[Sentence]:
    """Report the user's strong feelings about it, and their dates."""
    felt = max(whole.users, key=lambda one: (_intensity(one), *one.turn), default=None)
    if felt is None or _intensity(felt) <= _STRONG:
        return
    valence = felt.get("emotional_valence")
    how = "" if not valence else " and it felt good" if valence > 0 else " and it felt bad"
    parts = (f"{whole.name} moved the user on ", felt.created_at, f"{how}.")
    yield Sentence(parts, (whole.node.key,), (felt.key,))


def _intensity(mention: Node) -> float:
    valence, intensity = mention.get("emotional_valence"), mention.get("emotional_intensity")
    return max(abs(float(valence or 0.0)), float(intensity or 0.0))
