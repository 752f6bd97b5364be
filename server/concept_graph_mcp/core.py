"""Locate the query modules; the parts that need no host are imported as `conceptgraph_core`."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_HERE = os.path.dirname(os.path.realpath(__file__))


def modules_directory() -> "Path":
    """Return the folder that is deployed into Memgraph.

    In a wheel beside us, else the checkout's.
    """
    # Imported on demand: a hook imports this module, and must start fast.
    from pathlib import Path

    return Path(_find_modules())


def _find_modules() -> str:
    installed = os.path.join(_HERE, "query_modules")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(_HERE)), "query_modules")


def make_importable() -> None:
    """Append the folder to `sys.path`, as Memgraph does: it is never an installed package."""
    directory = _find_modules()
    if directory not in sys.path:
        sys.path.append(directory)
