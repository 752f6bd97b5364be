"""Export a graph to one file, to notes in Markdown, or as a life to train on.

`python -m benchmarks.train` reads a life, made of kept questions. One is written if something tells
what belongs to it: it was asked again with other words soon after, and more was shown, or a text
that it was shown was soon forgotten.
"""

import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from conceptgraph_core import __version__
from conceptgraph_core.everyday.schema import ALWAYS_TAGS, DAYS_TAG, DEFAULT_KEEP, KEEP
from conceptgraph_core.memories import schema
from conceptgraph_core.memories.projects import TAG
from conceptgraph_core.texts import dates
from conceptgraph_core.texts.folding import plain
from conceptgraph_core.verbs import limits

from .. import answers, calls
from ..calls.call import spoken
from ..errors import Refused
from ..file_formats import native
from ..file_formats.lines import Tally
from ..histories.markdown import OURS
from ..hosts.store import KeptStore
from ..session import Session
from ..settings import Settings
from .common import (
    AS_JSON,
    PATH,
    Failure,
    configured,
    note,
    place_file,
    print_json,
    progress,
    replace_file,
    report_errors,
    waiting,
    with_keeper,
    with_session,
)

Row = Mapping[str, Any]
NAME: Final = "training"
# An event so soon after a question was answered tells whether the answer was right.
_SOON_MS: Final = 3_600_000


async def make_life(session: Session) -> dict[str, Any]:
    """Return the life of the session's user. Raises Failure, StoreError."""
    asked = [row async for row in _list_asked(session)]
    if not asked:
        raise Failure("no question was kept: set keep_questions = true, and ask")
    memories: dict[str, Row] = {}
    kinds: dict[str, str | None] = {}
    async for batch in session.store.stream(only=calls.transfer.exported_by(session.user_id)):
        for record in batch:
            if record["kind"] == schema.KIND.kind and record["content"] != schema.SILENT:
                memories[str(record["id"])] = record
            elif record["kind"] == "entity":
                kinds[str(record["node_label"])] = record.get("entity_kind")
    told = list(_judge(asked, memories))
    if not told:
        raise Failure(
            f"none of the kept questions ({len(asked):,}) was asked again with also, and no text"
            " that one was shown was forgotten soon after"
        )
    forgotten = {one for row in told for one in row["gone"]}
    written = {
        key: one
        for key, one in memories.items()
        if key in forgotten or (one.get("deleted_at") is None and one.get("valid_until") is None)
    }
    rows = [{**row, "notes": [one for one in row["notes"] if one in written]} for row in told]
    fields = "id", "ask", "also", "answers", "notes", "project"
    return {
        "user": session.user_id,
        "asked_at": _iso(session.clock.now_ms()),
        "languages": ",".join(spoken()),
        "kind": "person",
        "messages": [
            _make_message(key, one, kinds)
            for key, one in sorted(written.items(), key=lambda pair: pair[1]["created_at"])
        ],
        "questions": [{name: row[name] for name in fields} for row in rows if row["notes"]],
        "unanswerable": [row["ask"] for row in rows if not row["notes"]],
        "silence": [],
    }


async def _list_asked(session: Session) -> Any:
    after = None
    while rows := await session.run(session.call(calls.everyday.questions, after=after)):
        for row in rows:
            yield row
        after = rows[-1]["id"]


def _judge(asked: Sequence[Row], memories: Mapping[str, Row]) -> Iterator[Row]:
    """Yield each question of which something tells what belongs, the last time it was asked."""
    found: dict[tuple[str, str | None], Row] = {}
    for number, row in enumerate(asked):
        until = row["asked_at"] + _SOON_MS
        shown = dict.fromkeys(row["shown"])
        more = _find_more(asked, number)
        if more is not None:
            shown |= dict.fromkeys(more["shown"])
        gone = [
            one
            for one in shown
            if row["asked_at"] <= (memories.get(one, {}).get("deleted_at") or 0) <= until
        ]
        if more is not None or gone:
            found[plain(row["message"]), row["project"]] = {
                "id": row["id"],
                "ask": row["message"],
                "also": list((more or row)["also"]),
                "answers": [],
                "notes": [one for one in shown if one not in gone],
                "project": row["project"],
                "gone": gone,
            }
    yield from found.values()


def _find_more(asked: Sequence[Row], number: int) -> Row | None:
    """Return the question that asks the same soon after with other words, and was shown more."""
    row = asked[number]
    for place in range(number + 1, len(asked)):
        one = asked[place]
        if one["asked_at"] > row["asked_at"] + _SOON_MS:
            return None
        is_same = (
            plain(one["message"]) == plain(row["message"]) and one["project"] == row["project"]
        )
        if is_same and one["also"] and not {*one["shown"]} <= {*row["shown"]}:
            return one
    return None


def _make_message(key: str, memory: Row, kinds: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the message in which a memory was kept, with the arguments of `remember`."""
    tags = memory["tags"]
    keep = DEFAULT_KEEP
    if ALWAYS_TAGS.issubset(tags):
        keep = "always"
    elif DAYS_TAG in tags:
        keep = "days"
    elif memory["importance_score"] >= KEEP["years"].importance:
        keep = "years"
    # The kind of a name is one of its search terms too.
    known = {kinds.get(one) for one in memory["concepts"]}
    about = [
        {"name": one, "kind": kinds[one]} if kinds.get(one) else one
        for one in memory["concepts"]
        if one not in known
    ]
    kept: dict[str, Any] = {"key": key, "text": memory["content"], "keep": keep}
    kept["about"] = about[: limits.MOST_ABOUT]
    if (at := memory.get("said_at")) is not None:
        kept["happened_at"] = _iso(at)
    made: dict[str, Any] = {"at": _iso(memory["created_at"]), "said": memory.get("said")}
    if named := [one.removeprefix(TAG) for one in tags if one.startswith(TAG)]:
        made["project"] = named[0]
    return {**made, "keeps": [kept]}


def _iso(time_ms: int) -> str:
    return f"{dates.moment(time_ms, UTC):%Y-%m-%dT%H:%M:%S}"


Batches = AsyncIterator[list[dict[str, Any]]]

MARKDOWN: Final = "markdown"
_TOLD: Final = 20
_LONGEST_NAME: Final = 80
# Some file systems do not take these in a name.
_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
# Lines of a text that would be taken for the beginning of a section.
_BEGINS = re.compile(r"^(\\*(?:#|<!-- memory))", re.MULTILINE)


async def write_notes(session: Session, folder: Path, force: bool) -> tuple[int, Tally]:
    """Write the notes of the session's user into *folder*.

    Returns the number of memories and entities, and what was left out. Raises Failure.
    """
    with report_errors(folder):
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise Failure(f"{folder}: is not empty; --force writes into it")
    tally, months = Tally(), dict[str, list[tuple[int, str]]]()
    entities: dict[str, str] = {}
    async for batch in session.store.stream(only=calls.transfer.exported_by(session.user_id)):
        for record in batch:
            if record["kind"] == "memory":
                _add_memory(session, record, months, tally)
            elif record["kind"] == "entity":
                entities[str(record["id"])] = str(record["node_label"])
    with report_errors(folder):
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
        told, _ = await answers.about(session, label, _TOLD, entity_id, embeds=False)
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
    with replace_file(file, force=True) as stream:
        stream.write(text.encode("utf-8", "replace"))


def _line(value: Any) -> str:
    return " ".join(str(value).split())


@click.command()
@click.argument("file", type=PATH)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option(
    "--format",
    "name",
    type=click.Choice([native.NATIVE, MARKDOWN, NAME]),
    default=native.NATIVE,
    show_default=True,
    help="The format of FILE.",
)
@AS_JSON
@click.pass_obj
def export(embedded: str | None, file: Path, force: bool, name: str, as_json: bool) -> None:
    """Write the whole graph to FILE ("-": stdout), one JSON record a line.

    \b
    FILE is one of
      concept-graph   all there is; what import brings into another store
      markdown        a folder of notes to read, of one user: a file a month, a
                      file an entity
      training        one user's memories and kept questions, for
                      python -m benchmarks.train
    """
    is_mixed = as_json and str(file) == "-"
    if name == MARKDOWN and not is_mixed:
        _export_notes(embedded, file, force, as_json)
        return
    if name == NAME and not is_mixed:
        _export_life(embedded, file, force, as_json)
        return
    count = export_records(configured(embedded), file, force, as_json, _read_all)
    if as_json:
        print_json({"records": count, "file": str(file), "counts": {}})


def export_records(
    chosen: Settings, file: Path, force: bool, as_json: bool, read: Callable[[Session], Batches]
) -> int:
    """Write an export of what *read* yields to *file*, and print and return its size."""
    if as_json and str(file) == "-":
        raise click.UsageError("--json is for a file; stdout has the records")

    async def work(session: Session, _: KeptStore) -> int:
        with destination(file, force) as stream:
            return await write_records(read(session), stream)

    with report_errors(file):
        if str(file) != "-":
            # Checked before the store is opened: no graph is read for a file that cannot be
            # written.
            place_file(file, force)
        count = with_keeper(None, work, chosen=chosen)
    if not as_json:
        note(f"{count:,} records written to {'stdout' if str(file) == '-' else file}.")
    return count


def _export_notes(embedded: str | None, folder: Path, force: bool, as_json: bool) -> None:
    if str(folder) == "-" or folder.is_file():
        raise click.UsageError("name a folder for the notes")

    async def work(session: Session) -> tuple[int, Tally]:
        return await write_notes(session, folder, force)

    count, tally = with_session(embedded, work)
    if as_json:
        print_json({"notes": count, "folder": str(folder), "counts": tally.counts()})
        return
    note(f"{count:,} notes written to {folder}.")
    for line in tally.lines():
        note(line)


def _export_life(embedded: str | None, file: Path, force: bool, as_json: bool) -> None:
    with report_errors(file):
        if str(file) != "-":
            place_file(file, force)
        life = with_session(embedded, make_life)
        with destination(file, force) as stream:
            stream.write(json.dumps(life, ensure_ascii=False, indent=1).encode() + b"\n")
    counts = {"questions": len(life["questions"]) + len(life["unanswerable"])}
    counts["memories"] = len(life["messages"])
    if as_json:
        print_json({**counts, "file": str(file)})
        return
    told = f"{counts['questions']:,} questions and {counts['memories']:,} memories"
    note(f"{told} written to {'stdout' if str(file) == '-' else file}.")


@contextmanager
def destination(file: Path, force: bool) -> Iterator[BinaryIO]:
    """Yield the stream to write *file* with, or stdout for "-"."""
    if str(file) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with replace_file(file, force) as stream:
            yield stream


async def write_records(batches: Batches, stream: BinaryIO) -> int:
    """Write an export of the records in *batches*, and return their number."""
    count, head = 0, [json.dumps(native.header(__version__)).encode() + b"\n"]
    async for batch in batches:
        stream.writelines([*head, *(native.line(record).encode() for record in batch)])
        count, head = count + len(batch), []
    stream.writelines(head)
    return count


async def _read_all(session: Session) -> Batches:
    """Iterate over all records of the store in batches, and report the progress."""
    with waiting("counting"):
        measures = await session.run(calls.transfer.stats())
    expected = sum(row["value"] for row in measures if row["kind"] != "time")
    count = 0
    with progress("exporting", expected) as done:
        async for batch in session.store.stream():
            yield batch
            count += len(batch)
            done(count)
