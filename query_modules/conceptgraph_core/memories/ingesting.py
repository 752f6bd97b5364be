"""Store messages of conversations as memories, each once, however often it arrives."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..retrieval.indexer import Writer
from ..texts import text
from ..verbs import limits
from ..verbs.errors import ConceptGraphError, InvalidRow
from . import fade, lifecycle, lookups, schema
from .crud import own_metadata
from .view import AllMemories, Node

Row = dict[str, Any]


def ingest(graph: AllMemories, messages: Sequence[Mapping[str, Any]]) -> Row:
    """Store the new ones of *messages*, {id, text, thread, speaker, said_at, tags, concepts,
    metadata}.

    Each is added at the end of its thread. An existing one stays as it is, even if it was forgotten
    or corrected meanwhile; only its metadata notes that another import has it too (the context's
    `import_id`), and that it was observed. A message counts as created when it was said (unix ms).
    It fades from then on, or from later if that was long ago (`fade.fading_since`).

    Returns created, existing, and differing: the ids of existing ones with another text, speaker or
    time, whether the message or the memory was changed. Raises InvalidRow.
    """
    checked, context = _check_each(graph, messages), graph.context
    graph.pull(lookups.ingested(context.user_id, messages, context.languages))
    ingesting = _Ingesting(graph)
    for values in checked:
        ingesting.add(values)
    ingesting.writer.finish()
    return {
        "created": ingesting.created,
        "existing": len(messages) - ingesting.created,
        "differing": list(ingesting.differing),
    }


def find_ingested(graph: AllMemories, messages: Sequence[Mapping[str, Any]]) -> Row:
    """Find those of *messages* that `ingest` would leave unchanged, at less cost.

    Returns existing, their ids, and differing, as `ingest` does. Raises InvalidRow.
    """
    checked = _check_each(graph, messages)
    there = {node.memory_id: node for node in graph.present([one["id"] for one in checked])}
    existing: list[str] = []
    differing: dict[str, None] = {}
    for values in checked:
        node = there.get(values["id"])
        if node is not None and _find_notes(node, values) is None:
            existing.append(values["id"])
        if node is not None and not _is_said_by(node, values):
            differing[values["id"]] = None
    return {"existing": existing, "differing": list(differing)}


def _check_each(graph: AllMemories, messages: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the properties of *messages*, checked. Raises InvalidRow, which names the message."""
    checked = []
    for number, message in enumerate(messages):
        graph.step()
        try:
            checked.append(_check_message(message))
            if graph.context.import_id is not None:
                checked[-1]["metadata"][schema.IMPORTS] = [graph.context.import_id]
        except ConceptGraphError as error:
            raise InvalidRow(f"message {number}: {error}") from None
    return checked


class _Ingesting:
    """The messages of one call, and the memories that exist already."""

    def __init__(self, graph: AllMemories) -> None:
        self.created = 0
        self.differing: dict[str, None] = {}
        self.writer = Writer(graph)
        self._graph = graph
        self._there: dict[str, Node] = {}
        # The ends of threads: in the store, and after the messages of this call.
        self._last: dict[str, tuple[int, Node]] = {}
        self._ends: dict[str, int] = {}
        for node in graph.nodes():
            get = node.raw.get_property
            self._there[get("id")] = node
            thread, position = get("thread"), node.get("position")
            is_placed = isinstance(thread, str) and position is not None
            if is_placed and (thread not in self._last or position > self._last[thread][0]):
                self._last[thread] = position, node
        context = graph.context
        self._fading = _fading(context.now_ms)
        self._common: Row = {
            "user_id": text.name(context.user_id, "user_id"),
            "source": schema.DEFAULT_SOURCE,
            "importance_score": schema.DEFAULT_IMPORTANCE,
            "confidence": schema.DEFAULT_CONFIDENCE,
            "access_count": 0,
            "last_decay_update": context.now_ms,
        }

    def add(self, values: Row) -> None:
        """Add the message with these *values* if it is new."""
        there = self._there.get(values["id"])
        if there is not None:
            if not _is_said_by(there, values):
                self.differing[values["id"]] = None
            if (noted := _find_notes(there, values)) is not None:
                self._graph.update(there, metadata=noted)
            return
        self.created += 1
        position = self._next(values["thread"])
        made = {**self._common, **values, "position": position, "created_at": values["said_at"]}
        made |= self._presence(values["said_at"])
        made["content"] = lifecycle.stored_content(made["content"], made["state"])
        made |= schema.derive_properties(made)
        node = self._graph.create_node(schema.MEMORY, **made)
        self._there[values["id"]] = node
        self.writer.put(schema.KIND, node)

    def _presence(self, said_at: int) -> Row:
        """Return the first score and state of a message of that time."""
        context = self._graph.context
        since = fade.fading_since(said_at, self._fading, context.now_ms, context.decay)
        score, state = fade.now(_fading(since), context.now_ms, context.decay)
        # Only the worker lets a memory expire.
        state = fade.ARCHIVED if state == fade.EXPIRED else state
        return {"accessed_at": since, "decay_score": score, "state": state}

    def _next(self, thread: str) -> int:
        """Return the next position in *thread*.

        Concurrent writers to one thread conflict, so that no two messages get the same position.
        """
        end = self._ends.get(thread)
        if end is None:
            end = -1
            if thread in self._last:
                end, node = self._last[thread]
                node.raw.set_property("position", end)
            else:
                self.writer.begin(self._common["user_id"], thread)
        self._ends[thread] = end + 1
        return end + 1


def part_from(graph: AllMemories, label: str, memory_ids: Sequence[str]) -> tuple[list[Node], int]:
    """Let those of the memories that the import *label* brought be none of it.

    Returns those that it brought alone, and the number of the others.
    """
    gone, kept = [], 0
    for node in graph.present(memory_ids):
        graph.step()
        imports = _imports(node.get("metadata"))
        if label not in imports:
            continue
        others = [one for one in imports if one != label]
        if others:
            graph.update(node, metadata={**node.get("metadata"), schema.IMPORTS: others})
            kept += 1
        else:
            gone.append(node)
    return gone, kept


def note_import(graph: AllMemories, node: Node, existing: bool) -> None:
    """Note that the import of this call has *node*; if it was *existing*, only as a further one."""
    metadata, label = node.get("metadata"), graph.context.import_id
    has = _imports(metadata)
    if label is not None and label not in has and (has or not existing):
        graph.update(node, metadata={**metadata, schema.IMPORTS: [*has, label]})


def _find_notes(node: Node, values: Row) -> Row | None:
    """Return the metadata of *node* with what *values* note of it; None if it has all of that."""
    has, given = node.get("metadata"), values["metadata"]
    if node.is_deleted:
        return None
    noted: Row = {}
    if given.get(schema.OBSERVED) and not has.get(schema.OBSERVED):
        noted[schema.OBSERVED] = True
    more = [one for one in _imports(given) if one not in _imports(has)]
    # A message that came from elsewhere first does not rest on an import.
    if more and _imports(has):
        noted[schema.IMPORTS] = [*_imports(has), *more]
    return {**has, **noted} if noted else None


def _imports(metadata: Mapping[str, Any]) -> list[str]:
    found = metadata.get(schema.IMPORTS)
    return list(found) if isinstance(found, (list, tuple)) else []


def _fading(since: int) -> fade.Fading:
    """Return the inputs of the score of a message that counts as accessed then."""
    return fade.Fading(schema.DEFAULT_IMPORTANCE, schema.DEFAULT_CONFIDENCE, 0, since)


def _is_said_by(node: Node, values: Row) -> bool:
    """Tell whether *node* has the text, speaker and time of the message in *values*."""
    get = node.raw.get_property
    told = get("speaker"), get("said_at"), node.content
    return told == (values.get("speaker"), values["said_at"], values["content"])


def _check_message(message: Mapping[str, Any]) -> Row:
    """Return the properties of the memory for *message*, in their stored form."""
    get = message.get
    values: Row = {
        "id": text.name(get("id"), "id"),
        "content": schema.checked_content(get("text"), "text"),
        "thread": text.name(get("thread"), "thread"),
        "said_at": text.integer(get("said_at"), "said_at", -limits.MAX_TIME_MS, limits.MAX_TIME_MS),
        "tags": schema.checked_names(get("tags") or [], "tags"),
        "concepts": schema.checked_names(get("concepts") or [], "concepts"),
        "metadata": own_metadata(get("metadata") or {}),
    }
    if get("speaker") is not None:
        values["speaker"] = text.name(get("speaker"), "speaker")
    return values
