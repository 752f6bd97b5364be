"""Create, read, change and forget memories, each within the scope of the call.

Give their owner, and the worker, access to all of them, forgotten ones included.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..graph.primitives import BEYOND, Range, following
from ..retrieval import searching
from ..retrieval.indexer import Writer
from ..texts import text
from ..verbs.errors import InvalidText, NotAllowed, Stale, Tautology
from ..verbs.procedures import NOTHING
from . import duplicates, fade, lifecycle, lookups, schema, standing
from .entries import TOGETHER, find_together
from .filters import Wanted
from .view import AllMemories, Graph, Node

Row = dict[str, Any]


class Noted(NamedTuple):
    """A stored memory, whether it existed before, and its near-duplicates.

    A near-duplicate comes with the memory that contradicts it, if any. `kept` has the properties
    that it had before and keeps, although others were given.
    """

    node: Node
    existing: bool
    # For an existing one, those that were often in one answer with it, and have no link.
    similar: dict[Node, Node | None]
    kept: Row = {}  # noqa: RUF012 - a tuple's, which nobody changes
    # Those of `similar` that share words or meaning (`duplicates.Known`).
    alike: frozenset[Node] = frozenset()


def create(
    graph: Graph,
    content: str,
    source: str | None = schema.DEFAULT_SOURCE,
    summary: str | None = None,
    tags: Sequence[str] = (),
    type_: str | None = None,
    importance: float | None = schema.DEFAULT_IMPORTANCE,
    confidence: float | None = schema.DEFAULT_CONFIDENCE,
    concepts: Sequence[str] = (),
    parent_id: str | None = None,
    metadata: Mapping[str, Any] = NOTHING,
    decay_rate: float | None = None,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> Row:
    """Store a text, once; its score and state follow from its importance and confidence.

    *vector* embeds *content*, by *model*. Returns memory_id, state, decay_score, concepts,
    existing, similar: a list of near-duplicates, {memory_id, text} with contradicted_by if any, or
    of those that were often in one answer with an existing one, with together; and kept: the
    properties of an existing one that stay, although others were given. Raises the errors of
    `keep`, and NotFound for a missing parent.
    """
    given = {
        "source": source,
        "summary": summary,
        "tags": tags,
        "type": type_,
        "importance_score": importance,
        "confidence": confidence,
        "concepts": concepts,
        "metadata": own_metadata(metadata),
        "decay_rate": decay_rate,
    }
    parent = None if parent_id is None else graph.existing(parent_id, "parent_id").memory_id
    check_properties({name: one for name, one in given.items() if one is not None})
    schema.checked_content(content, "content")
    texts = {"content": content, "summary": summary, "concepts": concepts, "said": None}
    context = graph.context
    graph.pull(lookups.similar(context.user_id, texts, vector, context.languages))
    noted = keep(graph, content, vector, model, **given, parent_id=parent)
    node, existing, similar, kept, _ = noted
    return {
        "memory_id": node.memory_id,
        "state": node.stored_state,
        "decay_score": round(node.score, schema.DECIMALS),
        "concepts": list(node.get("concepts")),
        "existing": existing,
        "similar": [
            {"memory_id": one.memory_id, "text": one.text}
            | ({} if later is None else {"contradicted_by": later.memory_id})
            | (TOGETHER if existing else {})
            for one, later in similar.items()
        ],
        "kept": kept,
    }


def keep(
    graph: Graph, content: str, vector: Sequence[float], model: str | None, **given: Any
) -> Noted:
    """Store a text with the properties *given*, once, if all is looked up; None means not given.

    A repeated text is the existing memory, if that is current (`duplicates.find_known`). It gets an
    access, the greater importance, the names of both, and what it lacks. Raises InvalidText,
    InvalidNumber, InvalidMetadata.
    """
    said = {name: one for name, one in given.items() if one is not None}
    values = check_properties({**_STARTING, **said, "content": content})
    there, entry, similar, alike = duplicates.find_known(
        graph, content, vector, model, values.get("said_at")
    )
    if there is not None:
        kept = _again(graph, there, entry, values)
        return Noted(there, True, dict.fromkeys(find_together(graph, there)), kept)
    now_ms = graph.context.now_ms
    node = graph.create_node(
        schema.MEMORY,
        id=schema.make_id(now_ms),
        user_id=text.name(graph.context.user_id, "user_id"),
        **values,
        access_count=0,
        created_at=now_ms,
        accessed_at=now_ms,
        latest=schema.latest({"created_at": now_ms}),
        last_decay_update=now_ms,
    )
    # A memory without confidence would expire at once, so it starts as archived.
    score, state = graph.presence(node)
    content = lifecycle.stored_content(node.content, state)
    graph.update(node, decay_score=score, state=state, content=content, tags=node.get("tags"))
    index(graph, node)
    return Noted(node, False, similar, alike=alike)


_STARTING: Final[Mapping[str, Any]] = {
    "source": schema.DEFAULT_SOURCE,
    "importance_score": schema.DEFAULT_IMPORTANCE,
    "confidence": schema.DEFAULT_CONFIDENCE,
    "tags": (),
    "concepts": (),
    "metadata": {},
}


# A repeated text gives a memory these if it lacks them.
_GIVEN_ONCE: Final = ("summary", "source", "type", "parent_id", "decay_rate", "confidence", "said")
# These change what finds a memory.
_FINDING: Final = ("summary", "concepts", "said")


def _again(graph: Graph, node: Node, entry: int | None, values: Mapping[str, Any]) -> Row:
    """Update *node* for a repeated text; *entry* is its index entry.

    It counts an access and gets the greater importance. Tags, concepts and metadata are joined, and
    what it lacks is set. Returns its properties that stay, although others were given.
    """
    changes: Row = {"importance_score": max(node.fading.importance, values["importance_score"])}
    for name in ("tags", "concepts"):
        # Cut at the limit; the older ones stay.
        joined = [*dict.fromkeys((*node.get(name), *values[name]))]
        changes[name] = joined[: schema.MAX_NAMES]
    own = node.get("metadata")
    changes["metadata"] = values["metadata"] | own
    given = values["metadata"].items()
    differing = {name: own[name] for name, one in given if name in own and own[name] != one}
    kept: Row = {}
    for name in _GIVEN_ONCE:
        new, stored = values.get(name), node.get(name)
        # The default may not have been given.
        if new in {None, stored, _STARTING.get(name)} or (name, new) == (
            "parent_id",
            node.memory_id,
        ):
            continue
        if stored is None or (name, stored) == ("source", schema.DEFAULT_SOURCE):
            changes[name] = new
        elif name != "said":
            kept[name] = stored
    sought = [node.get(name) for name in _FINDING]
    graph.update(node, **changes)
    if "summary" in changes:
        # The vector embeds the old text; `embed` computes a new one.
        graph.update(node, embedding=None, embedding_dimension=None)
    if entry is not None and sought != [node.get(name) for name in _FINDING]:
        index(graph, node, entry)
    lifecycle.access(graph, node)
    return kept | ({"metadata": differing} if differing else {})


def get(graph: Graph, memory_id: str) -> Row:
    """Return a memory in full; counts an access, if the call may write. Raises NotFound.

    `accessed` has the arguments of `everyday.access`.
    """
    node = graph.existing(memory_id)
    if graph.may_write:
        lifecycle.access(graph, node)
    return read_whole(graph, node) | {"accessed": {"memories": [node.memory_id]}}


def update(
    graph: Graph,
    memory_id: str,
    content: str | None = None,
    summary: str | None = None,
    tags: Sequence[str] | None = None,
    type_: str | None = None,
    importance: float | None = None,
    confidence: float | None = None,
    metadata: Mapping[str, Any] | None = None,
    concepts: Sequence[str] | None = None,
    source: str | None = None,
    parent_id: str | None = None,
    decay_rate: float | None = None,
) -> Row:
    """Change the given fields of a memory; an empty summary, type or parent_id removes the old one.

    A negative *decay_rate* removes that: the memory then fades by its importance. Score and state
    are computed again. A change is no access. Returns the fields of `get`. Raises NotFound and the
    errors of `create`.
    """
    node = graph.existing(memory_id)
    given: Row = {
        "content": content,
        "summary": summary or None,
        "tags": tags,
        "type": type_ or None,
        "importance_score": importance,
        "confidence": confidence,
        "concepts": concepts,
        "source": source,
        "decay_rate": None if decay_rate is not None and decay_rate < 0 else decay_rate,
    }
    values: Row = check_properties(given)
    values |= {name: None for name, one in (("summary", summary), ("type", type_)) if one == ""}
    if decay_rate is not None and decay_rate < 0:
        values["decay_rate"] = None
    if parent_id is not None:
        if parent_id == node.memory_id:
            raise Tautology("parent_id: a memory cannot be its own parent")
        parent = graph.existing(parent_id, "parent_id").memory_id if parent_id else None
        values["parent_id"] = parent
    if metadata is not None:
        known = node.get("metadata")
        reserved = {key: known[key] for key in schema.RESERVED if key in known}
        values["metadata"] = own_metadata(metadata) | reserved
    texts = {"content": content, "summary": summary, "concepts": concepts}
    is_told = any(one is not None for one in texts.values())
    if is_told:
        scope, spoken = graph.context.user_id, graph.context.languages
        graph.pull(*lookups.indexed(scope, node.memory_id, texts, spoken))
    graph.update(node, **values)
    if content is not None:
        # The new text was not made from what was said then.
        graph.update(node, content=lifecycle.stored_content(content, node.stored_state), said=None)
    lifecycle.settle(graph, node)
    if content is not None or summary is not None:
        # The vector embeds the old text; `embed` computes a new one.
        graph.update(node, embedding=None, embedding_dimension=None)
    if is_told:
        index(graph, node)
    return read_whole(graph, node)


def recent(
    graph: Graph, limit: int | None = schema.RECENT, source_filter: str | None = None
) -> list[Row]:
    """Return the memories that were created or accessed last, the latest first; ties by id.

    Those that another one replaced are left out.

    A row has the brief of one, accessed_at (unix ms), and total, the number of all, counted up to
    1,000 a state; replaced ones that were not read count too. A text repeated in the same words is
    one row, the latest, and `also` is the number of its copies. `contradicted_by` is the id of a
    later memory that contradicts it. This counts no access.
    """
    most = text.limit(limit, schema.RECENT, schema.MAX_ROWS)
    source = None if source_filter is None else text.name(source_filter, "source_filter")
    every: list[Node] = []
    groups: list[list[Node]] = []
    # Copies of a text may take the places of other memories.
    for read in (most, schema.MAX_ROWS):
        if len(groups) < most and (not groups or len(every) < (graph.found.size or 0)):
            scope, until_ms = graph.context.user_id, graph.context.until_ms
            graph.pull(
                lookups.recent(scope, read, source)
                if until_ms is None
                else lookups.recent_until(scope, until_ms)
            )
            every = [node for node in graph.nodes() if source in {None, node.get("source")}]
            nodes = [node for node in every if graph.ended(node) is None]
            nodes.sort(key=lambda node: (-node.last, node.memory_id))
            groups = standing.group_nodes(nodes)[:most]
    shown = [group[0] if len(group) == 1 else max(group, key=standing.age) for group in groups]
    against = standing.find_contradicting(graph, shown, standing.shown_first(shown, groups))
    # Memories are counted by index, which does not tell the replaced ones apart.
    total = max(graph.found.size or 0, len(every)) - (len(every) - len(nodes))
    return [
        graph.brief(node)
        | {"accessed_at": node.get("accessed_at"), "total": total, "also": len(group) - 1}
        | standing.mark(graph, node, against)
        for node, group in zip(shown, groups, strict=True)
    ]


def read_whole(graph: AllMemories, node: Node) -> Row:
    """Return all fields of a memory, as of now; times in unix ms."""
    value, now_ms = node.get, graph.context.now_ms
    fading = node.fading
    return {
        "memory_id": node.memory_id,
        "content": node.content,
        "summary": value("summary"),
        "source": value("source"),
        "speaker": value("speaker"),
        "type": value("type"),
        "tags": list(value("tags")),
        "importance": fading.importance,
        "confidence": fading.confidence,
        "access_count": fading.access_count,
        "created_at": value("created_at"),
        "accessed_at": value("accessed_at"),
        "state": graph.state(node),
        "decay_score": round(graph.score(node), schema.DECIMALS),
        "preserved": fade.is_preserved(fading.tags, fading.preserved_until, now_ms),
        "parent_id": value("parent_id"),
        "concepts": list(value("concepts")),
        "metadata": value("metadata"),
        "decay_rate": fading.rate,
        **standing.mark(graph, node),
    }


def check_properties(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties *given*, in their stored form; those that are None are left out."""
    return {
        name: one.stored(one.check(given[name], field(name)))
        for name, one in ((one.name, one) for one in schema.KIND.properties)
        if given.get(name) is not None
    }


def field(name: str) -> str:
    """Return the public name of a property."""
    return "importance" if name == "importance_score" else name


def own_metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the caller's metadata, without the keys that the lifecycle writes."""
    made = schema.checked_metadata(given, "metadata")
    return {key: value for key, value in made.items() if key not in schema.RESERVED}


def index(graph: AllMemories, node: Node, entry: int | None = None) -> None:
    """Replace the index entries of *node* by those of its current words.

    *entry* is its index entry, if the look-up did not find it.
    """
    writer = Writer(graph)
    if entry is not None:
        writer.know(entry)
    writer.put(schema.KIND, node)
    writer.finish()


_FIELDS: Final = ("content", "summary", "importance")


def revise(
    graph: Graph,
    memory_id: str,
    seen: Mapping[str, Any],
    changes: Mapping[str, Any],
    takes_back: int | None = None,
) -> Row:
    """Change content, summary or importance of a memory that is as *seen*; counts no access.

    Both maps have these fields; an empty summary removes it. *seen* has what each field of
    *changes* was when its owner saw it, so that nobody overwrites what they have not seen. The
    last 10 earlier versions stay in the metadata: {at, fields} and the values before. The latest is
    removed if the change *takes_back* the one made then (unix ms). Returns the fields of `get`.
    Raises NotFound, Stale, InvalidText, InvalidNumber, and NotAllowed if another was the latest.
    """
    node = graph.existing(memory_id)
    for field in (*changes, *seen):
        if field not in _FIELDS:
            raise InvalidText(f"changes: only {', '.join(_FIELDS)} can be changed")
    now = {field: _value(node, field) for field in changes}
    if not changes or any(_plain(seen.get(field)) != _plain(now[field]) for field in changes):
        raise Stale("memory: it has changed since it was shown; look at it again")
    if takes_back is None and all(_plain(changes[one]) == _plain(now[one]) for one in changes):
        return read_whole(graph, node)
    known = _revisions(node)
    if takes_back is None:
        before = {field: one for field, one in now.items() if one is not None}
        known.append({"at": graph.context.now_ms, "fields": [*changes], **before})
    elif not known or known.pop().get("at") != takes_back:
        raise NotAllowed("takes_back: the latest change was another; this one is taken back")
    given = dict(changes)
    if "summary" in given:
        given["summary"] = given["summary"] or ""
    update(graph, node.memory_id, **given)
    metadata = {key: one for key, one in node.get("metadata").items() if key != schema.REVISIONS}
    kept = {schema.REVISIONS: known[-schema.MAX_REVISIONS :]} if known else {}
    graph.update(node, metadata=metadata | kept)
    return read_whole(graph, node)


def _value(node: Node, field: str) -> Any:
    if field == "importance":
        return node.fading.importance
    return node.content if field == "content" else node.get(field)


def _plain(value: Any) -> Any:
    """Return *value* with an absent summary as an empty one, and each number as a float."""
    return "" if value is None else float(value) if isinstance(value, int) else value


def _revisions(node: Node) -> list[Row]:
    known = node.get("metadata").get(schema.REVISIONS)
    rows = known if isinstance(known, (list, tuple)) else ()
    return [
        dict(one)
        for one in rows
        if isinstance(one, Mapping) and isinstance(one.get("fields"), (list, tuple))
    ]


def list_memories(
    graph: AllMemories,
    states: Sequence[str] = (),
    limit: int | None = schema.LISTED,
    tags: Sequence[str] = (),
) -> list[Row]:
    """List the memories in *states* (none: in any), those accessed last first, then by id.

    With *tags*, a memory needs any of them. A row has the brief of one, decay_score, access_count,
    accessed_at, deleted_at, preserved and contradicted_by. Each copy of a text has a row of its
    own.
    """
    wanted = Wanted.of(tags=tags, states=states)
    most = text.limit(limit, schema.LISTED, schema.MAX_ROWS)
    graph.pull(lookups.listed(graph.context.user_id, wanted, most))
    nodes = [node for node in graph.nodes() if wanted.admits(graph, node)]
    nodes.sort(key=lambda node: (-node.last, node.memory_id))
    shown, now_ms = nodes[:most], graph.context.now_ms
    against = standing.find_contradicting(graph, shown)
    return [
        {
            **graph.brief(node),
            "decay_score": round(graph.score(node), schema.DECIMALS),
            "access_count": node.fading.access_count,
            "accessed_at": node.get("accessed_at"),
            "deleted_at": node.get("deleted_at"),
            "forgotten": node.is_forgotten,
            "preserved": fade.is_preserved(node.fading.tags, node.fading.preserved_until, now_ms),
            **standing.mark(graph, node, against),
        }
        for node in shown
    ]


def show(graph: AllMemories, memory_id: str) -> Row:
    """Return a memory in full, forgotten or not; counts no access. Raises NotFound.

    A row is that of `get`, with deleted_at and embedding_dimension. A visible memory also has its
    next state (next_state, next_state_at).
    """
    node = graph.existing(memory_id)
    row = read_whole(graph, node)
    row |= {name: node.get(name) for name in ("deleted_at", "embedding_dimension")}
    if node.is_deleted:
        return row | {"next_state": None, "next_state_at": None}
    now = lifecycle.status_of(graph, node)
    return row | {name: now[name] for name in ("next_state", "next_state_at")}


def count_unindexed(graph: AllMemories) -> Row:
    """Count the memories of the scope, forgotten ones too, without index entries: {memories}."""
    return {"memories": searching.count_unindexed(graph, schema.KIND, graph.context.user_id)}


def scopes(
    graph: AllMemories, after: str | None = None, limit: int | None = schema.MAX_ROWS
) -> list[Row]:
    """Return the scopes that have memories, by name, starting after *after*."""
    most = text.limit(limit, schema.MAX_ROWS, schema.MAX_ROWS)
    begin = after or ""
    found = set()
    if most == 1:
        graph.pull(Range((schema.MEMORY,), "user_id", following(after), BEYOND, (), 1))
    for vertex in graph.vertices():
        if schema.MEMORY in [label.name for label in vertex.labels]:
            user_id = vertex.properties.get("user_id")
            if isinstance(user_id, str) and user_id > begin:
                found.add(user_id)
    return [{"user_id": user_id} for user_id in sorted(found)[:most]]
