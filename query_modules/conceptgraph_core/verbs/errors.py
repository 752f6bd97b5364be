"""Errors of calls. Every message is one line: what is wrong, then what to do."""


class ConceptGraphError(ValueError):
    """Base of all errors; raising one rolls the whole call back."""


class InvalidText(ConceptGraphError):
    """A name or summary that is empty, too long or holds characters that cannot be stored."""


class InvalidNumber(ConceptGraphError):
    """A number out of its range, or not finite."""


class InvalidContext(ConceptGraphError):
    """The optional last argument of a procedure is not what `context.py` describes."""


class InvalidRow(ConceptGraphError):
    """A row of an import that cannot be understood."""


class UnknownRelationType(ConceptGraphError):
    """A relation type other than is-a, part-of and evokes."""


class Stale(ConceptGraphError):
    """A change of something that has changed since its caller saw it."""


class Tautology(ConceptGraphError):
    """A relation from a thing to itself."""


class WrongKind(ConceptGraphError):
    """A node of one kind where only another is allowed: an episode in place of a concept."""


class NameTaken(ConceptGraphError):
    """A name that is taken; kinds may share one name space, as concepts and episodes do."""


class NotAllowed(ConceptGraphError):
    """A change that the state of the store forbids; the message says why."""


class NotFound(ConceptGraphError):
    """The node or relation that a correction names does not exist."""


class TooMuch(ConceptGraphError):
    """A call that would read more of the graph than one call may."""


class UnknownLanguage(ConceptGraphError):
    """A language that has no list of stop words."""


class EmbeddingMismatch(ConceptGraphError):
    """Vectors of another embedding than those of the store."""


class LibraryMissing(ConceptGraphError):
    """A library for words is not installed beside the query modules."""


class InvalidMetadata(ConceptGraphError):
    """Metadata that is no map, or holds a value that no property can have."""


class WrongValue(ConceptGraphError):
    """A call that met a value of a type that no call stores."""


class UnknownState(ConceptGraphError):
    """A state of a memory other than active, dormant, archived and expired."""
