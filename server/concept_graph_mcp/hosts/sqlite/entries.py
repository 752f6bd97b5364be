"""Divide an entry file into its procedures, each with the imports that it needs.

An entry imports all that its procedures do, and Memgraph loads it once. A process of one call, such
as a hook, would spend half of its time on the imports of procedures that nobody calls.
"""

import ast
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

# The name of the function with which entries register procedures.
_REGISTER = "register"
_Imports = Mapping[str, ast.stmt]


def divide_entry(module: str) -> dict[str, list[ast.stmt]]:
    """Return the statements that register each callback of the entry *module*, by full name.

    They are none if the module has statements of other kinds, such as functions that it shares.
    """
    body = ast.parse(Path(_find_file(module)).read_bytes()).body
    imports = {bound: one for node in body for bound, one in _divide_import(node)}
    manual = [one for one in body[:1] if isinstance(one, ast.Expr)]
    shared = [one for one in body if isinstance(one, ast.Assign)]
    divided: dict[str, list[ast.stmt]] = {}
    for one in body:
        if one in manual or one in shared or isinstance(one, ast.Import | ast.ImportFrom):
            continue
        names = _name_callbacks(module, one, imports)
        if not names:
            return {}
        used = {node.id for each in (*shared, one) for node in _walk(each)}
        needed = [each for bound, each in imports.items() if bound in used]
        divided |= {name: [*manual, *needed, *shared, one] for name in names}
    return divided


def compile_statements(module: str, statements: list[ast.stmt]) -> CodeType:
    """Return the code of *statements* of the entry *module*, with its file and its lines."""
    return compile(ast.Module(statements, []), _find_file(module), "exec", dont_inherit=True)


def _find_file(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return spec.origin


def _divide_import(node: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each name that the import *node* binds, with an import of that name alone."""
    if isinstance(node, ast.Import):
        for one in node.names:
            yield one.asname or one.name, ast.copy_location(ast.Import([one]), node)
    elif isinstance(node, ast.ImportFrom):
        for one in node.names:
            alone = ast.ImportFrom(node.module, [one], node.level)
            yield one.asname or one.name, ast.copy_location(alone, node)


def _name_callbacks(module: str, node: ast.stmt, imports: _Imports) -> Sequence[str]:
    """Return the full names of the callbacks that *node* registers."""
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        return (f"{module}.{node.name}",)
    match node:
        case ast.Expr(ast.Call(ast.Name(id), [ast.Attribute(ast.Name(holder), name), *_])):
            if id == _REGISTER:
                procedure = getattr(_run_import(imports[holder], holder), name)
                return procedure.name, procedure.peek().name
    return ()


def _run_import(node: ast.stmt, bound: str) -> Any:
    scope: dict[str, Any] = {}
    exec(compile(ast.Module([node], []), "<imports>", "exec"), scope)
    return scope[bound]


def _walk(node: ast.stmt) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))
