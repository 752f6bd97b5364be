"""Provide the `_mgp` interface, on which the genuine `mgp` package is built, over our transactions.

This module is installed as ``sys.modules["_mgp"]``; its names and behaviour are those of the
interface inside Memgraph.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from . import values
from .call_graph import Edge, Graph, ImmutableObjectError, LogicErrorError, Path, Vertex
from .elements import DeletedObjectError
from .values import CypherType

__all__ = [
    "Callback",
    "DeletedObjectError",
    "Edge",
    "Graph",
    "ImmutableObjectError",
    "LogicErrorError",
    "Module",
    "Path",
    "Vertex",
]

# The others of its exceptions, which `mgp` catches and raises under its own names.
globals().update(
    (name, type(name, (Exception,), {}))
    for name in (
        *("AuthorizationError", "InsufficientBufferError", "InvalidArgumentError"),
        *("KeyAlreadyExistsError", "OutOfRangeError", "SerializationError"),
        *("UnableToAllocateError", "UnknownError", "ValueConversionError"),
    )
)

SOURCE_TYPE_KAFKA = "SOURCE_TYPE_KAFKA"
SOURCE_TYPE_PULSAR = "SOURCE_TYPE_PULSAR"
_LOGGER = logging.getLogger("concept_graph_mcp.modules")


class Message:
    """A stand-in: this host has no streams."""


class Messages:
    """A stand-in: this host has no streams."""


# Registration: for the decorators of `mgp`


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


# Types


def type_any() -> CypherType:
    return CypherType("ANY", lambda value: value is not None)


type_bool = partial(values.exactly, "BOOLEAN", bool)
type_string = partial(values.instance_of, "STRING", str)
type_int = partial(values.exactly, "INTEGER", int)
type_float = partial(values.exactly, "FLOAT", float)
type_number = partial(values.exactly, "NUMBER", int, float)
type_map = partial(values.instance_of, "MAP", dict, Vertex, Edge)
type_node = partial(values.instance_of, "NODE", Vertex)
type_relationship = partial(values.instance_of, "RELATIONSHIP", Edge)
type_path = partial(values.instance_of, "PATH", Path)
# No value has these types: the embedded store refuses temporal values.
type_date = partial(values.exactly, "DATE")
type_local_time = partial(values.exactly, "LOCAL_TIME")
type_local_date_time = partial(values.exactly, "LOCAL_DATE_TIME")
type_duration = partial(values.exactly, "DURATION")
type_nullable = values.nullable
type_list = values.list_of

# The module that is being imported, whose decorators register with it.
_MODULE = Module("none")
