"""Observing and ending sessions, in random order, against a second implementation of the rules."""

import math
from itertools import combinations, count

from entity_layer import Entities, entity
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

DAY_MS = 86_400_000
USERS = count()
# Unlike enough that no two of them are a question.
LABELS = ("max", "puppy", "shoe", "rain", "job")


class Reference:
    """The rules in plain dictionaries: who was mentioned by whom, when, and what that joins."""

    def __init__(self):
        self.entities = {}
        self.sessions = {}
        self.edges = {}
        self.seen = set()

    def observe(self, now, session, message, by_user, labels, valence):
        mentioned = self.sessions.setdefault(session, {"user": set(), "all": set(), "done": {}})
        for label in labels:
            if (session, message, label) in self.seen:
                continue
            self.seen.add((session, message, label))
            one = self.entities.setdefault(
                label,
                {"user": 0, "model": 0, "sessions": set(), "felt": 0.0, "level": 0.0, "at": now}
                | {"edges": 0, "status": "provisional", "born": now},
            )
            one["user" if by_user else "model"] += 1
            faded = one["level"] * math.exp(-(now - one["at"]) / (14 * DAY_MS))
            one["level"], one["at"] = max(faded, 1.0 if by_user else 0.5), now
            mentioned["all"].add(label)
            if by_user:
                one["felt"] = max(one["felt"], abs(valence))
                one["sessions"].add(session)
                mentioned["user"].add(label)

    def end(self, now, session):
        mentioned = self.sessions[session]
        for pair in combinations(sorted(mentioned["all"]), 2):
            by_user = mentioned["user"].issuperset(pair)
            before = mentioned["done"].get(pair)
            if before is not None and (before or not by_user):
                continue
            edge = self.edges.get(pair)
            if edge is None:
                edge = self.edges[pair] = {"user": 0.0, "model": 0.0, "weight": 0.3, "at": now}
                for label in pair:
                    self.entities[label]["edges"] += 1
            elif before is None:
                days = (now - edge["at"]) / DAY_MS
                edge["weight"] = 1 - (1 - edge["weight"]) * math.exp(-days / 14)
                edge["at"] = now
            edge["user" if by_user else "model"] += 1
            if before is False:
                edge["model"] -= 1
            mentioned["done"][pair] = by_user
        for label in mentioned["all"]:
            one = self.entities[label]
            if one["user"] and (
                len(one["sessions"]) >= 2 or one["felt"] > 0.7 or one["edges"] >= 5
            ):
                one["status"] = "distinct"

    def told(self):
        """Return what the entities' records must say."""
        return {
            label: {
                "user_mention_count": one["user"],
                "model_mention_count": one["model"],
                "user_sessions": len(one["sessions"]),
                "emotional_intensity": one["felt"],
                "activation_strength": round(one["level"], 9),
                "last_activated": one["at"],
                "edge_count": one["edges"],
                "identity_status": one["status"],
            }
            for label, one in self.entities.items()
        }


def stored(entities):
    """Return what the records say of the same."""
    records = {record["id"]: record for record in entities.records("entity")}
    found = {}
    for record in records.values():
        values = {**record, "user_sessions": len(record["user_sessions"])}
        values["activation_strength"] = round(values["activation_strength"], 9)
        found[record["node_label"]] = values
    edges = {}
    for tie in entities.ties("co_occurrence"):
        pair = tuple(sorted(records[tie[end]]["node_label"] for end in ("from", "to")))
        edges[pair] = (
            tie["user_reinforcement_count"],
            tie["model_reinforcement_count"],
            round(tie["weight"], 9),
        )
    return found, edges


OBSERVED = st.tuples(
    st.just("observe"),
    st.sampled_from("ab"),
    st.integers(0, 3),
    st.booleans(),
    st.lists(st.sampled_from(LABELS), min_size=1, max_size=4, unique=True),
    st.sampled_from((0.0, 0.5, -0.9)),
)
ENDED = st.tuples(st.just("end"), st.sampled_from("ab"))


@settings(
    max_examples=limit_examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.one_of(OBSERVED, OBSERVED, ENDED), max_size=12))
def test_random_sequences_go_as_a_second_implementation_says(memory, steps):
    entities, reference = Entities(memory), Reference()
    # Every example has a scope of its own: nothing of another is in it.
    user = f"user {next(USERS)}"
    for step in steps:
        entities.days(0.5)
        now, session = memory.now_ms, step[1]
        if step[0] == "end":
            if session in reference.sessions:
                entities.end(session, user)
                reference.end(now, session)
            continue
        _, _, message, by_user, labels, valence = step
        entities.observe(
            ", ".join(labels),
            *({**entity(label), "valence": valence} for label in labels),
            session=session,
            message=f"m{message}",
            speaker="user" if by_user else "model",
            user=user,
        )
        reference.observe(now, session, message, by_user, labels, valence)
    entities.only = user
    found, edges = stored(entities)
    told = reference.told()
    assert found.keys() == told.keys()
    for label, values in told.items():
        assert {name: found[label][name] for name in values} == values
    assert edges == {
        pair: (edge["user"], edge["model"], round(edge["weight"], 9))
        for pair, edge in reference.edges.items()
    }
