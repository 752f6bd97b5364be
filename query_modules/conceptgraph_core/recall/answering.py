"""Recall for a message: the entities it names, matching memories, associated concepts.

A context has the matching memories alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Annotated, Any, Final

from ..concepts import recall as concepts
from ..concepts.node import Graph as Concepts
from ..concepts.node import Node as Concept
from ..concepts.schema import EVOKES, RELATION_NAMES
from ..entities.language import kin
from ..entities.narration import narrative
from ..entities.node import Graph as Entities
from ..entities.node import Node as EntityNode
from ..everyday import schema
from ..everyday.asking import asks_what_was_done
from ..everyday.lines import MIND, WHO, Line, Room, make_line, sources, text, tokens
from ..everyday.oneself import asked_for
from ..memories import standing
from ..memories.entries import Told, count_access, entry
from ..memories.rendering import fitting
from ..memories.view import Graph
from ..texts import quoting
from ..texts import text as texts
from ..texts.dates import Span
from ..texts.folding import plain
from ..texts.words import talk, terms
from ..texts.words.splitting import split
from ..verbs.arguments import Budget, Days
from ..verbs.procedures import NOTHING
from . import budgets
from .gather import find_planned, gather, is_past_use, list_of_time
from .read import Question, read
from .say import put_in_order, quote
from .score import Scored, rank, score
from .weigh import weigh

Row = dict[str, Any]

_EVOKES: Final = f" {RELATION_NAMES[EVOKES]} "


def recall(
    graph: Graph,
    message: Annotated[str, "As the user wrote it."],
    before: Annotated[str | None, "The messages before it, for she and it."] = None,
    token_budget: Budget | None = schema.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
    *,
    max_age_days: Annotated[Days | None, "No older memory."] = None,
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
    room = Room(budgets.budget(token_budget, schema.DEFAULT_BUDGET))
    question = read(graph, message, before, vector, model, max_age_days)
    own = [
        (line, node)
        for line, node in asked_for(
            graph, question.message, *graph.context.also, past=question.past
        )
        if node is None or question.recent.holds(node.told_at)
    ]
    known = [*(line for line, _ in own), *_introduce(question)]
    known.sort(key=lambda line: (line["part"] != WHO, line["part"]))
    who = _fitting(room, known, least=int(room.bytes * (1 - schema.WHO_SHARE)))
    shown = [node for line, node in own if node is not None and line in who]
    brought, levels = _brought_to_mind(graph.another(Concepts), question.concepts)
    reserved = int(room.bytes * schema.MIND_SHARE) if brought else 0
    scored = (
        None if asks_time_alone(question) else score(question, weigh(question, gather(question)))
    )
    told = list_answers(question, scored)
    said, put = quote(question, told, room, reserved, shown)
    count_access(graph, shown)
    count_access(graph, put)
    above = [str(line["parts"][1]) for line in said]
    mind = _fitting(room, [line for row, line in brought if not _is_said(row, above)])
    lines = [*who, *said, *mind]
    return {
        "text": text(lines),
        "lines": lines,
        "sources": sources(lines),
        "tokens": tokens(lines) if lines else 0,
        "accessed": {
            "memories": [node.memory_id for node in (*shown, *put)],
            "concepts": levels,
        },
    }


def context(
    graph: Graph,
    query: str,
    token_budget: int | None = budgets.DEFAULT_BUDGET,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> dict[str, Any]:
    """Compose the memories that match *query* within *token_budget*, the most relevant first.

    * The text has the matches, and memories that the links of the best matches lead to.
    * A memory that contradicts another one precedes it, and so does a later one on its matter.
    * Duplicates (the same words) appear once, by the latest.
    * A replaced memory is left out, unless *query* asks for the past.
    * A memory that does not fit is left out; only the first one is cut.

    Returns text, entries (the lines: memory_id, at in unix ms, speaker, source, text, also,
    contradicted_by), memory_ids, tokens (estimated), left_out (how many did not fit) and accessed
    (the arguments of `everyday.access`).

    Unless the call is read-only, the memories in the text count as accessed, and the existing links
    between them are strengthened. Raises the errors of `search`.
    """
    most = budgets.budget(token_budget)
    question = read(graph, texts.summary(query, "query"), None, vector, model)
    found = put_in_order(question, rank(gather(question)), later_first=True)
    rows = list(fitting((one.entry for one in found), most))
    put = [found[place].node for place, *_ in rows]
    count_access(graph, put)
    made = "\n".join(line for *_, line in rows)
    memory_ids = [node.memory_id for node in put]
    return {
        "text": made,
        "entries": [dict(shown) for _, shown, _ in rows],
        "memory_ids": memory_ids,
        "tokens": budgets.tokens(budgets.size(made)),
        "left_out": len(found) - len(put),
        "accessed": {"memories": memory_ids},
    }


def asks_time_alone(question: Question) -> bool:
    """Tell whether *question* asks for a time, and no other wording asks for more."""
    context = question.graph.context
    return context.told_in is not None and not context.also


def list_answers(question: Question, scored: Scored | None) -> list[Told]:
    """Return what is told in answer to *question*: of the time that it asks for, and *scored*."""
    of_time = [] if question.graph.context.told_in is None else _drop_talk(_list_then(question))
    if scored is None:
        return of_time
    found = _drop_talk(put_in_order(question, scored.belonging))
    # The assistant's words stand below the user's.
    found.sort(key=lambda one: one.node.get("speaker") == talk.ASSISTANT)
    if names := _ask_only_who(question):
        found = [one for one in found if not names.isdisjoint(split(one.node.content))]
        found = found[: schema.MOST_SAID_OF_WHO]
    known = {one.node for one in of_time}
    return [*of_time, *(one for one in found if one.node not in known)]


def _ask_only_who(question: Question) -> frozenset[str]:
    """Return the words of the names of the kin whom *question* asks for; none if it asks for more.

    The name answers "Who is my boss?", and does not answer "Where does my brother live?".
    """
    languages = question.graph.context.languages
    relatives = {word for _, word in kin.named(split(question.message))}
    asked = terms(question.text, languages).keys()
    if (
        not question.meant
        or not relatives
        or not asked <= terms(" ".join(relatives), languages).keys()
    ):
        return frozenset()
    return frozenset(relatives).union(*(split(node.bare) for node, _ in question.meant))


def _drop_talk(told: Iterable[Told]) -> list[Told]:
    """Return *told* without courtesies of an assistant, and mere questions of the user's."""
    return [one for one in told if not talk.says_nothing(one.node.content, one.node.get("speaker"))]


def _fitting(room: Room, lines: Iterable[Line], least: int = 0) -> list[Line]:
    """Return those of *lines* that fit while *least* bytes of the room are left."""
    kept: list[Line] = []
    for line in lines:
        is_new = not kept or kept[-1]["part"] != line["part"]
        if room.holds(line, title=is_new, least=least):
            kept.append(line)
    return kept


def _introduce(question: Question) -> Iterator[Line]:
    """Yield a line on each of those whom *question* names."""
    graph = question.graph.another(Entities)
    most = schema.MOST_OF_A_GROUP if narrative.names_several(question.text) else schema.MOST_WHO

    def is_heard_elsewhere(mention: EntityNode) -> bool:
        # A memory is quoted by itself, as long as it is neither forgotten nor replaced; the user's
        # words that came with it must not outlive it here.
        return not str(mention.get("message_id")).startswith(f"{schema.SESSION} ")

    given = question.every, question.meant, is_heard_elsewhere, question.past
    for node, parts in islice(narrative.brief(graph, *given), most):
        yield make_line(WHO, schema.ENTITY, node.key, *parts)


def _list_then(question: Question) -> list[Told]:
    """Return what happened or was told in the time that *question* asks for, or is planned.

    Plans are told as they are now; for a past, with what each of them replaced.
    """
    graph, past = question.graph, question.past
    since, until, plans, apart = graph.context.told_in or (0, 0, False, False)
    span = Span(since, until)
    then = list_of_time(graph, question.text, span, plans, apart)
    if plans:
        then += find_planned(graph, span, {one.node for one in then})
    elif asks_what_was_done(question.text):
        # A plan that was only made then is nothing that happened.
        then = [one for one in then if one.node.told_at <= question.at]
    then = [one for one in then if not is_past_use(question.at, one.node)]
    if not plans:
        return then
    if past is None:
        return [one for one in then if graph.ended(one.node) is None]
    by_node = {one.node: one for one in then}
    each = ([one.node, *standing.find_replaced(graph, one.node)] for one in then)
    return [
        by_node.get(node) or Told(node, entry(graph, node, [node], {}))
        for node in dict.fromkeys(chain.from_iterable(each))
    ]


def access(
    graph: Graph, memories: Sequence[str] = (), concepts_: Mapping[str, float] = NOTHING
) -> Row:
    """Count the accesses that a read-only twin returned as accessed.

    *memories* are ids of memories that were together in one answer, and *concepts* names with the
    levels that they are aroused to. Missing memories and names are skipped. Returns how many
    memories were accessed, and how many concepts were less aroused. Raises InvalidNumber.
    """
    put = graph.present(memories)
    count_access(graph, put)
    return {
        "memories": len(put),
        "concepts": concepts.raise_levels(graph.another(Concepts), concepts_),
    }


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
    for row in concepts.keep_stronger_ways(rows):
        episode = row["episode_id"]
        kind, key = (schema.CONCEPT, seeds[0]) if episode is None else (schema.EPISODE, episode)
        brought.append((row, make_line(MIND, kind, key, quoting.quote(row["text"]))))
    return brought, levels


def _is_said(row: Row, above: Sequence[str]) -> bool:
    """Tell whether a text *above* says a proposition, or names both ends of an association."""
    if row["episode_id"] is None and _EVOKES in row["text"]:
        ends = [plain(quoting.escape(end)) for end in row["text"].split(_EVOKES, 1)]
        return any(all(end in said for end in ends) for said in map(plain, above))
    return any(quoting.escape(row["text"]) in said for said in above)
