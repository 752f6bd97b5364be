"""The width of the terminal in tests that call the command line in this process."""

import pytest


def set_columns(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Print in *columns*."""
    monkeypatch.setenv("COLUMNS", str(columns))
