"""Provide the `_mgp` interface, on which the genuine `mgp` package is built, over our transactions.

This module is installed as ``sys.modules["_mgp"]``; its names and behaviour are those of the
interface inside Memgraph.
"""

import logging

from . import values
from .call_graph import Edge, Graph, Path, Vertex
from .exceptions import (
    AuthorizationError,
    DeletedObjectError,
    ImmutableObjectError,
    InsufficientBufferError,
    InvalidArgumentError,
    KeyAlreadyExistsError,
    LogicErrorError,
    OutOfRangeError,
    SerializationError,
    UnableToAllocateError,
    UnknownError,
    ValueConversionError,
)
from .registration import Callback, Module
from .values import CypherType

__all__ = [
    "AuthorizationError",
    "Callback",
    "DeletedObjectError",
    "Edge",
    "Graph",
    "ImmutableObjectError",
    "InsufficientBufferError",
    "InvalidArgumentError",
    "KeyAlreadyExistsError",
    "LogicErrorError",
    "Module",
    "OutOfRangeError",
    "Path",
    "SerializationError",
    "UnableToAllocateError",
    "UnknownError",
    "ValueConversionError",
    "Vertex",
]

SOURCE_TYPE_KAFKA = "SOURCE_TYPE_KAFKA"
SOURCE_TYPE_PULSAR = "SOURCE_TYPE_PULSAR"
_LOGGER = logging.getLogger("concept_graph_mcp.modules")


class Message:
    """A stand-in: this host has no streams."""


class Messages:
    """A stand-in: this host has no streams."""


# Types


def type_any() -> CypherType:
    return CypherType("ANY", lambda value: value is not None)


def type_bool() -> CypherType:
    return values.exactly("BOOLEAN", bool)


def type_string() -> CypherType:
    return values.instance_of("STRING", str)


def type_int() -> CypherType:
    return values.exactly("INTEGER", int)


def type_float() -> CypherType:
    return values.exactly("FLOAT", float)


def type_number() -> CypherType:
    return values.exactly("NUMBER", int, float)


def type_map() -> CypherType:
    return values.instance_of("MAP", dict, Vertex, Edge)


def type_node() -> CypherType:
    return values.instance_of("NODE", Vertex)


def type_relationship() -> CypherType:
    return values.instance_of("RELATIONSHIP", Edge)


def type_path() -> CypherType:
    return values.instance_of("PATH", Path)


# No value has these types: the embedded store refuses temporal values.
def type_date() -> CypherType:
    return values.exactly("DATE")


def type_local_time() -> CypherType:
    return values.exactly("LOCAL_TIME")


def type_local_date_time() -> CypherType:
    return values.exactly("LOCAL_DATE_TIME")


def type_duration() -> CypherType:
    return values.exactly("DURATION")


def type_nullable(inner: CypherType) -> CypherType:
    return values.nullable(inner)


def type_list(inner: CypherType) -> CypherType:
    return values.list_of(inner)


# The module that is being imported, whose decorators register with it.
_MODULE = Module("none")
