"""Load the query modules on the genuine `mgp` package, once a process."""

import functools
import importlib
import sys
import threading
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from conceptgraph_core.registry import MODEL

from . import interface

# Imported modules register with `interface._MODULE`: two imported at once, for stores that several
# threads open, would register with each other's.
_loading = threading.RLock()


def load_mgp() -> ModuleType:
    """Import `mgp` on our interface. Raises ImportError if it was imported on another already."""
    with _loading:
        return _imported_mgp()


@functools.cache
def _imported_mgp() -> ModuleType:
    if "mgp" in sys.modules and sys.modules.get("_mgp") is not interface:
        raise ImportError("mgp was imported before the embedded host, on its stub interface")
    sys.modules["_mgp"] = interface
    return importlib.import_module("mgp")


def load_modules(names: tuple[str, ...] = MODEL.modules) -> Mapping[str, interface.Callback]:
    """Return the procedures and functions of the query modules *names*, by full name."""
    load_mgp()
    return _Callbacks(names)


class _Callbacks(Mapping[str, interface.Callback]):
    """Procedures and functions by full name; a module is imported when first used."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> interface.Callback:
        module = name.partition(".")[0]
        if module not in self._names:
            raise KeyError(name)
        with _loading:
            return _load(module)[name]

    def __iter__(self) -> Iterator[str]:
        with _loading:
            return iter([name for module in self._names for name in _load(module)])

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.cache
def _load(module: str) -> dict[str, interface.Callback]:
    made = load_module(module)
    return {one.name: one for one in (*made.procedures.values(), *made.functions.values())}


def load_module(name: str) -> interface.Module:
    """Import the module *name* from `sys.path` and return the callbacks that it registered."""
    load_mgp()
    with _loading:
        made = interface.Module(name)
        settable: Any = interface
        settable._MODULE = made
        importlib.import_module(name)
        return made
