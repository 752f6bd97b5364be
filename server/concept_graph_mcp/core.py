"""Locate the query modules; the parts that need no host are imported as `conceptgraph_core`."""

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def modules_directory() -> Path:
    """Return the folder that is deployed into Memgraph.

    In a wheel beside us, else the checkout's.
    """
    installed = _HERE / "query_modules"
    return installed if installed.is_dir() else _HERE.parents[1] / "query_modules"


def make_importable() -> None:
    """Append the folder to `sys.path`, as Memgraph does: it is never an installed package."""
    directory = str(modules_directory())
    if directory not in sys.path:
        sys.path.append(directory)
