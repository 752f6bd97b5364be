"""Recall for a message: the entities it names, matching memories, associated concepts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from .. import budgets, quoting
from .. import text as texts
from ..concepts import recall as concepts
from ..concepts import widening
from ..concepts.node import Graph as Concepts
from ..concepts.node import Node as Concept
from ..concepts.schema import EVOKES, RELATION_NAMES
from ..dates import ALWAYS, DAY_MS, Span
from ..entities.narration import narrative
from ..entities.node import Graph as Entities
from ..entities.node import Node as EntityNode
from ..folding import plain
from ..graph.primitives import Lookup
from ..language import oneself
from ..limits import MAX_DAYS
from ..memories import candidates as contexts
from ..memories import near_duplicates, rendering, standing
from ..memories.candidates import Candidate
from ..memories.lookups import leading
from ..memories.meaning import read_meant
from ..memories.schema import SEARCH_DEPTH
from ..memories.view import Graph, Node
from ..memories.wordings import Wordings
from ..procedures import NOTHING
from ..retrieval.nearness import NAMING, OF_NOBODY, OF_THE_USER
from ..retrieval.question import Past, past_of, shorten
from ..words import missing
from ..words.phrase_files import asks_for_each
from . import around, asking, lookups, passages, planned, routine, schema
from .asking import asks_what_was_done, budget, is_of_the_user, least_covered, make_query
from .bar import Bar
from .lines import MIND, SAID, WHO, Line, Room, make_line, size, sources, text, title_size, tokens
from .oneself import asked_for

Row = dict[str, Any]

_EVOKES: Final = f" {RELATION_NAMES[EVOKES]} "
# The mark of a day that is still to come.
_AHEAD: Final = " (ahead)"
# A shorter text is not cut further.
_LEAST_CUT: Final = 40
# The words of so many matches lead to what only a link or its meaning found.
_FIRST_FEW: Final = 3


def recall(
    graph: Graph,
    message: str,
    before: str | None = None,
    token_budget: int | None = schema.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
    *,
    max_age_days: int | None = None,
) -> Row:
    """Put together what belongs to *message*, in at most *token_budget* tokens (estimated).

    First who and what it names, with the facts that are valid now and what is in doubt; then what
    was said, found by words, links and vectors, the most relevant first; then the strongest
    propositions of the concepts that it names. A message that asks for a time alone (the context's
    `told_in`) gets what happened or was told then, the latest first, or the plans for it. *before*
    is the text just before, which a pronoun refers to. Other wordings of the message (the context's
    `also`) find as it does, each by itself, and name entities too. With *max_age_days* no memory is
    older. Each recalled element counts as
    accessed in its own layer. Returns text, lines (see `lines`), sources, tokens, those of the
    sources included, and accessed (the arguments of `access`). The text is empty if the message
    names nobody and no stored text matches enough of its words. A misspelt message is read as it
    was meant. Raises InvalidText, InvalidNumber, LibraryMissing, EmbeddingMismatch.
    """
    message = shorten(texts.summary(message, "message"))
    room = Room(budget(token_budget))
    first = _list_beside(graph, message, make_query(message, before))
    meant = read_meant(graph, message, vector, first)
    if meant.text != message:
        message = meant.text
        _read_times(graph, message)
    vector, question = meant.vector, make_query(message, before)
    graph.pull(*_list_beside(graph, message, question))
    parts = [one for one in meant.spelt if "meant" not in one]
    wordings = Wordings(graph, question, vector, model, spelt=parts)
    then = _list_then(graph, question)
    recent = _read_max_age(graph, max_age_days)
    past = past_of(question, _asked_at(graph), graph.context.zone)
    entities = graph.another(Entities)
    people = narrative.named_by(entities, question, past is not None)
    known = list(_introduce(entities, question, people, past))
    named = widening.find_named(graph.another(Concepts), question)
    is_of_user = is_of_the_user(message)
    is_known = is_known_also = bool(known or named) or is_of_user
    margin = NAMING if known or named else OF_THE_USER if is_of_user else OF_NOBODY
    if graph.context.also:
        # The names of the message itself come first, so that the others cannot push them out.
        beside = "\n".join(graph.context.also)
        ids = {line["id"] for line in known}
        known += (
            one
            for one in _introduce(
                entities, beside, narrative.named_by(entities, beside, past is not None), past
            )
            if one["id"] not in ids
        )
        named = named or widening.find_named(graph.another(Concepts), beside)
        is_known_also = (
            is_known or bool(known or named) or any(map(is_of_the_user, graph.context.also))
        )
    most = schema.MOST_OF_A_GROUP if narrative.names_several(question) else schema.MOST_WHO
    own = [
        (line, node)
        for line, node in asked_for(graph, message, *graph.context.also, past=past)
        if node is None or recent.holds(node.told_at)
    ]
    known = [*(line for line, _ in own), *known[:most]]
    known.sort(key=lambda line: (line["part"] != WHO, line["part"]))
    who = _fitting(room, known, least=int(room.bytes * (1 - schema.WHO_SHARE)))
    brought, levels = _brought_to_mind(graph.another(Concepts), named)
    reserved = int(room.bytes * schema.MIND_SHARE) if brought else 0
    shown = [node for line, node in own if node is not None and line in who]
    every = "\n".join((question, *graph.context.also))
    if past is not None or graph.context.also:
        people = narrative.named_by(entities, every)
    names = narrative.names_of(every, people)
    bar = Bar(graph, names, is_known_also, past is not None)
    least = [
        least_covered(one, is_known_also if place else is_known, graph.context.languages)
        for place, one in enumerate((question, *graph.context.also))
    ]
    wordings.need_margin(margin)
    said = _said(
        *(graph, question, wordings, least, room, reserved, (vector, model), bar, shown),
        recent=recent,
        past=past,
        then=then,
    )
    memories = [*(node.memory_id for node in shown), *(line["id"] for line in said)]
    above = [str(line["parts"][1]) for line in said]
    if bar.tells_names_alone:
        brought, levels = [], {}
    mind = _fitting(room, [line for row, line in brought if not _is_said(row, above)])
    lines = [*who, *said, *mind]
    return {
        "text": text(lines),
        "lines": lines,
        "sources": sources(lines),
        "tokens": tokens(lines) if lines else 0,
        "accessed": {"memories": memories, "concepts": levels},
    }


def _read_max_age(graph: Graph, max_age_days: int | None) -> Span:
    """Return the time of what is at most so old at the question. Raises InvalidNumber."""
    if max_age_days is None:
        return ALWAYS
    days = texts.integer(max_age_days, "max_age_days", 1, MAX_DAYS)
    return Span(_asked_at(graph) - days * DAY_MS)


def _asked_at(graph: Graph) -> int:
    asked_at = graph.context.asked_at
    return int(graph.context.now_ms if asked_at is None else asked_at)


def _fitting(room: Room, lines: Iterable[Line], least: int = 0) -> list[Line]:
    """Return those of *lines* that fit while *least* bytes of the room are left."""
    kept: list[Line] = []
    for line in lines:
        is_new = not kept or kept[-1]["part"] != line["part"]
        if room.holds(line, title=is_new, least=least):
            kept.append(line)
    return kept


def _introduce(
    graph: Entities, question: str, meant: Sequence[Any], past: Past | None
) -> Iterator[Line]:
    for node, parts in narrative.brief(graph, question, meant, _is_heard_elsewhere, past):
        yield make_line(WHO, schema.ENTITY, node.key, *parts)


def _is_heard_elsewhere(mention: EntityNode) -> bool:
    """Tell whether *mention* is of no memory.

    A memory is quoted by itself, as long as it is neither forgotten nor replaced; the user's words
    that came with it must not outlive it here.
    """
    return not str(mention.get("message_id")).startswith(f"{schema.SESSION} ")


def _said(
    graph: Graph,
    question: str,
    wordings: Wordings,
    least: Sequence[float],
    room: Room,
    reserved: int,
    embedded: tuple[Sequence[float], str | None],
    bar: Bar,
    shown: Sequence[Node] = (),
    *,
    recent: Span = ALWAYS,
    past: Past | None = None,
    then: Sequence[Candidate] = (),
) -> list[Line]:
    """Return what was said, is *recent* and not *shown*; access it, make its links firmer.

    *then* is from the time that is asked for.
    """
    if graph.context.told_in is None:
        found = contexts.candidates(
            graph,
            question,
            wordings,
            least=least,
            least_named=schema.LEAST_COVERED_NAMED,
            longest=passages.LONG,
            belonging=bar.belonging,
            admitted=bar.admitted,
            within=recent,
        )
        found.sort(key=lambda one: bar.place(one.node))
        found = around.put_first(graph, question, found, bar, *embedded)
    else:
        found = list(then)
        if graph.context.also:
            known = {one.node for one in found}
            matching = contexts.candidates(graph, question, wordings, least=least, within=recent)
            found += (one for one in matching if one.node not in known)
    lines: list[Line] = []
    put: list[Node] = []
    if graph.context.told_in is None or graph.context.told_in[2]:
        current = _current(graph, found, past)
    else:
        current = (one for one in found if not _is_past_use(graph, one.node))
    if bar.tells_names_alone:
        room.keep(schema.NAMED_BUDGET)
        reserved = 0
    if graph.context.told_in is None and not asks_for_each(question):
        current = iter(_fold_routines(list(current), bar, len(found) >= SEARCH_DEPTH))
    passage = _Passage(graph, found)
    for one in current:
        if one.node in shown or not recent.holds(one.node.told_at):
            continue
        until = graph.ended(one.node)
        line = _line(one, passage.of(one, is_best=not lines), until)
        if not lines:
            # The best is cut if it does not fit; of the others there may be shorter ones.
            most = room.bytes - reserved - title_size(SAID) - len(_AHEAD)
            line = _cut(line, one, passage, until, most)
        if _is_ahead(graph, one.node):
            at, told, *behind = line["parts"]
            line = {**line, "parts": [at, f"{_AHEAD}{told}", *behind]}
        if room.holds(line, title=not lines, least=reserved):
            lines.append(line)
            put.append(one.node)
    contexts.count_access(graph, shown)
    contexts.count_access(graph, put)
    return lines


def _list_beside(graph: Graph, message: str, question: str) -> list[Lookup]:
    """Look up what a recall reads beside the texts that match, as far as its arguments tell."""
    context, scope = graph.context, graph.context.user_id
    concept_scope = graph.another(Concepts).scope
    every = [question, *(["\n".join(context.also)] if context.also else [])]
    found = lookups.named(every, scope)
    found += leading((question, *context.also), scope, concept_scope, context.languages)
    if context.told_in is not None:
        since, until, plans, _ = context.told_in
        found += lookups.of_time(scope, since, until, plans=plans)
    elif context.told_around is not None:
        found += lookups.of_time(scope, *context.told_around)
    if oneself.asked(message, *context.also):
        found += lookups.of_user(scope)
    return found


def _read_times(graph: Graph, message: str) -> None:
    """Let the context have the times of the corrected *message*, unless it has some."""
    context = graph.context
    if context.told_in is None and context.told_around is None and not missing():
        at, zone = _asked_at(graph), context.zone
        then = asking.told_in(message, at, zone, context.languages)
        around = asking.told_around(message, at, zone) if then is None else None
        graph.context = context._replace(
            told_in=then,
            told_around=None if around is None else (around.since or 0, around.until or at),
        )


def _list_then(graph: Graph, question: str) -> list[Candidate]:
    """Return what happened or was told in the time that *question* asks for, or is planned."""
    if graph.context.told_in is None:
        return []
    since, until, plans, apart = graph.context.told_in
    span = Span(since, until)
    found = contexts.told_in(graph, question, span, plans, apart)
    if plans:
        return found + planned.find_told(graph, span, {one.node for one in found})
    if asks_what_was_done(question):
        # A plan that was only made then is nothing that happened.
        return [one for one in found if not _is_ahead(graph, one.node)]
    return found


def access(
    graph: Graph, memories: Sequence[str] = (), concepts_: Mapping[str, float] = NOTHING
) -> Row:
    """Count the accesses that a read-only twin returned as accessed.

    *memories* are ids of memories that were together in one answer, and *concepts* names with the
    levels that they are aroused to. Missing memories and names are skipped. Returns how many
    memories were accessed, and how many concepts were less aroused. Raises InvalidNumber.
    """
    put = graph.present(memories)
    contexts.count_access(graph, put)
    return {
        "memories": len(put),
        "concepts": concepts.raise_levels(graph.another(Concepts), concepts_),
    }


def _current(graph: Graph, found: Sequence[Candidate], past: Past | None) -> Iterator[Candidate]:
    """Yield the *found* ones still true; of the *past*, each with those it replaced.

    Those that were so then come first.
    """
    if past is None:
        yield from (one for one in found if not _is_over(graph, one.node))
        return
    by_node = {one.node: one for one in found}
    seen: set[Node] = set()
    for candidate in found:
        if _is_past_use(graph, candidate.node):
            continue
        each = [candidate.node, *standing.find_replaced(graph, candidate.node)]
        for one in sorted(each, key=lambda node: past.order(node.told_at, graph.ended(node))):
            if one not in seen:
                seen.add(one)
                yield by_node.get(one) or Candidate(one, contexts.entry(graph, one, [one], {}))


def _fold_routines(current: Sequence[Candidate], bar: Bar, is_cut: bool) -> list[Candidate]:
    """Return *current* with one line for each routine: the latest, which says how many there are.

    A line that matters, or is from a period that the question names, stands by itself. Texts
    of no routine come first. *is_cut*: there may be more than were found.
    """
    groups: dict[Any, dict[Any, list[Candidate]]] = {}
    for one in current:
        is_own = bar.is_first(one.node) or (one.found is not None and one.found.in_period)
        if not is_own and len(one.entry["text"]) <= passages.LONG:
            said = routine.read(one.entry["text"])
            day = one.node.told_at // DAY_MS
            of_speaker = groups.setdefault((one.entry["speaker"], said.words), {})
            of_speaker.setdefault((day, said.dates), []).append(one)
    several = [
        [one for ones in days.values() for one in ones]
        for days in groups.values()
        if len(days) >= routine.LEAST
    ]
    latest = {
        max((one.node for one in ones), key=near_duplicates.age): len(ones) - 1 for ones in several
    }
    alike = {one.node for ones in several for one in ones}
    shown = [one for one in current if one.node not in alike]
    for one in current:
        if one.node in latest:
            more = f"{'at least ' if is_cut else ''}{latest[one.node]}"
            alike_too = {**one.entry, "alike": f"and {more} more like it"}
            shown.append(one._replace(entry=alike_too))
    return shown


def _is_over(graph: Graph, node: Node) -> bool:
    return graph.ended(node) is not None or _is_past_use(graph, node)


def _is_past_use(graph: Graph, node: Node) -> bool:
    """Tell whether *node* was useful for some days only, and these are over."""
    if schema.DAYS_TAG not in node.value("tags"):
        return False
    kept_at = node.value("kept_at")
    since = node.told_at if kept_at is None else kept_at
    return bool(_asked_at(graph) - since > schema.DAYS_MS)


def _is_ahead(graph: Graph, node: Node) -> bool:
    return bool(node.told_at > _asked_at(graph))


class _Passage:
    """Cuts long texts to what they say around the words of the question."""

    def __init__(self, graph: Graph, found: Sequence[Candidate]) -> None:
        self._languages = graph.context.languages
        self._found = found

    def of(self, one: Candidate, most: int | None = None, *, is_best: bool = False) -> str:
        """Return the text of *one*, or its passages, in at most *most* bytes."""
        said = str(one.entry["text"])
        if most is None and budgets.size(said) <= passages.LONG:
            return said
        weights = self._weights(one)
        return passages.passages(said, weights, self._languages, most, is_best=is_best)

    def _weights(self, one: Candidate) -> dict[str, float]:
        """Return the terms that led to *one*; if a link or its meaning did, those of the others."""
        if one.found is not None and (terms := one.found.terms):
            return terms
        every: dict[str, float] = {}
        for other in self._found[:_FIRST_FEW]:
            every |= {} if other.found is None else other.found.terms
        return every


def _line(one: Candidate, said: str, until: int | None) -> Line:
    entry = one.entry
    told = f", {rendering.teller(entry)}: {quoting.quote(said)}"
    also = entry["also"]
    marks: list[tuple[str | int, ...]] = [(f"{also} more say the same",)] if also else []
    if alike := entry.get("alike"):
        marks.append((alike,))
    if until is not None:
        marks.append(("no longer so since ", until))
    elif entry["contradicted_by"]:
        marks.append(("a later one contradicts this",))
    between = [(" (" if number == 0 else "; ", *mark) for number, mark in enumerate(marks)]
    behind = [part for mark in between for part in mark] + [")"] * bool(marks)
    return make_line(SAID, schema.MEMORY, one.node.memory_id, entry["at"], told, *behind)


def _cut(line: Line, one: Candidate, passage: _Passage, until: int | None, most: int) -> Line:
    """Return the *line* of *one*, its text halved until the line fits into *most* bytes."""
    room = passages.LONG
    while size(line) > most and room > _LEAST_CUT:
        room //= 2
        line = _line(one, passage.of(one, room, is_best=True), until)
    return line


def _brought_to_mind(
    graph: Concepts, named: Sequence[Concept]
) -> tuple[list[tuple[Row, Line]], concepts.Levels]:
    """Return what the concepts *named* bring to mind, each with its line; arouse it.

    Returns also to what levels.
    """
    seeds = [node.name for node in named]
    if not seeds:
        return [], {}
    rows, levels = concepts.recall_cheaply(graph, seeds, schema.MOST_MIND, schema.MOST_RELATIONS)
    brought: list[tuple[Row, Line]] = []
    for row in once(rows):
        episode = row["episode_id"]
        kind, key = (schema.CONCEPT, seeds[0]) if episode is None else (schema.EPISODE, episode)
        brought.append((row, make_line(MIND, kind, key, quoting.quote(row["text"]))))
    return brought, levels


def once(rows: Sequence[Row]) -> list[Row]:
    """Return propositions, of two that evoke one another only the stronger way."""
    ways = {frozenset(row["text"].split(_EVOKES, 1)): row for row in reversed(rows)}
    return list(reversed(ways.values()))


def _is_said(row: Row, above: Sequence[str]) -> bool:
    """Tell whether a text *above* says a proposition, or names both ends of an association."""
    if row["episode_id"] is None and _EVOKES in row["text"]:
        ends = [plain(quoting.escape(end)) for end in row["text"].split(_EVOKES, 1)]
        return any(all(end in said for end in ends) for said in map(plain, above))
    return any(quoting.escape(row["text"]) in said for said in above)
