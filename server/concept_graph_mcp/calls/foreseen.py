"""Name what an everyday rule is sure to look up, from the arguments of its verb alone.

It saves Memgraph a round; a store file looks up what the rule asks for. Each function has the name
of its verb, and takes the user, the scope of the concepts and the arguments.
"""

from collections.abc import Mapping
from typing import Any

from conceptgraph_core import text as texts
from conceptgraph_core.concepts import lookups as concepts
from conceptgraph_core.concepts import schema
from conceptgraph_core.entities.names import Subject
from conceptgraph_core.everyday import lookups
from conceptgraph_core.everyday.asking import read_span
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.memories import lookups as memories
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.schema import SEARCH_DEPTH

Given = Mapping[str, Any]


def recall(scope: str, _: str, given: Given) -> list[Lookup]:
    return _near(scope, given, Wanted())


def search(scope: str, _: str, given: Given) -> list[Lookup]:
    name = given["about"]
    within = read_span(given["since"], given["until"])
    subject = None if name is None else Subject([texts.name(name, "about")])
    return _near(scope, given, Wanted(within=within, about=subject))


def explain(scope: str, _: str, given: Given) -> list[Lookup]:
    return _near(scope, given, Wanted())


def about(scope: str, _: str, given: Given) -> list[Lookup]:
    return _near(scope, given, Wanted(about=Subject([texts.name(given["name"], "name")])))


def access(_: str, concept_scope: str, given: Given) -> list[Lookup]:
    ids = [memories.ids(*given["memories"])] if given["memories"] else []
    return [*ids, concepts.named(concept_scope, *given["concepts"])]


def happened(scope: str, concept_scope: str, given: Given) -> list[Lookup]:
    day = texts.name(given["day"], "day")
    return [lookups.happened(scope, concept_scope, day, given["since"], given["until"])]


def changes(scope: str, _: str, given: Given) -> list[Lookup]:
    return [lookups.changed(scope, given["since"], given["until"])]


def forget(_: str, __: str, given: Given) -> list[Lookup]:
    return memories.of_any_id(given["id"])


def restore(_: str, __: str, given: Given) -> list[Lookup]:
    return memories.of_any_id(given["id"])


def relate(_: str, concept_scope: str, given: Given) -> list[Lookup]:
    ends = schema.checked_ends(given["source"], given["target"])
    return [concepts.named(concept_scope, *ends)]


def _near(scope: str, given: Given, wanted: Wanted) -> list[Lookup]:
    """Look up the memories that are near in meaning to a question and its other wordings."""
    vectors = [(given["embedded"] or (None, ()))[1], getattr(given.get("also"), "vector", ())]
    return [
        found
        for vector in vectors
        if len(vector)
        for found in memories.near(scope, vector, SEARCH_DEPTH, wanted)
    ]
