"""The Cypher of the Bolt store: for each call one statement that looks up, calls and returns."""

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from ..store import EpisodeNames, Lookup, Names, Procedure

Statement = tuple[str, dict[str, Any]]


def call(
    schema: ModuleType,
    procedure: Procedure,
    arguments: Sequence[Any],
    lookup: Lookup | None,
    context: Mapping[str, Any],
) -> Statement:
    """Return the statement that calls *procedure* with what *lookup* finds, and its parameters."""
    finding, parameters = _lookup(schema, lookup)
    parameters |= {f"a{index}": value for index, value in enumerate(arguments)}
    parameters |= context
    given = [f"$a{index}" for index in range(len(arguments))]
    if procedure.takes_context:
        pairs = [f"{key}: ${key}" for key in context]
        pairs += ["found: found"] if lookup is not None else []
        given.append("{" + ", ".join(pairs) + "}")
    fields = ", ".join(procedure.fields)
    # All rows in one record, which a driver unpacks in half the time that a record a row takes.
    return (
        f"{finding}CALL {procedure.name}({', '.join(given)}) YIELD {fields}"
        f" RETURN collect([{fields}]) AS rows",
        parameters,
    )


def export(schema: ModuleType) -> Iterator[str]:
    """Return the statements that stream all nodes, then all relations, node by node."""
    for part in ("nodes", "relations"):
        for label in schema.LABELS:
            yield (
                f"MATCH (n:{label}) CALL conceptgraph.export('{part}', {{found: [n]}})"
                " YIELD record RETURN record"
            )


def _lookup(schema: ModuleType, lookup: Lookup | None) -> Statement:
    """Return what comes before CALL and leaves the nodes found in `found`."""
    if lookup is None:
        return "", {}
    if isinstance(lookup, Names):
        return _named(schema, "found"), {"names": list(lookup.names)}
    if isinstance(lookup, EpisodeNames):
        parameters = {
            "names": list(dict.fromkeys((lookup.base, *lookup.names))),
            # "." follows "-", so this is everything that begins with the base and a hyphen.
            "first": lookup.base + "-",
            "beyond": lookup.base + ".",
        }
        return _named(schema, "found") + _numbered(schema), parameters
    return _search(schema), {"keywords": list(lookup.keywords), "most": lookup.limit}


def _named(schema: ModuleType, result: str) -> str:
    matches = "".join(
        f"OPTIONAL MATCH (n{index}:{label} {{name: name}}) "
        for index, label in enumerate(schema.LABELS)
    )
    collected = " + ".join(f"collect(n{index})" for index in range(len(schema.LABELS)))
    return f"UNWIND $names AS name {matches}WITH {collected} AS {result} "


def _numbered(schema: ModuleType) -> str:
    return "".join(
        f"OPTIONAL MATCH (n:{label}) WHERE n.name >= $first AND n.name < $beyond"
        " WITH found + collect(n) AS found "
        for label in schema.LABELS
    )


def _search(schema: ModuleType) -> str:
    """Matches first; the scan for the most aroused others only runs where they leave room.

    Cypher cannot fold case outside ASCII, so nodes made by hand without a folded name are all
    handed over: the procedure folds, and ranks what it is given.
    """
    label, folded, (level, accessed_at) = schema.SEARCH
    rank = f"coalesce(n.{accessed_at} + $tau_ms * log(n.{level}), -1e300)"
    return (
        f"CALL {{ MATCH (n:{label}) WHERE n.{folded} IS NULL RETURN collect(n) AS unfolded }} "
        f"CALL {{ MATCH (n:{label})"
        f" WHERE any(keyword IN $keywords WHERE n.{folded} CONTAINS keyword)"
        f" WITH n ORDER BY n.{folded} IN $keywords DESC, n.name LIMIT $most"
        " RETURN collect(n) AS hits } "
        "CALL { WITH hits WITH hits, $most - size(hits) AS room WHERE room > 0"
        # The name is read once, for the order and for leaving out what has none.
        f" MATCH (n:{label}) WITH n, n.name AS name, {rank} AS rank WHERE name IS NOT NULL"
        " WITH n, name, rank ORDER BY rank DESC, name LIMIT $most RETURN collect(n) AS others } "
        "WITH hits + others + unfolded AS found "
    )
