"""Offer the seven everyday tools to people, under the names of the tools.

A text that a person types is the owner's own word. With --said only that is quoted, and names
outside it do not count as the owner's.
"""

import difflib
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import Any

import click

from conceptgraph_core import dates
from conceptgraph_core.concepts.schema import RELATION_TYPES
from conceptgraph_core.everyday import lines, schema
from conceptgraph_core.quoting import quote
from conceptgraph_core.text import show_name

from .. import everyday
from ..calls import everyday as verbs
from ..everyday import NOTHING_OF_USER
from ..session import Session
from .common import (
    AS_JSON,
    AT,
    Failure,
    look_only,
    name_program,
    note,
    print_json,
    say,
    unix_ms,
    with_everyday,
)
from .making import LEFT_OUT, take_options

Row = dict[str, Any]

# A name is suggested if it shares so many first letters, and is so similar.
_BEGINNING, _ALIKE = 2, 0.7
_TIMES = ("at", "since", "until")
_NOTHING = "No stored text matches these words; it may be stored in others (--also)."
# A question first gives so many of the latest texts of each kind a vector, within so many seconds.
_NEWEST = 64
_PATIENCE_S = 5.0


@click.command()
@click.argument("words", metavar="MESSAGE", nargs=-1, required=True)
@take_options(
    verbs.recall,
    message=LEFT_OUT,
    before={"metavar": "TEXT"},
    token_budget={"name": "--budget", "help": "At most this many tokens."},
    also={
        "metavar": "TEXT",
        "help": "Other words for it, such as a synonym or a name; may be given again, up to 20"
        " times.",
    },
)
@click.option("--touch", is_flag=True, help="Count an access, as the tool recall does.")
@AT
@AS_JSON
@click.pass_obj
def recall(
    embedded: str | None,
    /,
    *,
    words: tuple[str, ...],
    touch: bool,
    at: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Print what the memory has on MESSAGE: people and things, memories, associations.

    It prints what the tool recall returns to an agent. Nothing changes unless --touch is given.
    """
    look_only(at, touch)
    message = " ".join(words)

    async def work(session: Session) -> tuple[Row, str]:
        await _embed_newest(session)
        row, advice = await everyday.recall(session, message, counts=touch, **given)
        if advice is not None:
            note(advice)
        text = lines.text(
            row["lines"],
            lambda at_ms: dates.minute(at_ms, session.zone),
            lambda at_ms: dates.day(at_ms, session.zone),
        )
        found = {"text": text, "sources": row["sources"], "tokens": row["tokens"]}
        return found, "" if text else await _explain_nothing(session)

    row, why = with_everyday(embedded, work, at)
    if as_json:
        print_json({**row, "sources": [dict(one) for one in row["sources"]]})
    else:
        for line in row["text"].splitlines() or [why]:
            say(line)


async def _embed_newest(session: Session) -> None:
    """Give the latest texts their vectors: the command that stored them did not wait for it."""
    if session.embedding is None or session.until_ms is not None:
        return
    # Imported here, because no other verb needs it.
    from ..worker.embedding import embed_newest

    await embed_newest(session, _NEWEST, _PATIENCE_S)


async def _explain_nothing(session: Session) -> str:
    """Return why nothing is found: an empty store is no question of words."""
    async with aclosing(session.store.stream(1)) as batches:
        async for _ in batches:
            return _NOTHING
    return f'Nothing is stored yet. Store something: {name_program()} remember "…".'


@click.command()
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@take_options(
    verbs.search,
    query=LEFT_OUT,
    since={"metavar": "DATE", "help": "What was said from this date on."},
    until={"metavar": "DATE", "help": "And up to the end of this date."},
    about={"metavar": "NAME", "help": "Only what is about this name."},
    kinds={"name": "--kind", "help": "Only this kind; may be given again."},
    limit="At most this many.",
    also={"metavar": "TEXT", "help": "Other words for it; may be given again."},
)
@AS_JSON
@click.pass_obj
def search(embedded: str | None, /, words: tuple[str, ...], *, as_json: bool, **given: Any) -> None:
    """Search memories, people and things, and concepts for TEXT; the best come first.

    Nothing changes.
    """
    query = " ".join(words)

    async def work(session: Session) -> tuple[list[Row], int, str]:
        zone = session.zone
        ends = [
            None if given[name] is None else unix_ms(given[name], zone, f"--{name}")
            for name in ("since", "until")
        ]
        times = dict(zip(("since", "until"), ends, strict=True))
        await _embed_newest(session)
        rows, advice = await everyday.search(session, query, **given | times)
        if advice is not None:
            note(advice)
        total = rows[0]["total"] if rows else 0
        why = "" if rows else await _explain_nothing(session)
        return [_dated(session, {**one, "total": None}) for one in rows], total, why

    rows, total, why = with_everyday(embedded, work)
    if as_json:
        print_json({"found": [_plain(one) for one in rows], "total": total})
        return
    for one in rows:
        who = f", {one['who']}" if one.get("who") else ""
        say(f"{one['kind']}: {one['at'][:10]}{who}: {quote(one['text'])} ({one['id']})")
    if not rows:
        say(why)
    elif total > len(rows):
        say(f"{total - len(rows):,} more; --limit shows them.")


def _plain(row: Row) -> Row:
    made = {key: value for key, value in row.items() if value is not None}
    return {**made, "matched": list(row["matched"])}


@click.command()
@click.argument("text")
@take_options(
    verbs.remember,
    text=LEFT_OUT,
    about={
        "metavar": "NAME",
        "help": 'Names that it is about, such as "Lena" or "Lena (sister)"; may be given again.',
    },
    said={"metavar": "TEXT", "help": "Your words, to be quoted; by default TEXT."},
    replaces={
        "metavar": "ID",
        "help": "The memory that is no longer so, or the wrong fact.",
    },
    happened_at={
        "name": "--happened",
        "metavar": "TIME",
        "help": "When it was so, if not now (ISO 8601).",
    },
)
@AS_JSON
@click.pass_obj
def remember(
    embedded: str | None,
    /,
    text: str,
    about: tuple[str, ...],
    happened_at: str | None,
    *,
    as_json: bool,
    **given: Any,
) -> None:
    """Store TEXT once, with the names it is about.

    The same text again is the memory that is there, and counts as an access.
    """

    async def work(session: Session) -> Row:
        at = None if happened_at is None else unix_ms(happened_at, session.zone, "--happened")
        names = [_named(one) for one in about]
        # The owner types it: it is their own word, and no inference.
        given["said"] = given["said"] or text
        row, advice = await everyday.remember(session, text, names, happened_at=at, **given)
        if advice is not None:
            note(advice)
        return row

    row = with_everyday(embedded, work, creates=True)
    if as_json:
        print_json(row)
        return
    say(f"{'Stored already' if row['existing'] else 'Stored'}: {row['id']}")
    for one in row["similar"]:
        say(f"Similar: {quote(one['text'])} ({one['id']}); --replaces ends it")


def _named(given: str) -> str | Row:
    """Return the name of "Lena (sister)" with its kind, as `about` takes it."""
    name, opening, kind = given.removesuffix(")").rpartition(" (")
    return {"name": name, "kind": kind} if opening and given.endswith(")") else given


@click.command()
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@take_options(verbs.about, name=LEFT_OUT, limit="At most this many.")
@AS_JSON
@click.pass_obj
def about(embedded: str | None, /, *, words: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Print all that is known of NAME: facts, doubts, relations, and what was said.

    Past facts are printed too, with their end. For NAME "me" it prints a profile: who the user is,
    what is kept always, who is close, and what is coming up. Nothing changes.
    """
    name = " ".join(words)

    async def work(session: Session) -> tuple[Row, str | None]:
        row, advice = await everyday.tell_about(session, name, **given)
        if advice is not None and not row["nothing"]:
            note(advice)
        for field in ("facts", "said"):
            row[field] = [_dated(session, one) for one in row[field]]
        return row, await _find_meant(session, name) if row["nothing"] else None

    row, meant = with_everyday(embedded, work)
    if as_json:
        print_json({**row, "more": dict(row["more"])})
        return
    if row["nothing"]:
        asks = "" if meant is None else f" Did you mean {show_name(meant)}?"
        say(f"Nothing is known of {show_name(name)}.{asks}")
        return
    for line in _about_lines(row):
        say(line)


async def _find_meant(session: Session, name: str) -> str | None:
    """Return a name with the same beginning that *name* may be a misspelling of."""
    # Imported here, because a known name needs none of it.
    from ..resources import complete_name

    known = {one.casefold(): one for one in await complete_name(session, name[:_BEGINNING])}
    close = difflib.get_close_matches(name.casefold(), known, 1, _ALIKE)
    return known[close[0]] if close else None


def _dated(session: Session, row: Mapping[str, Any]) -> Row:
    times = {
        name: dates.moment(row[name], session.zone).isoformat(timespec="seconds")
        for name in _TIMES
        if row.get(name) is not None
    }
    return {**row, **times}


def _about_lines(row: Row) -> Iterator[str]:
    if row["text"] is not None:
        yield from row["text"].splitlines() or [NOTHING_OF_USER]
        return
    kind = f" ({row['kind']})" if row["kind"] else ""
    yield ", also ".join([f"{row['name']}{kind}", *row["also"]])
    if row["id"]:
        yield f"id: {row['id']}"
    if row["feeling"] is not None:
        yield f"feeling: {row['feeling']:+.2f}"
    for one in row["facts"]:
        yield f"fact: {one['predicate']}: {one['value']}{_span(one)}, {one['who']} ({one['id']})"
    yield from (f"doubt: {one}" for one in row["doubts"])
    yield from (f"relation: {one}" for one in row["relations"])
    for one in row["said"]:
        said = f"said: {one['at'][:10]}, {one['who']}: {quote(one['text'])}"
        yield f"{said}{_span({'until': one['until']})} ({one['id']})"
    more = ", ".join(f"{count:,} {what}" for what, count in row["more"].items())
    if more:
        yield f"and more: {more}; --limit shows them"


def _span(row: Mapping[str, Any]) -> str:
    return "".join(f", {name} {row[name][:10]}" for name in _TIMES[1:] if row.get(name))


@click.command()
@click.argument("id_", metavar="ID")
@take_options(
    verbs.forget,
    id=LEFT_OUT,
    reason={"metavar": "TEXT", "help": "Why: kept with it."},
)
@AS_JSON
@click.pass_obj
def forget(embedded: str | None, /, *, id_: str, as_json: bool, **given: Any) -> None:
    """Hide the memory, fact, mention or entity ID; memories restore brings it back, whole.

    With an entity go its mentions and its facts, and with a mention the facts that it alone told.
    """

    async def work(session: Session) -> Row:
        [row] = await session.run(session.call(verbs.forget, id=id_, **given))
        return {"id": row["id"], "forgotten_at": session.local(row["forgotten_at"]).isoformat()}

    row = with_everyday(embedded, work)
    if as_json:
        print_json(row)
    else:
        say(f"Forgotten; memories restore {row['id']} brings it back.")


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("relation_type", metavar="TYPE", type=click.Choice(tuple(RELATION_TYPES)))
@click.argument("target", metavar="TO")
@take_options(verbs.relate, source=LEFT_OUT, target=LEFT_OUT, type=LEFT_OUT)
@AS_JSON
@click.pass_obj
def relate(
    embedded: str | None, source: str, relation_type: str, target: str, as_json: bool
) -> None:
    """Relate two concepts: FROM is-a, part-of or evokes TO."""

    async def work(session: Session) -> Row:
        given = {"source": source, "target": target, "type": relation_type}
        [row] = await session.run(session.call(verbs.relate, **given))
        return row

    row = with_everyday(embedded, work, creates=True)
    if as_json:
        print_json(row)
    else:
        say(f"{row['from']} {row['type']} {row['to']}")


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@click.option("--same/--different", default=None, help="A and B are one, or two.")
@take_options(
    verbs.identify,
    **dict.fromkeys(("a", "b", "same"), LEFT_OUT),
    said={"metavar": "TEXT", "help": "Your words, with a name of each, to be quoted."},
)
@AS_JSON
@click.pass_obj
def identify(
    embedded: str | None, /, a: str, b: str | None, *, same: bool | None, said: str, as_json: bool
) -> None:
    """Settle who is who: A and B are --same or --different.

    A and B are names, or ids of entities. Without B, --different lets A be the name of another
    one from now on. entities unmerge takes each back.
    """
    if same is None:
        raise click.UsageError("say --same or --different")

    async def work(session: Session) -> Row:
        [row] = await session.run(session.call(verbs.identify, a=a, b=b, same=same, said=said))
        return row

    row = with_everyday(embedded, work)
    if as_json:
        print_json(row)
    elif row["verdict"] == schema.ASKED:
        raise Failure("kept as a question: --said has no name of each; quote words that have them")
    else:
        say(f"{row['verdict']}; entities unmerge {row['undo']} takes it back")
