"""Write text searches in Cypher: first names that begin with a keyword, by index ranges.

If these do not fill the limit, further statements search the names in lists, and then their nodes
and the most aroused ones. Memgraph keeps the plans of the first and the last statement, because
their texts are the same for all searches and only their parameters differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.concepts.schema import SCOPE
from conceptgraph_core.layers import TextIndex
from conceptgraph_core.name_lists import schema as lists
from conceptgraph_core.registry import text_index

from ...calls.lookups import Ordered, Similar, Text

Parameter = Callable[[Any], str]
Statement = tuple[str, dict[str, Any]]

# The fields of a statement's row are parameters of the later statements: the nodes that begin with
# a keyword, whether any node may lack a form, and the names found in lists. If DONE is true, the
# statements before the call are skipped.
BEGINNING = "found"
LACKING = "lacking"
NAMES = "names"
DONE = "done"
# The parameter with the number of texts in the text index, where none of them is out of date.
TEXTS = "texts"

# Windows of time, in time constants: from seconds on, each twice as long as the previous one.
_WINDOWS = tuple(2.0**power for power in range(-20, 17))
# A window must hold this many times the nodes of the limit; else its best are not the best of all.
_MANY = 4
# So many nodes of a window are ranked at most: an import gives all its nodes about one time.
_MOST_RANKED = 5_000
# No time is below it: lower ranks belong to nodes that were never aroused.
_LEAST = -1e300
_NULL_LAST = "rank IS NULL, rank DESC"
# Appended to a prefix, it sorts after every text with that prefix.
_LAST = "\U0010ffff"
# Occurs in no text.
_BETWEEN = "\uffff"
# Lists return this many times the limit, because a few of their names may have no node.
_SPARE = 2


def is_shared(node: str) -> str:
    """Return the condition that a concept or an episode is shared.

    One of a user's own is not found by what only shared ones have; names and times both have.
    Memgraph takes more than a millisecond to parse a `coalesce`, and parses a statement that calls
    a procedure each time.
    """
    return f"({node}.{SCOPE} IS NULL OR {node}.{SCOPE} = '')"


def lacking(index: TextIndex) -> str:
    """Return the Cypher that sets `lacking`: whether any node may lack a form.

    A text, its forms and the mark "in no list" are written together. So no node lacks a form if the
    texts in lists and those with the mark, which are counted here, are as many as the index has.
    """
    label = index.label
    return (
        f"CALL {{ MATCH (l:{lists.LIST} {{label: '{label}'}}) RETURN sum(l.size) AS size }} "
        f"CALL {{ MATCH (n:{label} {{{index.unlisted}: true}}) RETURN count(n) AS unlisted }} "
        f"WITH coalesce(size + unlisted <> ${TEXTS}, true) AS {LACKING} "
    )


def beginning(lookup: Text, texts: int | None) -> Statement:
    """Return the statement for the first nodes that begin with a keyword or equal one.

    The text index returns a range in order, so it is read only up to the limit. Nodes found by
    another form are fewer; all are read and sorted. Texts that equal a keyword come first, whatever
    their order. *texts* is the number in the text index. If a node may lack a form (see `lacking`),
    the statement returns all such nodes too.
    """
    index = text_index(lookup.label)
    parameters = {
        "ranges": [[part, part + _LAST] for part in lookup.keywords.parts],
        "parts": list(lookup.keywords.parts),
        "most": lookup.limit,
        TEXTS: texts,
    }
    ranges = [
        f"WITH range MATCH (n:{index.label}) WHERE n.{form} >= range[0] AND n.{form} < range[1]"
        f" AND {is_shared('n')}"
        f" WITH n ORDER BY n.{index.source} LIMIT $most RETURN n"
        for form in (index.source, index.other, index.plain)
    ]
    same = [
        f"WITH range MATCH (n:{index.label} {{{form}: range[0]}}) RETURN n"
        for form in (index.other, index.plain)
    ]
    beginning = " UNION ALL ".join([*ranges, *same])
    return (
        f"{lacking(index)}"
        f"CALL {{ UNWIND $ranges AS range CALL {{ {beginning} }} WITH DISTINCT n"
        f" WITH n, coalesce(n.{index.other}, n.{index.source}) IN $parts"
        f" OR n.{index.plain} IN $parts AS exact"
        f" WITH n, CASE WHEN exact THEN 0 ELSE 1 END AS place"
        f" ORDER BY place, n.{index.source} LIMIT $most RETURN collect(id(n)) AS beginning }} "
        f"WITH {LACKING}, beginning, size(beginning) = $most AS {DONE} "
        f"CALL {{ WITH {LACKING}, {DONE} WITH {LACKING}, {DONE} WHERE {LACKING} AND {DONE}"
        f" {write_unfolded(index)} RETURN collect(id(n)) AS unfolded }}"
        f" RETURN beginning + unfolded AS {BEGINNING}, {LACKING}, {DONE}",
        parameters,
    )


def write_listed(lookup: Text) -> Statement:
    """Return the statement for the first names in lists that contain a keyword."""
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


def alike(lookup: Similar, missing: Statement) -> Statement:
    """Return the statement for the listed names that resemble the names that *missing* finds."""
    text, parameters = missing
    return (
        f"{text} WITH missing WHERE size(missing) > 0"
        f" MATCH (l:{lists.LIST} {{label: '{lookup.label}'}}) WITH missing, collect(l) AS found"
        f" CALL {lookup.listed.name}(missing, $most, {{found: found}})"
        f" YIELD {lookup.listed.fields[0]} AS name RETURN collect(name) AS {NAMES}",
        {**parameters, "most": _SPARE * lookup.limit},
    )


def matching(parameter: Parameter, lookup: Text) -> str:
    """Return the Cypher that sets `matching`, and `done` if they fill the limit.

    `matching` holds the first matches in the order of `folding.Keywords.place`, some of them twice:
    * nodes that begin with a keyword
    * nodes whose names were found in lists
    * matching nodes in no list, found by a scan of these
    * all nodes that lack a form, found by a scan unless none can: only the procedure can fold them
    """
    index = text_index(lookup.label)
    limit = parameter(lookup.limit)
    return (
        f"CALL {{ UNWIND ${BEGINNING} AS i MATCH (n) WHERE id(n) = i"
        " RETURN collect(n) AS beginning } "
        f"CALL {{ UNWIND ${NAMES} AS name MATCH (n:{index.label} {{{index.source}: name}})"
        f" WHERE {is_shared('n')} WITH n LIMIT {limit} RETURN collect(n) AS listed }} "
        f"CALL {{ {_write_unlisted(parameter, lookup, index, limit)} }} "
        f"CALL {{ WITH ${LACKING} AS lacking WHERE lacking {write_unfolded(index)}"
        " RETURN collect(n) AS unfolded } "
        "WITH beginning + listed + unlisted AS matching, unfolded "
        "CALL { WITH matching UNWIND matching AS n RETURN count(DISTINCT n) AS matches } "
        f"WITH matching + unfolded AS matching, matches >= {limit} AS done "
    )


def write_unfolded(index: TextIndex) -> str:
    """Return the Cypher for nodes that lack a form: Cypher cannot fold, but the procedure can.

    It scans the text index, because no index has the label alone.
    """
    return (
        f"MATCH (n:{index.label}) WHERE n.{index.source} IS NOT NULL AND {is_shared('n')}"
        f" AND (n.{index.folded} IS NULL"
        f" OR n.{index.unlisted} IS NULL AND n.{index.listed} IS NULL)"
    )


def _write_unlisted(parameter: Parameter, lookup: Text, index: TextIndex, limit: str) -> str:
    """Return the Cypher for the first `unlisted` nodes that contain a keyword."""
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


def write_ranked(parameter: Parameter, lookup: Ordered) -> str:
    """Return the Cypher that sets `ranked`, the first by `by + tau_ms · ln(level)`, unless `done`.

    It keeps `matching`. No level is above 1, so no node ranks above its time. The index finds
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
        f"CALL {{ WITH done UNWIND {windows} AS back"
        " WITH done, $now_ms - back AS edge WHERE NOT done"
        f" CALL {{ WITH edge {nodes} WHERE {time} >= edge AND {shared} WITH n LIMIT {many}"
        " RETURN count(n) AS found }"
        f" WITH edge, found WHERE found = {many} WITH edge LIMIT 1"
        " RETURN collect(edge) AS edges } "
        f"CALL {{ WITH edges UNWIND edges AS edge {nodes} WHERE {time} >= edge AND {shared}"
        f" WITH n LIMIT {most} {best}"
        " RETURN collect(n) AS near, collect(rank) AS ranks } "
        "WITH matching, done, edges, near, last(ranks) AS least,"
        f" size(ranks) = {limit} AND last(ranks) > {parameter(_LEAST)} AS enough "
        "CALL { WITH edges, enough, least UNWIND edges AS edge"
        f" WITH edge, least, enough WHERE enough {nodes}"
        f" WHERE {time} >= least AND {time} < edge AND {shared} WITH n LIMIT {most} {best}"
        " RETURN collect(n) AS far } "
        "CALL { WITH done, edges WITH done, edges WHERE NOT done AND size(edges) = 0"
        f" CALL {{ {with_time} {first_of_all} RETURN n, then, rank UNION ALL {without_time} }}"
        f" {first_of_all} RETURN collect(n) AS few }} "
        "CALL { WITH edges, enough WITH edges, enough WHERE size(edges) > 0 AND NOT enough"
        f" {nodes} {best_of_all} RETURN collect(n) AS rest }} "
        "WITH matching, near + far + few + rest AS ranked "
    )


# A scan this short needs no index; and a storage that does not count its indexes reports 10.
FEW = 1_000
# Names put into lists in one transaction, before a connection or after a search: some tens of
# milliseconds' work. Imports list their names themselves.
MOST_LISTED = 5_000

Counts = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class State:
    """The state of the nodes that a search reads.

    It says whether there are any lists and, if known, how many texts the text index has, and how
    many of them are in no list.
    """

    has_lists: bool = True
    texts: int | None = None
    unlisted: int = 0

    @property
    def has_many_unlisted(self) -> bool:
        return self.unlisted >= MOST_LISTED


def judge_names(counts: Counts | None, index: TextIndex) -> State:
    """Return the state of the nodes with a text of *index*; *counts* may be unknown."""
    if counts is None:
        return State()
    source, unlisted = _count_shared(counts, index)
    are_lists = has_lists(counts)
    if source is None or source < FEW or unlisted is None:
        return State(are_lists)
    return State(are_lists, source, unlisted)


def read_counts(rows: Sequence[Mapping[str, Any]], index: TextIndex) -> Counts:
    """Return the counts in *rows*, those of SHOW INDEX INFO."""
    ours = {
        tuple(list_properties(row["property"])): row["count"]
        for row in rows
        if row["label"] == index.label
    }
    of_lists = [row["count"] for row in rows if row["label"] == lists.LIST]
    return ours | ({(lists.LIST,): max(of_lists)} if of_lists else {})


def _count_shared(counts: Counts, index: TextIndex) -> list[int | None]:
    """Return how many shared nodes have a text, and how many of these are in no list."""
    source = counts.get((index.source,))
    shared = None if source is None else source - counts.get((index.owned,), 0)
    return [shared, counts.get((index.unlisted,))]


def has_lists(counts: Counts) -> bool:
    return counts.get((lists.LIST,), 1) > 0


def list_properties(properties: Any) -> list[Any]:
    """Return the properties of a constraint or index, which some versions return without a list."""
    if properties is None:
        return []
    return properties if isinstance(properties, list) else [properties]
