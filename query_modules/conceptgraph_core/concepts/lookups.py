"""Say what the rules of concepts look up: names, and the names that are like them.

A verb may name these beforehand, which saves Memgraph a round. Imports nothing of Memgraph.
"""

from collections.abc import Iterable, Sequence

from ..graph.layers import SHARED
from ..graph.primitives import BEYOND, Equal, Lookup, Ordered, Range, Similar, Text, Union, Where
from ..retrieval import documents
from ..retrieval.schema import TEXT
from ..texts import folding, text
from ..texts.folding import Keywords
from . import schema


def mine(scope: str) -> Where:
    """Return the filter that leaves what is of *scope*."""
    return ((schema.SCOPE, scope),)


def named(scope: str, *names: str) -> Equal:
    """Look up exact names, among all of *scope* that share the name space of concepts."""
    values = tuple((scope, name) for name in dict.fromkeys(names))
    return Equal(schema.LAYER.names, (schema.SCOPE, "name"), values)


def folded(scope: str, names: Iterable[str]) -> Equal:
    """Look up the concepts of *scope* that are called one of *names*, case-folded."""
    if scope == SHARED:
        return Equal((schema.CONCEPT,), (schema.NAMES.folded,), tuple((one,) for one in names))
    forms = tuple((schema.make_owned_key(scope, one),) for one in names)
    return Equal((schema.CONCEPT,), (schema.NAMES.owned,), forms)


def called(scope: str, names: Sequence[str]) -> list[Lookup]:
    """Look up what has one of *names* in *scope*, or has it but for its case."""
    return [named(scope, *names), folded(scope, map(folding.fold, names))]


def every(scope: str) -> Range:
    """Look up all concepts of a user, whose names no index has by their parts: these are few."""
    return Range((schema.CONCEPT,), "name", "", BEYOND, mine(scope))


def new_episode(scope: str, base: str, summary: str, languages: Sequence[str]) -> list[Lookup]:
    """Look up what has the name *base* and a number, and what it takes to index the episode."""
    # "." follows "-", so a range holds all that begin with the base and a hyphen.
    numbered = f"{base}-", f"{base}."
    kind, words_scope = schema.LAYER.kind(schema.EPISODE), schema.words_scope(scope)
    where = (("scope", words_scope), ("label", kind.label))
    told = documents.Told(words_scope, kind.label, base, summary, None, None, None, None)
    return [
        Range(schema.LAYER.names, "name", *numbered, mine(scope)),
        Range((TEXT,), "key", *numbered, where),
        *documents.needed([told], languages),
    ]


def search(scope: str, wanted: Keywords, most: int, tau_ms: float) -> Lookup:
    """Look up the concepts that match *wanted*, and the most aroused ones, *most* of each."""
    if scope != SHARED:
        return every(scope)
    [ranking] = schema.LAYER.rankings
    aroused = Ordered(ranking.label, ranking.time, most, ranking.level, tau_ms, ranking.then)
    return Union((Text(schema.CONCEPT, wanted, most), aroused)) if wanted.parts else aroused


def seeds(scope: str, given: Sequence[str]) -> Equal:
    """Look up the seeds of a recall. Raises InvalidText."""
    return named(scope, *(text.existing_name(one, "seeds") for one in given))


def similar(scope: str, keys: Iterable[str]) -> Lookup:
    """Look up the concepts whose names are like one of *keys*, which are squeezed."""
    if scope != SHARED:
        return every(scope)
    return Similar(schema.CONCEPT, tuple(dict.fromkeys(keys)), schema.SIMILAR_NAMES)
