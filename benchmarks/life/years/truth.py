"""Judge each sentence that is told against the lists of what is true at the end of a year.

A statement of a list names a subject, the words that mean it (`called`), and patterns: `true` at
the end, or `false`, because it ended or never was so. A sentence on a subject that fits a false
pattern is untrue, unless it says that this is past. A quotation with its date states nothing of
today. A sentence that no pattern knows is counted apart.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.errors import StoreError

from ..changes import PAST, QUOTED, SAID, date_end
from ..histories import Row

UNTRUE, TRUE, ENDED, UNKNOWN = "untrue", "true", "told as past", "on no list"
USER = "the user"
_NUMBER = re.compile(r"^\[\d+\] ")
_MENTIONED = re.compile(r"last mentioned on (\d{4}-\d{2}-\d{2})")
# A doubt states nothing, and neither does a kind that is none.
_NOTHING = re.compile(r"^perhaps the same as\b|^[^:]* \(entity\)(, one of \d+ so called)?$")
_CLOSEST = re.compile(r"(?<=\)), ")


class Told(NamedTuple):
    """A sentence that *asked* was answered with, whom it is about, and the verdict on it."""

    asked: str
    sentence: str
    verdict: str
    why: str = ""


@dataclass
class Judge:
    """Knows what is true of each subject at the end, and when each was last mentioned."""

    truth: list[Row]
    messages: list[Row]
    told: list[Told] = field(default_factory=list)

    async def hear(self, memory: AsyncMemory, asked: str) -> None:
        """Ask *memory*, and judge each sentence of the answer."""
        self.told += [self.judge(asked, one) for one in await _answer(memory, asked)]

    def judge(self, asked: str, sentence: str) -> Told:
        mentioned = _MENTIONED.search(sentence)
        if mentioned:
            return self._judge_date(asked, sentence, mentioned[1])
        subjects = [one for one in self.truth if _has(one["called"], sentence)]
        is_past = PAST.search(sentence) is not None
        for one in subjects:
            if "false" in one and not is_past and _has(one["false"], sentence):
                return Told(asked, sentence, UNTRUE, one["subject"])
        if is_past:
            return Told(asked, sentence, ENDED)
        known = any(_has(one["true"], sentence) for one in subjects)
        return Told(asked, sentence, TRUE if known else UNKNOWN)

    def _judge_date(self, asked: str, sentence: str, date: str) -> Told:
        """Hold the day of the last mention against the messages that name the subject."""
        name = sentence.partition(":")[0]
        known = [one for one in self.truth if _has(one["called"], name) and one["subject"] != USER]
        for one in known:
            dates = [row["at"][:10] for row in self.messages if _names(one, row)]
            if dates and max(dates) > date:
                return Told(asked, sentence, UNTRUE, f"last named on {max(dates)}")
        return Told(asked, sentence, TRUE if known else UNKNOWN)

    def count(self) -> Counter[str]:
        return Counter(one.verdict for one in self.told)

    def select(self, verdict: str) -> list[str]:
        """Return each sentence of *verdict* once, with the questions that it answered."""
        asked: dict[str, list[str]] = {}
        for one in self.told:
            if one.verdict == verdict:
                why = f" ({one.why})" if one.why else ""
                asked.setdefault(f"{one.sentence}{why}", []).append(one.asked)
        return [f"{one} <- {'; '.join(of)}" for one, of in sorted(asked.items())]


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _names(one: Row, message: Row) -> bool:
    return message["speaker"] == "user" and _has(one["called"], message["text"])


def split_sentences(text: str) -> Iterator[str]:
    """Split what a recall or a profile states, each clause with its subject before it."""
    part = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith("["):
            part = line
            continue
        body = _NUMBER.sub("", line)
        if ", note: " in body:
            # A note that is quoted as said has its date, as any other quotation.
            if part != SAID:
                yield body.partition(", note: ")[2].strip("“”")
        elif part == SAID:
            continue
        elif part == "Closest:":
            yield from (f"The user: close to {one}" for one in _CLOSEST.split(body))
        else:
            yield from _split_clauses(QUOTED.sub("", body))


def _split_clauses(body: str) -> Iterator[str]:
    first, *others = (one.strip(" :") for one in body.split("; "))
    name = first.partition(" (")[0]
    if first != "The user" and not _NOTHING.search(first):
        yield first
    yield from (f"{name}: {one}" for one in others if one and not _NOTHING.search(one))


async def _answer(memory: AsyncMemory, asked: str) -> list[str]:
    """Return the sentences that are stated of what was *asked*: a question, profile, or about:."""
    if asked.startswith("about:"):
        return await _describe(memory, asked.removeprefix("about:"))
    if asked == "profile":
        return [*split_sentences((await memory.profile())["text"])]
    return [*split_sentences((await memory.recall(asked))["text"])]


async def _describe(memory: AsyncMemory, name: str) -> list[str]:
    try:
        row: Row = dict(await memory.about(name))
    except StoreError:
        return []
    made = [f"{row['name']} ({row['kind']}{date_end(row)})"] if "kind" in row else []
    made += [
        f"{row['name']}: {one['predicate']}: {one['value']}{date_end(one)}" for one in row["facts"]
    ]
    return made + [f"{row['name']}: {one}" for one in row["relations"]]


def compare_told(one: Iterable[Told], other: Iterable[Told]) -> list[str]:
    """Return the true sentences of *one* that *other* does not tell."""
    told = {each.sentence for each in other}
    return sorted({each.sentence for each in one if each.verdict == TRUE} - told)
