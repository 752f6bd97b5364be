"""The libraries that know languages: Snowball's stemmers, lists of stop words, and nicknames.

Pure Python, and not part of this package: they are installed beside the query modules. Without the
first two everything but words works; without nicknames Liz is not thought to be Elizabeth.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ..errors import LibraryMissing

# The import name -> the name to install it by.
STEMMERS: Final = "snowballstemmer"
STOP_WORDS: Final = "stop_words"
PACKAGES: Final = {STEMMERS: "snowballstemmer", STOP_WORDS: "stop-words"}
NICKNAMES: Final = "nicknames"
# All that is copied beside the query modules.
COPIED: Final = {**PACKAGES, NICKNAMES: "nicknames"}


def missing() -> list[str]:
    """Return the packages, by their names on PyPI, that words need and that are not here."""
    return [package for name, package in PACKAGES.items() if not _is_there(name)]


def stemmer(algorithm: str) -> Callable[[str], str]:
    """Return the function from a word to its stem that Snowball calls *algorithm*.

    Always the one in Python: `snowballstemmer.stemmer` takes a compiled one where it finds it,
    whose version may differ, and all hosts must make the same terms. Raises LibraryMissing.
    """
    module = _required(f"{STEMMERS}.{algorithm}_stemmer")
    kind = getattr(module, f"{algorithm.capitalize()}Stemmer")

    def stem(word: str) -> str:
        # One for each word: a stemmer keeps the word in itself, and calls run in several threads.
        found: str = kind().stemWord(word)
        return found

    return stem


def stop_words(language: str) -> Iterable[str]:
    """Return the stop words of *language* ("german") as they are listed. Raises LibraryMissing."""
    words: list[str] = _required(STOP_WORDS).get_stop_words(language)
    return words


def nicknames() -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
    """Return the nicknames of each given name, and the names of each nickname; none without it."""
    module = _imported(NICKNAMES)
    if module is None:
        return {}, {}
    named = module.NickNamer()
    return named.nickname_lookup, named.canonical_lookup


def _required(name: str) -> Any:
    module = _imported(name)
    if module is None:
        package = COPIED[name.partition(".")[0]]
        raise LibraryMissing(
            f"words: the Python package {package} is not beside the query modules; "
            "concept-graph-mcp install-modules copies it"
        )
    return module


def _is_there(name: str) -> bool:
    # Asked at every call: of what is imported already nothing is looked for.
    try:
        __import__(name)
    except ModuleNotFoundError:
        return False
    return True


def _imported(name: str) -> Any:
    # Not importlib: a reload would drop it, and with it what the interpreter itself imports by.
    try:
        return __import__(name, fromlist=["*"])
    except ModuleNotFoundError:
        return None
