"""A backup takes the records that an import into an empty store takes, and no others."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from shell import GRAPH

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from concept_graph_mcp.hosts import rehearsal
from concept_graph_mcp.hosts.rehearsal import Rehearsal
from concept_graph_mcp.hosts.sqlite.opening import Opening
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from conceptgraph_core.errors import ConceptGraphError

NOW_MS = 1_750_000_000_000
USERS = ({}, {"user_id": "anna"}, {"user_id": "ben"})
NAMES = ("apple", "fruit", "a\u0308pple", "\u00e4pple", " ", "x\0y", 7, "20250615/pear")
SEEN = [
    "already another", "already a concept", "tautology", "two beings", "here, not", "only evokes",
    "not of the same user",
]  # fmt: skip
ENDS = ("apple", "fruit", "20250615/pear", "m1", "m2", "e1", "f1", ["anna", "s1"])


def record(chance: random.Random) -> dict[str, Any]:
    """Return a record that is valid, or nearly."""
    some = chance.choice
    user = some(USERS)
    made: dict[str, Any] = some((
        {"kind": "concept", "name": some(NAMES), "valence": some((0.5, 7, "high")), **user},
        {"kind": "concept", "name": some(NAMES), **user},
        {"kind": "episode", "name": some(NAMES), "summary": some(("Ate it", "")), **user},
        {"kind": "memory", "id": some(("m1", "m2")), "content": some(("a", "b")), **user},
        {"kind": "memory", "id": some(("m1", "m2")), "content": "c", "thread": "t", **user},
        {"kind": "entity", "id": some(("e1", "e2", "e3")), "node_type": "entity",
         "node_label": "Ann",
         "canonical_name": some(("ann", "ann 2")), "entity_kind": some(("person", "place")),
         "created_at": some((1, 2)), **user},
        {"kind": "session", "session_id": "s1", **user},
        {"kind": "fact", "id": "f1", "entity_id": "e1", "predicate": "likes",
         "value": some(("tea", "milk")), "known_from": some((1, 2)), **user},
        {"kind": "relation", "from": some(ENDS), "to": some(ENDS),
         "type": some(("is-a", "part-of", "evokes", "is")), "weight": some((0.5, -1)), **user},
        {"kind": "link", "from": "m1", "to": some(("m2", "e1")), "type": "relates_to"},
        {"kind": some(("song", None, "embedding"))},
    ))  # fmt: skip
    if chance.random() < 0.1:
        made.pop(some(list(made)))
    return made


def imported(host: Host, one: dict[str, Any]) -> str | None:
    """Return why an import of that record alone is refused, None if it is not."""
    try:
        call = calls.transfer.import_rows([one])
        context = {**call.context, "now_ms": NOW_MS, "rehearsed": True}
        host.call(call.procedure.name, [*call.arguments, context], call.lookup)
    except (ConceptGraphError, Refused) as error:
        return str(error).removeprefix("row 0: ")
    return None


@pytest.mark.parametrize("most_met", [3, 10_000])
def test_what_a_backup_refuses_is_what_an_import_refuses(monkeypatch, most_met):
    monkeypatch.setattr(rehearsal, "_MOST_MET", most_met)
    reasons = set()
    for seed in range(12):
        chance = random.Random(seed)
        with (
            closing(Host(Path(), opening=Opening.STAND_IN)) as host,
            closing(Rehearsal()) as trial,
        ):
            for one in [*GRAPH, *(record(chance) for _ in range(60))]:
                taken, refused = trial.taken([one])
                reason = imported(host, one)
                assert (taken == [one]) == (reason is None), (one, reason, refused)
                # An import looks for these before or after all else.
                if reason is not None and "constraint" not in reason and "NUL" not in reason:
                    assert refused == [reason], one
                reasons.update(refused)
    met = [part for part in SEEN if any(part in reason for reason in reasons)]
    assert met == SEEN, sorted(reasons)


def test_only_what_could_be_brought_back_is_taken():
    records = [
        {"kind": "concept", "name": ""},
        {"kind": "concept", "name": "apple", "valence": 7},
        {"kind": "relation", "from": "fruit", "to": "fruit", "type": "is-a"},
        {"kind": "relation", "from": "pear", "to": "fruit", "type": "is-a"},
    ]
    with closing(Rehearsal()) as rehearsal:
        taken, refused = rehearsal.taken(records)
        assert taken == records[3:]
        assert [line.split(":")[0] for line in refused] == ["name", "valence", "relation"]
        # A record that was taken counts for those that come later.
        assert rehearsal.taken([{"kind": "episode", "name": "pear", "summary": "Ate it"}])[0] == []
