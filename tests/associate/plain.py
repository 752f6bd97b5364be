"""The formula once more, as plainly as it can be said: every text, every neighbour, no short cut.

Nothing of the code under test. A text is a dictionary; its neighbours are looked up in a list.
"""

from typing import Any

DAY_MS = 86_400_000


def associate(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int, most_mentions: int = 10_000
) -> list[dict[str, Any]]:
    """Return the rows for the question *asked*: {cues, asked_at, named, asker, periods}.

    A text has id, terms {term: count}, thread, position, speaker, said_at. A row has id, score,
    words {term: {offset: what it gave, cubed}}, gave {term: its sum} and factors.
    """
    mean = sum(sum(text["terms"].values()) for text in texts) / len(texts)
    rows = []
    read = cues_read(texts, asked["cues"], most_mentions)
    for text in texts:
        if not older(text, asked):
            continue
        words = {term: given(texts, text, term, mean, asked) for term in read}
        words = {term: parts for term, parts in words.items() if parts}
        gave = {
            term: (len(texts) / len(mentioning(texts, term))) ** 0.25
            * sum(parts.values()) ** (1 / 3)
            for term, parts in words.items()
        }
        if gave:
            four = factors(text, asked)
            score = sum(gave.values()) * four[0] * four[1] * four[2] * four[3]
            row = {"score": score, "words": words, "gave": gave, "factors": four}
            rows.append(row | {"id": text["id"], "said_at": text["said_at"]})
    rows.sort(key=order)
    return rows[:limit]


def order(row: dict[str, Any]) -> tuple[float, float, str]:
    age = float("inf") if row["said_at"] is None else -row["said_at"]
    return (-round(row["score"], 9), age, row["id"])


def mentioning(texts: list[dict[str, Any]], term: str) -> list[dict[str, Any]]:
    return [text for text in texts if term in text["terms"]]


def cues_read(texts: list[dict[str, Any]], cues: list[str], most_mentions: int) -> list[str]:
    counts = sorted((len(mentioning(texts, cue)), cue) for cue in cues)
    read: list[str] = []
    total = 0
    for count, cue in counts:
        if count == 0:
            continue
        total += count
        if read and total > most_mentions:
            break
        read.append(cue)
    return read


def older(text: dict[str, Any], asked: dict[str, Any]) -> bool:
    return text["said_at"] is None or text["said_at"] < asked["asked_at"]


def given(
    texts: list[dict[str, Any]],
    text: dict[str, Any],
    term: str,
    mean: float,
    asked: dict[str, Any],
) -> dict[int, float]:
    parts = {}
    for k in range(-3, 4):
        for other in neighbours(texts, text, k):
            if term in other["terms"] and older(other, asked):
                count, length = other["terms"][term], sum(other["terms"].values())
                x = count / (count + 0.5) * (length / mean) ** -0.3
                parts[k] = (x * 0.6 ** abs(k)) ** 3
    return parts


def neighbours(texts: list[dict[str, Any]], text: dict[str, Any], k: int) -> list[dict[str, Any]]:
    if k == 0:
        return [text]
    if text["thread"] is None:
        return []
    place = (text["thread"], text["position"] + k)
    return [other for other in texts if (other["thread"], other["position"]) == place]


def factors(text: dict[str, Any], asked: dict[str, Any]) -> tuple[float, float, float, float]:
    age = named = asker = period = 1.0
    said_at = text["said_at"]
    if said_at is not None:
        age = (1 + (asked["asked_at"] - said_at) / DAY_MS) ** -0.05
        for from_ms, to_ms, reach in asked["periods"]:
            if from_ms - reach * DAY_MS <= said_at < to_ms + reach * DAY_MS:
                period = 2.0
    if text["speaker"] is not None and text["speaker"] in asked["named"]:
        named = 1.2
    if text["speaker"] is not None and text["speaker"] == asked["asker"]:
        asker = 1.5
    return age, named, asker, period
