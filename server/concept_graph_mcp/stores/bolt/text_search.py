"""What a search finds, in Cypher: what begins with a keyword, by ranges of indexes.

Only where that does not fill the limit, names in lists, and then the nodes that have them and the
most aroused. Each is a statement of its own. Memgraph keeps the plans of the first and of the last:
their parameters differ from search to search, their texts do not.
"""

from collections.abc import Callable
from typing import Any

from conceptgraph_core.layers import TextIndex
from conceptgraph_core.name_lists import schema as lists
from conceptgraph_core.registry import text_index

from ...calls.lookups import Ordered, Text

Parameter = Callable[[Any], str]
Statement = tuple[str, dict[str, Any]]

# What a statement of these returns is a parameter of those after it: the nodes that begin with a
# keyword, whether any node may lack a form, and which names were found in lists. Where it says that
# it has found all that is wanted, what is between it and the call is left out.
BEGINNING = "found"
LACKING = "lacking"
NAMES = "names"
DONE = "done"
# The parameter that says how many names lists have unless a node lacks a form.
SIZE = "size"

# Windows of time, in time constants: from a sixteenth on, each twice as long as the one before.
_WINDOWS = tuple(2.0**power for power in range(-4, 17))
# A window must have so many times as many nodes as are wanted, or the best of them say little.
_MANY = 4
# No time is below it: what ranks lower was never aroused.
_LEAST = -1e300
_NULL_LAST = "rank IS NULL, rank DESC"
# Greater than all that begins with a text, if put behind it.
_LAST = "\U0010ffff"
# Stands in no text.
_BETWEEN = "\uffff"
# So many times as many names as are wanted come out of lists: of a few there may be no node.
_SPARE = 2


def beginning(lookup: Text, size: int | None) -> Statement:
    """Return what tells the first nodes that begin with a keyword, or are one.

    The index of texts has those of a range in the order wanted, and no more of them are read than
    are wanted; those that are found by another form, which are fewer, are read all and sorted. What
    is a keyword comes first though its text does not. A node may lack a form unless lists have as
    many names as *size*, which is how many are said to be in them; if one may, all that do are told
    as well.
    """
    index = text_index(lookup.label)
    parameters = {
        "label": lookup.label,
        "ranges": [[part, part + _LAST] for part in lookup.keywords.parts],
        "parts": list(lookup.keywords.parts),
        "most": lookup.limit,
        SIZE: size,
    }
    ranges = [
        f"WITH range MATCH (n:{index.label}) WHERE n.{form} >= range[0] AND n.{form} < range[1]"
        f" WITH n ORDER BY n.{index.source} LIMIT $most RETURN n"
        for form in (index.source, index.other, index.plain)
    ]
    same = [
        f"WITH range MATCH (n:{index.label} {{{form}: range[0]}}) RETURN n"
        for form in (index.other, index.plain)
    ]
    beginning = " UNION ALL ".join([*ranges, *same])
    return (
        f"CALL {{ MATCH (l:{lists.LIST} {{label: $label}})"
        f" RETURN coalesce(sum(l.size) <> ${SIZE}, true) AS {LACKING} }} "
        f"CALL {{ UNWIND $ranges AS range CALL {{ {beginning} }} WITH DISTINCT n"
        f" WITH n, coalesce(n.{index.other}, n.{index.source}) IN $parts"
        f" OR n.{index.plain} IN $parts AS exact"
        f" WITH n, CASE WHEN exact THEN 0 ELSE 1 END AS place"
        f" ORDER BY place, n.{index.source} LIMIT $most RETURN collect(id(n)) AS beginning }} "
        f"WITH {LACKING}, beginning, size(beginning) = $most AS {DONE} "
        f"CALL {{ WITH {LACKING}, {DONE} WITH {LACKING}, {DONE} WHERE {LACKING} AND {DONE}"
        f" {unfolded(index)} RETURN collect(id(n)) AS unfolded }}"
        f" RETURN beginning + unfolded AS {BEGINNING}, {LACKING}, {DONE}",
        parameters,
    )


def listed(lookup: Text) -> Statement:
    """Return what tells the first names in lists that have a keyword."""
    parameters = {
        "label": lookup.label,
        "keywords": list(lookup.keywords.folded),
        "parts": list(lookup.keywords.parts),
        "most": _SPARE * lookup.limit,
    }
    return (
        f"MATCH (l:{lists.LIST} {{label: $label}}) WHERE any(k IN $parts WHERE l.names CONTAINS k)"
        f" WITH collect(l) AS found CALL {lookup.listed.name}($keywords, $most, {{found: found}})"
        f" YIELD {lookup.listed.fields[0]} AS name RETURN collect(name) AS {NAMES}",
        parameters,
    )


def matching(parameter: Parameter, lookup: Text) -> str:
    """Return what leaves the matches in `matching`, and in `done` whether they fill the limit.

    The first ones in the order of `folding.Keywords.place`, and some twice: those that begin with a
    keyword, those whose names were found in lists, and of those that are in no list yet, which are
    gone through. Nodes that lack a form are found all, for Cypher cannot fold and the procedure
    can: by a look at all nodes, unless it is known that there is none.
    """
    index = text_index(lookup.label)
    limit = parameter(lookup.limit)
    return (
        f"CALL {{ UNWIND ${BEGINNING} AS i MATCH (n) WHERE id(n) = i"
        " RETURN collect(n) AS beginning } "
        f"CALL {{ UNWIND ${NAMES} AS name MATCH (n:{index.label} {{{index.source}: name}})"
        f" WITH n LIMIT {limit} RETURN collect(n) AS listed }} "
        f"CALL {{ {_unlisted(parameter, lookup, index, limit)} }} "
        f"CALL {{ WITH ${LACKING} AS lacking WHERE lacking {unfolded(index)}"
        " RETURN collect(n) AS unfolded } "
        "WITH beginning + listed + unlisted AS matching, unfolded "
        "CALL { WITH matching UNWIND matching AS n RETURN count(DISTINCT n) AS matches } "
        f"WITH matching + unfolded AS matching, matches >= {limit} AS done "
    )


def unfolded(index: TextIndex) -> str:
    """Return what finds the nodes that lack a form: Cypher cannot fold, but the procedure can.

    By the index of the texts, as all that goes through these nodes: there is none of the label.
    """
    return (
        f"MATCH (n:{index.label}) WHERE n.{index.source} IS NOT NULL AND (n.{index.folded} IS NULL"
        f" OR n.{index.unlisted} IS NULL AND n.{index.listed} IS NULL)"
    )


def _unlisted(parameter: Parameter, lookup: Text, index: TextIndex, limit: str) -> str:
    """Return what finds the first of the `unlisted` that have a keyword, wherever they have it."""
    parts = parameter(list(lookup.keywords.parts))
    words = parameter(list(lookup.keywords.words))
    return (
        f"MATCH (n:{index.label} {{{index.unlisted}: true}})"
        f" WITH n, coalesce(n.{index.folded}, n.{index.source}) AS folded, n.{index.plain} AS plain"
        f" WITH n, folded, plain, folded + {parameter(_BETWEEN)} + coalesce(plain, '') AS both"
        f" WHERE any(k IN {parts} WHERE both CONTAINS k)"
        f" WITH n, CASE WHEN folded IN {parts} OR plain IN {parts} THEN 0"
        f" WHEN any(k IN {parts} WHERE folded STARTS WITH k OR plain STARTS WITH k) THEN 1"
        f" WHEN any(k IN {words} WHERE both CONTAINS k) THEN 2 ELSE 3 END AS place"
        f" ORDER BY place, n.{index.source} LIMIT {limit} RETURN collect(n) AS unlisted"
    )


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
    # All that have `then` are gone through by its index: the label has none.
    best_of_all = (
        f"WHERE n.{lookup.then} IS NOT NULL {rank} {first.replace('rank DESC', _NULL_LAST)}"
    )
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
