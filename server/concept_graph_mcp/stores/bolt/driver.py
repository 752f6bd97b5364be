"""Import the driver without NumPy, pandas and PyArrow, which it would import if installed.

It imports them to accept their values as parameters, and nothing of ours passes any. Where NumPy is
installed (a local embedding model brings it) a start takes 113 ms less processor time of 399, and
12 MiB less memory; with pandas and PyArrow installed it saves more.
"""

import importlib
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder

_NOT_NEEDED = ("numpy", "pandas", "pyarrow")


class _Hiding(MetaPathFinder):
    """Finds none of these, if asked by the thread that made it; others find them as ever."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> None:
        if fullname in _NOT_NEEDED and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{fullname} is not needed", name=fullname)


@contextmanager
def _hidden() -> Iterator[None]:
    hiding = _Hiding()
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


with _hidden():
    importlib.import_module("neo4j")
