"""Build the calls of the concept layer."""

from collections.abc import Sequence

from conceptgraph_core import folding, limits, text
from conceptgraph_core.concepts import procedures, schema, spoken
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.errors import InvalidText
from conceptgraph_core.layers import SHARED
from conceptgraph_core.words import missing

from . import text_lookups
from .call import Call, checked, whose
from .lookups import (
    BEYOND,
    Equal,
    Filled,
    Listing,
    Lookup,
    Ordered,
    Range,
    Similar,
    Text,
    Union,
    Where,
)

# Each call is about the concepts of one *scope*: SHARED, or the id of a user whose own they are.
# The procedures check all of this too. But a NUL or a lone surrogate must not even reach a
# database, and a refused call needs no look-up.


# The order of the rows tells a model as much as this field does.
_CONCEPT_SEARCH = procedures.CONCEPT_SEARCH.without("relative")
_RECALL = procedures.RECALL.without("relative", "end")
_PEEK = procedures.PEEK.without("relative", "end")
_EXPLANATION = ("words", "factors")
_EPISODE = schema.LAYER.kind(schema.EPISODE)


@checked
def concept_upsert(concept: str, scope: str = SHARED) -> Call:
    text.name(concept, "concept")
    return Call(procedures.CONCEPT_UPSERT, (concept,), named(scope, concept), whose(scope))


@checked
def update_affect(target: str, valence_delta: float, scope: str = SHARED) -> Call:
    text.existing_name(target, "target")
    return Call(
        procedures.UPDATE_AFFECT, (target, valence_delta), named(scope, target), whose(scope)
    )


@checked
def episode_add(summary: str, concepts: Sequence[str], date: str, scope: str = SHARED) -> Call:
    text.summary(summary, "summary")
    names = tuple(text.names(concepts, "concepts"))
    # Without a concept there is no base; the procedure reports that.
    base = f"{date}/{names[0]}" if names else ""
    # "." follows "-", so the range holds all names that begin with the base and a hyphen.
    numbered = Range(schema.LAYER.names, "name", base + "-", base + ".", mine(scope))
    if not names:
        return Call(procedures.EPISODE_ADD, (summary, []), named(scope), whose(scope))
    words_scope = schema.words_scope(scope)
    indexed = text_lookups.of_new_text(_EPISODE, summary, words_scope, base, base + ".")
    lookup = Union((named(scope, base, *names), numbered, *indexed))
    return Call(
        procedures.EPISODE_ADD,
        (summary, list(names)),
        lookup,
        text_lookups.context() | whose(scope),
    )


@checked
def associate(
    query: str,
    limit: int | None = None,
    explained: bool = True,
    *,
    asker: str | None = None,
    asked_at: int | None = None,
    scope: str = SHARED,
    user_id: str = DEFAULT_USER,
) -> Call:
    """Return the call that finds the episodes for *query*; *asked_at* is in unix ms."""
    text.summary(query, "query")
    lookup = text_lookups.of_question(query, schema.words_scope(scope), user_id)
    procedure = procedures.ASSOCIATE.without(*(() if explained else _EXPLANATION))
    context = text_lookups.context() | whose(scope) | text_lookups.asking(asker, asked_at)
    return Call(procedure, (query, limit), lookup, context)


@checked
def widened(query: str, scope: str = SHARED) -> Call:
    """Return the call that returns the terms added to *query* by the concepts in it."""
    text.summary(query, "text")
    heard = () if missing() else spoken.names(query, text_lookups.spoken())
    return Call(
        procedures.WIDENED, (query,), folded(scope, heard), text_lookups.context() | whose(scope)
    )


@checked
def unindexed(scope: str = SHARED) -> Call:
    """Return the call that counts the episodes that `associate` cannot find."""
    return Call(procedures.UNINDEXED, (), text_lookups.of_unindexed(_EPISODE, scope), whose(scope))


@checked
def relation_add(source: str, target: str, relation_type: str, scope: str = SHARED) -> Call:
    _relation(source, target, relation_type)
    arguments = (source, target, relation_type)
    return Call(procedures.RELATION_ADD, arguments, named(scope, source, target), whose(scope))


@checked
def concept_search(
    keywords: Sequence[str],
    limit: int | None = None,
    tau_ms: float = limits.DEFAULT_TAU_MS,
    scope: str = SHARED,
) -> Call:
    most = schema.search_limit(limit)
    wanted = folding.keywords(text.keywords(keywords))
    if scope != SHARED:
        return Call(_CONCEPT_SEARCH, (list(keywords), most), _all_of(scope), whose(scope))
    matching = Text(schema.CONCEPT, wanted, most, procedures.LISTED_NAMES)
    [ranking] = schema.LAYER.rankings
    aroused = Ordered(ranking.label, ranking.time, most, ranking.level, tau_ms, ranking.then)
    return Call(_CONCEPT_SEARCH, (list(keywords), most), Filled(matching, aroused, most))


@checked
def recall(
    seeds: Sequence[str],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = None,
    scope: str = SHARED,
) -> Call:
    return Call(_RECALL, (list(seeds), max_hop, limit), _seeds(scope, seeds), whose(scope))


@checked
def peek(
    seeds: Sequence[str],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = None,
    scope: str = SHARED,
) -> Call:
    return Call(_PEEK, (list(seeds), max_hop, limit), _seeds(scope, seeds), whose(scope))


@checked
def recall_query(
    seeds: Sequence[str],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = None,
    each_episode_once: bool = False,
    scope: str = SHARED,
) -> Call:
    arguments = (list(seeds), max_hop, limit, each_episode_once)
    return Call(procedures.RECALL_QUERY, arguments, _similar(scope, seeds), whose(scope))


@checked
def unknown(seeds: Sequence[str], scope: str = SHARED) -> Call:
    return Call(procedures.UNKNOWN, (list(seeds),), _similar(scope, seeds), whose(scope))


@checked
def with_relations(call: Call) -> Call:
    """Return a `recall` or `peek` whose rows include the edge itself."""
    return _with_field(call, "relation")


@checked
def with_relative(call: Call) -> Call:
    """Return a `recall`, `peek` or `concept_search` with each row's share of the top score.

    The calls omit the share by default, because the order tells a model as much.
    """
    return _with_field(call, "relative")


@checked
def with_ends(call: Call) -> Call:
    """Return a `recall` or `peek` whose rows name the end whose arousal and valence they have."""
    return _with_field(call, "end")


@checked
def with_all_relations(call: Call) -> Call:
    """Return a `recall_query` whose row includes the edges of its propositions."""
    return _with_field(call, "relations")


def _with_field(call: Call, name: str) -> Call:
    fields = (*call.procedure.fields, name)
    return call._replace(procedure=call.procedure._replace(fields=fields))


@checked
def neighbourhood(
    seeds: Sequence[str],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = None,
    scope: str = SHARED,
) -> Call:
    return Call(
        procedures.NEIGHBOURHOOD, (list(seeds), max_hop, limit), _seeds(scope, seeds), whose(scope)
    )


@checked
def rename(concept: str, new_name: str, dry_run: bool, scope: str = SHARED) -> Call:
    text.existing_name(concept, "concept")
    text.name(new_name, "new_name")
    lookup = Union((named(scope, concept, new_name), *_listing(scope, concept)))
    return Call(procedures.RENAME, (concept, new_name, dry_run), lookup, whose(scope))


@checked
def remove(name: str, dry_run: bool, scope: str = SHARED) -> Call:
    text.existing_name(name, "name")
    indexed = text_lookups.of_removal(_EPISODE, name, schema.words_scope(scope))
    lookup = Union((named(scope, name), *_listing(scope, name), *indexed))
    return Call(procedures.REMOVE, (name, dry_run), lookup, text_lookups.context() | whose(scope))


@checked
def remove_relation(
    source: str, target: str, relation_type: str, dry_run: bool, scope: str = SHARED
) -> Call:
    _relation(source, target, relation_type)
    arguments = (source, target, relation_type, dry_run)
    return Call(procedures.REMOVE_RELATION, arguments, named(scope, source, target), whose(scope))


def mine(scope: str) -> Where:
    """Return the filter that leaves what is of *scope*."""
    return ((schema.SCOPE, scope),)


def called(scope: str, names: Sequence[str]) -> list[Lookup]:
    """Look up what has one of *names* in *scope*, or has it but for its case."""
    return [named(scope, *names), folded(scope, list(map(folding.folded, names)))]


def folded(scope: str, names: Sequence[str]) -> Equal:
    """Look up the concepts of *scope* that are called one of *names*, case-folded."""
    if scope == SHARED:
        return Equal((schema.CONCEPT,), (schema.NAMES.folded,), tuple((one,) for one in names))
    forms = tuple((schema.owned(scope, one),) for one in names)
    return Equal((schema.CONCEPT,), (schema.NAMES.owned,), forms)


def _relation(source: str, target: str, relation_type: str) -> None:
    schema.checked_ends(source, target)
    if not text.storable(relation_type):
        raise InvalidText(text.unstorable("type"))


def _seeds(scope: str, seeds: Sequence[str]) -> Equal:
    return named(scope, *(text.existing_name(seed, "seeds") for seed in seeds))


def _similar(scope: str, seeds: Sequence[str]) -> Similar:
    names = _seeds(scope, seeds)
    keys = tuple(folding.squeezed(name) for _, name in names.values)
    most = schema.EXPLAINED_SEEDS, schema.SIMILAR_NAMES
    every = None if scope == SHARED else _all_of(scope)
    return Similar(names, keys, schema.CONCEPT, *most, procedures.LISTED_SIMILAR, every)


def named(scope: str, *names: str) -> Equal:
    """Look up exact names, among all of *scope* that share the name space of concepts."""
    values = tuple((scope, name) for name in dict.fromkeys(names))
    return Equal(schema.LAYER.names, (schema.SCOPE, "name"), values)


def _all_of(scope: str) -> Range:
    """Look up all concepts of a user, whose names no index has by their parts: these are few."""
    return Range((schema.CONCEPT,), "name", "", BEYOND, mine(scope))


def _listing(scope: str, name: str) -> list[Lookup]:
    """Look up the lists that have a name, if it is in any: those of a user's own are in none."""
    return [Listing(schema.CONCEPT, (name,))] if scope == SHARED else []
