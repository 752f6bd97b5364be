"""Keep the ledger of merges, splits, ends and separations: entries stay and can be undone.

An entry that rests on the user's words stores these words, which name each entity. Without such
words it is only a claim and changes nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ...texts.text import show_name
from .. import names, schema
from ..language import spans
from ..node import All, Graph, Node
from . import components

# Not by an import statement: see `beside`.
re: Final[Any] = __import__("re")

# Words that deny that two are one, English and German: a closed list, without parsing.
# "Smyth, not Smith" corrects a spelling and denies nothing.
_DENIAL: Final = re.compile(
    r"(?<![,;–-] )(?<!\band )(?<!\bund )\b(?:not|nicht)\b"
    r"|\b\w+n['’]t\b|\b(?:cannot|never|neither|different|distinct|another)\b"
    r"|\b(?:some|any)(?:one|body) else\b|\b(?:are|sind) (?:two|zwei)\b"
    r"|\b(?:two|zwei) (?:different|people|persons|Personen|Leute|Menschen)\b"
    r"|\b(?:nie|niemals|keine?n?|verschiedene?|unterschiedliche?)\b"
    r"|\b(?:ein anderer|eine andere|jemand anders|jemand anderes)\b",
    re.IGNORECASE,
)


Row = dict[str, Any]


def enter(
    graph: Graph, action: str, source: Node, target: Node | None, reason: str, **values: Any
) -> Node:
    """Add an entry for the effect of *action* on *source*, and on *target* if there is one."""
    second = source if target is None else target
    given = {
        "id": names.make_id(action, graph.user_id, source.key, number(graph, source)),
        "created_by": schema.USER_CORRECTION,
        "merge_confidence": 1.0,
        "source_status": source.status,
        **values,
    }
    entry = graph.make(
        schema.MERGE,
        action=action,
        source_node_id=source.key,
        target_node_id=second.key,
        merge_reason=reason,
        **given,
    )
    graph.add_edge(entry, source, schema.MERGE_OF)
    if target is not None:
        graph.add_edge(entry, target, schema.MERGE_INTO)
    return entry


def action_of(entry: Node) -> str:
    """Return the action of an entry; one without an action is a merge."""
    return str(entry.get("action") or schema.MERGE_ACTION)


def tell(entry: Node) -> Row:
    """Return an entry as tools show it."""
    return {
        "merge_id": entry.key,
        "action": action_of(entry),
        "source_id": entry.get("source_node_id"),
        "target_id": entry.get("target_node_id"),
        "reason": entry.get("merge_reason"),
        "said": entry.get("said"),
        "by": entry.get("created_by"),
        "is_active": entry.get("is_active"),
        "is_claim": is_claim(entry),
        "created_at": entry.created_at,
        "unmerge_reason": entry.get("unmerge_reason"),
    }


def number(graph: Graph, source: Node) -> int:
    """Return the number of the next entry of *source*."""
    return sum(1 for _ in entries(graph, source, schema.MERGE_OF)) + 1


def claim(graph: Graph, action: str, source: Node, reason: str, said: str | None) -> Row:
    """Store a claim without the user's words as an entry that is not in force."""
    known = {
        (action_of(one), one.get("merge_reason"))
        for one in entries(graph, source, schema.MERGE_OF)
        if is_claim(one)
    }
    if (action, reason) not in known:
        enter(
            graph,
            *(action, source, None, reason),
            said=said,
            is_active=False,
            merge_confidence=0.0,
            created_by=schema.SYSTEM,
        )
    return {"verdict": schema.CANDIDATE, "reason": lacking(graph, [source], said)}


def is_claim(entry: Node) -> bool:
    """Tell whether an entry never was in force."""
    return not entry.get("is_active") and entry.get("unmerged_at") is None


def lacking(graph: Graph, named: Iterable[Node], said: str | None) -> str | None:
    """Return what the user's words in *said* lack to decide the identity; None: nothing.

    They must contain a name of each entity: its label, the label of a merged one, or the wording of
    a mention of these.
    """
    if said is None and graph.context.owner:
        return None
    if said is None:
        return "pass the user's words, with a name of each, as said"
    words = spans.Said(said)
    for entity in named:
        if not any(is_named(graph, one, words) for one in components.members(graph, entity)):
            return f"said: has no name of {show_name(entity.name)}; quote the user's words with one"
    return None


def is_named(graph: Graph, entity: Node, words: spans.Said) -> bool:
    """Tell whether *words* contain the own label of *entity*, or the wording of a mention."""
    called = {tie.other.get("label") for tie in graph.arriving(entity, schema.OF)}
    return any(words.find(name) for name in {entity.bare, *called})


def lacking_to_merge(graph: Graph, named: Sequence[Node], said: str | None) -> str | None:
    """Return what the user's words in *said* lack for a merge: a name, or they deny it."""
    missing = lacking(graph, named, said)
    return missing if missing is not None or said is None else denied(named, said)


def denied(named: Iterable[Node], said: str) -> str | None:
    """Return the user's words in *said* that deny that two entities are one; None: no denial."""
    for one in named:
        # A word of a name denies nothing.
        said = re.sub(rf"\b{re.escape(one.bare)}\b", "…", said, flags=re.IGNORECASE)
    denial = _DENIAL.search(said)
    if denial is None:
        return None
    return f"said: {show_name(denial.group())} denies it; quote words that say they are one"


def entries(graph: Graph, entity: Node, *types: str) -> Iterator[Node]:
    """Iterate over the entries of *entity* by its role: `MERGE_OF` or `MERGE_INTO`."""
    for tie in graph.arriving(entity, *(types or (schema.MERGE_OF, schema.MERGE_INTO))):
        yield tie.other


def merges_of(graph: Graph, entity: Node) -> Iterator[tuple[Node, Node]]:
    """Iterate over the merges in force that name *entity*, each with the other entity."""
    for entry in entries(graph, entity):
        if entry.get("is_active") and action_of(entry) == schema.MERGE_ACTION:
            yield from ((entry, one) for one in about(graph, entry) if one.id != entity.id)


def source(graph: Graph, entry: Node) -> Node:
    """Return the source of an entry: the entity that was merged, split, ended or kept apart."""
    wanted = entry.get("source_node_id")
    of = [tie.other for tie in graph.leaving(entry, schema.MERGE_OF)]
    return next((one for one in of if one.key == wanted), of[0])


def target(graph: Graph, entry: Node) -> Node:
    """Return the entity that the source was merged into, or that was split off."""
    return next(tie.other for tie in graph.leaving(entry, schema.MERGE_INTO))


def about(graph: Graph, entry: Node) -> list[Node]:
    """Return all entities that an entry is about."""
    return [tie.other for tie in graph.leaving(entry, schema.MERGE_OF, schema.MERGE_INTO)]


def is_seen(graph: Graph, entry: Node) -> bool:
    """Tell whether an entry is about an entity in sight: it is forgotten with these."""
    return bool(about(graph, entry)) or not about(graph.another(All), entry)
