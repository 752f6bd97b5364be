"""Tables of cases: sentences and what they mean, in YAML beside the file of their tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


def beside(file: str) -> Callable[[str], Callable[[Any], Any]]:
    """Return a decorator `table(names)`: a test runs for each row that stands under its name.

    A list in a cell is a list, and one within that is a tuple.
    """
    families = yaml.safe_load(Path(file).with_suffix(".yaml").read_text(encoding="utf-8"))

    def table(names: str) -> Callable[[Any], Any]:
        def mark(function: Any) -> Any:
            rows = families[function.__name__]
            if "," in names:
                rows = [tuple(map(_read_cell, row)) for row in rows]
            return pytest.mark.parametrize(names, rows)(function)

        return mark

    return table


def _read_cell(cell: Any) -> Any:
    if isinstance(cell, dict):
        return {key: _read_cell(value) for key, value in cell.items()}
    return [_read_inner(one) for one in cell] if isinstance(cell, list) else cell


def _read_inner(cell: Any) -> Any:
    return tuple(map(_read_inner, cell)) if isinstance(cell, list) else _read_cell(cell)
