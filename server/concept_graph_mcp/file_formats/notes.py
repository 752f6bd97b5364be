"""Memories as notes in Markdown that a person reads and edits: a file a month, a section a memory.

A section begins with its time and speaker as a heading, and the id of its memory in a comment. A
line of what it is about and its tags may follow: `[[Clara]] #family`. All below is its text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

FORMAT: Final = "markdown"
MONTH: Final = "memories"
ENTITY: Final = "entity"

_FRONT = re.compile(r"\A---\nconcept-graph-mcp: (\w+)\n(?:.*\n)*?---\n")
_SECTION = re.compile(r"^## (.*)\n(?:<!-- memory (\S+) -->(?:\n|\Z))?", re.MULTILINE)
_LINK = r"\[\[[^\[\]\n]+\]\]"
_TAG = r"#[^\s#\[\]]+"
_NAMES = re.compile(rf"\A(?:{_LINK}|{_TAG})(?: (?:{_LINK}|{_TAG}))*(?:\n|\Z)")
# Lines of a text that would be taken for the beginning of a section, escaped or not.
_BEGINS = re.compile(r"^(\\*(?:#|<!-- memory))", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*(?:#|<!-- memory))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a month's file: its heading, the id of its memory if it has one, and its text.

    *names* are what it is about.
    """

    title: str
    memory_id: str | None
    text: str
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def kind(text: str) -> str | None:
    """Return what a file that `export` wrote holds, MONTH or ENTITY; None for another file."""
    found = _FRONT.match(normal(text))
    return None if found is None else found[1]


def month(name: str, sections: Sequence[Section]) -> str:
    """Return the file of a month."""
    return "\n".join([_front(MONTH), f"# {name}", "", *map(_write_note, sections)])


def sections(text: str) -> Iterator[Section]:
    """Iterate over the sections of a month's file."""
    parts = _SECTION.split(_FRONT.sub("", normal(text)))
    for title, memory_id, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        named = _NAMES.match(body)
        said = body[named.end() :] if named else body
        names = re.findall(_LINK, named[0]) if named else []
        tags = re.findall(_TAG, re.sub(_LINK, "", named[0])) if named else []
        yield Section(
            title.strip(),
            memory_id,
            _ESCAPED.sub(r"\1", said).strip(),
            tuple(one[2:-2] for one in names),
            tuple(one[1:] for one in tags),
        )


def section(title: str, record: Mapping[str, Any]) -> Section:
    """Return the section of a memory's record; names and tags that have no form are not in it."""
    names = [name for name in record["concepts"] if re.fullmatch(_LINK, f"[[{name}]]")]
    tags = [tag for tag in record["tags"] if re.fullmatch(_TAG, f"#{tag}")]
    text = normal(record["content"]).strip()
    return Section(title, record["id"], text, tuple(names), tuple(tags))


def entity(told: Mapping[str, Any], day: Any) -> str:
    """Return the file of an entity, from what `about` tells; *day* shows a time (unix ms)."""
    lines = [_front(ENTITY), f"# {_line(told['name'])}", ""]
    also = [_line(one) for one in told.get("also") or ()]
    lines += [f"Also: {', '.join(also)}", ""] if also else []
    lines += [f"Kind: {_line(told['kind'])}", ""] if told.get("kind") else []
    facts = [
        f"- {_line(one['predicate'])}: {_line(one['value'])}{_write_since(one, day)}"
        for one in told.get("facts") or ()
    ]
    lines += ["## Facts", "", *facts, ""] if facts else []
    said = [f"- {day(one['at'])}: {_line(one['text'])}" for one in told.get("said") or ()]
    lines += ["## Said", "", *said, ""] if said else []
    return "\n".join(lines)


def moment(title: str) -> datetime | None:
    """Return the time that a heading begins with, without a zone; None if it has none."""
    for length in (16, 10):
        try:
            return datetime.fromisoformat(title[:length])
        except ValueError:
            continue
    return None


def normal(text: str) -> str:
    """Return *text* with the line ends that the files have."""
    return text.replace("\r\n", "\n")


def _front(holds: str) -> str:
    return f"---\nconcept-graph-mcp: {holds}\n---\n"


def _write_note(one: Section) -> str:
    names = " ".join([*(f"[[{name}]]" for name in one.names), *(f"#{tag}" for tag in one.tags)])
    text = _BEGINS.sub(r"\\\1", one.text)
    head = f"## {_line(one.title)}\n<!-- memory {one.memory_id} -->\n"
    return f"{head}{names}\n\n{text}\n" if names else f"{head}\n{text}\n"


def _write_since(fact: Mapping[str, Any], day: Any) -> str:
    times = [f"{word} {day(fact[word])}" for word in ("since", "until") if fact.get(word)]
    return f" ({', '.join(times)})" if times else ""


def _line(value: Any) -> str:
    return " ".join(str(value).split())
