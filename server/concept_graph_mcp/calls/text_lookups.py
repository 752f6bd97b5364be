"""Look up the parts of the text index that are needed to index texts."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from conceptgraph_core import text as texts
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.registry import indexed_kinds
from conceptgraph_core.retrieval import documents
from conceptgraph_core.words import languages

# Not imported: this module is deployed with the query modules too, whose reload would drop it.
os: Final[Any] = __import__("os")

# A term of the question, one near it, a word of that, and their cosine.
Neighbour = tuple[str, str, str, float]


def spoken() -> tuple[str, ...]:
    """Return the configured languages of texts. Raises UnknownLanguage."""
    return languages.read_configured(os.environ)


def context() -> dict[str, Any]:
    """Return the settings of these look-ups, for the context of the call."""
    return {"languages": list(spoken())}


def check_asker(asker: str | None) -> None:
    """Raise InvalidText if *asker*, who asks, is no name. None is the user."""
    if asker is not None:
        texts.name(asker, "asker")


def texts_among(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return those of *records* whose nodes are in the text index."""
    kinds = {kind.kind for kind in indexed_kinds()}
    return [record for record in records if record.get("kind") in kinds]


def of_records(records: Iterable[Mapping[str, Any]]) -> list[Lookup]:
    """Look up the data needed to index the nodes of *records*."""
    kinds = {kind.kind: kind for kind in indexed_kinds()}
    told = [
        documents.read_told(kinds[name], record)
        for record in records
        if isinstance(name := record.get("kind"), str) and name in kinds
    ]
    return documents.needed(told, spoken())
