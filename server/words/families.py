"""Write the English word families: `python server/words/families.py /usr/share/wordnet`.

WordNet says which word is derived from which (allergy and allergic), and lists irregular forms
(taught of teach); Debian has it as the package wordnet-base. The file has a sorted line for each
stem by which the index knows a word, with the shortest words of the other stems of its families:
`allerg allergy`. Stems of other words in use stand alone, because these are not misspelt.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import concept_graph_mcp  # noqa: F401 - makes the core importable
from conceptgraph_core.texts.words.languages import STOP_WORDS
from conceptgraph_core.texts.words.libraries import stemmer

_ROOT = Path(__file__).resolve().parents[2]
_FILE = _ROOT / "query_modules/conceptgraph_core/language/en/derived.txt"
_HEADING = """\
# Word families, made by server/words/families.py from WordNet 3.0: see ../LICENSES.txt. A line has
# a stem, and words of its families. The lines are sorted, because a few are looked up.
"""
# The parts of speech, as the files and as their pointers name them.
_PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
# Derivationally related, and pertaining to.
_DERIVED = ("+", "\\")
# A boiler is not who boils: of the nouns in -er and -or, animals, artifacts, plants and substances
# are other things, and a teacher teaches.
_THINGS = ("05", "06", "20", "27")
# Words that do not begin alike are other words for the same thing (marriage and nuptial).
_LEAST_ALIKE = 3
# Through many links one comes from "contain" to "continent".
_MOST_LINKED = 4

Pair = tuple[str, str]


def main() -> None:
    """Write the file of families from the folder of WordNet that the arguments name."""
    folder = Path(sys.argv[1])
    derived = {
        pair for pair in _derived(folder) if pair[0][:_LEAST_ALIKE] == pair[1][:_LEAST_ALIKE]
    }
    pairs = {pair for pair in derived | set(_irregular(folder)) if all(map(_is_word, pair))}
    stem, shortest = stemmer("english"), {}
    for word in sorted({word for pair in pairs for word in pair}, key=lambda one: (-len(one), one)):
        shortest[stem(word)] = word
    linked = {frozenset((stem(one), stem(other))) for one, other in pairs}
    families = _families(pair for pair in linked if len(pair) > 1)
    every = {word for pair in pairs for word in pair} | set(filter(_is_word, _used(folder)))
    others = {stem(word): set[str]() for word in every}
    for family in families:
        for one in family:
            others[one] |= {shortest[other] for other in family - {one}}
    lines = sorted(" ".join((one, *sorted(words))) for one, words in others.items())
    _FILE.write_text(_HEADING + "\n".join(lines) + "\n", encoding="utf-8")


def _derived(folder: Path) -> Iterator[Pair]:
    words: dict[tuple[str, str], list[str]] = {}
    links = []
    things = set()
    for name, part in _PARTS.items():
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            fields = line.partition("|")[0].split()
            count = int(fields[3], 16)
            places = range(4, 4 + 2 * count, 2)
            if part == "n" and fields[1] in _THINGS:
                things.add((part, fields[0]))
            words[part, fields[0]] = [fields[at].partition("(")[0].lower() for at in places]
            start = 5 + 2 * count
            for at in range(start, start + 4 * int(fields[start - 1]), 4):
                symbol, offset, other, numbers = fields[at : at + 4]
                if symbol in _DERIVED and numbers != "0000":
                    source = part, fields[0], int(numbers[:2], 16)
                    target = other.replace("s", "a"), offset, int(numbers[2:], 16)
                    links.append((source, target))
    for (part, offset, number), (other, to, second) in links:
        one, word = words[part, offset][number - 1], words[other, to][second - 1]
        is_thing = (part, offset) in things and _is_agent(one, word)
        is_thing = is_thing or ((other, to) in things and _is_agent(word, one))
        # Each is a known word still.
        yield from ((one, one), (word, word)) if is_thing else ((one, word),)


def _is_agent(noun: str, verb: str) -> bool:
    """Tell whether *noun* is *verb* with -er or -or: boiler, freezer, flipper, sensor."""
    root = noun[:-2] if noun.endswith(("er", "or")) else ""
    return root in (verb, verb.removesuffix("e"), verb + verb[-1:])


def _irregular(folder: Path) -> Iterator[Pair]:
    """Yield irregular forms that are no words of their own (a wound, the ground)."""
    own = {
        line.partition(" ")[0]
        for name in ("noun", "verb")
        for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines()
    }
    used = _used(folder)
    for name in ("noun", "verb"):
        for line in (folder / f"{name}.exc").read_text(encoding="utf-8").splitlines():
            form, base, *_ = line.split()
            if base in used and form not in own:
                yield form, base


def _used(folder: Path) -> set[str]:
    """Return the words that occur in WordNet's texts."""
    lines = (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines()
    return {line.partition("%")[0] for line in lines}


def _is_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and len(word) > 2 and word not in STOP_WORDS


def _families(linked: Iterable[frozenset[str]]) -> set[frozenset[str]]:
    """Return the groups of stems that are *linked*; a large group falls apart into its links."""
    beside = defaultdict(set)
    for one, other in linked:
        beside[one].add(other)
        beside[other].add(one)
    families, seen = set(), set()
    for first in beside:
        group, new = {first}, {first}
        while new := {other for one in new for other in beside[one]} - group:
            group |= new
        if first in seen:
            continue
        seen |= group
        if len(group) <= _MOST_LINKED:
            families.add(frozenset(group))
        else:
            every = combinations(sorted(group), 2)
            families |= {frozenset(two) for two in every if two[1] in beside[two[0]]}
    return families


if __name__ == "__main__":
    main()
