"""Declare the verbs of the concept layer."""

from collections.abc import Sequence
from typing import Annotated

from conceptgraph_core.concepts import lookups, procedures, schema
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.retrieval.schema import DEFAULT_LIMIT
from conceptgraph_core.texts import folding, text
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.arguments import (
    INNER,
    AskedAt,
    Asker,
    Between,
    Items,
    Most,
    OneOf,
    Query,
)
from conceptgraph_core.verbs.context import DEFAULT_USER

from .verb import verb

# Each call is about the concepts of one *concept_scope*: SHARED, or the id of a user whose own they
# are.


# The order of the rows tells a model as much as this field does.
_CONCEPT_SEARCH = procedures.CONCEPT_SEARCH.without("relative")
_RECALL = procedures.RECALL.without("relative", "end")
_PEEK = procedures.PEEK.without("relative", "end")


@verb(procedures.CONCEPT_UPSERT)
def concept_upsert(
    concept: Annotated[str, "The concept's name, used as it is."], concept_scope: str = SHARED
) -> list[Lookup]:
    """Make sure a concept exists."""
    return [lookups.named(concept_scope, concept)]


@verb(procedures.UPDATE_AFFECT)
def update_affect(
    target: Annotated[str, "A concept's name or an episode_id."],
    valence_delta: Annotated[float, Between(-1, 1), "How good (1) or bad (-1) it felt."],
    concept_scope: str = SHARED,
) -> list[Lookup]:
    """Add a feeling to a concept or an episode and arouse it."""
    return [lookups.named(concept_scope, target)]


@verb(procedures.EPISODE_ADD, is_worded=True)
def episode_add(
    summary: Annotated[str, "The event, in a sentence that says when it happened."],
    concepts: Annotated[
        Sequence[str],
        Items(least=1),
        "The concepts that it is about, the most important first.",
    ],
    concept_scope: str = SHARED,
) -> None:
    """Store what happened."""


@verb(procedures.ASSOCIATE, is_worded=True)
def associate(
    query: Query,
    limit: Annotated[Most, "At most this many."] = DEFAULT_LIMIT,
    explained: Annotated[bool, INNER] = True,
    *,
    asker: Asker = None,
    asked_at: AskedAt = None,
    concept_scope: str = SHARED,
    user_id: str = DEFAULT_USER,
) -> None:
    """Find the episodes for *query*."""
    text.summary(query, "query")


# Counts the episodes that `associate` cannot find.
unindexed = verb(procedures.UNINDEXED)(lambda concept_scope=SHARED: None)


@verb(procedures.RELATION_ADD)
def relation_add(
    source: Annotated[str, "A concept, or an episode_id."],
    target: Annotated[str, "A concept, or an episode_id."],
    type: Annotated[
        str,
        OneOf(("is-a", "part-of", "evokes")),
        "is-a: a kind of; part-of: a component of; evokes: brings to mind"
        " (the only one that may join episodes).",
    ],
    concept_scope: str = SHARED,
) -> list[Lookup]:
    """State a relation; stating it again makes it stronger."""
    return [lookups.named(concept_scope, source, target)]


@verb(_CONCEPT_SEARCH, beside=("tau_ms",))
def concept_search(
    keywords: Annotated[
        Sequence[str],
        Items(limits.MAX_KEYWORDS),
        "Parts of names, in any case, with or without accents; none for what is most on the mind.",
    ] = (),
    limit: Annotated[
        int, Between(1, schema.MAX_SEARCH_LIMIT, clamps=True), "At most this many."
    ] = schema.DEFAULT_SEARCH_LIMIT,
    tau_ms: Annotated[float, INNER] = limits.DEFAULT_TAU_MS,
    concept_scope: str = SHARED,
) -> list[Lookup]:
    """Find concepts by any part of their name, filled up with what is most on the mind."""
    wanted = folding.keywords(text.keywords(keywords))
    return [lookups.search(concept_scope, wanted, schema.search_limit(limit), tau_ms)]


def _from_seeds(
    seeds: Sequence[str],
    max_hop: Annotated[int, Between(0, schema.MAX_HOP), "How far to go."] = schema.DEFAULT_MAX_HOP,
    limit: Annotated[
        Annotated[int, Between(1, limits.MAX_INTEGER)] | None, "At most this many."
    ] = None,
    concept_scope: str = SHARED,
) -> list[Lookup]:
    return [lookups.seeds(concept_scope, seeds)]


recall = verb(_RECALL)(_from_seeds)
peek = verb(_PEEK)(_from_seeds)


@verb(procedures.RECALL_QUERY)
def recall_query(
    seeds: Annotated[
        Sequence[str], "Concept names or episode_ids; unknown ones are reported and skipped."
    ],
    max_hop: Annotated[
        int, Between(0, schema.MAX_HOP), "How far to go; 2 is a good start."
    ] = schema.DEFAULT_MAX_HOP,
    limit: Annotated[
        # There cannot be more relations than a recall may read propositions.
        int,
        Between(1, schema.MAX_EDGES_READ, clamps=True, refuses_less=True),
        "At most this many propositions: 10 to 30 for a model to read. The rest is not aroused.",
    ] = schema.DEFAULT_PROPOSITIONS,
    each_episode_once: Annotated[
        bool,
        "Only the strongest proposition about each episode; sensible where"
        " episodes have many concepts or long summaries.",
    ] = False,
    concept_scope: str = SHARED,
) -> list[Lookup]:
    """Recall what the seeds bring to mind, strongest first."""
    return [lookups.seeds(concept_scope, seeds)]


@verb(procedures.UNKNOWN)
def unknown(seeds: Sequence[str], concept_scope: str = SHARED) -> list[Lookup]:
    """Return those of *seeds* that are unknown, and what is called alike."""
    return [lookups.seeds(concept_scope, seeds)]


@verb(procedures.RENAME)
def rename(concept: str, new_name: str, dry_run: bool, concept_scope: str = SHARED) -> list[Lookup]:
    """Give a concept another name."""
    return [lookups.named(concept_scope, concept, new_name)]


@verb(procedures.REMOVE, is_worded=True)
def remove(name: str, dry_run: bool, concept_scope: str = SHARED) -> None:
    """Remove a concept or an episode."""


@verb(procedures.REMOVE_RELATION)
def remove_relation(
    source: str, target: str, relation_type: str, dry_run: bool, concept_scope: str = SHARED
) -> list[Lookup]:
    """Remove a relation."""
    return [lookups.named(concept_scope, source, target)]
