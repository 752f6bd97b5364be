"""WordNet's nouns as a concept graph: hypernyms are is-a, part meronyms part-of.

Reads Debian's `wordnet-base` (WordNet 3.0, Princeton University; its licence comes with it).
"""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path("/usr/share/wordnet/data.noun")
_RELATIONS = {"@": "is-a", "#p": "part-of"}

Edge = tuple[str, str, str]


def edges(data: Path = DATA) -> list[Edge]:
    """Return all (from, type, to) edges between named synsets, each once."""
    synsets = dict(_synsets(data))
    found: dict[Edge, None] = {}
    for offset, (name, pointers) in synsets.items():
        for relation, target in pointers:
            if target in synsets and target != offset:
                # A "#p" pointer says that the synset is a part of its target.
                found[name, relation, synsets[target][0]] = None
    return list(found)


def records(now_ms: int) -> list[dict[str, Any]]:
    """Return the graph as import records, lived in: arousal, valence and weights vary."""
    found = edges()
    chance = random.Random(1)
    concepts = [
        {
            "kind": "concept",
            "name": name,
            "valence": round(chance.uniform(-1, 1), 2),
            "arousal_level": chance.choice((0.25, 0.5, 1.0)),
            "accessed_at": now_ms - chance.randrange(3 * 86_400_000),
        }
        for name in dict.fromkeys(end for edge in found for end in (edge[0], edge[2]))
    ]
    relations = [
        {
            "kind": "relation",
            "from": source,
            "to": target,
            "type": relation,
            "weight": round(chance.uniform(0.2, 0.9), 2),
        }
        for source, relation, target in found
    ]
    return concepts + relations


def glosses() -> list[str]:
    """Return what all synsets mean, with the examples: 117,659 texts of a dozen words, shuffled."""
    lines = (
        line
        for name in ("noun", "verb", "adj", "adv")
        for line in (DATA.parent / f"data.{name}").read_text(encoding="utf-8").splitlines()
        if not line.startswith("  ")
    )
    found = [line.partition(" | ")[2].strip() for line in lines]
    random.Random(2).shuffle(found)
    return found


def hubs(count: int) -> list[str]:
    """Return the *count* concepts with the most relations, the largest first."""
    degrees = Counter(end for edge in edges() for end in (edge[0], edge[2]))
    return [name for name, _ in degrees.most_common(count)]


def _synsets(data: Path) -> Iterator[tuple[str, tuple[str, list[tuple[str, str]]]]]:
    """Iterate over (offset, (unique name, [(relation, target offset)]))."""
    for line in data.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split(" ")
        words = int(fields[3], 16)
        word, sense = fields[4].replace("_", " "), fields[0]
        pointer_field = 4 + 2 * words
        pointers = [
            (_RELATIONS[symbol], fields[at + 2])
            for count in range(int(fields[pointer_field]))
            for at, symbol in [(pointer_field + 4 * count, fields[pointer_field + 1 + 4 * count])]
            if symbol in _RELATIONS and fields[at + 3] == "n"
        ]
        yield fields[0], (f"{word} ({sense})", pointers)
