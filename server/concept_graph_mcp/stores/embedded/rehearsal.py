"""Bringing records back before it counts: into a store that is thrown away, by the very rules."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.registry import MODEL, Model

from ... import calls
from ...file_formats import Row
from ..backup_files import BadBackup
from .opening import Opening
from .procedure_host import Host

BATCH = 1_000
_ROW = re.compile(r"row (?P<number>\d+): (?P<reason>.*)", re.DOTALL)


class Rehearsal:
    """A store that takes records as a restore would take them, and keeps nothing."""

    def __init__(self, model: Model = MODEL) -> None:
        self._model = model
        self._host = Host(Path(), opening=Opening.STAND_IN, model=model)

    def close(self) -> None:
        self._host.close()

    def taken(self, records: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
        """Return those of *records* that could be brought back, and a line for each other one."""
        kept, refusals = list(records), []
        while kept:
            refused = self._refused(kept)
            if refused is None:
                break
            number, reason = refused
            del kept[number]
            refusals.append(reason)
        return kept, refusals

    def checked(self, file: Path, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass the *rows* of *file* on. Raises BadBackup for one that cannot be brought back."""
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH)):
            refused = self._refused([row.record for row in batch])
            if refused is not None:
                number, reason = refused
                raise BadBackup(file, f"is damaged: line {batch[number].line}: {reason}")
            yield from batch

    def _refused(self, records: list[dict[str, Any]]) -> tuple[int, str] | None:
        """Take *records*, or return which of them cannot be taken, and why; then none is."""
        try:
            call = calls.transfer.import_rows(records, self._model, rehearsed=True)
            name, fields = call.procedure.name, call.procedure.fields
            self._host.call(name, [*call.arguments, dict(call.context)], call.lookup, fields)
        except ConceptGraphError as error:
            row = _ROW.fullmatch(str(error))
            if row is None:
                raise
            return int(row["number"]), row["reason"]
        self._host.forget()
        return None
