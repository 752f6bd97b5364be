"""What can go wrong between a tool and its store. Every message is one line for the caller."""

from conceptgraph_core.errors import ConceptGraphError


def one_line(said: object) -> str:
    """Return what an error or a text says, in one line; "" if that is nothing."""
    return " ".join(str(said).split())


class StoreError(Exception):
    """Base of the failures that a caller is told about."""


class Refused(StoreError):
    """The procedure refused the call; nothing was written. `kind` is what the core raised."""

    def __init__(self, line: str, kind: type[ConceptGraphError] = ConceptGraphError) -> None:
        super().__init__(line)
        self.kind = kind


class Ended(StoreError):
    """The call was ended before it was done, by its caller or its server; nothing was written."""


class Unavailable(StoreError):
    """The store cannot be reached, read or written right now."""


class Unwritable(Unavailable):
    """The store can be read, but cannot be written right now; nothing was written."""


class Contended(Unavailable):
    """Others write to the same place at the same time, again and again; nothing was written."""


class NoStore(Unavailable):
    """There is no store where one was named, and only writing makes one."""


class Misdeployed(StoreError):
    """The store is there but cannot be served from: the message says what to do about it."""
