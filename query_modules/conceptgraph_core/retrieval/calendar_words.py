"""The case-folded English, German and Japanese words for days, weeks, months and years."""

from typing import Final

_MONTHS: Final = (
    "january jan januar jänner",
    "february feb februar",
    "march mar märz",
    "april apr",
    "may mai",
    "june jun juni",
    "july jul juli",
    "august aug",
    "september sep sept",
    "october oct oktober okt",
    "november nov",
    "december dec dezember dez",
)
_WEEKDAYS: Final = (
    "monday montag",
    "tuesday dienstag",
    "wednesday mittwoch",
    "thursday donnerstag",
    "friday freitag",
    "saturday samstag sonnabend",
    "sunday sonntag",
)
# 1 … 12 and 0 … 6, as `datetime` counts them.
MONTHS: Final = {word: n for n, words in enumerate(_MONTHS, 1) for word in words.split()}
WEEKDAYS: Final = {word: n for n, words in enumerate(_WEEKDAYS) for word in words.split()}

DAY: Final = "day"
WEEK: Final = "week"
WEEKEND: Final = "weekend"
MONTH: Final = "month"
YEAR: Final = "year"

UNITS: Final = {
    "day": DAY,
    "days": DAY,
    "tag": DAY,
    "tage": DAY,
    "tagen": DAY,
    "week": WEEK,
    "weeks": WEEK,
    "woche": WEEK,
    "wochen": WEEK,
    "weekend": WEEKEND,
    "wochenende": WEEKEND,
    "month": MONTH,
    "months": MONTH,
    "monat": MONTH,
    "monate": MONTH,
    "monaten": MONTH,
    "year": YEAR,
    "years": YEAR,
    "jahr": YEAR,
    "jahre": YEAR,
    "jahren": YEAR,
}
# A word for one day -> how many days ago it was.
DAYS_AGO: Final = {
    "yesterday": 1,
    "today": 0,
    "tonight": 0,
    "gestern": 1,
    "vorgestern": 2,
    "heute": 0,
}
NIGHT: Final = frozenset({"night"})
PARTS_OF_A_DAY: Final = frozenset({"morning", "afternoon", "evening"})

_ENDINGS: Final = ("e", "en", "em", "er", "es")
LAST: Final = frozenset(
    (
        *("last", "previous", "past"),
        *(stem + ending for stem in ("letzt", "vorig", "vergangen") for ending in _ENDINGS),
    )
)
THIS: Final = frozenset(("this", *("dies" + ending for ending in _ENDINGS)))
ON: Final = frozenset({"on", "am"})
IN: Final = frozenset({"in", "during", "since", "year", "im", "seit", "jahr"})
OF: Final = frozenset({"of"})
ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
AGO: Final = frozenset({"ago"})
# German puts this word before the number.
BEFORE: Final = frozenset({"vor"})

NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer",
            "two couple zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
        ),
        1,
    )
    for word in words.split()
}

# Substrings, since Japanese has no blanks. A longer word precedes each word that it contains.
JAPANESE: Final = (
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
    ("先々月", MONTH, 2),
    ("先月", MONTH, 1),
    ("今月", MONTH, 0),
    ("一昨年", YEAR, 2),
    ("去年", YEAR, 1),
    ("昨年", YEAR, 1),
    ("今年", YEAR, 0),
)
# These words follow a number: 2023年5月7日, and 3日前 for three days ago.
JAPANESE_YEAR: Final = "年"
JAPANESE_MONTH: Final = "月"
JAPANESE_DAY: Final = "日"
JAPANESE_AGO: Final = (
    ("日前", DAY),
    ("週間前", WEEK),
    ("か月前", MONTH),
    ("ヶ月前", MONTH),
    ("カ月前", MONTH),
    ("ヵ月前", MONTH),
    ("年前", YEAR),
)
