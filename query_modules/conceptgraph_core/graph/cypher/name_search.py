"""Write text searches in Cypher: a scan of the shared names, and then the most aroused nodes."""

from collections.abc import Callable
from typing import Any

from ...concepts.schema import SCOPE
from ...transfer.registry import text_index
from ..layers import TextIndex
from ..primitives import Ordered, Similar, Text

Parameter = Callable[[Any], str]

# Windows of time, in time constants: from seconds on, each twice as long as the previous one.
_WINDOWS = tuple(2.0**power for power in range(-20, 17))
# A window must hold this many times the nodes of the limit; else its best are not the best of all.
_MANY = 4
# So many nodes of a window are ranked at most: an import gives all its nodes about one time.
_MOST_RANKED = 5_000
# No time is below it: lower ranks belong to nodes that were never aroused.
_LEAST = -1e300
_NULL_LAST = "rank IS NULL, rank DESC"
# Occurs in no text.
_BETWEEN = "\uffff"


def is_shared(node: str) -> str:
    """Return the condition that a concept or an episode is shared.

    One of a user's own is not found by what only shared ones have; names and times both have.
    Memgraph takes more than a millisecond to parse a `coalesce`, and parses a statement that calls
    a procedure each time.
    """
    return f"({node}.{SCOPE} IS NULL OR {node}.{SCOPE} = '')"


def matching(parameter: Parameter, lookup: Text) -> str:
    """Return the Cypher that sets `matching`: the first, in the order of `folding.Keywords.place`.

    With them are all nodes that lack a form: only the procedure can fold these. Memgraph has no
    index of substrings, so this reads all shared names.
    """
    index = text_index(lookup.label)
    limit = parameter(lookup.limit)
    parts = parameter(list(lookup.keywords.parts))
    words = parameter(list(lookup.keywords.words))
    return (
        f"CALL {{ {_write_shared(index)} AND n.{index.folded} IS NOT NULL"
        f" WITH n, n.{index.folded} AS folded, n.{index.plain} AS plain"
        f" WITH n, folded, plain, folded + {parameter(_BETWEEN)} + coalesce(plain, '') AS both"
        f" WHERE any(k IN {parts} WHERE both CONTAINS k)"
        f" WITH n, CASE WHEN folded IN {parts} OR plain IN {parts} THEN 0"
        f" WHEN any(k IN {parts} WHERE folded STARTS WITH k OR plain STARTS WITH k) THEN 1"
        f" WHEN any(k IN {words} WHERE both CONTAINS k) THEN 2 ELSE 3 END AS place"
        f" ORDER BY place, n.{index.source} LIMIT {limit} RETURN collect(n) AS first }} "
        f"CALL {{ {write_unfolded(index)} RETURN collect(n) AS unfolded }} "
        "WITH first + unfolded AS matching "
    )


def write_unfolded(index: TextIndex) -> str:
    """Return the Cypher for nodes that lack a form: Cypher cannot fold, but the procedure can."""
    return f"{_write_shared(index)} AND n.{index.folded} IS NULL"


def _write_shared(index: TextIndex) -> str:
    # By the index of the text, because no index has the label alone.
    return f"MATCH (n:{index.label}) WHERE n.{index.source} IS NOT NULL AND {is_shared('n')}"


def write_alike(parameter: Parameter, lookup: Similar) -> str:
    """Return the Cypher for the nodes `alike` each key, in one scan of names, and `unfolded`."""
    index = text_index(lookup.label)
    likeness = "CASE WHEN squeezed = key THEN 0 WHEN squeezed STARTS WITH key THEN 1 ELSE 2 END"
    return (
        f"WITH {parameter(list(lookup.keys))} AS missing"
        f" CALL {{ WITH missing {_write_shared(index)} AND n.{index.folded} IS NOT NULL"
        f" WITH missing, n, replace(coalesce(n.{index.plain}, n.{index.folded}), ' ', '')"
        " AS squeezed WHERE any(k IN missing WHERE squeezed CONTAINS k)"
        " UNWIND missing AS key WITH key, n, squeezed WHERE squeezed CONTAINS key"
        f" WITH key, n, {likeness} AS place ORDER BY place, n.{index.source}"
        f" WITH key, collect(n)[0..{parameter(lookup.limit)}] AS first"
        " UNWIND first AS n RETURN collect(n) AS alike } "
        f"CALL {{ {write_unfolded(index)} RETURN collect(n) AS unfolded }} "
    )


def write_ranked(parameter: Parameter, lookup: Ordered) -> str:
    """Return the Cypher that sets `ranked`, the first by `by + tau_ms · ln(level)`.

    No level is above 1, so no node ranks above its time. The index finds
    1. the shortest window of time with several times the limit of nodes, and the best of these;
    2. the best nodes older than the window but not older than the lowest rank of step 1, because
       still older ones cannot rank among the first.
    It ranks at most 5,000 of each.
    If no window has enough nodes, few have a time: these are ranked, before the others by `then`.
    If ranks are too few or too low, all nodes are ranked.
    """
    tau_ms, limit = parameter(lookup.tau_ms), parameter(lookup.limit)
    many, most = parameter(_MANY * lookup.limit), parameter(_MOST_RANKED)
    windows = parameter([window * lookup.tau_ms for window in _WINDOWS])
    nodes, time = f"MATCH (n:{lookup.label})", f"n.{lookup.by}"
    # `then` is read once, for the order and to drop nodes without it.
    rank = f"WITH n, n.{lookup.then} AS then, {time} + {tau_ms} * log(n.{lookup.level}) AS rank"
    first = f"WITH n, then, rank ORDER BY rank DESC, then LIMIT {limit}"
    best = f"{rank} WHERE then IS NOT NULL AND rank IS NOT NULL {first}"
    shared = is_shared("n")
    first_of_all = first.replace("rank DESC", _NULL_LAST)
    # The scan uses the index of `then`, because the label alone has none.
    best_of_all = f"WHERE n.{lookup.then} IS NOT NULL AND {shared} {rank} {first_of_all}"
    with_time = f"{nodes} WHERE {time} IS NOT NULL AND {shared} {rank} WHERE then IS NOT NULL"
    # The index of `then` is read in order, and no further than the limit.
    without_time = (
        f"{nodes} WHERE n.{lookup.then} >= '' AND {time} IS NULL AND {shared}"
        f" WITH n ORDER BY n.{lookup.then} LIMIT {limit}"
        f" RETURN n, n.{lookup.then} AS then, null AS rank"
    )
    return (
        # Windows end at the time of the call. The first sufficient one ends the search.
        f"CALL {{ UNWIND {windows} AS back WITH $now_ms - back AS edge"
        f" CALL {{ WITH edge {nodes} WHERE {time} >= edge AND {shared} WITH n LIMIT {many}"
        " RETURN count(n) AS found }"
        f" WITH edge, found WHERE found = {many} WITH edge LIMIT 1"
        " RETURN collect(edge) AS edges } "
        f"CALL {{ WITH edges UNWIND edges AS edge {nodes} WHERE {time} >= edge AND {shared}"
        f" WITH n LIMIT {most} {best}"
        " RETURN collect(n) AS near, collect(rank) AS ranks } "
        "WITH edges, near, last(ranks) AS least,"
        f" size(ranks) = {limit} AND last(ranks) > {parameter(_LEAST)} AS enough "
        "CALL { WITH edges, enough, least UNWIND edges AS edge"
        f" WITH edge, least, enough WHERE enough {nodes}"
        f" WHERE {time} >= least AND {time} < edge AND {shared} WITH n LIMIT {most} {best}"
        " RETURN collect(n) AS far } "
        "CALL { WITH edges WITH edges WHERE size(edges) = 0"
        f" CALL {{ {with_time} {first_of_all} RETURN n, then, rank UNION ALL {without_time} }}"
        f" {first_of_all} RETURN collect(n) AS few }} "
        "CALL { WITH edges, enough WITH edges, enough WHERE size(edges) > 0 AND NOT enough"
        f" {nodes} {best_of_all} RETURN collect(n) AS rest }} "
        "WITH near + far + few + rest AS ranked "
    )


def list_properties(properties: Any) -> list[Any]:
    """Return the properties of a constraint or index, which some versions return without a list."""
    if properties is None:
        return []
    return properties if isinstance(properties, list) else [properties]
