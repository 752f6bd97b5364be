"""What is wrong with a store file, found by looking at all of it."""

import sqlite3
from collections.abc import Callable

from ...errors import one_line
from . import cancellation, integrity
from .checksums import FAILURES
from .database import Database
from .integrity import Report
from .opening import code

Look = Callable[[Report], object]


def problems(database: Database) -> list[str]:
    """Return what is wrong with the file of *database*, a line each."""
    execute, catalogue = database.execute, database.catalogue
    found = _seen(database, lambda report: integrity.check_pages(execute, report))
    found += _seen(database, lambda report: integrity.check_rows(execute, catalogue.layers, report))
    # What follows from nodes and relations can be judged where those are sound.
    if not found:
        found = _seen(database, lambda report: integrity.check_derived(execute, catalogue, report))
    if not found and database.is_writable:
        found = _seen(
            database,
            lambda report: integrity.check_trigrams(execute, catalogue, report),
            exclusive=True,
        )
    return list(dict.fromkeys(found))


def _seen(database: Database, look: Look, exclusive: bool = False) -> list[str]:
    """Return what *look* reports, and what kept it from looking on."""
    found: list[str] = []
    try:
        database.begin(exclusive)
        look(found.append)
    except FAILURES as error:
        cancellation.check()
        if isinstance(error, sqlite3.Error) and code(error) == sqlite3.SQLITE_BUSY:
            raise
        found.append(one_line(error))
    finally:
        database.rollback()
    return found
