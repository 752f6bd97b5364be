"""Register modules and their procedures and functions for the decorators of `mgp`."""

from collections.abc import Callable
from typing import Any

from .values import CypherType


class Callback:
    """A registered procedure or function: `run(graph, arguments)` and its signature."""

    def __init__(self, name: str, run: Callable[[Any, tuple[Any, ...]], Any], writes: bool) -> None:
        self.name = name
        self.run = run
        self.writes = writes
        self.arguments: list[tuple[str, CypherType]] = []
        self.defaults: list[Any] = []
        self.results: dict[str, CypherType] = {}

    def add_arg(self, name: str, cypher_type: CypherType) -> None:
        self.arguments.append((name, cypher_type))

    def add_opt_arg(self, name: str, cypher_type: CypherType, default: Any) -> None:
        self.arguments.append((name, cypher_type))
        self.defaults.append(default)

    def add_result(self, name: str, cypher_type: CypherType) -> None:
        self.results[name] = cypher_type

    add_deprecated_result = add_result


class Module:
    """One query module and what its decorators registered."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.procedures: dict[str, Callback] = {}
        self.functions: dict[str, Callback] = {}

    def add_read_procedure(self, wrapper: Any) -> Callback:
        return self._add(self.procedures, wrapper, writes=False)

    def add_write_procedure(self, wrapper: Any) -> Callback:
        return self._add(self.procedures, wrapper, writes=True)

    def add_function(self, wrapper: Any) -> Callback:
        return self._add(self.functions, wrapper, writes=False)

    def add_transformation(self, wrapper: Any) -> None:
        raise NotImplementedError("The embedded host has no streams and no transformations")

    def _add(self, registry: dict[str, Callback], wrapper: Any, writes: bool) -> Callback:
        callback = Callback(f"{self.name}.{wrapper.__name__}", wrapper, writes)
        registry[wrapper.__name__] = callback
        return callback
