"""Loading the query modules on the genuine `mgp` package, once a process."""

import functools
import importlib
import sys
import threading
from types import ModuleType
from typing import Any

from conceptgraph_core.registry import MODEL

from . import interface

# What is imported registers itself with `interface._MODULE`: two that are imported at once, for
# stores that several threads open, would register with each other's.
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


def load_modules(names: tuple[str, ...] = MODEL.modules) -> dict[str, interface.Callback]:
    """Import the query modules; return their procedures and functions by full name."""
    load_mgp()
    callbacks: dict[str, interface.Callback] = {}
    for name in names:
        with _loading:
            module = _loaded(name)
        for callback in (*module.procedures.values(), *module.functions.values()):
            callbacks[callback.name] = callback
    return callbacks


@functools.cache
def _loaded(name: str) -> interface.Module:
    return load_module(name)


def load_module(name: str) -> interface.Module:
    """Import the module *name* from `sys.path` and return what its decorators registered."""
    load_mgp()
    with _loading:
        module = interface.Module(name)
        settable: Any = interface
        settable._MODULE = module
        importlib.import_module(name)
    return module
