"""Where the query modules lie; what of them needs no host is imported as `conceptgraph_core`."""

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def modules_directory() -> Path:
    """The folder that is deployed into Memgraph: in a wheel beside us, else in the checkout."""
    installed = _HERE / "query_modules"
    return installed if installed.is_dir() else _HERE.parents[1] / "query_modules"


def make_importable() -> None:
    """Append the folder to `sys.path`, as Memgraph does: it is never an installed package."""
    directory = str(modules_directory())
    if directory not in sys.path:
        sys.path.append(directory)
