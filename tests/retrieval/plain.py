"""The formula once more, as plainly as it can be said: every text, every neighbour, no short cut.

Nothing of the code under test. A text is a dictionary; its neighbours are looked up in a list.
"""

from typing import Any

DAY_MS = 86_400_000


def associate(
    texts: list[dict[str, Any]], asked: dict[str, Any], limit: int, most_mentions: int = 10_000
) -> list[dict[str, Any]]:
    """Return the rows for the question *asked*: {cues, asked_at, named, asker, periods}.

    A text has id, terms {term: count}, thread, position, speaker, said_at. A cue is a term, or the
    terms that a word may be: those of the question's language, and others. A row has id, score,
    words {cue: {offset: what it gave, cubed}}, gave {cue: its sum} and factors.
    """
    mean = sum(sum(text["terms"].values()) for text in texts) / len(texts)
    rows = []
    read = cues_read(texts, asked["cues"], most_mentions)
    for text in texts:
        if not older(text, asked):
            continue
        words = {cue: given(texts, text, terms, mean, asked) for cue, terms in read.items()}
        words = {cue: parts for cue, parts in words.items() if parts}
        gave = {
            cue: (len(texts) / sum(mentioned(text, read[cue]) > 0 for text in texts)) ** 0.25
            * sum(parts.values()) ** (1 / 3)
            for cue, parts in words.items()
        }
        if gave:
            four = factors(text, asked)
            score = sum(gave.values()) * four[0] * four[1] * four[2] * four[3]
            row = {"score": score, "words": words, "gave": gave, "factors": four}
            rows.append(row | {"id": text["id"], "said_at": text["said_at"]})
    rows.sort(key=order)
    return rows[:limit]


def later_first(
    texts: list[dict[str, Any]], rows: list[dict[str, Any]], names: set[str], asked: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return *rows*, each before an older one that has the same cues and nearly the same terms.

    Nearly the same are half of all terms, where there are two cues or more; and, by one speaker,
    two rare terms and half of the shorter text, where the later has 0.7 of the score. *names* are
    first names of speakers, which are no terms here.
    """
    terms = {text["id"]: set(text["terms"]) - names for text in texts}
    cues = {row["id"]: {cue for cue in row["words"] if 0 in row["words"][cue]} for row in rows}
    made: list[dict[str, Any]] = []
    for row in rows if not asked["periods"] else []:
        for place, old in enumerate(made):
            one, other = terms[old["id"]], terms[row["id"]]
            is_later = None not in (old["said_at"], row["said_at"])
            is_later = is_later and old["said_at"] < row["said_at"]
            same = cues[old["id"]] == cues[row["id"]] != set()
            alike = len(cues[row["id"]]) > 1 and len(one & other) >= len(one | other) / 2
            if is_later and same and (alike or corrects(texts, old, row, one, other)):
                made.insert(place, row)
                break
        else:
            made.append(row)
    return made or rows


def corrects(
    texts: list[dict[str, Any]],
    old: dict[str, Any],
    row: dict[str, Any],
    one: set[str],
    other: set[str],
) -> bool:
    """Tell whether *row* names what it corrects in *old*."""
    speakers = {text["id"]: text["speaker"] for text in texts}
    few = max(5, len(texts) // 100)
    rare = [term for term in one & other if sum(term in text["terms"] for text in texts) <= few]
    return (
        speakers[old["id"]] == speakers[row["id"]]
        and row["score"] >= 0.7 * old["score"]
        and len(one & other) >= min(len(one), len(other)) / 2
        and len(rare) >= 2
    )


def order(row: dict[str, Any]) -> tuple[float, float, str]:
    age = float("inf") if row["said_at"] is None else -row["said_at"]
    return (-round(row["score"], 9), age, row["id"])


def mentioned(text: dict[str, Any], terms: dict[str, float]) -> float:
    """How often the text mentions a cue: by one of its terms, never by several together."""
    return max(text["terms"].get(term, 0) * counts for term, counts in terms.items())


def terms_of(cue: Any) -> dict[str, float]:
    if isinstance(cue, str):
        return {cue: 1.0}
    return dict.fromkeys(cue, 1.0)


def cues_read(
    texts: list[dict[str, Any]], cues: list[Any], most_mentions: int
) -> dict[Any, dict[str, float]]:
    """The terms of each cue that are read, with what a mention counts by them; rarest first."""
    terms = {cue: terms_of(cue) for cue in cues}
    counts = sorted(
        (sum(term in text["terms"] for text in texts), term) for cue in cues for term in terms[cue]
    )
    read: list[str] = []
    total = 0
    for count, term in counts:
        if count == 0:
            continue
        total += count
        if read and total > most_mentions:
            break
        read.append(term)
    left = {cue: {term: by for term, by in terms[cue].items() if term in read} for cue in cues}
    left = {cue: found for cue, found in left.items() if found}
    return dict(
        sorted(
            left.items(),
            key=lambda one: (
                sum(mentioned(text, one[1]) > 0 for text in texts),
                tuple(one[1]),
            ),
        )
    )


def older(text: dict[str, Any], asked: dict[str, Any]) -> bool:
    return text["said_at"] is None or text["said_at"] < asked["asked_at"]


def given(
    texts: list[dict[str, Any]],
    text: dict[str, Any],
    terms: dict[str, float],
    mean: float,
    asked: dict[str, Any],
) -> dict[int, float]:
    parts = {}
    for k in range(-3, 4):
        for other in neighbours(texts, text, k):
            if mentioned(other, terms) and older(other, asked):
                count, length = mentioned(other, terms), sum(other["terms"].values())
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
