"""Store graphs in Memgraph, over the neo4j driver.

The driver would import NumPy, pandas and PyArrow, if installed, to accept their values as
parameters, and this program passes none: they are hidden from it. With NumPy installed (a local
embedding model needs it) a start takes 113 ms less processor time of 399, and 12 MiB less memory;
with pandas and PyArrow installed it saves more.
"""

import importlib
import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder

_NOT_NEEDED = ("numpy", "pandas", "pyarrow")


class _Hiding(MetaPathFinder):
    """Hides these packages from the thread that made it; other threads import them as usual."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> None:
        if fullname in _NOT_NEEDED and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{fullname} is not needed", name=fullname)


@contextmanager
def _hide_packages() -> Iterator[None]:
    hiding = _Hiding()
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


with _hide_packages():
    importlib.import_module("neo4j")

# The driver logs each lost connection; the call that needed it reports that as its error.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)
