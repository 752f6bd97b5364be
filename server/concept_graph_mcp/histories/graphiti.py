"""A dump of Graphiti as JSON: entity nodes, edges with a fact each, and episodes.

The lists may be called `nodes` or `entities`, `edges` or `facts`, and `episodes`. A fact counts
from `valid_at` on, and is left out if it has ended. Graphiti extracts facts from the user's
messages, so they are the user's.
"""

from collections.abc import Iterator
from typing import Any

from ..file_formats.lines import Record
from .archives import Entry
from .conversation import USER, Kept, message, moment
from .json_streams import read_items

NAME = "graphiti"
# The keys of an edge and of a node by which the dump is recognised.
MARKS = ("source_node_uuid", "group_id", "entity_edges")
_NODES, _EDGES, _EPISODES = ("nodes", "entities"), ("edges", "facts"), ("episodes",)
_LONGEST_NAME = 200


def messages(entry: Entry, kept: Kept) -> Iterator[Record]:
    """Iterate over the facts, the summaries of entities and the episodes in *entry*.

    Raises FormatError, OSError.
    """
    names: dict[str, str] = {}
    for node in _read(entry, _NODES):
        name = " ".join(str(node.get("name") or "").split())[:_LONGEST_NAME]
        if name and node.get("uuid"):
            names[str(node["uuid"])] = name
            summary = kept.prose(str(node.get("summary") or ""))
            said = summary if name.casefold() in summary.casefold() else f"{name}: {summary}"
            yield from _record(node, "node", said if summary else "", [name], kept)
    for edge in _read(entry, _EDGES):
        ends = [edge.get("source_node_uuid"), edge.get("target_node_uuid")]
        about = list(dict.fromkeys(names[str(one)] for one in ends if str(one) in names))
        yield from _record(edge, "edge", kept.prose(str(edge.get("fact") or "")), about, kept)
    for episode in _read(entry, _EPISODES):
        text = kept.prose(str(episode.get("content") or ""))
        yield from _record(episode, "episode", text, [], kept)


def _read(entry: Entry, lists: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for name in lists:
        with entry.open() as file:
            yield from read_items(file, name)


def _record(
    found: dict[str, Any], kind: str, text: str, about: list[str], kept: Kept
) -> Iterator[Record]:
    at = found.get("valid_at") or found.get("created_at") or kept.file_ms / 1_000
    thread = f"Graphiti {found.get('group_id') or kind}"
    key = f"{NAME} {kind} {found.get('uuid')}"
    if moment(found.get("invalid_at")) is not None:
        kept.tally.left_out("facts that have ended")
    elif record := message(key, thread, USER, at, text):
        yield record | {"concepts": about}
