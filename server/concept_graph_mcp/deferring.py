"""Packages whose parts are imported without all that the package itself would import."""

import importlib.util
import sys
from types import ModuleType
from typing import Any


class _Deferred(ModuleType):
    """A package that is run when something is asked of it, which for its parts is not needed."""

    def __getattr__(self, name: str) -> Any:
        # What the import of a part asks for is there, or of no package.
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def defer(package: str) -> None:
    """Have *package*, unless it was imported already, run no sooner than something is asked of it.

    Of 33 stemmers most people need one.
    """
    spec = None if package in sys.modules else importlib.util.find_spec(package)
    if spec is not None:
        module = importlib.util.module_from_spec(spec)
        module.__class__ = _Deferred
        sys.modules[package] = module
