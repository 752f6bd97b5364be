"""Find words that deny that two are one, English and German: a closed list, without parsing."""

from collections.abc import Iterable
from typing import Any, Final

# Not by an import statement: see `cues`.
re: Final[Any] = __import__("re")

# "Smyth, not Smith" corrects a spelling and denies nothing.
_DENIAL: Final = re.compile(
    r"(?<![,;–-] )(?<!\band )(?<!\bund )\b(?:not|nicht)\b"
    r"|\b\w+n['’]t\b|\b(?:cannot|never|neither|different|distinct|another)\b"
    r"|\b(?:some|any)(?:one|body) else\b|\b(?:are|sind) (?:two|zwei)\b"
    r"|\b(?:two|zwei) (?:different|people|persons|Personen|Leute|Menschen)\b"
    r"|\b(?:nie|niemals|keine?n?|verschiedene?|unterschiedliche?)\b"
    r"|\b(?:ein anderer|eine andere|jemand anders|jemand anderes)\b",
    re.IGNORECASE,
)


def found(said: str, names: Iterable[str]) -> str | None:
    """Return the first denial in *said*; None if there is none. A word of a name does not count."""
    for name in names:
        said = re.sub(rf"\b{re.escape(name)}\b", "…", said, flags=re.IGNORECASE)
    denial = _DENIAL.search(said)
    return str(denial.group()) if denial else None
