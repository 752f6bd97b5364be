"""Define the errors between a tool and its store, each with a one-line message for the caller."""

from typing import Any, Final

from conceptgraph_core.verbs.errors import ConceptGraphError

# SQLite appends the text that it cannot decode, which is a memory's.
_DECODING = "Could not decode to UTF-8"


TOO_LITTLE_MEMORY: Final = "the process has too little memory; give it more"


def lacks_memory(error: BaseException) -> bool:
    """Return whether *error* says that the process has too little memory."""
    return isinstance(error, MemoryError) or str(error) == "can't start new thread"


def check_memory(least: int) -> None:
    """Raise MemoryError if the process may take less memory than *least* bytes."""
    try:
        # Not imported: this module is deployed with the query modules too.
        resource: Any = __import__("resource")
    except ImportError:
        # Windows has none.
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < least:
        raise MemoryError


def one_line(said: object) -> str:
    """Return an error or a text as one line, without stored text; "" if it is empty."""
    line = " ".join(str(said).split())
    if line.startswith(_DECODING):
        return line.partition(" with text")[0]
    return line


class StoreError(Exception):
    """Base of the failures that are reported to a caller."""


class Refused(StoreError):
    """The procedure refused the call; nothing was written. `kind` names the core's exception."""

    def __init__(self, line: str, kind: type[ConceptGraphError] = ConceptGraphError) -> None:
        super().__init__(line)
        self.kind = kind


class Ended(StoreError):
    """The caller or the server cancelled the call; nothing was written."""


class Unavailable(StoreError):
    """The store cannot be reached, read or written right now."""


class Unauthenticated(Unavailable):
    """The database does not accept the user or the password, so a retry does not help."""


class Unwritable(Unavailable):
    """The store can be read, but cannot be written right now; nothing was written."""


class Full(Unwritable):
    """The database is at its memory limit, or the disk is full; nothing was written."""


class Contended(Unavailable):
    """Concurrent writers to the same place made every retry fail; nothing was written."""


# The advice for a damaged file.
REPAIR: Final = (
    "restore a backup; without one, export what can be read and import it into a new store"
)


class NoStore(Unavailable):
    """The named store does not exist, and only writing creates one."""


class Misdeployed(StoreError):
    """The store exists but cannot be used; the message says what to do about it."""
