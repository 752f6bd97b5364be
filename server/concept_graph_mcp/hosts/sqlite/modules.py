"""Load the query modules on the genuine `mgp` package, once a process."""

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from conceptgraph_core.registry import MODEL

from . import entries, interface

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
    """Procedures and functions by full name; each is imported when first used.

    A process that answers one call, such as a hook, need not wait for the rest.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> interface.Callback:
        module = name.partition(".")[0]
        if module not in self._names:
            raise KeyError(name)
        with _loading:
            return _load_callback(module, name)

    def __iter__(self) -> Iterator[str]:
        with _loading:
            parts = (_divide_entry(one) or _load_whole(one) for one in self._names)
            return iter([name for callbacks in parts for name in callbacks])

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.cache
def _load_callback(module: str, name: str) -> interface.Callback:
    parts = _divide_entry(module)
    if not parts:
        return _load_whole(module)[name]
    code = entries.compile_statements(module, parts[name])
    return _list_callbacks(_register(module, lambda: exec(code, {"__name__": module})))[name]


@functools.cache
def _divide_entry(module: str) -> Mapping[str, Any]:
    load_mgp()
    return entries.divide_entry(module)


@functools.cache
def _load_whole(module: str) -> dict[str, interface.Callback]:
    return _list_callbacks(load_module(module))


def _list_callbacks(made: interface.Module) -> dict[str, interface.Callback]:
    return {one.name: one for one in (*made.procedures.values(), *made.functions.values())}


def load_module(name: str) -> interface.Module:
    """Import the module *name* from `sys.path` and return the callbacks that it registered."""
    load_mgp()
    with _loading:
        return _register(name, lambda: importlib.import_module(name))


def _register(name: str, run: Callable[[], object]) -> interface.Module:
    """Return the module *name* with the callbacks that *run* registers."""
    made = interface.Module(name)
    settable: Any = interface
    settable._MODULE = made
    run()
    return made
