"""Write `calls/everyday.py` from the rules: `python server/verbs/declare.py`, or `task docs`.

A rule declares its arguments, their types and meanings in its signature. The surfaces have them
from the file that this writes, because importing the rules themselves takes long.
tests/test_interface.py compares the file with what is written here.
"""

import ast
import inspect
import json
import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

from concept_graph_mcp.hosts.sqlite import procedure_host
from conceptgraph_core.verbs import arguments
from conceptgraph_core.verbs.procedures import NOTHING, Procedure

_ROOT: Final = Path(__file__).resolve().parents[2]
MODULE: Final = _ROOT / "query_modules/everyday.py"
FILE: Final = _ROOT / "server/concept_graph_mcp/calls/everyday.py"
_WIDTH: Final = 100
_NOTICE: Final = '''\
"""The verbs over all layers, as their rules declare them. Written by server/verbs/declare.py."""'''
# `embedded` stands for both.
_EMBEDDED: Final = ("vector", "model")
_TIMES: Final = re.compile(r"\b(?:BEGINS|ENDED|ENDS|UNTIL)\b")
_IMPORTED: Final[Mapping[str, str]] = {
    **dict.fromkeys(vars(arguments), "conceptgraph_core.verbs.arguments"),
    "Annotated": "typing",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "NOTHING": "conceptgraph_core.verbs.procedures",
}


class Argument(NamedTuple):
    """An argument as it is written: its type, and its default (None: there is none)."""

    name: str
    type: str
    default: str | None = None


def declare() -> str:
    """Return the file of the verbs, from their rules."""
    text = "\n\n\n".join(declare_verb(*one) for one in list_rules())
    used = set(re.findall(r"\w+", re.sub(r'"[^"]*"', "", text)))
    by_module = {"conceptgraph_core.everyday": ["procedures"]}
    for word in sorted(used & _IMPORTED.keys(), key=lambda one: (not one.isupper(), one)):
        by_module.setdefault(_IMPORTED[word], []).append(word)
    lines: dict[bool, list[str]] = {}
    for module in sorted(by_module):
        lines.setdefault("_" in module, []).append(_import(module, by_module[module]))
    blocks = ["\n".join(one) for one in lines.values()]
    return "\n\n".join([_NOTICE, *blocks, "from .verb import verb_of_rule\n", text]) + "\n"


def list_rules() -> list[tuple[Procedure, Callable[..., Any]]]:
    """Return each procedure of the module with the rule that it is registered with."""
    procedure_host.load_mgp()
    from conceptgraph_core.graph.registering import Module

    found: list[tuple[Procedure, Callable[..., Any]]] = []
    with mock.patch.object(Module, "register", lambda _, one, __, rule: found.append((one, rule))):
        runpy.run_path(str(MODULE))
    return found


def declare_verb(procedure: Procedure, rule: Callable[..., Any]) -> str:
    """Return the verb of *rule*: its arguments on surfaces, and those that it sends."""
    given, by_name = list(_read_arguments(rule)), [*_read_told(procedure.told)]
    signature = inspect.signature(rule).parameters
    sends, plain, late = [], [], []
    for one in given:
        if signature[one.name].kind is inspect.Parameter.KEYWORD_ONLY:
            by_name.append(one)
            continue
        if one.name in _EMBEDDED:
            sends += ["embedded"] * (one.name == _EMBEDDED[0])
            continue
        sends.append(one.name.removesuffix("_"))
        if "INNER" in one.type:
            continue
        if one.default is None and "| None" in one.type:
            # A surface leaves it out; what follows is passed by name.
            plain.append(one._replace(default="None"))
        else:
            (late if one.default is None and plain and plain[-1].default else plain).append(one)
    name = procedure.name.partition(".")[2]
    order = "".join(f', "{one}"' for one in sends)
    constant = name.upper()
    made = f"@verb_of_rule(procedures.{constant}{order})"
    if len(made) > _WIDTH:
        made = f"@verb_of_rule(\n    procedures.{constant}{order}\n)"
    lines = [made, f"def {name}("]
    told = [Argument("scope", "str"), *plain]
    shown = ["\n".join(_write(one)) for one in told]
    if late or by_name:
        shown += ["    *,", *("\n".join(_write(one)) for one in (*late, *by_name))]
    summary = (inspect.getdoc(rule) or "").partition("\n")[0]
    return "\n".join([*lines, *shown, ") -> None:", f'    """{summary}"""'])


def _read_arguments(rule: Callable[..., Any]) -> Iterator[Argument]:
    """Yield the arguments of *rule* but the graph, as its source has them."""
    source = inspect.getsource(rule)
    [function] = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    signature = inspect.signature(rule).parameters
    for one in (*function.args.args[1:], *function.args.kwonlyargs):
        assert one.annotation is not None
        default = signature[one.arg].default
        has_none = default is inspect.Parameter.empty
        type_ = _read_type(source, one.annotation)
        if not has_none and default is not None:
            # Null means the default in Cypher alone.
            type_ = type_.removesuffix(" | None")
        yield Argument(one.arg, type_, None if has_none else _show_default(default))


def _read_told(keys: tuple[str, ...]) -> Iterator[Argument]:
    """Yield the keys of the context that surfaces have."""
    source = inspect.getsource(arguments.Told)
    [declared] = ast.parse(source).body
    assert isinstance(declared, ast.ClassDef)
    types = {
        one.target.id: _read_type(source, one.annotation)
        for one in declared.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }
    for key in keys:
        yield Argument(key, types[key], _show_default(arguments.Told._field_defaults[key]))


def _read_type(source: str, annotation: ast.expr) -> str:
    """Return an annotation on one line; a time of the surfaces may be a text."""
    said = " ".join((ast.get_source_segment(source, annotation) or "").split())
    said = said.replace("[ ", "[").replace(", ]", "]").replace(" ]", "]")
    return re.sub(r"\bint\b", "When", said, count=1) if _TIMES.search(said) else said


def _show_default(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:_}"
    return "NOTHING" if value is NOTHING else repr(value)


def _write(one: Argument) -> Iterator[str]:
    """Yield the lines of an argument, in the form of the house's formatter."""
    name = one.name.removesuffix("_")
    after = "," if one.default is None else f" = {one.default},"
    if len(line := f"    {name}: {one.type}{after}") <= _WIDTH:
        yield line
        return
    inner = one.type.removeprefix("Annotated[").removesuffix("]")
    assert len(inner) + 8 <= _WIDTH, f"{name}: too long for a line"
    yield f"    {name}: Annotated["
    yield f"        {inner}"
    yield f"    ]{after}"


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {one}," for one in names), ")"])


if __name__ == "__main__":
    FILE.write_text(declare(), encoding="utf-8")
