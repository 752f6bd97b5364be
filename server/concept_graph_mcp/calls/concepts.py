"""Build the calls of the concept layer."""

from collections.abc import Sequence

from conceptgraph_core import folding, limits, text
from conceptgraph_core.concepts import procedures, schema, spoken
from conceptgraph_core.errors import InvalidText
from conceptgraph_core.retrieval.schema import SHARED
from conceptgraph_core.words import missing

from . import text_lookups
from .call import Call, checked
from .lookups import Equal, Filled, Listing, Ordered, Range, Similar, Text, Union

# The procedures check all of this too. But a NUL or a lone surrogate must not even reach a
# database, and a refused call needs no look-up.


# The order of the rows tells a model as much as this field does.
_CONCEPT_SEARCH = procedures.CONCEPT_SEARCH.without("relative")
_RECALL = procedures.RECALL.without("relative")
_PEEK = procedures.PEEK.without("relative")
_EXPLANATION = ("words", "factors")
_EPISODE = schema.LAYER.kind(schema.EPISODE)


@checked
def concept_upsert(concept: str) -> Call:
    text.name(concept, "concept")
    return Call(
        procedures.CONCEPT_UPSERT,
        (concept,),
        _named(concept),
    )


@checked
def update_affect(target: str, valence_delta: float) -> Call:
    text.existing_name(target, "target")
    return Call(
        procedures.UPDATE_AFFECT,
        (target, valence_delta),
        _named(target),
    )


@checked
def episode_add(summary: str, concepts: Sequence[str], date: str) -> Call:
    text.summary(summary, "summary")
    names = tuple(text.names(concepts, "concepts"))
    # Without a concept there is no base; the procedure reports that.
    base = f"{date}/{names[0]}" if names else ""
    # "." follows "-", so the range holds all names that begin with the base and a hyphen.
    numbered = Range(schema.LAYER.names, "name", base + "-", base + ".")
    if not names:
        return Call(procedures.EPISODE_ADD, (summary, []), _named())
    indexed = text_lookups.of_new_text(_EPISODE, summary, SHARED, base, base + ".")
    lookup = Union((_named(base, *names), numbered, *indexed))
    return Call(procedures.EPISODE_ADD, (summary, list(names)), lookup, text_lookups.context())


@checked
def associate(
    query: str,
    limit: int | None = None,
    explained: bool = True,
    asker: str | None = None,
    asked_at: int | None = None,
) -> Call:
    """Return the call that finds the episodes for *query*; *asked_at* is in unix ms."""
    text.summary(query, "query")
    lookup = text_lookups.of_question(query, SHARED)
    procedure = procedures.ASSOCIATE.without(*(() if explained else _EXPLANATION))
    asked = {"asker": asker, "asked_at": asked_at}
    context = text_lookups.context() | {
        key: value for key, value in asked.items() if value is not None
    }
    return Call(procedure, (query, limit), lookup, context)


@checked
def widened(query: str) -> Call:
    """Return the call that returns the terms added to *query* by the concepts in it."""
    text.summary(query, "text")
    named = () if missing() else spoken.names(query, text_lookups.spoken())
    by_name = Equal((schema.CONCEPT,), (schema.NAMES.folded,), tuple((name,) for name in named))
    return Call(procedures.WIDENED, (query,), by_name, text_lookups.context())


@checked
def unindexed() -> Call:
    """Return the call that counts the episodes that `associate` cannot find."""
    return Call(procedures.UNINDEXED, (), text_lookups.of_unindexed(_EPISODE, SHARED))


@checked
def relation_add(source: str, target: str, relation_type: str) -> Call:
    _relation(source, target, relation_type)
    return Call(procedures.RELATION_ADD, (source, target, relation_type), _named(source, target))


@checked
def concept_search(
    keywords: Sequence[str], limit: int | None = None, tau_ms: float = limits.DEFAULT_TAU_MS
) -> Call:
    most = schema.search_limit(limit)
    wanted = folding.keywords(text.keywords(keywords))
    matching = Text(schema.CONCEPT, wanted, most, procedures.LISTED_NAMES)
    [ranking] = schema.LAYER.rankings
    aroused = Ordered(ranking.label, ranking.time, most, ranking.level, tau_ms, ranking.then)
    return Call(_CONCEPT_SEARCH, (list(keywords), most), Filled(matching, aroused, most))


@checked
def recall(
    seeds: Sequence[str], max_hop: int = schema.DEFAULT_MAX_HOP, limit: int | None = None
) -> Call:
    return Call(_RECALL, (list(seeds), max_hop, limit), _seeds(seeds))


@checked
def peek(
    seeds: Sequence[str], max_hop: int = schema.DEFAULT_MAX_HOP, limit: int | None = None
) -> Call:
    return Call(_PEEK, (list(seeds), max_hop, limit), _seeds(seeds))


@checked
def recall_query(
    seeds: Sequence[str],
    max_hop: int = schema.DEFAULT_MAX_HOP,
    limit: int | None = None,
    each_episode_once: bool = False,
) -> Call:
    arguments = (list(seeds), max_hop, limit, each_episode_once)
    return Call(procedures.RECALL_QUERY, arguments, _similar(seeds))


@checked
def unknown(seeds: Sequence[str]) -> Call:
    return Call(procedures.UNKNOWN, (list(seeds),), _similar(seeds))


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
def with_all_relations(call: Call) -> Call:
    """Return a `recall_query` whose row includes the edges of its propositions."""
    return _with_field(call, "relations")


def _with_field(call: Call, name: str) -> Call:
    fields = (*call.procedure.fields, name)
    return call._replace(procedure=call.procedure._replace(fields=fields))


@checked
def neighbourhood(
    seeds: Sequence[str], max_hop: int = schema.DEFAULT_MAX_HOP, limit: int | None = None
) -> Call:
    return Call(procedures.NEIGHBOURHOOD, (list(seeds), max_hop, limit), _seeds(seeds))


@checked
def rename(concept: str, new_name: str, dry_run: bool) -> Call:
    text.existing_name(concept, "concept")
    text.name(new_name, "new_name")
    lookup = Union((_named(concept, new_name), Listing(schema.CONCEPT, (concept,))))
    return Call(procedures.RENAME, (concept, new_name, dry_run), lookup)


@checked
def remove(name: str, dry_run: bool) -> Call:
    text.existing_name(name, "name")
    indexed = text_lookups.of_removal(_EPISODE, name, SHARED)
    lookup = Union((_named(name), Listing(schema.CONCEPT, (name,)), *indexed))
    return Call(procedures.REMOVE, (name, dry_run), lookup, text_lookups.context())


@checked
def remove_relation(source: str, target: str, relation_type: str, dry_run: bool) -> Call:
    _relation(source, target, relation_type)
    arguments = (source, target, relation_type, dry_run)
    return Call(procedures.REMOVE_RELATION, arguments, _named(source, target))


def _relation(source: str, target: str, relation_type: str) -> None:
    schema.checked_ends(source, target)
    if not text.storable(relation_type):
        raise InvalidText(text.unstorable("type"))


def _seeds(seeds: Sequence[str]) -> Equal:
    return _named(*(text.existing_name(seed, "seeds") for seed in seeds))


def _similar(seeds: Sequence[str]) -> Similar:
    names = _seeds(seeds)
    keys = tuple(folding.squeezed(name) for (name,) in names.values)
    return Similar(names, keys, schema.CONCEPT, schema.EXPLAINED_SEEDS, schema.SIMILAR_NAMES)


def _named(*names: str) -> Equal:
    """Look up exact names in the name space of concepts and episodes."""
    values = tuple((name,) for name in dict.fromkeys(names))
    return Equal(schema.LAYER.names, ("name",), values)
