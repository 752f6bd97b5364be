"""The width of the terminal in tests that call the command line in this process."""

import pytest

from concept_graph_mcp.commands import terminal


def set_columns(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Print in *columns*, whatever the width was when the consoles of this process were made."""
    monkeypatch.setenv("COLUMNS", str(columns))
    for console in (terminal.out, terminal.notes):
        # What `width` sets; to set that back would fix it at what it was.
        monkeypatch.setattr(console, "_width", columns)
