"""The properties of elements: when one is another, and what is left of them after a deletion."""

from typing import Any

from . import interface


class Deleted(dict[str, Any]):
    """The properties of something deleted."""

    def get(self, *_: Any) -> Any:
        raise interface.DeletedObjectError("Accessing deleted object.")

    __getitem__ = __iter__ = get


def differs(old: Any, value: Any) -> bool:
    """Tell whether *value* is to be written where *old* is; what is large is not compared."""
    if old is None:
        return value is not None
    return old.__class__ is not value.__class__ or isinstance(old, (tuple, dict)) or old != value
