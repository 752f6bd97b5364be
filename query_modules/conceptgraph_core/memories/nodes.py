"""Memories made, read, changed and forgotten, each within the scope of the call."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import text
from ..associate.writing import Writer
from ..errors import NotFound
from . import lifecycle, rules, schema
from .node import Graph, Kept, Node

Row = dict[str, Any]


def create(
    graph: Graph,
    content: str,
    source: str | None = None,
    summary: str | None = None,
    tags: Sequence[str] = (),
    type_: str | None = None,
    importance: float | None = None,
    confidence: float | None = None,
    concepts: Sequence[str] = (),
    parent_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Row:
    """Keep a text; its score and its state follow from how important and how sure it is.

    Returns memory_id, state, decay_score and concepts. Raises InvalidText, InvalidNumber,
    InvalidMetadata, and NotFound for a parent that is not there.
    """
    given = {
        "content": content,
        "source": schema.DEFAULT_SOURCE if source is None else source,
        "summary": summary,
        "tags": tags,
        "type": type_,
        "importance_score": schema.DEFAULT_IMPORTANCE if importance is None else importance,
        "confidence": schema.DEFAULT_CONFIDENCE if confidence is None else confidence,
        "concepts": concepts,
        "metadata": own_metadata(metadata or {}),
    }
    values = checked(given)
    if parent_id is not None:
        values["parent_id"] = existing(graph, parent_id, "parent_id").memory_id
    now_ms = graph.context.now_ms
    node = graph.create_node(
        schema.MEMORY,
        id=_new_id(),
        user_id=text.name(graph.context.user_id, "user_id"),
        **values,
        access_count=0,
        created_at=now_ms,
        accessed_at=now_ms,
        last_decay_update=now_ms,
    )
    score, state = rules.now(node.fading, now_ms)
    # A memory that nobody trusts may be expired from the first; it is kept like what is archived.
    state = rules.ARCHIVED if state == rules.EXPIRED else state
    content = lifecycle.stored_content(node.content, state)
    graph.update(node, decay_score=score, state=state, content=content)
    index(graph, node)
    return {
        "memory_id": node.memory_id,
        "state": state,
        "decay_score": round(score, schema.DECIMALS),
        "concepts": values["concepts"],
    }


def get(graph: Graph, memory_id: str) -> Row:
    """Return all of a memory; reading it is an access. Raises NotFound."""
    node = existing(graph, memory_id)
    lifecycle.access(graph, node)
    return whole(node, graph.context.now_ms)


def whole(node: Node, now_ms: int) -> Row:
    """Return all that is told of a memory; times in unix ms."""
    value = node.value
    fading = node.fading
    return {
        "memory_id": node.memory_id,
        "content": node.content,
        "summary": value("summary"),
        "source": value("source"),
        "type": value("type"),
        "tags": list(value("tags")),
        "importance": fading.importance,
        "confidence": fading.confidence,
        "access_count": fading.access_count,
        "created_at": value("created_at"),
        "accessed_at": fading.accessed_at,
        "state": node.state,
        "decay_score": round(value("decay_score"), schema.DECIMALS),
        "preserved": rules.is_preserved(fading.tags, fading.preserved_until, now_ms),
        "parent_id": value("parent_id"),
        "concepts": list(value("concepts")),
        "metadata": value("metadata"),
    }


def existing(graph: Kept, memory_id: str, field: str = "memory_id") -> Node:
    """Return the memory of that id. Raises NotFound: of another scope it is as if it were not."""
    wanted = text.name(memory_id, field)
    for node in graph.nodes():
        if node.raw.get_property("id") == wanted:
            return node
    raise not_found(wanted)


def not_found(memory_id: str) -> NotFound:
    """Return the refusal of an id that is nobody's, or somebody else's: both are one."""
    return NotFound(f"memory: not found: {' '.join(memory_id.split())[:100]}")


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties *given*, each as it is stored; those that are None are left out."""
    return {
        name: one.stored(one.check(given[name], field(name)))
        for name, one in ((one.name, one) for one in schema.KIND.properties)
        if given.get(name) is not None
    }


def field(name: str) -> str:
    """Return what callers call a property."""
    return "importance" if name == "importance_score" else name


def own_metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that a caller may write: what the lifecycle keeps there is its own."""
    made = schema.checked_metadata(given, "metadata")
    return {key: value for key, value in made.items() if key not in schema.RESERVED}


def index(graph: Kept, node: Node) -> None:
    """Make the words that *node* is found by those that it has now."""
    writer = Writer(graph)
    writer.put(schema.KIND, node)
    writer.finish()


def _new_id() -> str:
    # Not imported: a reload would drop it, and with it everything that begins with "uuid".
    return str(__import__("uuid").uuid4())
