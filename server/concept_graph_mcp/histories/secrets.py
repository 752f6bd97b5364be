"""Replace secrets in a text before it is stored: `[secret: GitHub Token]`.

The rules are data, in `secret_rules.toml`. They look at a normalized copy of the text, in which a
secret cannot hide behind letters of another alphabet, invisible characters or the end of a line.
Entropy is no sign here: ids and hashes of conversations are as random as keys.
"""

import functools
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from ..file_formats.lines import Tally

# (from, to) of a secret in a text, its kind, and whether that is a general one.
Span = tuple[int, int, str, bool]
# The part of a match that is secret, or None.
Check = Callable[[str], tuple[int, int] | None]

# Where a pattern has one of these groups, only that part is the secret.
_GROUPS = ("secret", "other", "bare", "last")
# Kinds that only words around a secret show; the others say more.
_GENERAL = ("Password", "Password in a command", "Key", "API Key")
# Greek and Cyrillic letters, and the Latin ones that they look like.
_ALIKE = str.maketrans(
    "АВСЕНІЈКМОРЅТХУасеһіјоԛрѕԝхуԁɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυıℓ",
    "ABCEHIJKMOPSTXYacehijoqpswxydgABEZHIKMNOPTYXavopuil",
)
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[A-Za-z]")
# A line that ends within a token, which the next line, one token as well, goes on.
_WRAPPED = re.compile(
    r"(?<=[A-Za-z0-9+/_-]{10})\r?\n[ \t]{0,8}"
    r"(?=(?=[A-Za-z+/_-]{0,200}\d)[A-Za-z0-9+/_-]{10,}={0,2}[\"'`]?[ \t]*$)",
    re.MULTILINE,
)
# Identifiers of programs lack what a generated token has.
_GENERATED = re.compile(r"\d|[a-z][A-Z]")
# The cells of a table between bars, tabs, commas or semicolons.
_CELLS = re.compile(r"[|\t;,]")
_RULED = re.compile(r"[\s|:=-]*")
_MOST_CELLS = 40


class Rule(NamedTuple):
    """Where `pattern` finds a secret of the kind `name`, and `check` agrees."""

    name: str
    pattern: re.Pattern[str]
    cues: Sequence[str]
    check: Check | None

    def spans(self, text: str) -> Iterator[Span]:
        for match in self.pattern.finditer(text):
            groups = match.re.groupindex
            group = next((one for one in _GROUPS if one in groups and match[one]), 0)
            first, end = match.span(group)
            if self.check is not None:
                part = self.check(match[group])
                if part is None:
                    continue
                first, end = first + part[0], first + part[1]
            yield first, end, self.name, self.name in _GENERAL


class Rules(NamedTuple):
    """The rules of `secret_rules.toml`."""

    token: re.Pattern[str]
    prefixes: dict[str, tuple[str, int]]
    rules: list[Rule]
    # A cell that heads a column of passwords.
    heading: re.Pattern[str]
    cell: re.Pattern[str]
    password_cues: Sequence[str]
    # The mark in the place of a secret.
    replaced: re.Pattern[str]


def redact_text(text: str, tally: Tally) -> str:
    """Return *text* with each secret replaced by its kind, which *tally* counts."""
    found = (span for view in _views(text) for span in _find(*view))
    replaced = [match.span() for match in _rules().replaced.finditer(text)]
    made, at = [], 0
    for first, end, kind in _merge(found):
        if any(start <= first < last for start, last in replaced):
            continue
        tally.count_changed(f"secrets redacted, {kind}")
        made += [text[at:first], f"[secret: {kind}]"]
        at = end
    return "".join([*made, text[at:]])


def _merge(found: Iterable[Span]) -> Iterator[tuple[int, int, str]]:
    """Yield the parts that *found* covers, each named by its longest special kind."""
    named = (
        (first, end, (not is_general, end - first), kind) for first, end, kind, is_general in found
    )
    merged: list[tuple[int, int, tuple[bool, int], str]] = []
    for first, end, rank, kind in sorted(named, key=lambda one: one[0]):
        if merged and first < merged[-1][1]:
            start, last, known_rank, known = merged.pop()
            best, name = (rank, kind) if rank > known_rank else (known_rank, known)
            merged.append((start, max(last, end), best, name))
        else:
            merged.append((first, end, rank, kind))
    return ((first, end, kind) for first, end, _, kind in merged)


def _views(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield *text* as the rules read it, each with the place in *text* of its every character."""
    plain, places = (text, range(len(text))) if text.isascii() else _normalize(text)
    yield plain, places
    kept: list[int] = []
    at = 0
    joined: list[str] = []
    for end in _WRAPPED.finditer(plain):
        joined.append(plain[at : end.start()])
        kept += places[at : end.start()]
        at = end.end()
    if at:
        yield "".join([*joined, plain[at:]]), [*kept, *places[at:]]


def _normalize(text: str) -> tuple[str, Sequence[int]]:
    made: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f":
            continue
        folded = unicodedata.normalize("NFKC", character)
        made.append(folded)
        places += [place] * len(folded)
    return _WORD.sub(_to_latin, "".join(made)), places


def _to_latin(word: re.Match[str]) -> str:
    """Return a word of two alphabets in one; words that are Cyrillic or Greek stay."""
    said = word[0]
    return said if said.isascii() or _LATIN.search(said) is None else said.translate(_ALIKE)


def _find(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the secrets of a view, by their places in the text itself."""
    rules, lowered = _rules(), text.lower()
    for first, end, kind, is_general in _spans(rules, text, lowered):
        if end > first:
            yield places[first], places[end - 1] + 1, kind, is_general


def _spans(rules: Rules, text: str, lowered: str) -> Iterator[Span]:
    for match in rules.token.finditer(text):
        kind, fewest = rules.prefixes[match[1]]
        token = match[2].rstrip(".")
        if len(token) >= fewest and _GENERATED.search(match[2]) is not None:
            yield match.start(), match.start(2) + len(token), kind, False
    for rule in rules.rules:
        if not rule.cues or any(cue in lowered for cue in rule.cues):
            yield from rule.spans(text)
    if any(cue in lowered for cue in rules.password_cues):
        yield from _columns(rules, text)


def _columns(rules: Rules, text: str) -> Iterator[Span]:
    """Yield the cells below the heading "password" of a table."""
    wanted: set[int] = set()
    count = at = 0
    for line in text.splitlines(keepends=True):
        cells = _CELLS.split(line, _MOST_CELLS)
        if len(cells) < 2 or len(cells) != count:
            wanted = {n for n, one in enumerate(cells) if rules.heading.fullmatch(one.strip())}
            count = len(cells) if len(cells) > 1 else 0
        elif wanted and not _RULED.fullmatch(line):
            start = at
            for number, cell in enumerate(cells):
                inner = cell.strip().strip("\"'`*")
                if number in wanted and rules.cell.fullmatch(inner):
                    first = start + cell.index(inner)
                    yield first, first + len(inner), "Password", True
                start += len(cell) + 1
        at += len(line)


@functools.cache
def _rules() -> Rules:
    # Read on demand: most processes never look for secrets.
    data = tomllib.loads(_file("secret_rules.toml"))
    parts: dict[str, str] = {}
    for name, part in data["parts"].items():
        parts[name] = _filled(part, parts)
    prefixes = {prefix: (kind, fewest) for prefix, (kind, fewest) in data["prefixes"].items()}
    longest_first = "|".join(map(re.escape, sorted(prefixes, key=len, reverse=True)))
    rules = [
        Rule(
            one["name"],
            re.compile(_filled(one["pattern"], parts), re.MULTILINE),
            data["cues"][cues] if isinstance(cues := one.get("cues", []), str) else cues,
            _CHECKS[one["check"]] if "check" in one else None,
        )
        for one in data["rule"]
    ]
    names = {*(kind for kind, _ in prefixes.values()), *(rule.name for rule in rules)}
    kinds = "|".join(map(re.escape, sorted(names)))
    return Rules(
        re.compile(rf"(?<![A-Za-z0-9])({longest_first})([A-Za-z0-9_.+/=~%!-]{{10,4000}})"),
        prefixes,
        rules,
        re.compile(rf"[\"'*_`]*(?:{parts['password']})[\"'*_`]*"),
        re.compile(rf"{parts['none']}\S{{4,200}}"),
        data["cues"]["password"],
        re.compile(rf"\[secret: (?:{kinds})\]"),
    )


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _filled(pattern: str, parts: dict[str, str]) -> str:
    pattern = pattern.replace("\\\n", "")
    return re.sub("«([a-z]+)»", lambda part: parts[part[1]], pattern)


def _mixed(said: str) -> tuple[int, int] | None:
    has_both = any(map(str.isdigit, said)) and any(map(str.isalpha, said))
    return (0, len(said)) if has_both else None


def _mixed_case(said: str) -> tuple[int, int] | None:
    return None if said.lower() == said or said.upper() == said else _mixed(said)


def _card(said: str) -> tuple[int, int] | None:
    """Return all of *said* if its last digit is right, by Luhn."""
    digits = [int(one) for one in reversed(said) if one.isdigit()]
    total = sum(digits[::2]) + sum(sum(divmod(2 * one, 10)) for one in digits[1::2])
    return (0, len(said)) if total % 10 == 0 and len(set(digits)) > 1 else None


def _iban(said: str) -> tuple[int, int] | None:
    """Return the longest beginning of *said*, in whole groups, whose check digits are right."""
    groups = said.split(" ")
    for count in range(len(groups), 0, -1):
        number = "".join(groups[:count])
        if 15 <= len(number) <= 34:
            digits = "".join(str(int(one, 36)) for one in number[4:] + number[:4])
            if int(digits) % 97 == 1:
                return 0, len(" ".join(groups[:count]))
    return None


def _recovery_phrase(said: str) -> tuple[int, int] | None:
    """Return the first twelve or more words in a row of the list of BIP 39."""
    known = _recovery_words()
    run: list[re.Match[str]] = []
    for word in re.finditer("[a-z]+", said):
        if word[0] in known:
            run.append(word)
        elif len(run) >= 12:
            break
        else:
            run = []
    return (run[0].start(), run[-1].end()) if len(run) >= 12 else None


@functools.cache
def _recovery_words() -> frozenset[str]:
    lines = _file("recovery_words.txt").splitlines()[1:]
    return frozenset(word for line in lines for word in line.split())


_CHECKS: dict[str, Check] = {
    "mixed": _mixed,
    "mixed_case": _mixed_case,
    "card": _card,
    "iban": _iban,
    "recovery_phrase": _recovery_phrase,
}


def redact_all(given: Any) -> tuple[Any, str | None]:
    """Return *given* with each secret in its texts replaced, and what was, or None.

    *given* is a text, or lists and maps with texts in them.
    """
    tally = Tally()
    made = _redact_within(given, tally)
    told = "; ".join(line.removeprefix("changed: secrets redacted, ") for line in tally.lines())
    return made, f"stored, with these secrets hidden: {told}" if told else None


def _redact_within(given: Any, tally: Tally) -> Any:
    if isinstance(given, str):
        return redact_text(given, tally)
    if isinstance(given, Mapping):
        return {key: _redact_within(one, tally) for key, one in given.items()}
    if isinstance(given, (list, tuple)):
        return [_redact_within(one, tally) for one in given]
    return given
