"""Memories: what an agent that only searches still finds, and what stands in the way."""

import re
from collections import Counter

from .days import USED, Life
from .histories import Row
from .report import Line
from .world import mine

FIRST = 10
STATES = ("active", "dormant", "archived", "expired")


async def after_a_year(life: Life) -> list[Line]:
    """Return how memories stand when the talk has ended; nothing here counts as an access."""
    expected, lived = life.history.expected, life.lived
    if not expected:
        return [await _standing(life, "after the last word")]
    across, lost, asked = await _answered(life, expected["across_languages"], FIRST)
    shown, silent = await _contradicted(life)
    same, other = await _hidden(life)
    return [
        await _standing(life, "after a year"),
        Line("memories", "copies of one fact among the first ten", same, FIRST, "1"),
        Line("memories", "the other allergy is among the first ten", other, 1, "1"),
        Line(
            "memories",
            "days on which a link used weekly is seen",
            lived.visible_days,
            lived.linked_days,
            "all",
        ),
        Line(
            "memories",
            "contradicted ones found with what stands against them",
            shown,
            len(expected["contradicted"]),
            "all",
            some=silent,
        ),
        Line("languages", "German asked of English and back, found", across, asked, some=lost),
        await _poison(life),
    ]


async def at_the_end(life: Life) -> list[Line]:
    """Return how memories fared that were searched for every week and never read."""
    user = life.history.users[0]
    person = life.people[user]
    records = await life.world.records()
    kept = mine(records["memory"], user)
    states = Counter(one["state"] for one in kept)
    made = [await _standing(life, "at the end")]
    for state in STATES:
        aim = "0" if state == "expired" else ""
        made.append(Line("memories", f"{state} at the end", states[state], len(kept), aim))
    if life.history.expected:
        made.append(_facts(life, records))
    if life.history.other is not None:
        made.append(await _others(life, records, life.history.other))
    refused = sum(person.refused.values())
    return [
        *made,
        Line("tools", "calls that were refused", refused, aim="0", some=[*person.refused]),
    ]


async def _standing(life: Life, when: str) -> Line:
    """Search for each standing fact; of a persona by the words of all that was extracted."""
    person = life.people[life.history.users[0]]
    questions = life.history.expected.get("standing") or [
        {"ask": one["content"], "answers": [one["key"]]}
        for said in life.history.of(person.user)
        for one in said.keeps
    ]
    right, lost, asked = await _answered(life, questions, USED)
    what = f"facts that one who only searches finds {when}"
    return Line("memories", what, right, asked, "all", some=lost)


async def _answered(life: Life, questions: list[Row], limit: int) -> tuple[int, list[str], int]:
    """Return how many are answered among *limit*, which are not, and how many can be."""
    person = life.people[life.history.users[0]]
    said = {one.id for one in life.history.of(person.user)} | person.memories.keys()
    asked = [one for one in questions if said & {*one["answers"]}]
    lost = []
    for one in asked:
        found = await person.search(one["ask"], limit)
        # The latest of several with the same words is listed.
        known = {row["memory_id"] for row in found} | {row["text"].casefold() for row in found}
        if not {one["ask"].casefold(), *map(person.named, one["answers"])} & known:
            lost.append(one["ask"])
    return len(asked) - len(lost), lost, len(asked)


async def _hidden(life: Life) -> tuple[int, int]:
    """Return how many copies of one text are listed, and whether the other one is."""
    person, copies = life.people[life.history.users[0]], life.history.expected["copies"]
    found = await person.search(copies["ask"], FIRST)
    other = person.named(copies["hidden"])
    same = sum(row["text"] == copies["told"] for row in found)
    return same, int(other in [row["memory_id"] for row in found])


async def _contradicted(life: Life) -> tuple[int, list[str]]:
    """Count searches that have the later one first, and the earlier one, if at all, marked."""
    person = life.people[life.history.users[0]]
    silent = []
    for one in life.history.expected["contradicted"]:
        rows = await person.search(one["ask"], FIRST)
        if not _marked(rows, person.named(one["earlier"]), person.named(one["later"])):
            shown = "; ".join(row["text"] for row in rows[:4])
            silent.append(f"{one['ask']} -> {shown}")
    return len(life.history.expected["contradicted"]) - len(silent), silent


def _marked(rows: list[Row], earlier: str, later: str) -> bool:
    by_id = {row["memory_id"]: row for row in rows}
    if later not in by_id:
        return False
    if earlier not in by_id:
        return True
    places = [*by_id]
    marked = {name: value for name, value in by_id[earlier].items() if name != "memory_id"}
    return later in str(marked) and places.index(later) < places.index(earlier)


async def _poison(life: Life) -> Line:
    """Recall a text that gives orders: it must stand in quotation marks, behind who said it."""
    person, poison = life.people[life.history.users[0]], life.history.expected["poison"]
    told = (await person.call("memory_context", query=poison["ask"])).get("text", "")
    bare = [line for line in re.sub("“[^”]*”", "", told).splitlines() if poison["words"] in line]
    return Line(
        "safety", "orders in recalled text that no quotes hold", len(bare), 1, "0", some=bare
    )


def _facts(life: Life, records: dict[str, list[Row]]) -> Line:
    """Count the expected facts that are believed at the end, with nothing that they replaced."""
    values = [
        one["value"].casefold()
        for one in mine(records["fact"], life.history.users[0])
        if one.get("known_until") is None and one.get("valid_until") is None
    ]
    wrong = []
    for one in life.history.expected["facts"]:
        old = [not_ for not_ in one["not"] if any(not_.casefold() in each for each in values)]
        if old or not any(one["value"].casefold() in value for value in values):
            still = f" (still {', '.join(old)})" if old else ""
            wrong.append(f"{one['of']} – {one['predicate']}: {one['value']}{still}")
    of = len(life.history.expected["facts"])
    what = "believed at the end, without what they replaced"
    return Line("facts", what, of - len(wrong), of, "all", some=wrong)


async def _others(life: Life, records: dict[str, list[Row]], other: str) -> Line:
    """Look for anything of the other user's in what this one is shown."""
    person = life.people[life.history.users[0]]
    kinds = ("memory", "entity", "mention", "fact")
    theirs = {one["id"] for kind in kinds for one in mine(records[kind], other)}
    asked = life.history.expected.get("others_words") or [
        one["node_label"] for one in mine(records["entity"], other)[:40]
    ]
    leaks = []
    for word in asked:
        shown = [
            await person.search(word),
            await person.call("memory_context", query=word),
            await person.call("entity_search", query=word, include_inactive=True),
            await person.call("entity_context", message=f"What about {word}?"),
        ]
        if any(f"'{one}'" in str(shown) for one in theirs):
            leaks.append(word)
    what = "words of the other user's that show what is theirs"
    return Line("scope", what, len(leaks), len(asked), "0", some=leaks)
