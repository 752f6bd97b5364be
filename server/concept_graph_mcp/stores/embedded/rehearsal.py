"""Rehearse a restore in a temporary store, by the same rules as the real one."""

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
    """A temporary store that takes records as a restore would."""

    def __init__(self, model: Model = MODEL) -> None:
        self._model = model
        self._host = Host(Path(), opening=Opening.STAND_IN, model=model)

    def close(self) -> None:
        self._host.close()

    def taken(self, records: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the importable ones of *records*, and a line for each refused one."""
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
        """Yield the *rows* of *file*. Raises BadBackup for one that cannot be restored."""
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH)):
            refused = self._refused([row.record for row in batch])
            if refused is not None:
                number, reason = refused
                raise BadBackup(file, f"is damaged: line {batch[number].line}: {reason}")
            yield from batch

    def _refused(self, records: list[dict[str, Any]]) -> tuple[int, str] | None:
        """Import *records*, or return the number of a refused one and the reason.

        Then none is imported.
        """
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
