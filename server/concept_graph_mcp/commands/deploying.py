"""Install the query modules where a Memgraph loads them from (`install-modules`)."""

import shutil
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from conceptgraph_core import __version__
from conceptgraph_core.texts.words import libraries

from ..core import modules_directory
from .common import FOLDER, Failure, say

_CORE = "conceptgraph_core"
_STAGE = ".installing-"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


@click.command("install-modules")
@click.argument("directory", type=FOLDER)
def install_modules(directory: Path) -> None:
    """Copy the query modules into DIRECTORY, one of the server's --query-modules-directory.

    It also copies the libraries that the text index needs.
    """
    if not directory.is_dir():
        raise Failure(f"{directory}: is not a directory")
    source = modules_directory()
    packages = [*map(_installed, libraries.COPIED), source / _CORE]
    try:
        _install(packages, sorted(source.glob("*.py")), directory)
    except OSError as error:
        raise Failure(f"{directory}: {error.strerror or error}") from None
    say(f"Installed version {__version__} into {directory}.")
    say("Now run CALL mg.load_all(); in Memgraph, or restart it.")


def _installed(library: str) -> Path:
    """Return the folder of *library*, one of those that this package requires."""
    spec = find_spec(library)
    if spec is None or not spec.submodule_search_locations:
        package = libraries.COPIED[library]
        raise Failure(f"the Python package {package} is not installed here; pip install {package}")
    return Path(spec.submodule_search_locations[0])


def _install(packages: Sequence[Path], entries: Sequence[Path], directory: Path) -> None:
    """Put *packages* and *entries* into *directory*: all is copied before Memgraph can load any.

    If anything stops it, a full disk too, the server still finds the modules that it had before.
    """
    for leftover in directory.glob(f"{_STAGE}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    # Inside the target directory, so that files are moved and not copied again. The name contains
    # no module's name: a server that reloads a module takes such folders for parts of it.
    stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=directory))
    fresh, stale = stage / "fresh", stage / "stale"
    try:
        stale.mkdir()
        for package in packages:
            shutil.copytree(package, fresh / package.name, ignore=_IGNORED)
        for entry in entries:
            shutil.copyfile(entry, fresh / entry.name)
        # Packages first: an entry file must never load a package of an earlier version.
        for package in packages:
            _exchange(fresh / package.name, directory / package.name, stale / package.name)
        for entry in entries:
            (fresh / entry.name).replace(directory / entry.name)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _exchange(fresh: Path, target: Path, stale: Path) -> None:
    """Put the folder *fresh* in the place of *target*; an existing one is moved to *stale*."""
    if target.exists():
        target.rename(stale)
    try:
        fresh.rename(target)
    except OSError:
        if stale.exists():
            stale.rename(target)
        raise
