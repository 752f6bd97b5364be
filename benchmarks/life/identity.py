"""Identity, trust and strength at the end of the talk: who became one, and who was asked about."""

from collections import defaultdict
from collections.abc import Iterator

from .days import Lived
from .graph import Graph, plain
from .histories import History
from .report import Line

REPEATED = 5
_NO_NAMES = ("date", "number", "time")


def lines(history: History, lived: Lived) -> Iterator[Line]:
    user = history.users[0]
    graph = Graph(lived.at_end_of_talk, user)
    yield from _edges(graph)
    yield from _trust(lived)
    yield from _extracted(history, graph)
    yield from _duplicates(graph)
    if history.expected:
        yield from _known(history, graph)


def _edges(graph: Graph) -> Iterator[Line]:
    joining = [tie for tie in graph.edges if tie["type"] in ("co_occurrence", "causal", "semantic")]
    often = [tie for tie in joining if tie["user_reinforcement_count"] >= REPEATED]
    on = sum(tie["is_active"] for tie in often)
    what = f"edges that {REPEATED} sessions reinforced and that are on at the last word"
    yield Line("strength", what, on, len(often), "all recent")
    yield Line(
        "strength", "edges that are on", sum(tie["is_active"] for tie in joining), len(joining)
    )


def _trust(lived: Lived) -> Iterator[Line]:
    users = [row for row in lived.trusted if not row["inferred"]]
    none = [row["label"] for row in users if row["trust"] == 0]
    yield Line(
        "trust", "user-mentioned entities with trust 0", len(none), len(users), "few", some=none
    )


def _extracted(history: History, graph: Graph) -> Iterator[Line]:
    alone = [one["node_label"] for one in graph.entities.values() if not one["user_mention_count"]]
    yield Line(
        "extraction",
        "entities that only the assistant named",
        len(alone),
        len(graph.entities),
        "few",
        some=alone,
    )
    if not history.expected:
        return
    known = _meant(history)
    seen = {
        (message.id, plain(one["label"]))
        for message in history.of(history.users[0])
        for one in message.sees
        if message.speaker == "user"
    }
    ids = {message.id for message in history.of(history.users[0])}
    found = {
        known.get(key := (one["message_id"], plain(one["label"])), ("", *key))[1:]
        for mention, one in graph.mentions.items()
        if one["origin"] == "user"
        and one["message_id"] in ids
        and graph.entities[graph.of[mention]].get("entity_kind") not in _NO_NAMES
        and one["label"] != "the user"
    }
    wrong = sorted(f"{one}: {label}" for one, label in found - seen)
    missed = sorted(f"{one}: {label}" for one, label in seen - found)
    yield Line(
        "extraction",
        "of the user's mentions found, a person would name",
        len(found & seen),
        len(found),
        some=wrong,
    )
    yield Line(
        "extraction",
        "of what a person would name, found",
        len(found & seen),
        len(seen),
        some=missed,
    )


def _duplicates(graph: Graph) -> Iterator[Line]:
    groups: dict[str, set[str]] = defaultdict(set)
    for one in graph.users():
        groups[plain(one["node_label"])].add(one["id"])
    groups = {
        name: ids
        for name, ids in groups.items()
        if name and len({graph.component[one] for one in ids}) > 1
    }
    left = [
        ", ".join(graph.entities[one]["node_label"] for one in sorted(ids))
        for ids in groups.values()
        if len({graph.asked[one] for one in ids}) > 1
    ]
    yield Line(
        "identity",
        "of names that only spelling tells apart, nothing asks",
        len(left),
        len(groups),
        "0",
        some=left,
    )


def _meant(history: History) -> dict[tuple[str, str], tuple[str, str, str]]:
    """Return who each label of a message is, the message, and the label without a qualifier."""
    return {
        (message.id, plain(label)): (seen["is"], message.id, plain(seen["label"]))
        for message in history.messages
        for seen in message.sees
        for label in (seen["label"], f"{seen['label']} {seen.get('qualifier', '')}")
    }


def _known(history: History, graph: Graph) -> Iterator[Line]:
    """Judge by who each mention is, as the history says."""
    known = _meant(history)
    entities: dict[str, set[str]] = defaultdict(set)
    called: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mention, one in graph.mentions.items():
        meant, _, label = known.get((one["message_id"], plain(one["label"])), ("", "", ""))
        if meant:
            entities[meant].add(graph.of[mention])
            called[meant, label].add(graph.of[mention])
    pairs = [pair for pair in history.expected["two"] if all(one in entities for one in pair)]
    top = graph.component
    merged = [
        " and ".join(pair)
        for pair in pairs
        if {top[one] for one in entities[pair[0]]} & {top[one] for one in entities[pair[1]]}
    ]
    yield Line(
        "identity",
        "namesakes and others that became one",
        len(merged),
        len(pairs),
        "0",
        some=merged,
    )
    yield from _groups(history, graph, called)


def _groups(
    history: History, graph: Graph, called: dict[tuple[str, str], set[str]]
) -> Iterator[Line]:
    left, those = [], 0
    for meant, *labels in history.expected["one"]:
        found = [called[meant, plain(label)] for label in labels if (meant, plain(label)) in called]
        if len(found) < 2:
            continue
        those += 1
        if len({graph.asked[one] for ids in found for one in ids}) > 1:
            left.append(", ".join(labels))
    yield Line(
        "identity",
        "of those with several names, not one and not asked about",
        len(left),
        those,
        "0",
        some=left,
    )
