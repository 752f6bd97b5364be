"""What is stored beside the vertices so that they are found without a scan, made from `schema.py`:
unique values, and what a search looks at.
"""

from typing import Any

from conceptgraph_core import folding

from . import plain_texts
from .database import Database, Row

State = tuple[tuple[str, ...], dict[str, Any]] | None


class Projections:
    """The rows to remove and add for the vertices that one transaction changed."""

    def __init__(self, database: Database, schema: Any) -> None:
        self._database = database
        indexes = schema.LAYER.indexes
        self._unique = [(index.label, index.properties[0]) for index in indexes if index.unique]
        [ranking], [text] = schema.LAYER.rankings, schema.LAYER.texts
        self._search_label, self._search_property = text.label, text.folded
        self._rank = ranking.level, ranking.time
        self._taken: list[Row] = []
        self._given: list[Row] = []
        self._texts_gone: list[Row] = []
        self._texts_new: list[Row] = []
        self._rows_gone: list[Row] = []
        self._rows_new: list[Row] = []
        self._rows_touched: list[Row] = []

    def change(self, vertex_id: int, before: State, after: State) -> None:
        """Note that a vertex went from one state to another; None is not being there."""
        for label, key in self._unique:
            old, new = _value(before, label, key), _value(after, label, key)
            if old != new:
                if old is not None:
                    self._taken.append((label, key, old))
                if new is not None:
                    self._given.append((label, key, new, vertex_id))
        self._change_search(vertex_id, self._search_row(before), self._search_row(after))

    def write(self) -> None:
        """Store what was noted. Raises sqlite3.IntegrityError for a value given twice."""
        write = self._database.write
        write(
            "DELETE FROM unique_value WHERE label = ? AND property = ? AND value = ?", self._taken
        )
        write("INSERT INTO unique_value VALUES (?, ?, ?, ?)", self._given)
        write(
            "INSERT INTO search_text (search_text, rowid, search_name) VALUES ('delete', ?, ?)",
            self._texts_gone,
        )
        write("DELETE FROM searchable WHERE vertex = ?", self._rows_gone)
        write("INSERT INTO searchable VALUES (?, ?, ?, ?, ?)", self._rows_new)
        names = [(vertex, name) for vertex, name, *_ in self._rows_new]
        plain_texts.replace(self._database, self._rows_gone, names)
        write("INSERT INTO search_text (rowid, search_name) VALUES (?, ?)", self._texts_new)
        write(
            "UPDATE searchable SET arousal_level = ?, accessed_at = ? WHERE vertex = ?",
            self._rows_touched,
        )

    def violated(self) -> str:
        """Return the constraint that `write` broke, as Memgraph names it."""
        kinds = {(label, key) for label, key, *_ in self._given}
        return ", ".join(f":{label}({key})" for label, key in sorted(kinds))

    def _search_row(self, state: State) -> Row | None:
        name = _value(state, self._search_label, "name")
        if state is None or not isinstance(name, str):
            return None
        properties = state[1]
        text = properties.get(self._search_property)
        level, accessed_at = (properties.get(key) for key in self._rank)
        folded = text if isinstance(text, str) else folding.folded(name)
        return (name, folded, level or 0.0, accessed_at or 0)

    def _change_search(self, vertex_id: int, old: Row | None, new: Row | None) -> None:
        if old == new:
            return
        if old is not None and new is not None and old[:2] == new[:2]:
            self._rows_touched.append((new[2], new[3], vertex_id))
            return
        if old is not None:
            self._texts_gone.append((vertex_id, old[1]))
            self._rows_gone.append((vertex_id,))
        if new is not None:
            self._rows_new.append((vertex_id, *new))
            self._texts_new.append((vertex_id, new[1]))


def _value(state: State, label: str, key: str) -> Any:
    if state is None or label not in state[0]:
        return None
    value = state[1].get(key)
    return value if isinstance(value, (str, int, float)) else None
