"""Read dates: 2023-05-07, 7.5.2023, 7th of May, 5月7日, on the 23rd."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from . import spans
from .calendar_words import DAY, MONTH, WEEK, YEAR
from .period_reader import Found, Pattern, Reader, read
from .spans import Days

# The periods that a Japanese text names: it has no blanks, so words are found as substrings. A
# longer word precedes each word that it contains. Days ahead have negative counts.
_WORDS: Final = (
    ("明後日", DAY, -2),
    ("あさって", DAY, -2),
    ("明日", DAY, -1),
    ("あした", DAY, -1),
    ("一昨日", DAY, 2),
    ("おととい", DAY, 2),
    ("昨日", DAY, 1),
    ("きのう", DAY, 1),
    ("昨夜", DAY, 1),
    ("昨晩", DAY, 1),
    ("今日", DAY, 0),
    ("先々週", WEEK, 2),
    ("先週", WEEK, 1),
    ("今週", WEEK, 0),
    ("来週", WEEK, -1),
    ("先々月", MONTH, 2),
    ("先月", MONTH, 1),
    ("今月", MONTH, 0),
    ("来月", MONTH, -1),
    ("一昨年", YEAR, 2),
    ("去年", YEAR, 1),
    ("昨年", YEAR, 1),
    ("今年", YEAR, 0),
    ("来年", YEAR, -1),
)
# These words follow a number: 2023年5月7日, and 3日前 for three days ago.
OF_YEAR: Final = "年"
OF_MONTH: Final = "月"
OF_DAY: Final = "日"
AGO: Final = (
    ("日前", DAY),
    ("週間前", WEEK),
    ("か月前", MONTH),
    ("ヶ月前", MONTH),
    ("カ月前", MONTH),
    ("ヵ月前", MONTH),
    ("年前", YEAR),
)


def find_named_days(text: str, today: date) -> Iterator[Days]:
    """Yield the periods that words of *text* name; those with numbers are read with other dates."""
    for word, unit, count in _WORDS:
        if word in text:
            text = text.replace(word, "")
            days = spans.count_back(today, unit, count)
            if days is not None:
                yield days


def iso(reader: Reader, at: int) -> Found:
    """2023-05-07, 2023-05."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.year is None or b.number is None or b.gap != "-" or len(b.text) != 2:
        return None
    if c.number is not None and c.gap == "-":
        return read(spans.of_day(a.year, b.number, c.number), 3)
    return read(spans.of_month(a.year, b.number), 2)


def read_dotted(reader: Reader, at: int) -> Found:
    """7.5.2023."""
    a, b, c = (reader.token(at + offset) for offset in range(3))
    if a.number is None or b.number is None or c.year is None or b.gap + c.gap != "..":
        return None
    return read(spans.of_day(c.year, b.number, a.number), 3)


def japanese_date(reader: Reader, at: int) -> Found:
    """2023年5月7日, 2023年5月, 2023年."""
    a, b, c, d, e, f = (reader.token(at + offset) for offset in range(6))
    if a.year is None or not b.text.startswith(OF_YEAR):
        return None
    if c.number is None or not d.text.startswith(OF_MONTH):
        return read(spans.of_year(a.year), 2)
    if e.number is None or not f.text.startswith(OF_DAY):
        return read(spans.of_month(a.year, c.number), 4)
    return read(spans.of_day(a.year, c.number, e.number), 6)


def japanese_day(reader: Reader, at: int) -> Found:
    """5月7日; 3日前, 2週間前."""
    a, b, c, d = (reader.token(at + offset) for offset in range(4))
    if a.number is None or b.gap:
        return None
    for ending, unit in AGO:
        if b.text.startswith(ending):
            return read(spans.count_back(reader.today, unit, a.number), 2)
    if c.number is None or d.text[:1] != OF_DAY or b.text != OF_MONTH:
        return None
    return read(spans.latest_day(reader.today, a.number, c.number), 4)


def day_of_month(reader: Reader, at: int) -> Found:
    """7 May 2023, 7th of May, 7. Mai, 7 de mayo de 2023."""
    day, month_at = reader.token(at).number, at + 1
    if day is None or day > 31:
        return None
    for skipped in ("ordinal", "of"):
        month_at += reader.match(skipped, month_at)[1]
    month, length = reader.match("month", month_at)
    if month is None:
        return None
    end = month_at + length
    return _make_date(reader, at, end, month, day)


def month_and_day(reader: Reader, at: int) -> Found:
    """May 2023; May 7th, 2023; May 7."""
    month, length = reader.match("month", at)
    then = reader.token(at + length)
    if month is None or then.number is None:
        return None
    if then.year is not None:
        return read(spans.of_month(then.year, month), length + 1)
    end = at + length + 1
    return _make_date(reader, at, end + reader.match("ordinal", end)[1], month, then.number)


def _make_date(reader: Reader, at: int, end: int, month: int, day: int) -> Found:
    """Return that day, of the year that stands at *end*, if one does."""
    year_at = end + reader.match("of", end)[1]
    year = reader.token(year_at).year
    if year is not None:
        return read(spans.of_day(year, month, day), year_at + 1 - at)
    choose = spans.coming_day if reader.is_ahead else spans.latest_day
    return read(choose(reader.today, month, day), end - at)


def ordinal(reader: Reader, at: int) -> Found:
    """On the 23rd, am 23.: at the end, as "on the 2nd floor" is no day."""
    length = reader.match("on", at)[1]
    day = reader.token(at + length).number
    if not length or day is None or not 1 <= day <= 31:
        return None
    end = at + length + 1
    ordinal, then = reader.match("ordinal", end)[1], reader.token(end)
    if ordinal:
        is_day = not reader.goes_on(end + ordinal)
    else:
        is_dotted = then.gap.startswith(".") and then.number is None
        is_day = not then.text or (is_dotted and not reader.match("month", end)[1])
    if not is_day:
        return None
    end += ordinal
    months = range(0, 12) if reader.is_ahead else range(0, -12, -1)
    number = 12 * reader.today.year + reader.today.month - 1
    for month in (number + one for one in months):
        found = spans.of_day(month // 12, month % 12 + 1, day)
        if found is not None and (
            found.first >= reader.today if reader.is_ahead else found.first <= reader.today
        ):
            return read(found, end - at)
    return None


PATTERNS: Final[tuple[Pattern, ...]] = (
    iso,
    read_dotted,
    japanese_date,
    japanese_day,
    day_of_month,
    month_and_day,
)
