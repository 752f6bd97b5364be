"""Origin: labels, values and relations that a model reads into the user's words."""

from .histories import Row
from .person import Person
from .report import Line
from .world import World


async def lines(world: World, cases: list[Row]) -> list[Line]:
    """Observe each case for a user of its own, and count what counts as the user's word."""
    person = world.person("laundering")
    through, lost = [], []
    for number, case in enumerate(cases):
        seen = {name: case[name] for name in ("label", "type", "span")}
        row = await person.call(
            "entity_observe",
            session_id=f"case {number}",
            message_id=str(number),
            speaker="user",
            text=case["text"],
            observations=[seen],
        )
        users = bool(row) and row["entities"][0]["origin"] == "user"
        if users and not case.get("honest"):
            through.append(f"{case['label']} <- {case['text']}")
        if not users and case.get("honest"):
            lost.append(f"{case['label']} <- {case['text']}")
    honest = sum(bool(case.get("honest")) for case in cases)
    return [
        Line(
            "origin",
            "readings of the model's that count as the user's word",
            len(through),
            len(cases) - honest,
            "1",
            some=through,
        ),
        Line("origin", "the user's own words that do not", len(lost), honest, "few", some=lost),
        *await _beyond_labels(person),
    ]


async def _beyond_labels(person: Person) -> list[Line]:
    """Try the same with a fact's value and with an end of a relation."""
    text = "My sister Clara was late because of the train."
    said = {"session_id": "facts", "message_id": "facts", "speaker": "user", "text": text}
    seen = [
        {"label": "Clara", "type": "entity", "span": "Clara"},
        {"label": "depression", "type": "topic", "span": "was late"},
    ]
    related = [{"from": "Clara", "to": "depression", "type": "causal", "span": "was late"}]
    row = await person.call("entity_observe", **said, observations=seen, relations=related)
    through = [
        f"relation to {one['to']}" for one in row.get("edges", ()) if one["origin"] == "explicit"
    ]
    if row:
        clara = row["entities"][0]["entity_id"]
        given = {"predicate": "condition", "value": "depressed", "span": "was late"}
        fact = await person.call("entity_fact", entity_id=clara, speaker="user", text=text, **given)
        through += ["fact: depressed"] if fact.get("origin") == "user" else []
    return [
        Line("origin", "values and ends of relations that do", len(through), 2, "0", some=through)
    ]
