"""Find the nearest vectors in Cypher: by the server's index, or by comparing all of them.

The index has no filter. A user with few nodes has them all compared. A user with many nodes asks
the index for more than the limit, then for many more if the filters leave too few. If that is still
too few, all nodes are compared.
"""

from collections.abc import Callable
from typing import Any

from ..primitives import Nearest

Parameter = Callable[[Any], str]

# Comparing takes 24 µs a node, the index 5 µs for each result (measured with 256 numbers a vector).
FEW = 1_000
_ASKED_FIRST, _ASKED_THEN = 1_000, 16_000
_TIMES = 5


def index_name(label: str, vector: str) -> str:
    """Return the name of the vector index."""
    return f"concept_graph_{label}_{vector}"


def write_comparison(lookup: Nearest, parameter: Parameter) -> tuple[str, str]:
    """Return the Cypher that compares all nodes without any module, and the result's expression."""
    vector, kept = parameter(list(lookup.vector)), f"n.{lookup.property}"

    def dot(one: str, other: str) -> str:
        steps = f"range(0, size({vector}) - 1)"
        return f"reduce(sum = 0.0, i IN {steps} | sum + {one}[i] * {other}[i])"

    return (
        f"MATCH (n:{lookup.label}) WHERE {kept} IS NOT NULL{_filter(lookup, parameter)}"
        f" WITH n, {kept} AS kept WHERE size(kept) = size({vector})"
        f" WITH n, {dot('kept', vector)} AS near, sqrt({dot('kept', 'kept')}) AS length"
        " WHERE length > 0 WITH n, near / length AS near ORDER BY near DESC, id(n)"
        f" LIMIT {parameter(lookup.limit)} ",
        "collect(n)",
    )


def write_search(lookup: Nearest, parameter: Parameter) -> tuple[str, str]:
    """Return the Cypher that searches with the module `vector_search`, and the result's expression.

    The index also holds nodes that are deleted or not yet visible, and reading a property of one
    fails; so each is looked up by its id first. A vector whose dimension differs from the index's
    would be compared with memory behind the vectors.
    """
    vector, limit = parameter(list(lookup.vector)), parameter(lookup.limit)
    name, few = parameter(index_name(lookup.label, lookup.property)), parameter(FEW)
    fits = _filter(lookup, parameter)
    every = f"MATCH (n:{lookup.label}) WHERE true{fits}"
    wanted = max(lookup.limit * _TIMES, _ASKED_FIRST)

    def asked(count: int, known: str, found: str) -> str:
        return (
            f"CALL {{ WITH few, {known} WITH few, {known} WHERE size(few) > {few}"
            f" AND size({known}) < {limit}"
            " CALL vector_search.show_index_info() YIELD index_name, dimension"
            f" WITH index_name, dimension WHERE index_name = {name} AND dimension = size({vector})"
            f" CALL vector_search.search({name}, {parameter(count)}, {vector})"
            " YIELD node, similarity WITH id(node) AS number, similarity"
            f" MATCH (n:{lookup.label}) WHERE id(n) = number{fits}"
            f" AND (similarity <> 0.0 OR {_has_length('n.' + lookup.property)})"
            f" WITH n, similarity ORDER BY similarity DESC, id(n) LIMIT {limit}"
            f" RETURN collect(n) AS {found} }} "
        )

    return (
        f"CALL {{ {every} WITH n LIMIT {few} + 1 RETURN collect(n) AS few }} "
        "WITH few, [] AS none "
        + asked(wanted, "none", "near")
        + asked(max(_ASKED_THEN, 16 * wanted), "near", "further")
        + f"CALL {{ WITH few, further WITH few WHERE size(few) <= {few}"
        f" UNWIND few AS n {_write_ranking(lookup, vector, limit)}RETURN collect(n) AS exact }} "
        "CALL { WITH few, near, further WITH few, near, further"
        f" WHERE size(few) > {few} AND size(near) < {limit} AND size(further) < {limit}"
        f" {every} {_write_ranking(lookup, vector, limit)}RETURN collect(n) AS rest }} ",
        f"CASE WHEN size(few) <= {few} THEN exact WHEN size(near) >= {limit} THEN near"
        f" WHEN size(further) >= {limit} THEN further ELSE rest END",
    )


def _write_ranking(lookup: Nearest, vector: str, limit: str) -> str:
    """Return the Cypher that sorts the nodes `n` by nearness and keeps the nearest."""
    return (
        f"WITH n, n.{lookup.property} AS kept"
        f" WHERE size(kept) = size({vector}) AND {_has_length('kept')}"
        f" WITH n, vector_search.cosine_similarity(kept, {vector}) AS near"
        f" ORDER BY near DESC, id(n) LIMIT {limit} "
    )


def _has_length(vector: str) -> str:
    # The first number nearly always decides, in a tenth of the time.
    return f"({vector}[0] <> 0.0 OR any(x IN {vector} WHERE x <> 0.0))"


def _filter(lookup: Nearest, parameter: Parameter) -> str:
    """Return the conditions on `n`, each after an AND."""
    parts = [f"n.{name} = {parameter(value)}" for name, value in lookup.where]
    for name, values in lookup.among:
        given = [value for value in values if value is not None]
        either = [f"n.{name} IN {parameter(given)}"] if given else []
        either += [f"n.{name} IS NULL"] if None in values else []
        parts.append(f"({' OR '.join(either) or 'false'})")
    for name, values in lookup.having:
        # Without the property it is null, which a WHERE takes as false.
        parts.append(f"any(x IN n.{name} WHERE x IN {parameter(list(values))})")
    return "".join(f" AND {part}" for part in parts)
