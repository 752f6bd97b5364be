"""Load the libraries for languages: Snowball's stemmers, stop word lists, and nicknames.

They are pure Python, and installed beside the query modules. Without the first two, everything but
words works. Without nicknames, Liz is not related to Elizabeth.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ...verbs.errors import LibraryMissing

# The import name -> the name to install it by.
STEMMERS: Final = "snowballstemmer"
STOP_WORDS: Final = "stop_words"
PACKAGES: Final = {STEMMERS: "snowballstemmer", STOP_WORDS: "stop-words"}
NICKNAMES: Final = "nicknames"
# All packages to copy beside the query modules.
COPIED: Final = {**PACKAGES, NICKNAMES: "nicknames"}


def missing() -> list[str]:
    """Return the missing packages that words need, by their names on PyPI."""
    return [package for name, package in PACKAGES.items() if not _is_there(name)]


def stemmer(algorithm: str) -> Callable[[str], str]:
    """Return the function from a word to its stem by Snowball's *algorithm*.

    It is always the Python version. `snowballstemmer.stemmer` prefers a compiled one, whose version
    may differ, and all hosts must make the same terms. Raises LibraryMissing.
    """
    module = _require(f"{STEMMERS}.{algorithm}_stemmer")
    kind = getattr(module, f"{algorithm.capitalize()}Stemmer")

    def stem(word: str) -> str:
        # One stemmer for each word: a stemmer keeps the word as state, and calls run in several
        # threads.
        found: str = kind().stemWord(word)
        return found

    return stem


def stop_words(language: str) -> Iterable[str]:
    """Return the listed stop words of *language* ("german"). Raises LibraryMissing."""
    words: list[str] = _require(STOP_WORDS).get_stop_words(language)
    return words


def nicknames() -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
    """Return the nicknames of each name, and the names of each nickname, if installed."""
    module = _import_library(NICKNAMES)
    if module is None:
        return {}, {}
    named = module.NickNamer()
    return named.nickname_lookup, named.canonical_lookup


def _require(name: str) -> Any:
    module = _import_library(name)
    if module is None:
        package = COPIED[name.partition(".")[0]]
        raise LibraryMissing(
            f"words: the Python package {package} is not beside the query modules; "
            "concept-graph-mcp install-modules copies it"
        )
    return module


def _is_there(name: str) -> bool:
    # Tried at every call: an import that succeeded before costs nothing.
    try:
        __import__(name)
    except ModuleNotFoundError:
        return False
    return True


def _import_library(name: str) -> Any:
    # Not importlib: a reload would drop it, and with it the interpreter's own import machinery.
    try:
        return __import__(name, fromlist=["*"])
    except ModuleNotFoundError:
        return None
