"""Lines with a secret of each kind, and lines with none: `secret_lines.txt`, `harmless_lines.txt`.

Their secrets are generated here, so that no scanner of repositories takes them for real ones.
"""

import random
import re
import string
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ALL = string.ascii_letters + string.digits
LETTERS = {
    "a": ALL,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": ALL + "+/",
    "w": ALL + "-_",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "lbech": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "base58:": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base32:": string.ascii_uppercase + "234567",
}
WORDS = [
    word
    for line in (files("concept_graph_mcp.histories") / "recovery_words.txt")
    .read_text(encoding="utf-8")
    .splitlines()[1:]
    for word in line.split()
]
PLACE = re.compile(
    r"<(?:(uuid|zw|tab|seed\d+|numbered\d+|luhn\d+:\d+|grouped\d+:\d+|ibanc?:[A-Z]+)"
    r"|(base58:|base32:|l?bech|[ulahdbwp])(\d+))>"
)


class Line(NamedTuple):
    """A line, and the parts of it that are secret."""

    kind: str
    text: str
    secrets: list[str]

    def left(self, redacted: str) -> list[str]:
        """Return the secrets of which *redacted* still shows eight characters in a row."""
        return [
            one
            for one in self.secrets
            if any(piece in redacted for piece in _pieces(one, min(8, len(one))))
        ]


def _pieces(secret: str, size: int) -> list[str]:
    return [secret[at : at + size] for at in range(len(secret) - size + 1)]


def secret_lines(seed: int = 0) -> list[Line]:
    """Return a line of each kind of secret; another *seed* gives other values."""
    chance = random.Random(seed)
    return [
        _made(kind, line, chance)
        for kind, line in (one.split("\t", 1) for one in _lines("secret_lines.txt"))
    ]


def harmless_lines(seed: int = 0) -> list[str]:
    """Return the lines without a secret; another *seed* gives other hashes and ids."""
    chance = random.Random(seed)
    return [_filled(line, chance) for line in _lines("harmless_lines.txt")]


def _lines(name: str) -> list[str]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def filled(line: str) -> str:
    """Return *line* with generated values."""
    return _filled(line, random.Random(0))


def _made(kind: str, line: str, chance: random.Random) -> Line:
    text = _filled(line, chance)
    return Line(kind, text.replace("«", "").replace("»", ""), re.findall("«([^»]*)»", text))


def _filled(line: str, chance: random.Random) -> str:
    line = re.sub(r"(?<!\\)\\n", "\n", line).replace(r"\\n", r"\n")
    return PLACE.sub(lambda match: _value(match, chance), line)


def _value(place: re.Match[str], chance: random.Random) -> str:
    if place[2] is not None:
        if place[2] == "p":
            return _password(int(place[3]), chance)
        return _any_of(LETTERS[place[2]], int(place[3]), chance)
    name, _, start = place[1].partition(":")
    special = name.rstrip(string.digits)
    count = int(name[len(special) :] or 0)
    words = chance.sample(WORDS, count) if special in ("seed", "numbered") else []
    made: dict[str, Callable[[], str]] = {
        "uuid": lambda: _uuid(chance),
        "zw": lambda: "\u200b",
        "tab": lambda: "\t",
        "seed": lambda: " ".join(words),
        "numbered": lambda: " ".join(f"{at}. {word}" for at, word in enumerate(words, 1)),
        "luhn": lambda: _card(count, start, chance),
        "grouped": lambda: _grouped(_card(count, start, chance)),
        "iban": lambda: _grouped(_iban(start, chance)),
        "ibanc": lambda: _iban(start, chance),
    }
    return made[special]()


def _any_of(letters: str, count: int, chance: random.Random) -> str:
    return "".join(chance.choices(letters, k=count))


def _password(count: int, chance: random.Random) -> str:
    """Return letters with a digit and a sign among them, as people choose them."""
    made = list(_any_of(string.ascii_letters, count, chance))
    made[count // 2], made[-2] = chance.choice("!#%+"), chance.choice(string.digits)
    return "".join(made)


def _uuid(chance: random.Random) -> str:
    return "-".join(_any_of(LETTERS["h"], count, chance) for count in (8, 4, 4, 4, 12))


def _card(count: int, start: str, chance: random.Random) -> str:
    number = start + _any_of(string.digits, count - len(start) - 1, chance)
    doubled = [
        sum(divmod(int(digit) * 2, 10)) if at % 2 == 0 else int(digit)
        for at, digit in enumerate(reversed(number))
    ]
    return number + str(-sum(doubled) % 10)


def _iban(country: str, chance: random.Random) -> str:
    bank = _any_of(string.ascii_uppercase, 4, chance) if country == "GB" else ""
    account = bank + _any_of(string.digits, 18 - len(bank), chance)
    rest = f"{account}{country}00"
    check = 98 - int("".join(str(int(one, 36)) for one in rest)) % 97
    return f"{country}{check:02}{account}"


def _grouped(value: str) -> str:
    return " ".join(value[at : at + 4] for at in range(0, len(value), 4))
