"""Write a user's memories and entities as notes in Markdown: a file a month, and one an entity.

A section is a memory: its time and speaker as a heading, its id in a comment, what it is about and
its tags (`[[Clara]] #family`), and its text. The notes are only read: nothing takes edits back.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from conceptgraph_core.memories import schema

from .. import everyday
from ..errors import Refused
from ..file_formats import Tally
from ..histories.markdown import OURS
from ..session import Session
from . import output
from .common import Failure
from .owned import records_of
from .progress import progress

FORMAT: Final = "markdown"
_TOLD: Final = 20
_LONGEST_NAME: Final = 80
# Some file systems do not take these in a name.
_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
# Lines of a text that would be taken for the beginning of a section.
_BEGINS = re.compile(r"^(\\*(?:#|<!-- memory))", re.MULTILINE)


async def write(session: Session, folder: Path, force: bool) -> tuple[int, Tally]:
    """Write the notes of the session's user into *folder*.

    Returns the number of memories and entities, and what was left out. Raises Failure.
    """
    with output.told(folder):
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise Failure(f"{folder}: is not empty; --force writes into it")
    tally, months = Tally(), dict[str, list[tuple[int, str]]]()
    entities: dict[str, str] = {}
    async for batch in records_of(session, session.user_id):
        for record in batch:
            if record["kind"] == "memory":
                _add_memory(session, record, months, tally)
            elif record["kind"] == "entity":
                entities[str(record["id"])] = str(record["node_label"])
    with output.told(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, dated in sorted(months.items()):
            dated.sort(key=lambda one: one[0])
            text = "\n".join([f"{OURS} memories\n---", f"# {name}", "", *(one for _, one in dated)])
            _write_file(folder / "memories" / f"{name}.md", text)
        taken: set[str] = set()
        with progress("writing entities", len(entities)) as done:
            for entity_id, label in sorted(entities.items()):
                await _write_entity(session, folder / "entities", (entity_id, label), taken)
                done(len(taken))
    return sum(map(len, months.values())) + len(taken), tally


def _add_memory(
    session: Session,
    record: Mapping[str, Any],
    months: dict[str, list[tuple[int, str]]],
    tally: Tally,
) -> None:
    if record.get("deleted_at") is not None or record.get("valid_until") is not None:
        tally.left_out("memories that were forgotten, replaced or have expired")
        return
    if record["content"] == schema.SILENT:
        return
    at = record["created_at"] if record.get("said_at") is None else record["said_at"]
    time = session.local(at)
    speaker = f", {_line(record['speaker'])}" if record.get("speaker") else ""
    names = [f"[[{one}]]" for one in record["concepts"] if not re.search(r"[\[\]\n]", one)]
    names += [f"#{tag}" for tag in record["tags"] if not re.search(r"[\s#\[\]]", tag)]
    text = _BEGINS.sub(r"\\\1", record["content"].replace("\r\n", "\n").strip())
    head = f"## {time:%Y-%m-%d %H:%M}{speaker}\n<!-- memory {record['id']} -->\n"
    about = f"{' '.join(names)}\n" if names else ""
    months.setdefault(f"{time:%Y-%m}", []).append((at, f"{head}{about}\n{text}\n"))


async def _write_entity(
    session: Session, folder: Path, entity: tuple[str, str], taken: set[str]
) -> None:
    entity_id, label = entity
    try:
        told, _ = await everyday.about(session, label, _TOLD, entity_id, embeds=False)
    except Refused:
        # It was merged into another one, or has ended.
        return
    name = _UNFIT.sub(" ", str(told["name"])).strip(" .")[:_LONGEST_NAME] or "entity"
    if name.casefold() in taken:
        name = f"{name} {entity_id[-8:]}"
    taken.add(name.casefold())
    text = _tell_entity(told, lambda at: f"{session.local(at):%Y-%m-%d}")
    _write_file(folder / f"{name}.md", text)


def _tell_entity(told: Mapping[str, Any], day: Callable[[int], str]) -> str:
    """Return the file of an entity, from what `about` tells."""
    lines = [f"{OURS} entity\n---", f"# {_line(told['name'])}", ""]
    also = [_line(one) for one in told.get("also") or ()]
    lines += [f"Also: {', '.join(also)}", ""] if also else []
    lines += [f"Kind: {_line(told['kind'])}", ""] if told.get("kind") else []
    facts = []
    for one in told.get("facts") or ():
        times = [f"{word} {day(one[word])}" for word in ("since", "until") if one.get(word)]
        when = f" ({', '.join(times)})" if times else ""
        facts.append(f"- {_line(one['predicate'])}: {_line(one['value'])}{when}")
    lines += ["## Facts", "", *facts, ""] if facts else []
    said = [f"- {day(one['at'])}: {_line(one['text'])}" for one in told.get("said") or ()]
    lines += ["## Said", "", *said, ""] if said else []
    return "\n".join(lines)


def _write_file(file: Path, text: str) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with output.replacing(file, force=True) as stream:
        stream.write(text.encode("utf-8", "replace"))


def _line(value: Any) -> str:
    return " ".join(str(value).split())
