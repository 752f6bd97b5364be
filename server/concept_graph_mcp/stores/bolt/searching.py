"""What a search finds, in Cypher: by index as far as an index reaches, and by one scan beyond that.

It is a statement of its own, whose plan Memgraph keeps: its parameters may differ from search to
search, its text only with the number of keywords.
"""

from collections.abc import Callable
from typing import Any

from conceptgraph_core.layers import TextIndex
from conceptgraph_core.registry import text_index

from ...calls.lookups import Ordered, Text

Parameter = Callable[[Any], str]

# The parameter that says whether any node may lack a form.
LACKING = "lacking"

# Windows of time, in time constants: from a sixteenth on, each twice as long as the one before.
_WINDOWS = tuple(2.0**power for power in range(-4, 17))
# A window must have so many times as many nodes as are wanted, or the best of them say little.
_MANY = 4
# No time is below it: what ranks lower was never aroused.
_LEAST = -1e300
_NULL_LAST = "rank IS NULL, rank DESC"
# Greater than all that begins with a text, if put behind it.
_LAST = "\U0010ffff"
# Of all texts but the empty one the least.
_LEAST_TEXT = "\x01"
# Stands in no text.
_BETWEEN = "\uffff"
# More keywords than this are a list to the statement.
_WRITTEN_OUT = 8


def matching(parameter: Parameter, lookup: Text) -> str:
    """Return what leaves the matches in `matching`, and in `done` whether they fill the limit.

    The first ones in the order of `folding.Keywords.place`, and some twice. What is a keyword or
    begins with one comes by index; only where that does not fill the limit are all names looked
    through for the others. Nodes that lack a form are found all, for Cypher cannot fold and the
    procedure can: unless it is known that there is none (`forms.lacking`), by a look at all nodes.
    """
    index = text_index(lookup.label)
    parts, limit = parameter(list(lookup.keywords.parts)), parameter(lookup.limit)
    closest = _closest(parameter, index, parts, limit)
    everywhere = _everywhere(parameter, lookup, index, parts, limit)
    return (
        f"{closest}WITH closest, size(closest) >= {limit} AS full "
        f"CALL {{ WITH full WITH full WHERE full AND ${LACKING} MATCH (n:{index.label})"
        f" WHERE {_lacking(index)} RETURN collect(n) AS unfolded }} "
        f"CALL {{ WITH full WITH full WHERE NOT full {everywhere} }} "
        "WITH closest + unfolded + hits AS matching,"
        f" full OR size(hits) - size(beside) >= {limit} AS done "
    )


def _closest(parameter: Parameter, index: TextIndex, parts: str, limit: str) -> str:
    """Return what finds the `closest`, those that are a keyword or begin with one."""
    last = parameter(_LAST)
    forms = ((index.folded, "folded"), (index.plain, "plain"))
    return "".join(
        f"CALL {{ UNWIND {parts} AS k MATCH (n:{index.label})"
        f" WHERE n.{form} >= k AND n.{form} < k + {last} RETURN collect(n) AS {name} }} "
        for form, name in forms
    ) + (
        "CALL { WITH folded, plain UNWIND folded + plain AS n"
        f" WITH DISTINCT n, n.{index.folded} IN {parts} OR n.{index.plain} IN {parts} AS exact"
        f" ORDER BY exact DESC, n.{index.source} LIMIT {limit} RETURN collect(n) AS closest }} "
    )


def _everywhere(
    parameter: Parameter, lookup: Text, index: TextIndex, parts: str, limit: str
) -> str:
    """Return the scan: the first `hits`, and a mark for each of them that is `beside` the limit.

    Nearly all that a search takes is spent on the first line, and there on finding the next node
    and its text in memory: so it asks of each as little as there is to ask. What lacks a form is
    let through, to be told apart among the few. Other plain forms than "" are few: by index.
    The closest come again, in no place of their own: all of them are known already.
    """
    words, least = parameter(list(lookup.keywords.words)), parameter(_LEAST_TEXT)
    plain = f"n.{index.plain}"
    both = f"n.{index.folded} + {parameter(_BETWEEN)} + {plain}"
    return (
        f"MATCH (n:{index.label}) {_contains(parameter, lookup, index, parts)}"
        f" OR ${LACKING} AND {plain} IS NULL WITH collect(n) AS some"
        f" OPTIONAL MATCH (n:{index.label}) WHERE {plain} >= {least}"
        f" AND any(k IN {parts} WHERE {plain} CONTAINS k) WITH some, collect(n) AS others"
        f" UNWIND some + others AS n WITH DISTINCT n, {both} AS both"
        f" WITH n, both IS NULL AS lacks, any(k IN {words} WHERE both CONTAINS k) AS word"
        # What is there instead of a name may be no text, which has no order among others.
        f" WITH n, lacks, word, CASE lacks WHEN false THEN n.{index.source} END AS source"
        " ORDER BY lacks DESC, word DESC, source"
        " WITH collect(n) AS hits, collect(lacks) AS lacks"
        " WITH hits, [one IN lacks WHERE one] AS beside"
        f" RETURN hits[0..size(beside) + {limit}] AS hits, beside"
    )


def _contains(parameter: Parameter, lookup: Text, index: TextIndex, parts: str) -> str:
    """Return what lets a node through whose folded form has a keyword, or which lacks it."""
    first, *others = lookup.keywords.parts
    folded = f"coalesce(n.{index.folded}, {parameter(first)})"
    if not others:
        return f"WHERE {folded} CONTAINS {parameter(first)}"
    if len(others) >= _WRITTEN_OUT:
        return f"WITH n, {folded} AS folded WHERE any(k IN {parts} WHERE folded CONTAINS k)"
    contained = " OR ".join(
        f"folded CONTAINS {parameter(keyword)}" for keyword in lookup.keywords.parts
    )
    return f"WITH n, {folded} AS folded WHERE {contained}"


def _lacking(index: TextIndex) -> str:
    return f"n.{index.folded} IS NULL OR n.{index.plain} IS NULL"


def ranked(parameter: Parameter, lookup: Ordered) -> str:
    """Return what leaves the first by `by + tau_ms · ln(level)` in `ranked`, unless `done`.

    `matching` is kept. No level is above 1, so no node ranks above its time. Found are, by index,
    the shortest window of time with several times as many as are wanted, the best of these, and
    then the best of what is older than the window but no older than the last of these ranks: what
    is older still cannot be among the first. Only where no window is enough are all looked at.
    """
    tau_ms, limit = parameter(lookup.tau_ms), parameter(lookup.limit)
    many = parameter(_MANY * lookup.limit)
    windows = parameter([window * lookup.tau_ms for window in _WINDOWS])
    nodes, time = f"MATCH (n:{lookup.label})", f"n.{lookup.by}"
    # `then` is read once, for the order and for leaving out what has none.
    rank = f"WITH n, n.{lookup.then} AS then, {time} + {tau_ms} * log(n.{lookup.level}) AS rank"
    first = f"WITH n, then, rank ORDER BY rank DESC, then LIMIT {limit}"
    best = f"{rank} WHERE then IS NOT NULL AND rank IS NOT NULL {first}"
    best_of_all = f"{rank} WHERE then IS NOT NULL {first.replace('rank DESC', _NULL_LAST)}"
    return (
        # From the time of the call on, which comes with every call. The first row ends the search.
        f"CALL {{ WITH done UNWIND {windows} AS back"
        " WITH done, $now_ms - back AS edge WHERE NOT done"
        f" CALL {{ WITH edge {nodes} WHERE {time} >= edge WITH n LIMIT {many}"
        " RETURN count(n) AS found }"
        f" WITH edge, found WHERE found = {many} WITH edge LIMIT 1"
        " RETURN collect(edge) AS edges } "
        f"CALL {{ WITH edges UNWIND edges AS edge {nodes} WHERE {time} >= edge {best}"
        " RETURN collect(n) AS near, collect(rank) AS ranks } "
        "WITH matching, done, edges, near, last(ranks) AS least,"
        f" size(ranks) = {limit} AND last(ranks) > {parameter(_LEAST)} AS enough "
        "CALL { WITH edges, enough, least UNWIND edges AS edge"
        f" WITH edge, least, enough WHERE enough {nodes}"
        f" WHERE {time} >= least AND {time} < edge {best} RETURN collect(n) AS far }} "
        "CALL { WITH done, enough WITH done, enough WHERE NOT done AND NOT enough"
        f" {nodes} {best_of_all} RETURN collect(n) AS rest }} "
        "WITH matching, near + far + rest AS ranked "
    )
