"""Write a user's memories and entities as notes into a folder, and take edited notes back."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from conceptgraph_core.memories import schema

from .. import calls, everyday
from ..errors import Refused
from ..file_formats import Tally, notes
from ..histories import secrets
from ..session import Session
from . import output
from .common import Failure
from .owned import records_of
from .progress import progress

# The sources whose memories are values of programs: these are edited in place.
PROGRAMS: Final = frozenset({"claude", "langgraph", "openai-agents", "google-adk"})
_TOLD: Final = 20
_LONGEST_NAME: Final = 80
# The ids of the memories that were written into a folder, a line each.
_WRITTEN: Final = ".concept-graph-mcp"
_REASON: Final = "its section was deleted from the notes"
# Texts shown before they are forgotten.
_SHOWN: Final = 20
# Some file systems do not take these in a name.
_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')


async def write(session: Session, folder: Path, force: bool) -> tuple[int, Tally]:
    """Write the notes of the session's user into *folder*.

    Returns the number of memories and entities, and what was left out. Raises Failure.
    """
    with output.told(folder):
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise Failure(f"{folder}: is not empty; --force writes into it")
    tally, months = Tally(), dict[str, list[tuple[int, notes.Section]]]()
    entities: dict[str, str] = {}
    async for batch in records_of(session, session.user_id):
        for record in batch:
            if record["kind"] == "memory":
                _add(session, record, months, tally)
            elif record["kind"] == "entity":
                entities[str(record["id"])] = str(record["node_label"])
    with output.told(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, dated in sorted(months.items()):
            dated.sort(key=lambda one: one[0])
            _file(folder / "memories" / f"{name}.md", notes.month(name, [one for _, one in dated]))
        written = (one.memory_id for dated in months.values() for _, one in dated)
        _file(folder / _WRITTEN, "".join(f"{one}\n" for one in written))
        taken: set[str] = set()
        with progress("writing entities", len(entities)) as done:
            for entity_id, label in sorted(entities.items()):
                await _entity(session, folder / "entities", (entity_id, label), taken)
                done(len(taken))
    return sum(map(len, months.values())) + len(taken), tally


def _add(
    session: Session,
    record: Mapping[str, Any],
    months: dict[str, list[tuple[int, notes.Section]]],
    tally: Tally,
) -> None:
    if record.get("deleted_at") is not None or record.get("valid_until") is not None:
        tally.left_out("memories that were forgotten, replaced or have expired")
    elif record["content"] != schema.SILENT:
        at = record["created_at"] if record.get("said_at") is None else record["said_at"]
        time = session.local(at)
        speaker = f", {record['speaker']}" if record.get("speaker") else ""
        made = notes.section(f"{time:%Y-%m-%d %H:%M}{speaker}", record)
        months.setdefault(f"{time:%Y-%m}", []).append((at, made))


async def _entity(session: Session, folder: Path, entity: tuple[str, str], taken: set[str]) -> None:
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
    _file(folder / f"{name}.md", notes.entity(told, lambda at: f"{session.local(at):%Y-%m-%d}"))


def _file(file: Path, text: str) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with output.replacing(file, force=True) as stream:
        stream.write(text.encode("utf-8", "replace"))


async def forget_deleted(session: Session, folder: Path, *, dry_run: bool, yes: bool) -> int:
    """Forget the memories whose sections somebody deleted from *folder*; return how many.

    Shows them first and, without *yes*, asks. Raises Failure if `write` has not written *folder*.
    """
    # Imports what a terminal needs, which other commands do not.
    from .memory_tables import shortened
    from .terminal import say

    with output.told(folder):
        written, there = _written_into(folder), _sections_in(folder)
    taking = TakingBack(session, Tally(), dry_run)
    found = [await taking.versions(one) for one in written if one not in there]
    gone = {rows[-1]["memory_id"]: rows for rows in found if rows}
    gone = {memory_id: rows for memory_id, rows in gone.items() if memory_id not in there}
    for memory_id, rows in [*gone.items()][:_SHOWN]:
        say(f"deleted from the notes: {memory_id}: {shortened(rows[-1]['content'])}")
    if len(gone) > _SHOWN:
        say(f"and {len(gone) - _SHOWN:,} more")
    if not gone or dry_run:
        return 0
    if not yes:
        click.confirm("Forget them? restore brings each back.", abort=True)
    for rows in gone.values():
        # The old ones first, for a forgotten correction gives way to what it replaced.
        for row in rows:
            if row["deleted_at"] is None:
                await session.run(calls.memories.forget(row["memory_id"], _REASON))
    return len(gone)


def _written_into(folder: Path) -> list[str]:
    try:
        return (folder / _WRITTEN).read_text(encoding="utf-8").split()
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(
            f"{folder}: was not written by export --format markdown, so that nobody knows which"
            " sections are deleted"
        ) from None


def _sections_in(folder: Path) -> set[str | None]:
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in folder.rglob("*.md"))
    months = (text for text in texts if notes.kind(text) == notes.MONTH)
    return {section.memory_id for text in months for section in notes.sections(text)}


@dataclass
class TakingBack:
    """Takes back the edits of a month's file; `created` counts new texts and edited ones."""

    session: Session
    tally: Tally
    dry_run: bool
    created: int = 0
    existing: int = 0
    # Sections without an id, which are new memories.
    new: list[notes.Section] = field(default_factory=list)

    async def file(self, text: str) -> None:
        """Take back the edits of a file, whose *text* `notes.kind` calls a month's."""
        for section in notes.sections(text):
            if not section.text:
                self.tally.left_out("sections without text", section.memory_id or "")
            elif section.memory_id is None:
                self.new.append(section)
            else:
                await self._section(section, section.memory_id)

    async def _section(self, section: notes.Section, memory_id: str) -> None:
        row = await self._latest(memory_id)
        if row is None:
            self.tally.left_out("sections of memories that the store lacks", memory_id)
        elif notes.normal(row["content"]).strip() != section.text:
            await self._edited(section, row)
        elif row["memory_id"] == memory_id and _names(row) != (section.names, section.tags):
            await self._named(section, row)
        else:
            self.existing += 1

    async def _latest(self, memory_id: str) -> dict[str, Any] | None:
        """Return the memory, or the one that has replaced it."""
        rows = await self.versions(memory_id)
        return rows[-1] if rows else None

    async def versions(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the memory and those that have replaced it; none if the last was forgotten."""
        rows: dict[str, dict[str, Any]] = {}
        while memory_id not in rows:
            try:
                [row] = await self.session.run(calls.memory_admin.show(memory_id))
            except Refused:
                break
            rows[memory_id] = row
            memory_id = row["contradicted_by"] or memory_id
        found = [*rows.values()]
        return found if found and found[-1]["deleted_at"] is None else []

    async def _edited(self, section: notes.Section, row: Mapping[str, Any]) -> None:
        """Let the edited text replace the stored one, which is kept as what was said before."""
        self.created += 1
        text = secrets.redact_text(section.text, self.tally)
        self.tally.count_changed("memories whose text was edited")
        if self.dry_run:
            return
        user = self.session.user_id
        if row["source"] in PROGRAMS:
            call = calls.memories.update(user, row["memory_id"], content=text)
        else:
            call = self.session.call(
                calls.everyday.remember,
                text=text,
                about=[*section.names],
                keep=_kept(row),
                replaces=row["memory_id"],
            )
        await self.session.run(call)

    async def _named(self, section: notes.Section, row: Mapping[str, Any]) -> None:
        """Set the names and tags of a section; those that it cannot show stay."""
        self.tally.count_changed("memories whose names or tags were edited")
        self.created += 1
        names, tags = _names(row)
        concepts = [one for one in row["concepts"] if one not in names]
        other_tags = [one for one in row["tags"] if one not in tags]
        if not self.dry_run:
            call = calls.memories.update(
                self.session.user_id,
                row["memory_id"],
                concepts=[*concepts, *section.names],
                tags=[*other_tags, *section.tags],
            )
            await self.session.run(call)

    def messages(self, otherwise_ms: int) -> Iterator[dict[str, Any]]:
        """Iterate over the new texts as records of a history, at the time of their heading."""
        for section in self.new:
            at = notes.moment(section.title)
            time = otherwise_ms
            if at is not None:
                time = round(at.replace(tzinfo=self.session.zone).timestamp() * 1000)
            digest = hashlib.sha256(f"{section.title}\0{section.text}".encode()).hexdigest()[:32]
            yield {
                "key": f"note {digest}",
                "thread": f"Notes {digest}",
                "speaker": "user",
                "time_ms": time,
                "text": section.text,
                "concepts": list(section.names),
                "tags": list(section.tags),
            }


def _names(row: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and tags of a memory that its section shows."""
    shown = notes.section("", {**row, "id": row["memory_id"]})
    return shown.names, shown.tags


def _kept(row: Mapping[str, Any]) -> str:
    """Return for how long a memory matters, as `remember` takes it."""
    if row["preserved"]:
        return "always"
    return "years" if row["importance"] >= 0.9 else "days" if row["importance"] <= 0.3 else "normal"
