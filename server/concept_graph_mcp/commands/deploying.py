"""`install-modules`: putting the query modules where a Memgraph loads them from."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import click

from conceptgraph_core import __version__
from conceptgraph_core.words import libraries

from ..core import modules_directory
from .common import FOLDER, Failure
from .terminal import say

_CORE = "conceptgraph_core"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


@click.command("install-modules")
@click.argument("directory", type=FOLDER)
def install_modules(directory: Path) -> None:
    """Copy the query modules into DIRECTORY, one of the server's --query-modules-directory.

    The libraries that they find words with go beside them.
    """
    if not directory.is_dir():
        raise Failure(f"{directory}: is not a directory")
    source = modules_directory()
    try:
        for library in libraries.PACKAGES:
            _replace_tree(_installed(library), directory / library)
        # Packages first and whole: an entry file must never load one of another version.
        _replace_tree(source / _CORE, directory / _CORE)
        for entry in sorted(source.glob("*.py")):
            shutil.copyfile(entry, directory / entry.name)
    except OSError as error:
        raise Failure(f"{directory}: {error.strerror or error}") from None
    say(f"Installed version {__version__} into {directory}.")
    say("Now run CALL mg.load_all(); in Memgraph, or restart it.")


def _installed(library: str) -> Path:
    """Return the folder of *library*, one of those that this package requires."""
    spec = find_spec(library)
    if spec is None or not spec.submodule_search_locations:
        package = libraries.PACKAGES[library]
        raise Failure(f"the Python package {package} is not installed here; pip install {package}")
    return Path(spec.submodule_search_locations[0])


def _replace_tree(source: Path, target: Path) -> None:
    """Put a copy of *source* in the place of *target*, which is there whole almost all the time."""
    fresh, stale = target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")
    for leftover in (fresh, stale):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(source, fresh, ignore=_IGNORED)
    if target.exists():
        target.rename(stale)
    fresh.rename(target)
    shutil.rmtree(stale, ignore_errors=True)
