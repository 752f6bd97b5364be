"""Write the reference memory server's format: entities with observations, and relations.

Feelings, weights, arousal, times, memories and entities have no place in it and are left out.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

from conceptgraph_core.concepts import schema

from ..printable import json_text
from .lines import Record, shorten_key, spell_relation
from .server_memory import sentence
from .tally import Tally

Relation = tuple[str, str, str]

# Longer text between two names is no relation type but a sentence.
_LONGEST_TYPE = 60


class ServerMemory:
    """A graph collected record by record, nodes before relations.

    A file read by `server_memory.read` is written unchanged: the strongest is-a is an entity's
    type, and an episode about the relation of two concepts becomes a relation again. Any other
    episode becomes an observation of each concept that evokes it.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._concepts: list[str] = []
        self._summaries: dict[str, str] = {}
        self._evoked_by: dict[str, list[str]] = defaultdict(list)
        self._types: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self._relations: dict[Relation, None] = {}

    def add(self, record: Record) -> None:
        if record["kind"] == "concept":
            self._concepts.append(record["name"])
        elif record["kind"] == "episode":
            self._summaries[record["name"]] = record["summary"]
        elif record["kind"] != schema.LAYER.edge_kind:
            self.tally.left_out(f"records of kind {record['kind']}")
        elif record["from"] in self._summaries:
            self.tally.left_out("relations that begin at an episode", shorten_key(record["from"]))
        elif record["to"] in self._summaries:
            self._evoked_by[record["to"]].append(record["from"])
        elif record["type"] == "is-a":
            self._types[record["from"]].append((-record["weight"], record["to"]))
        else:
            self._relations[record["from"], record["type"], record["to"]] = None

    def lines(self) -> Iterator[str]:
        """Iterate over the lines, once: the entities by name, then their relations."""
        observations, relations = self._observations(), self._relations
        types = {name: [to for _, to in sorted(found)] for name, found in self._types.items()}
        for name, (_, *others) in types.items():
            relations.update(dict.fromkeys((name, "is-a", other) for other in others))
        ends = {end for source, _, target in relations for end in (source, target)}
        only_types = {found[0] for found in types.values()} - ends - {*observations, *types}
        for name in sorted(self._concepts):
            if name not in only_types:
                entity_type = types.get(name, [""])[0]
                yield _line(
                    type="entity",
                    name=name,
                    entityType=entity_type,
                    observations=observations.get(name, []),
                )
        for source, relation, target in sorted(relations):
            kind = relation.replace("-", "_") if relation in schema.RELATION_TYPES else relation
            yield _line(**{"type": "relation", "from": source, "to": target, "relationType": kind})

    def _observations(self) -> dict[str, list[str]]:
        """Return each concept's observations, the earliest first; relations are restored."""
        observations: dict[str, list[str]] = defaultdict(list)
        plain = {relation for relation in self._relations if relation[1] == "evokes"}
        for name, summary in sorted(self._summaries.items()):
            concepts = self._evoked_by[name]
            if not concepts:
                self.tally.left_out("episodes that no concept evokes", shorten_key(name))
            relation = _said(concepts, summary)
            if relation is not None and (relation[0], "evokes", relation[2]) in plain:
                self._relations.pop((relation[0], "evokes", relation[2]), None)
                self._relations[relation] = None
                continue
            for concept in concepts:
                observations[concept].append(summary)
        return observations


def _said(concepts: Sequence[str], summary: str) -> Relation | None:
    """Return the relation of two *concepts* from which *summary* was made, if any."""
    if len(concepts) != 2:
        return None
    for source, target in itertools.permutations(concepts):
        relation = summary[len(source) + 1 : -len(target) - 1].replace(" ", "_")
        is_ours = spell_relation(relation) in schema.RELATION_TYPES
        fits = 0 < len(relation) <= _LONGEST_TYPE and not is_ours
        if fits and sentence(source, relation, target) == summary:
            return source, relation, target
    return None


def _line(**fields: object) -> str:
    return json_text(fields) + "\n"
