"""The records of a server with many users: few of them have many memories, most have few."""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from .memories import DAY_MS, text
from .sizes import SMALL
from .stores import NOW_MS

Record = dict[str, Any]

_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Size:
    """How many of everything one server holds. One concept and one memory in ten has an edge."""

    memories: int
    concepts: int
    entities: int
    users: int

    def of_user(self, number: int) -> tuple[int, int]:
        """Return how many memories and entities the user of that *number* has."""
        share = _weight(number) / sum(map(_weight, range(self.users)))
        return max(10, int(self.memories * share)), max(2, int(self.entities * share))


BASE = Size(SMALL, SMALL, SMALL // 10, 1)


def records(size: Size) -> Iterator[Record]:
    """Iterate over everything, user by user, with concepts in between."""
    mixed = zip_longest(_concepts(size.concepts), _owned(size))
    yield from (record for record in chain.from_iterable(mixed) if record is not None)


def user(number: int) -> str:
    return f"user {number:04}"


def concept(number: int) -> str:
    return f"{_word(number)} c{number}"


def memory_id(owner: int, number: int) -> str:
    return f"m{owner:04}-{number:06}"


def entity_id(owner: int, number: int) -> str:
    return f"e{owner:04}-{number:05}"


def entity(owner: int, number: int) -> str:
    """Return the name of an entity, as a message has it."""
    return f"{_word(owner * 100_003 + number).upper()} Ex{number}"


def _concepts(most: int) -> Iterator[Record]:
    for number in range(most):
        yield {"kind": "concept", "name": concept(number)}
        if number and number % 10 == 0:
            ends = {"from": concept(number), "to": concept(number // 10)}
            yield {"kind": "relation", **ends, "type": "is-a", "weight": 0.5}


def _owned(size: Size) -> Iterator[Record]:
    for owner in range(size.users):
        memories, entities = size.of_user(owner)
        chance = random.Random(owner)
        for number in range(memories):
            yield _memory(owner, number, chance)
            if number and number % 10 == 0:
                ends = {"from": memory_id(owner, number), "to": memory_id(owner, number // 10)}
                yield {"kind": "link", **ends, "type": "relates_to", "strength": 0.6}
        for number in range(entities):
            yield _entity(owner, number)


def _memory(owner: int, number: int, chance: random.Random) -> Record:
    at_ms = NOW_MS - int(chance.random() * 60 * DAY_MS)
    return {
        "kind": "memory",
        "id": memory_id(owner, number),
        "user_id": user(owner),
        "content": text(chance),
        "created_at": at_ms,
        "accessed_at": at_ms,
        "decay_score": 0.7 * math.exp(-0.01 * (NOW_MS - at_ms) / DAY_MS),
    }


def _entity(owner: int, number: int) -> Record:
    name, at_ms = entity(owner, number), NOW_MS - number * 60_000
    return {
        "kind": "entity",
        "id": entity_id(owner, number),
        "user_id": user(owner),
        "node_type": "entity",
        "node_label": name,
        "canonical_name": name.lower(),
        "origin": "user",
        "user_mention_count": 2,
        "created_at": at_ms,
        "last_activated": at_ms,
        "valid_from": at_ms,
        "edge_count": 0,
    }


def _weight(number: int) -> float:
    # The largest of a thousand users has 2 % of everything, half of them less than 0.07 %.
    return float((number + 5) ** -0.8)


def _word(number: int) -> str:
    # The nth word is drawn as often as 1/n.
    return f"w{int(_WORDS ** random.Random(number).random())}"


def storage(rows: Mapping[str, Any]) -> float:
    """Return the bytes that *rows* of SHOW STORAGE INFO give as memory_tracked."""
    value, unit = str(rows["memory_tracked"])[:-3], str(rows["memory_tracked"])[-3:]
    return float(value) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]
