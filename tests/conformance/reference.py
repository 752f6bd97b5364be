"""The rules of the concept graph once more, as plainly as they can be said, to compare hosts with.

Dictionaries and loops; no index, no cache, no database, and nothing of the code under test. Where
the rules leave a choice open, `recall` returns every choice.
"""

import copy
import math
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

RELATION_TYPES = ("is-a", "part-of", "evokes")


class Refusal(Exception):
    """The call is refused; nothing of it is kept."""


@dataclass
class Reference:
    """A whole memory. `nodes` by name, `relations` by (from, type, to)."""

    tau_ms: float = 86_400_000
    now_ms: int = 0
    date: str = "20250615"
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def call(self, name: str, *arguments: Any) -> Any:
        """Make one call; a refused one leaves everything as it was."""
        before = copy.deepcopy((self.nodes, self.relations))
        try:
            return getattr(self, name)(*arguments)
        except Refusal:
            self.nodes, self.relations = before
            raise

    # What is written

    def concept_upsert(self, concept: str) -> dict[str, Any]:
        _check_text(concept)
        if self._is_episode(concept):
            raise Refusal
        created = concept not in self.nodes
        if created:
            self._create_concept(concept, 0.5)
        return {"concept_id": concept, "created": created}

    def update_affect(self, target: str, valence_delta: float) -> dict[str, Any]:
        _check_text(target)
        if not -1 <= valence_delta <= 1:
            raise Refusal
        if target not in self.nodes:
            if re.match("[0-9]{8}/", target):
                raise Refusal
            self._create_concept(target, abs(valence_delta))
        node = self.nodes[target]
        node["valence"] = min(1.0, max(-1.0, node["valence"] + valence_delta))
        if abs(valence_delta) >= self._arousal(node):
            node["arousal_level"] = abs(valence_delta)
            node["accessed_at"] = self.now_ms
        is_episode = self._is_episode(target)
        return {
            "concept_id": None if is_episode else target,
            "episode_id": target if is_episode else None,
            "valence": node["valence"],
            "arousal": self._arousal(node),
            "accessed_at": node["accessed_at"],
        }

    def episode_add(self, summary: str, concepts: list[str]) -> dict[str, Any]:
        _check_text(summary)
        distinct: list[str] = []
        for concept in concepts:
            _check_text(concept)
            if concept not in distinct:
                distinct.append(concept)
        if not distinct or any(self._is_episode(concept) for concept in distinct):
            raise Refusal
        for concept in distinct:
            if concept not in self.nodes:
                self._create_concept(concept, 0.25)
        base = f"{self.date}/{distinct[0]}"
        name, number = base, 2
        while name in self.nodes:
            name = f"{base}-{number}"
            number += 1
        self.nodes[name] = {
            "kind": "episode",
            "name": name,
            "summary": summary,
            "valence": 0.0,
            "arousal_level": 0.5,
            "accessed_at": self.now_ms,
        }
        for concept in distinct:
            self.relations[concept, "evokes", name] = 0.25
        return {"episode_id": name, "linked_concepts": distinct, "valence": 0.0}

    def relation_add(self, source: str, target: str, relation_type: str) -> dict[str, Any]:
        _check_text(source)
        _check_text(target)
        if relation_type not in RELATION_TYPES or source == target:
            raise Refusal
        if relation_type != "evokes" and (self._is_episode(source) or self._is_episode(target)):
            raise Refusal
        for name in (source, target):
            if name not in self.nodes:
                self._create_concept(name, 0.25)
        key = (source, relation_type, target)
        if key in self.relations:
            self.relations[key] = 1 - (1 - self.relations[key]) * (1 - 0.2)
        else:
            self.relations[key] = 0.25
        return {"from": source, "to": target, "type": relation_type, "weight": self.relations[key]}

    def put_concept(self, name: str, valence: float, level: float, accessed_at: int) -> None:
        """Import one whole record."""
        _check_text(name)
        if self._is_episode(name):
            raise Refusal
        self._create_concept(name, level)
        self.nodes[name] |= {"valence": valence, "accessed_at": accessed_at}

    def rename(self, concept: str, new_name: str) -> None:
        _check_text(concept)
        _check_text(new_name)
        if concept not in self.nodes or self._is_episode(concept) or new_name in self.nodes:
            raise Refusal
        self.nodes[new_name] = self.nodes.pop(concept) | {"name": new_name}
        moved = {concept: new_name}
        self.relations = {
            (moved.get(source, source), relation_type, moved.get(target, target)): weight
            for (source, relation_type, target), weight in self.relations.items()
        }

    def remove(self, name: str) -> None:
        _check_text(name)
        if name not in self.nodes:
            raise Refusal
        del self.nodes[name]
        for key in list(self.relations):
            if name in (key[0], key[2]):
                del self.relations[key]

    def remove_relation(self, source: str, target: str, relation_type: str) -> None:
        if (source, relation_type, target) not in self.relations:
            raise Refusal
        del self.relations[source, relation_type, target]

    # What is read

    def concept_search(self, keywords: list[str], limit: int | None) -> list[tuple[str, bool]]:
        """Return names, each with whether it matches."""
        for keyword in keywords:
            _check_text(keyword)
        size = 50 if limit is None else min(200, max(1, limit))
        matches, others = [], []
        for name, node in self.nodes.items():
            if node["kind"] == "episode":
                continue
            places = [_place(keyword, name) for keyword in keywords]
            if all(place is None for place in places):
                others.append(name)
            else:
                matches.append((min(place for place in places if place is not None), name))
        others.sort(key=lambda name: (-self._rank(name), name))
        found = [(name, True) for _, name in sorted(matches)]
        return (found + [(name, False) for name in others])[:size]

    def unknown(self, seeds: list[str]) -> list[dict[str, Any]]:
        for seed in seeds:
            _check_text(seed)
        rows = []
        for seed in dict.fromkeys(seeds):
            if seed in self.nodes:
                continue
            similar = []
            for name, node in self.nodes.items():
                inside = _without_blanks(name).find(_without_blanks(seed))
                if node["kind"] == "concept" and _without_blanks(seed) and inside >= 0:
                    same = _without_blanks(name) == _without_blanks(seed)
                    similar.append((0 if same else 1 if inside == 0 else 2, name))
            rows.append({"seed": seed, "similar": [name for _, name in sorted(similar)[:5]]})
        return rows

    def recall_query(
        self, seeds: list[str], max_hop: int, limit: int | None, each_episode_once: bool
    ) -> tuple[list[list[dict]], list[dict[str, Any]]]:
        """Return the readings as `recall` does, and what is unknown."""
        unknown = self.unknown(seeds)
        return self.recall(seeds, max_hop, limit, each_episode_once), unknown

    def recall(
        self, seeds: list[str], max_hop: int, limit: int | None, each_episode_once: bool = False
    ) -> list[list[dict]]:
        """Return, for each row, the readings that it may show; then arouse what they mention."""
        distances = self._distances(seeds, max_hop)
        rows = self._rows(distances, max_hop, limit, each_episode_once)
        shown = {reading["text"] for choice in rows for reading in choice}
        mentioned = set()
        for source, relation_type, target in self.relations:
            if f"{self._text(source)} {relation_type} {self._text(target)}" in shown:
                mentioned |= {source, target}
        before = {name: self._arousal(self.nodes[name]) for name in distances}
        for name, distance in distances.items():
            level = 0.5 ** (distance - 1)
            if name in mentioned and distance > 0 and level - before[name] >= 0.01:
                self.nodes[name]["arousal_level"] = level
                self.nodes[name]["accessed_at"] = self.now_ms
        return rows

    def peek(self, seeds: list[str], max_hop: int, limit: int | None) -> list[list[dict]]:
        """Return what `recall` would, and change nothing."""
        return self._rows(self._distances(seeds, max_hop), max_hop, limit)

    def records(self) -> list[dict[str, Any]]:
        """Return the whole memory as export records, in no order."""
        return [
            *self.nodes.values(),
            *(
                {
                    "kind": "relation",
                    "from": source,
                    "to": target,
                    "type": relation_type,
                    "weight": weight,
                }
                for (source, relation_type, target), weight in self.relations.items()
            ),
        ]

    # Parts

    def _create_concept(self, name: str, level: float) -> None:
        self.nodes[name] = {
            "kind": "concept",
            "name": name,
            "valence": 0.0,
            "arousal_level": level,
            "accessed_at": self.now_ms,
        }

    def _is_episode(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name]["kind"] == "episode"

    def _arousal(self, node: dict[str, Any]) -> float:
        elapsed = max(0, self.now_ms - node["accessed_at"])
        return node["arousal_level"] * math.exp(-elapsed / self.tau_ms)

    def _rank(self, name: str) -> float:
        node = self.nodes[name]
        if node["arousal_level"] == 0:
            return -math.inf
        return node["accessed_at"] + self.tau_ms * math.log(node["arousal_level"])

    def _text(self, name: str) -> str:
        return self.nodes[name].get("summary", name)

    def _distances(self, seeds: list[str], max_hop: int) -> dict[str, int]:
        for seed in seeds:
            _check_text(seed)
        if not 0 <= max_hop <= 10:
            raise Refusal
        distances = {seed: 0 for seed in seeds if seed in self.nodes}
        for distance in range(1, max_hop + 1):
            for source, _, target in self.relations:
                for near, far in ((source, target), (target, source)):
                    if distances.get(near) == distance - 1 and far not in distances:
                        distances[far] = distance
        return distances

    def _rows(
        self,
        distances: dict[str, int],
        max_hop: int,
        limit: int | None,
        each_episode_once: bool = False,
    ) -> list[list[dict]]:
        if limit is not None and limit < 1:
            raise Refusal
        readings: dict[str, list[dict]] = {}
        for (source, relation_type, target), weight in self.relations.items():
            text = f"{self._text(source)} {relation_type} {self._text(target)}"
            for near, far in ((source, target), (target, source)):
                if near in distances and distances[near] < max_hop:
                    reading = self._reading(near, far, distances[near] + 1, near == target, weight)
                    readings.setdefault(text, []).append({"text": text} | reading)
        best = {text: _best(found) for text, found in readings.items()}
        ordered = sorted(
            best,
            key=lambda text: (
                *(-part for part in _strength(best[text][0])),
                -best[text][0]["day"],
                text,
            ),
        )
        if each_episode_once:
            episodes = [best[text][0]["episode_id"] for text in ordered]
            ordered = [
                text
                for number, text in enumerate(ordered)
                if episodes[number] is None or episodes[number] not in episodes[:number]
            ]
        chosen = [best[text] for text in ordered[: 1_000 if limit is None else limit]]
        for choice in chosen:
            for reading in choice:
                reading["total"] = len(ordered)
                del reading["faded"]
                reading["score"] = round(reading["score"], 6)
                del reading["day"]
        return chosen

    def _reading(self, near: str, far: str, hop: int, reverse: bool, weight: float) -> dict:
        with_episode = self._is_episode(near) or self._is_episode(far)
        counting = 1.0 if with_episode else weight
        arousal = self._arousal(self.nodes[far])
        episode = next((name for name in (far, near) if self._is_episode(name)), None)
        factors = counting * 0.5 ** (hop - 1) * (0.5 if reverse else 1.0)
        return {
            "score": arousal * factors,
            "valence": self.nodes[far]["valence"],
            "hop": hop,
            "arousal": arousal,
            "weight": counting,
            "reverse": reverse,
            "episode_id": episode,
            "day": int(episode[:8]) if episode and re.match("[0-9]{8}/", episode) else 0,
            # How the score compares where it is too small for a float: by its logarithm.
            "faded": round(self._rank(far) + self.tau_ms * math.log(factors), 2),
        }


def _strength(reading: dict) -> tuple[float, float]:
    if reading["score"] < 1e-290:
        return 0.0, reading["faded"]
    return reading["score"], 0.0


def _best(readings: list[dict]) -> list[dict]:
    """Return the readings of the best score, the lowest hop among them, forward if any is, and of
    the latest episode."""
    strength = max(map(_strength, readings))
    readings = [reading for reading in readings if _strength(reading) == strength]
    hop = min(reading["hop"] for reading in readings)
    readings = [reading for reading in readings if reading["hop"] == hop]
    reverse = min(reading["reverse"] for reading in readings)
    readings = [reading for reading in readings if reading["reverse"] == reverse]
    day = max(reading["day"] for reading in readings)
    return [reading for reading in readings if reading["day"] == day]


def _without_accents(text: str) -> str:
    """Return *text* in lower case, without accents and with one kind of blank."""
    letters = []
    for letter in unicodedata.normalize("NFKD", text.casefold()).casefold():
        place = unicodedata.combining(letter)
        if place == 0 or place in (7, 8, 9) or 84 <= place <= 132:
            letters.append(" " if letter.isspace() else letter)
    return unicodedata.normalize("NFC", "".join(letters))


def _without_blanks(text: str) -> str:
    return "".join(_without_accents(text).split(" "))


def _place(keyword: str, name: str) -> int | None:
    """Return how well *name* matches: 0 is best, None not at all."""
    wanted = [keyword.casefold()]
    decomposed = unicodedata.normalize("NFKD", keyword.casefold())
    if not any(
        10 <= unicodedata.combining(c) <= 35 or unicodedata.combining(c) > 199 for c in decomposed
    ):
        wanted.append(_without_accents(keyword))
    place = None
    for form in (name.casefold(), _without_accents(name)):
        for part in wanted:
            if part not in form:
                continue
            here = 3
            if any(mark + part in form for mark in " -_/("):
                here = 2
            if form.startswith(part):
                here = 1
            if form == part:
                here = 0
            place = here if place is None else min(place, here)
    return place


def _check_text(value: str) -> None:
    if not value.strip():
        raise Refusal
