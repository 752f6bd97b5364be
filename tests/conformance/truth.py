"""Whether a narrative is true: each sentence against the stored mentions and facts, plainly said.

Knows nothing of the code under test but the forms of its sentences. `faults` says what is wrong.
"""

import re
from typing import Any

Row = dict[str, Any]

QUOTED = "“([^“”]*)”"
# A time among the parts of a sentence.
TIME = "⟨(-?[0-9]+)⟩"
# What somebody called something.
NAMED = r"(“[^“”]*”|[\w&'’/+# -]+?)"
KIND = rf"(?:{NAMED[1:-1]})"
ABOUT = rf"{NAMED} \({KIND}(?:, ended)?(?:, also called [^()]*(?:\(inferred\))?)?\)"
VALUE = rf"{NAMED} \((the user said so|inferred) on {TIME}(?:, so since {TIME})?\)"


def faults(told: Row, records: list[Row]) -> list[str]:
    """Return what is wrong with the sentences of *told*, each with the sentence."""
    world = World(records)
    parts = [sentence for paragraph in told["paragraphs"] for sentence in paragraph]
    found = []
    for sentence, source in zip(parts, told["sources"], strict=True):
        said = "".join(one if isinstance(one, str) else f"⟨{one}⟩" for one in sentence)
        found += [f"{fault}: {said}" for fault in world.judged(said, source)]
    return found


def sentences(told: Row) -> int:
    return sum(map(len, told["paragraphs"]))


class World:
    """What is stored, by the records of an export."""

    def __init__(self, records: list[Row]) -> None:
        self.entities = {one["id"]: one for one in records if one["kind"] == "entity"}
        self.mentions = {one["id"]: one for one in records if one["kind"] == "mention"}
        self.facts = {one["id"]: one for one in records if one["kind"] == "fact"}
        self.ties = [one for one in records if one["kind"] == "tie"]
        self.of = {one["from"]: one["to"] for one in self.ties if one["type"] == "of"}
        self.objects = {one["from"]: one["to"] for one in self.ties if one["type"] == "object"}
        self.names: dict[str, set[str]] = {}
        for key, one in self.entities.items():
            self.names.setdefault(self.canonical(key), set()).add(plain(one["node_label"]))
        self.by_canonical: dict[str, list[Row]] = {}
        for key, mention in self.mentions.items():
            canonical = self.canonical(self.of[key])
            self.by_canonical.setdefault(canonical, []).append(mention)

    def canonical(self, key: str) -> str:
        while above := self.entities[key].get("canonical_node_id"):
            key = above
        return key

    def called(self, key: str) -> set[str]:
        """Return the names of an entity and of all that was merged into it."""
        return self.names[self.canonical(key)]

    def judged(self, said: str, source: Row) -> list[str]:
        cited = [self.mentions.get(one) for one in source.get("mention_ids", ())]
        facts = [self.facts.get(one) for one in source.get("fact_ids", ())]
        about = source["entity_ids"]
        if not cited and not facts:
            return ["cites nothing"]
        if None in cited or None in facts or not set(about) <= self.entities.keys():
            return ["cites what is not there"]
        theirs = {self.canonical(one) for one in about}
        of = {self.canonical(self.of[one["id"]]) for one in cited}
        of |= {self.canonical(one["entity_id"]) for one in facts}
        if not of <= theirs:
            return ["cites what is of another"]
        names = set().union(*(self.called(one) for one in about))
        for pattern, judge in _JUDGES:
            if found := re.fullmatch(pattern, said):
                return [fault for fault in judge(self, found, about, cited, facts, names) if fault]
        return ["is of no known form"]

    def users(self, key: str) -> list[Row]:
        every = self.by_canonical.get(self.canonical(key), [])
        return [one for one in every if one["origin"] == "user"]


def plain(text: str) -> str:
    """Return *text* as a quotation of it reads, blanks aside."""
    for mark in "“”„‟":
        text = text.replace(mark, "'")
    return " ".join(text.split())


def bare(name: str) -> str:
    """Return a name without the quotes that it may stand in."""
    return name[1:-1] if name.startswith("“") else name


def says(quotation: str, text: str | None) -> bool:
    """Tell whether *quotation* is *text*, or how it begins."""
    whole = plain(text or "")
    return quotation == whole or (quotation.endswith("…") and whole.startswith(quotation[:-1]))


def _last(world, found, about, cited, facts, names):
    label, at, *rest = found.groups()
    users = world.users(about[0])
    yield None if bare(label) in names else "is about another"
    yield None if users and max(one["created_at"] for one in users) == int(at) else "wrong date"
    yield _backed(cited, int(at), "user", rest[0] if rest else None)


def _inferred(world, found, about, cited, facts, names):
    label, at, *rest = found.groups()
    every = world.by_canonical[world.canonical(about[0])]
    yield None if bare(label) in names else "is about another"
    yield "the user did mention it" if world.users(about[0]) else None
    yield None if max(one["created_at"] for one in every) == int(at) else "wrong date"
    yield _backed(cited, int(at), "model", rest[0] if rest else None)


def _before(world, found, about, cited, facts, names):
    label, at, said = found.groups()
    yield None if bare(label) in names else "is about another"
    yield _backed(cited, int(at), "user", said)


def _backed(cited: list[Row], at: int, origin: str, said: str | None) -> str | None:
    for one in cited:
        is_that = one["created_at"] == at and one["origin"] == origin
        if is_that and (said is None or says(said, one.get("mention_context"))):
            return None
    return f"no mention of the {origin} says so then"


def _fact(world, found, about, cited, facts, names):
    label, predicate, *value = found.groups()
    yield None if bare(label) in names else "is about another"
    yield _stated(world, facts, predicate, value)


def _open_fact(world, found, about, cited, facts, names):
    predicate, label, *values = found.groups()
    yield None if bare(label) in names else "is about another"
    yield _stated(world, facts, predicate, values[:4])
    yield _stated(world, facts, predicate, values[4:])


def _stated(world, facts: list[Row], predicate: str, given) -> str | None:
    value, by, at, since = given
    for one in facts:
        about = world.objects.get(one["id"])
        said = one["value"] if about is None else world.entities[about]["node_label"]
        is_that = says(bare(value), said) and plain(one["predicate"]) == bare(predicate)
        is_whose = (by == "the user said so") == (one["origin"] == "user")
        when = one["known_from"] == int(at) and one.get("known_until") is None
        is_since = one.get("valid_from") == (since and int(since))
        if is_that and is_whose and when and is_since:
            return None
    return "no fact says so"


def _doubt(world, found, about, cited, facts, names):
    one, other = (world.canonical(key) for key in about)
    asked = [
        tie
        for tie in world.ties
        if tie["type"] == "same_as"
        and tie["status"] == "candidate"
        and {world.canonical(tie["from"]), world.canonical(tie["to"])} == {one, other}
    ]
    yield None if asked else "nothing is asked"
    near = any(f"{tie['confidence']:.2f}" == found[3] for tie in asked)
    yield None if near else "rests on something else"
    yield None if {bare(found[1]), bare(found[2])} <= names else "is about another"


def _moved(world, found, about, cited, facts, names):
    label, at, how = found.groups()
    yield None if bare(label) in names else "is about another"
    yield _backed(cited, int(at), "user", None)
    [one] = cited
    valence = one.get("emotional_valence") or 0
    felt = max(abs(valence), one.get("emotional_intensity") or 0)
    yield None if felt > 0.7 else "did not move the user"
    wanted = " and it felt good" if valence > 0 else " and it felt bad" if valence < 0 else None
    yield None if wanted == how else "felt otherwise"


def _related(world, found, about, cited, facts, names):
    mark, first, second, evidence = found.groups()
    both = {world.canonical(key) for key in about}
    ties = [
        tie
        for tie in world.ties
        if tie["type"] == "contradicts"
        and (evidence is None or says(evidence, tie.get("evidence")))
        and {world.canonical(tie["from"]), world.canonical(tie["to"])} == both
    ]
    yield None if ties else "nobody said so"
    yield "is not marked" if evidence is None and not mark else None
    yield None if {bare(first), bare(second)} <= names else "is about another"


def _several(world, found, about, cited, facts, names):
    each = re.findall(
        rf"(?:^|, | or ){NAMED} \({KIND}\), last mentioned by"
        rf" (the user|the model \(inferred\)) on {TIME}",
        found[2],
    )
    yield None if int(found[1]) == len(each) == len(about) > 1 else "counts wrongly"
    for key, (label, by, at) in zip(about, each, strict=True):
        users = world.users(key)
        every = users or world.by_canonical[world.canonical(key)]
        yield None if bare(label) in world.called(key) else "is about another"
        yield None if (by == "the user") == bool(users) else "said by another"
        yield None if max(one["created_at"] for one in every) == int(at) else "wrong date"
        keys = {one["id"] for one in every if one["created_at"] == int(at)}
        yield None if keys & {one["id"] for one in cited} else "does not cite it"


_JUDGES = (
    (rf"{ABOUT} was last mentioned by the user on {TIME}(?:: {QUOTED}|)\.?", _last),
    (
        rf"{ABOUT} is inferred: (?:only the model mentioned it, last|the model read it in words of"
        rf" the user's) on {TIME}(?:: {QUOTED}|)\.?",
        _inferred,
    ),
    (rf"The user mentioned {NAMED} before, on {TIME}: {QUOTED}\.?", _before),
    (rf"{NAMED} – ({KIND}): {VALUE}\.", _fact),
    (rf"It is uncertain what the ({KIND}) of {NAMED} is: {VALUE} or {VALUE}\.", _open_fact),
    (
        rf"It is uncertain whether {NAMED}(?: \({KIND}\))? and {NAMED}(?: \({KIND}\))?"
        r" are the same: alike by ([0-9.]+)\.",
        _doubt,
    ),
    (rf"{NAMED} moved the user on {TIME}( and it felt good| and it felt bad)?\.", _moved),
    (rf"(\(inferred\) )?{NAMED} contradicts {NAMED}(?:: {QUOTED}|)\.?", _related),
    (r"The message may mean any of ([0-9]+): (.*)\.", _several),
)
