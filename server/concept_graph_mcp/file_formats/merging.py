"""Merge the records of two stores of one user: the later wins, and what is forgotten stays so."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from conceptgraph_core.transfer.registry import LAYERS

from .lines import Record

_KEYS = {kind.kind: kind.key for layer in LAYERS for kind in layer.nodes}
# A store makes vectors by its own embedding, so they are never taken over.
_OWN = ("embedding", "embedding_dimension", "decay_score", "last_decay_update")
# The times at which something happens to a record; others say when it is, or was, so.
_TIMES = (
    *("created_at", "accessed_at", "deleted_at", "changed_at", "kept_at", "transaction_time"),
    *("promoted_at", "last_activated", "last_mention_at", "ended_at", "known_from", "known_until"),
    *("unmerged_at", "last_strengthened", "last_reinforced", "forgotten_at"),
)
_NOTED = ("history", "revisions")
_FORGOTTEN = ("deleted_at", "forgotten_at")
# Counters, which never fall, and the weights of edges: the greater wins.
_GREATER = (
    *("access_count", "user_mention_count", "model_mention_count", "mention_count"),
    *("edge_count", "user_edge_count", "weight", "strength", "strengthened_days"),
)
_BATCH = 1_000


class Spool:
    """The records of a store by their keys, on disk, so that their number is no matter."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("")
        self._file.execute("CREATE TABLE records (key TEXT PRIMARY KEY, record TEXT)")

    def add(self, records: Iterable[Record]) -> None:
        rows = ((key_of(one), json.dumps(one)) for one in records)
        self._file.executemany("INSERT OR REPLACE INTO records VALUES (?, ?)", rows)

    def merge(self, theirs: Iterable[Record]) -> Iterator[Record]:
        """Iterate over the records of *theirs* that change the store's, merged with these."""
        for record in theirs:
            if record["kind"] != "embedding" and (made := self._merge_one(record)) is not None:
                yield made

    def _merge_one(self, theirs: Record) -> Record | None:
        theirs = {name: one for name, one in theirs.items() if name not in _OWN}
        row = self._file.execute(
            "SELECT record FROM records WHERE key = ?", (key_of(theirs),)
        ).fetchone()
        if row is None:
            return theirs
        ours: Record = json.loads(row[0])
        made = merge_records(ours, theirs)
        is_same = all(ours.get(name) == one for name, one in made.items())
        return None if is_same else made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def key_of(record: Mapping[str, Any]) -> str:
    """Return what identifies *record*: of a node its key, of an edge its ends and its type."""
    kind = record["kind"]
    names = _KEYS.get(kind, ("from", "to", "type", "from_kind", "to_kind"))
    return json.dumps([kind, record.get("user_id"), *(record.get(name) for name in names)])


def merge_records(ours: Record, theirs: Record) -> Record:
    """Return what both stores keep of *ours* and *theirs*, whichever of them asks."""
    ours = {name: one for name, one in ours.items() if name not in _OWN}
    earlier, later = sorted((ours, theirs), key=_place)
    made = {**earlier, **later}
    for name in _GREATER:
        known = [one[name] for one in (ours, theirs) if one.get(name) is not None]
        if known:
            made[name] = max(known)
    for name in _FORGOTTEN:
        if gone := [one for one in (later, earlier) if one.get(name) is not None]:
            made |= {key: gone[0][key] for key in _WITH_FORGOTTEN if key in gone[0]}
    return made


# The properties that change with being forgotten.
_WITH_FORGOTTEN = (*_FORGOTTEN, "state", "metadata", "forgotten_with", "forgotten_because")


def _place(record: Record) -> tuple[int, str]:
    """Return the time of the last change of *record*; of two at one time the text decides."""
    times = [record[name] for name in _TIMES if isinstance(record.get(name), int)]
    metadata = record.get("metadata")
    noted = [metadata.get(name) for name in _NOTED] if isinstance(metadata, dict) else []
    entries = [entry for one in noted if isinstance(one, list) for entry in one]
    at = (entry.get("at") for entry in entries if isinstance(entry, dict))
    times += [one for one in at if isinstance(one, int)]
    return max(times, default=0), json.dumps(record, sort_keys=True)


def split_batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Iterate over *records* in lists that one transaction takes."""
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
