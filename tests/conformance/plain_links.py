"""Walks along links over plain dictionaries, written from the rules and not from the modules.

Memories and links are import records; every strength is as of a time.
"""

from typing import Any

HALF_LIFE_MS = 7 * 86_400_000


class PlainLinks:
    """The memories of one scope that are there, and what joins them."""

    def __init__(self, records: list[dict[str, Any]], now_ms: int, user: str = "default") -> None:
        self.memories = {
            record["id"]: record
            for record in records
            if record["kind"] == "memory"
            and record["user_id"] == user
            and "deleted_at" not in record
            and record.get("state") != "expired"
        }
        self.links = [
            (record["from"], record["to"], record["type"], self._strength(record, now_ms))
            for record in records
            if record["kind"] == "link"
        ]

    @staticmethod
    def _strength(record: dict[str, Any], now_ms: int) -> float:
        weeks = max(0, now_ms - record["last_strengthened"]) / HALF_LIFE_MS
        faded: float = record["strength"] * 2**-weeks
        return max(faded, min(0.1, record["strength"]))

    def ways(self, near: str, query: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return (strength, far, via, direction, relation) of all that may be followed."""
        found = []
        for source, target, relation, strength in self.links:
            if strength < query["min_strength"]:
                continue
            if query["relation_types"] and relation not in query["relation_types"]:
                continue
            if source == near:
                found.append((strength, target, near, "outgoing", relation))
            if target == near:
                found.append((strength, source, near, "incoming", relation))
        if query["include_parent_links"]:
            for name, record in self.memories.items():
                if name == near and record.get("parent_id"):
                    found.append((1.0, record["parent_id"], near, "outgoing", "parent_id"))
                if record.get("parent_id") == near:
                    found.append((1.0, name, near, "incoming", "parent_id"))
        return [way for way in found if self.is_open(way, query)]

    def is_open(self, way: tuple[Any, ...], query: dict[str, Any]) -> bool:
        _, far, near, direction, _ = way
        if far not in self.memories or far == near:
            return False
        record = self.memories[far]
        return (
            query["direction"] in ("both", direction)
            and (not query["types"] or record.get("type") in query["types"])
            and (not query["tags"] or bool(set(query["tags"]) & set(record.get("tags", ()))))
        )

    def age(self, name: str) -> tuple[int, str]:
        return self.memories[name]["created_at"], name

    def merit(self, way: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a key by which the best way to a memory comes first."""
        strength, _, via, direction, relation = way
        return -strength, self.age(via), direction == "incoming", relation

    def ordered(self, ways: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the best way to each memory, in the order in which memories are told."""
        best: dict[str, tuple[Any, ...]] = {}
        for way in sorted(ways, key=self.merit):
            best.setdefault(way[1], way)
        return sorted(best.values(), key=lambda way: (-way[0], self.age(way[1])))

    def breadth_first(self, start: str, query: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return (id, depth, way) of everything within reach, however many they are."""
        told: list[tuple[Any, ...]] = [(start, 0, None)]
        for depth in range(1, query["max_depth"] + 1):
            seen = {name for name, *_ in told}
            edge = [name for name, at, _ in told if at == depth - 1]
            ways = [w for near in edge for w in self.ways(near, query) if w[1] not in seen]
            told += [(way[1], depth, way) for way in self.ordered(ways)]
        return told

    def depth_first(self, start: str, query: dict[str, Any]) -> list[str]:
        """Return the ids of everything within reach, in the order in which they are met.

        Every path without a circle is followed to its end, the stronger way first.
        """
        met = {start: None}

        def follow(path: tuple[str, ...]) -> None:
            if len(path) <= query["max_depth"]:
                for _, far, *_ in self.ordered(self.ways(path[-1], query)):
                    if far not in path:
                        met[far] = None
                        follow((*path, far))

        follow((start,))
        return list(met)
