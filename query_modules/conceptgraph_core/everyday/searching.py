"""Search all three layers at once: memories, episodes and entities, in one order."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

from ..concepts import schema as concepts
from ..concepts.node import Graph as Concepts
from ..entities import inspecting as entities
from ..entities import lookups as of_entities
from ..entities.narration import widening
from ..entities.node import Graph as Entities
from ..entities.schema import MAX_LIMIT
from ..graph.primitives import Lookup
from ..memories.filters import Wanted
from ..memories.lookups import leading
from ..memories.projects import read_project
from ..memories.rendering import teller
from ..memories.search import Meant, find_best, read_meant, read_wordings
from ..memories.view import Graph, Node
from ..retrieval import documents
from ..retrieval.question import shorten
from ..retrieval.ranks import fuse_rankings
from ..retrieval.searching import Found, find_nodes
from ..texts import text as texts
from ..texts.words import talk, terms
from ..verbs import validators
from ..verbs.arguments import BEGINS, ENDED, Kind, Limit
from ..verbs.limits import MOST_FOUND
from . import lookups, schema
from .asking import has_words, read_span

Row = dict[str, Any]

# The most results of each kind; more are not counted.
DEPTH: Final = 100


def search(
    graph: Graph,
    query: Annotated[str, "A question or words."],
    since: Annotated[int | None, BEGINS, "A day or time."] = None,
    until: Annotated[int | None, ENDED, "A time, or a day to its end."] = None,
    about: Annotated[str | None, "A name it is about."] = None,
    kinds: Sequence[Kind] = (),
    limit: Limit | None = schema.DEFAULT_LIMIT,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> list[Row]:
    """Return what *query* belongs to, of *kinds* (none: of all), the best first, cut to *limit*.

    Other wordings of *query* (the context's `also`) find as it does.

    Only what happened, was said, or was mentioned last from *since* to before *until* (unix ms),
    and what is about the name *about*, by any name of the same entity. A row has kind, id, text, at
    (unix ms), who, matched (words of the query), until, and total, how many there are, of each kind
    counted up to `DEPTH`. A replaced memory has until (unix ms) and comes last, behind questions;
    courtesies of an assistant are left out. If no text could be found by a word of
    *query*, as in "what did I tell you", the memories from *since* on are returned, the latest
    first. Nothing is accessed.

    Raises InvalidText, InvalidNumber, LibraryMissing, EmbeddingMismatch.
    """
    query = shorten(texts.summary(query, "query"))
    most = texts.limit(limit, schema.DEFAULT_LIMIT, MOST_FOUND)
    wanted = {validators.one_of(schema.KINDS)(one, "kinds") for one in kinds or schema.KINDS}
    time = read_span(since, until)
    beside = _list_beside(graph, query, since, until, about)
    meant = read_meant(graph, query, vector, beside, begins=True)
    subject = None
    if about is not None:
        named = texts.name(about, "about")
        subject = widening.subject(graph.another(Entities), named)
    only = Wanted(within=time, about=subject, project=read_project(graph, query))
    of: dict[str, Callable[[], Iterator[_Result]]] = {
        schema.MEMORY: lambda: _memories(graph, query, only, meant, model),
        schema.EPISODE: lambda: _episodes(graph.another(Concepts), query, only),
        schema.ENTITY: lambda: _entities(graph.another(Entities), query, only),
    }
    results = {
        (kind, one.id): one for kind, found in of.items() if kind in wanted for one in found()
    }
    ranked = [
        key for key, _ in fuse_rankings([key for key in results if key[0] == kind] for kind in of)
    ]
    ranked.sort(key=lambda key: (results[key].until is not None, results[key].says_nothing))
    shown = ((kind, results[kind, key]) for kind, key in ranked[:most])
    return [
        {"kind": kind, "id": one.id, **one.told(), "until": one.until, "total": len(results)}
        for kind, one in shown
    ]


class _Result(NamedTuple):
    """A result: its id, until when it was so, and the rest of its row, made for those shown."""

    id: str
    until: int | None
    told: Callable[[], Row]
    says_nothing: bool = False


def _list_beside(
    graph: Graph, query: str, since: int | None, until: int | None, about: str | None
) -> list[Lookup]:
    """Look up what a search reads beside memories that match, as far as its arguments tell."""
    context, scope = graph.context, graph.context.user_id
    concept_scope, wordings = graph.another(Concepts).scope, (query, *graph.context.also)
    found = leading(wordings, scope, concept_scope, context.languages)
    episodes = concepts.words_scope(concept_scope)
    found += documents.searched(wordings, episodes, scope, context.languages)
    found += [of_entities.searched(query, scope)]
    found += of_entities.matching_any(context.also, scope)
    if about is not None:
        found += lookups.named((texts.name(about, "about"),), scope)
    if since is not None and not has_words(query, context.languages):
        found += lookups.of_time(scope, since, until)
    return found


def describe_memory(node: Node) -> Row:
    """Return what is told of a memory in a list: its id, its text, when it was said, by whom."""
    entry = {"speaker": node.get("speaker"), "source": node.get("source")}
    return {
        "id": node.memory_id,
        "text": node.text,
        "at": node.told_at,
        "who": teller(entry),
    }


def _memories(
    graph: Graph, query: str, wanted: Wanted, meant: Meant, model: str | None
) -> Iterator[_Result]:
    spoken = graph.context.languages

    def row(node: Node, found: Found | None = None) -> Row:
        return describe_memory(node) | {"matched": [] if found is None else found.matched}

    if wanted.within.since is not None and not has_words(query, spoken):
        # Vectors alone find the nearest of any words.
        then = [node for node in graph.nodes() if wanted.admits(graph, node)]
        then.sort(key=lambda node: (node.told_at, node.memory_id), reverse=True)
        for node in then[:DEPTH]:
            yield _Result(node.memory_id, graph.outdated(node), partial(row, node))
        return
    finders = read_wordings(graph, query, meant.vector, model, wanted=wanted, spelt=meant.spelt)
    for one in find_best(finders, DEPTH, wanted):
        said, speaker = one.node.content.rstrip(), one.node.get("speaker")
        is_nothing = talk.says_nothing(one.node.content, speaker)
        if is_nothing and speaker == talk.ASSISTANT:
            continue
        # A question in the words of the query answers nothing.
        is_nothing |= (
            said.endswith("?") and terms(said, spoken).keys() <= terms(query, spoken).keys()
        )
        until = graph.outdated(one.node)
        yield _Result(one.node.memory_id, until, partial(row, one.node, one), is_nothing)


def _episodes(graph: Concepts, query: str, wanted: Wanted) -> Iterator[_Result]:
    kind = concepts.LAYER.kind(concepts.EPISODE)
    scope, about = concepts.words_scope(graph.scope), wanted.about

    def admits(node: Any) -> bool:
        return about is None or about.is_in((node.text, node.name))

    def row(found: Found, at: int) -> Row:
        return {"text": found.node.text, "at": at, "who": None, "matched": found.matched}

    for one in find_nodes(graph, kind, scope, query, DEPTH, wanted.within, admits):
        at = None if one.match is None else one.match.told.said_at
        yield _Result(one.node.name, None, partial(row, one, at or 0))


def _entities(graph: Entities, query: str, wanted: Wanted) -> Iterator[_Result]:
    def told_of(row: Row, text: str) -> Row:
        who = "the model" if row["inferred"] else "the user"
        return {"text": text, "at": row["last_activated"], "who": who, "matched": [row["label"]]}

    wordings = (query, *graph.context.also)
    every = (
        row for wording in wordings for row in entities.list_matching(graph, wording, (), MAX_LIMIT)
    )
    for row in {row["entity_id"]: row for row in every}.values():
        text = f"{row['label']} ({row['kind'] or row['type']})"
        is_about = wanted.about is None or wanted.about.is_in([text])
        if is_about and wanted.within.holds(row["last_activated"]):
            yield _Result(row["entity_id"], None, partial(told_of, row, text))
