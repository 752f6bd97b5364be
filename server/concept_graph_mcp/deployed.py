"""Where the query modules lie, and what of them the shell may read without a host."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

_HERE = Path(__file__).resolve().parent


def modules_directory() -> Path:
    """The folder that is deployed into Memgraph: in a wheel beside us, else in the checkout."""
    installed = _HERE / "query_modules"
    return installed if installed.is_dir() else _HERE.parents[1] / "query_modules"


def core(name: str) -> ModuleType:
    """Return the module *name* of `conceptgraph_core`.

    Like Memgraph, this appends the folder to `sys.path`: it is never an installed package.
    """
    directory = str(modules_directory())
    if directory not in sys.path:
        sys.path.append(directory)
    return importlib.import_module(f"conceptgraph_core.{name}" if name else "conceptgraph_core")


schema = core("schema")
__version__: str = core("").__version__
