"""Read a message: its words, whom and what it names, the time that it asks about."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ..concepts import names
from ..concepts import node as concepts
from ..entities import node as entities
from ..entities.identity import components
from ..entities.narration import narrative
from ..entities.narration.named import Place
from ..everyday import asking, lookups
from ..everyday.asking import is_of_the_user, make_query
from ..graph.primitives import Lookup
from ..language import oneself
from ..memories.lookups import leading
from ..memories.search import Finder, read_meant, read_wordings
from ..memories.view import Graph
from ..retrieval.question import Past, past_of, shorten
from ..texts import text as texts
from ..texts.dates import ALWAYS, DAY_MS, Span
from ..texts.words import missing
from ..texts.words.splitting import split
from ..verbs.limits import MAX_DAYS

# So many other names of those whom a message names lead to texts.
_MOST_RENAMED: Final = 3
# A number of fewer digits is rather a count.
_DIGITS = 3


@dataclass(frozen=True)
class Question:
    """A message as it was read; `text` has what a pronoun refers to as well.

    Texts *recent* enough may answer.
    """

    graph: Graph
    message: str
    text: str
    wordings: Sequence[Finder]
    vector: Sequence[float]
    model: str | None
    at: int
    recent: Span
    past: Past | None
    # So many of the context's other wordings are the message by other names.
    renamed: int

    @property
    def every(self) -> str:
        """All its wordings."""
        return "\n".join((self.text, *self.graph.context.also))

    @cached_property
    def meant(self) -> Sequence[tuple[entities.Node, Place]]:
        """The entities that it names."""
        of = self.graph.another(entities.Graph)
        return narrative.named_by(of, self.every, self.past is not None)

    @cached_property
    def concepts(self) -> Sequence[concepts.Node]:
        """The concepts that it names."""
        return names.find_named(self.graph.another(concepts.Graph), self.every)

    @cached_property
    def own(self) -> bool:
        """Whether it is about the user."""
        return any(map(is_of_the_user, (self.message, *self.graph.context.also)))

    @property
    def is_number(self) -> bool:
        """Whether it is a number alone, of some digits: "88-1203"."""
        said = self.message.split()
        digits = sum(map(str.isdigit, self.message))
        return len(said) == 1 and digits >= _DIGITS and not any(map(str.isalpha, self.message))

    @cached_property
    def names(self) -> frozenset[str]:
        """The words by which it names whom it means, or might name them."""
        named = narrative.names_of(self.every, self.meant)
        known = self.graph.another(entities.Graph)
        others = (name for node, _ in self.meant for name in _list_names(known, node))
        return frozenset().union(*named, *map(split, others))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of its wordings."""
        return frozenset(split(self.every))

    @property
    def around(self) -> Span | None:
        """The past time that it names among other words."""
        around = self.graph.context.told_around
        return None if around is None else Span(*around)


def rename(graph: Graph, query: str) -> list[str]:
    """Return *query* by the other names of those whom it names, if a name was merged into another.

    So texts that say "Annie" answer for Anna Smith.
    """
    known = graph.another(entities.Graph)
    found: dict[str, None] = {}
    for node, _ in narrative.named_by(known, query):
        names = _list_names(known, node)
        said = next((one for one in names if one.casefold() in query.casefold()), None)
        if said is not None:
            start = query.casefold().index(said.casefold())
            behind = query[start + len(said) :]
            found |= dict.fromkeys(query[:start] + one + behind for one in names if one != said)
    return list(found)[:_MOST_RENAMED]


def _list_names(graph: entities.Graph, node: entities.Node) -> list[str]:
    """Return the names of an entity, the longest first; nothing if it has only one."""
    names = dict.fromkeys(one.bare for one in components.members(graph, node))
    return sorted(names, key=len, reverse=True) if len(names) > 1 else []


def read(
    graph: Graph,
    message: str,
    before: str | None,
    vector: Sequence[float],
    model: str | None,
    max_age_days: int | None = None,
) -> Question:
    """Return *message* as it was meant, after the text *before*; pull what it takes to answer it.

    *vector* is its vector by *model*. Raises InvalidText, InvalidNumber, LibraryMissing, and
    EmbeddingMismatch.
    """
    message = shorten(texts.summary(message, "message"))
    beside = _list_beside(graph, message, make_query(message, before))
    meant = read_meant(graph, message, vector, beside)
    at, zone, spoken = graph.context.at, graph.context.zone, graph.context.languages
    if meant.text != message:
        message = meant.text
        if (graph.context.told_in, graph.context.told_around) == (None, None) and not missing():
            then = asking.read_time_alone(message, at, zone, spoken)
            around = asking.read_time_beside(message, at, zone) if then is None else None
            graph.context = graph.context._replace(
                told_in=then,
                told_around=None if around is None else (around.since or 0, around.until or at),
            )
    query = make_query(message, before)
    graph.pull(*_list_beside(graph, message, query))
    renamed = rename(graph, query)
    graph.context = graph.context._replace(also=(*graph.context.also, *renamed))
    parts = [one for one in meant.spelt if "meant" not in one]
    finders = read_wordings(graph, query, meant.vector, model, spelt=parts)
    recent = ALWAYS
    if max_age_days is not None:
        recent = Span(at - texts.integer(max_age_days, "max_age_days", 1, MAX_DAYS) * DAY_MS)
    past = past_of(query, at, zone)
    given = meant.vector, model, at, recent, past, len(renamed)
    return Question(graph, message, query, finders, *given)


def _list_beside(graph: Graph, message: str, question: str) -> list[Lookup]:
    """Look up what a recall reads beside the texts that match, as far as its arguments tell."""
    context, scope = graph.context, graph.context.user_id
    every = [question, *(["\n".join(context.also)] if context.also else [])]
    found = lookups.named(every, scope)
    concept_scope = graph.another(concepts.Graph).scope
    found += leading((question, *context.also), scope, concept_scope, context.languages)
    if context.told_in is not None:
        since, until, plans, _ = context.told_in
        found += lookups.of_time(scope, since, until, plans=plans)
    elif context.told_around is not None:
        found += lookups.of_time(scope, *context.told_around)
    if oneself.asked(message, *context.also):
        found += lookups.of_user(scope)
    return found
