"""The periods that a Japanese text names: it has no blanks, so words are found as substrings."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from . import spans
from .calendar_words import DAY, MONTH, WEEK, YEAR
from .spans import Days

# A longer word precedes each word that it contains. Days ahead have negative counts.
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


def named(text: str, today: date) -> Iterator[Days]:
    """Yield the periods that words of *text* name; those with numbers are read with other dates."""
    for word, unit, count in _WORDS:
        if word in text:
            text = text.replace(word, "")
            days = spans.ago(today, unit, count)
            if days is not None:
                yield days
