"""Offer the everyday tools to people, under the names of the tools and with their results.

A text that a person types is the owner's own word. With --said only that is quoted, and names
outside it do not count as the owner's.
"""

import difflib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final, NamedTuple

import click

from conceptgraph_core.everyday import schema
from conceptgraph_core.texts.quoting import quote
from conceptgraph_core.texts.text import show_name

from ..answers import NOTHING_OF_USER, Answers
from ..calls import everyday as verbs
from ..calls.verb import RuleVerb
from ..session import Session, advised
from ..times import find_moments, read_moments
from .common import (
    AS_JSON,
    AT,
    Failure,
    look_only,
    name_program,
    note,
    print_json,
    say,
    with_everyday,
)
from .of_verbs import LEFT_OUT, Given, Options, Row, take_arguments, take_options

_NONE: Mapping[str, Any] = {}
# A name is suggested if it shares so many first letters, and is so similar.
_BEGINNING, _ALIKE = 2, 0.7
_NOTHING: Final = "No stored text matches these words; it may be stored in others (--also)."
# A question first gives so many of the latest texts of each kind a vector, within so many seconds.
_NEWEST, _PATIENCE_S = 64, 5.0


class Everyday(NamedTuple):
    """A command made of an everyday verb, with the help *told*.

    * `given` are the arguments without a dash, as they are shown; several words are one text.
    * `options` has what differs from the verb's declaration, as in `take_options`.
    * `shows` yields the lines on a result, and `explains` the line in place of an empty one.
    * `prepares` changes what was typed.
    """

    verb: RuleVerb[Any]
    told: str
    given: Mapping[str, str]
    shows: Callable[[Row], Iterator[str]]
    options: Mapping[str, Options | str] = _NONE
    explains: Callable[[Session, Given], Awaitable[str]] | None = None
    prepares: Callable[[Given], Given] = lambda given: given


def _make(made: Everyday) -> click.Command:
    moments = find_moments(made.verb)
    is_question = "also" in {one.name for one in made.verb.arguments}

    @click.pass_obj
    def run(embedded: str | None, /, *, as_json: bool, at: str | None = None, **typed: Any) -> None:
        given = made.prepares({name: one for name, one in typed.items() if one not in (None, ())})
        look_only(at, given.get("counts", False))

        async def work(session: Session) -> tuple[Row, str]:
            times = read_moments(given, moments, session.zone, session.clock.now_ms())
            if is_question:
                await _embed_newest(session)
            with advised() as advice:
                row: Row = await getattr(Answers(session), made.verb.__name__)(**given | times)
            said = None if row.get("nothing") and not is_question else row.pop("advice", None)
            for line in filter(None, (said, *advice)):
                note(line)
            is_empty = row.get("nothing") or row.get("found") == []
            why = made.explains is not None and is_empty and await made.explains(session, given)
            return row, why or ""

        creates = made.verb.procedure.writes and not made.verb.procedure.counts
        row, why = with_everyday(embedded, work, at, creates=creates)
        if as_json:
            print_json(row)
            return
        for line in [why] if why else made.shows(row):
            say(line)

    command: Any = AS_JSON(run)
    left_out = dict.fromkeys(made.given, LEFT_OUT)
    command = take_options(made.verb, **{**made.options, **left_out})(command)
    command = take_arguments(made.verb, made.given)(command)
    return click.command(made.verb.__name__, help=made.told)(command)


async def _embed_newest(session: Session) -> None:
    """Give the latest texts their vectors: the command that stored them did not wait for it."""
    if session.embedding is None or session.until_ms is not None:
        return
    # Imported here, because no other verb needs it.
    from ..worker.embedding import embed_newest

    await embed_newest(session, _NEWEST, _PATIENCE_S)


async def _explain_nothing(session: Session, _: Given) -> str:
    """Return why nothing is found: an empty store is no question of words."""
    async with aclosing(session.store.stream(1)) as batches:
        async for __ in batches:
            return _NOTHING
    return f'Nothing is stored yet. Store something: {name_program()} remember "…".'


async def _suggest_name(session: Session, given: Given) -> str:
    """Say that nothing is known, and suggest a name that is, with the same beginning."""
    # Imported here, because a known name needs none of it.
    from ..resources import complete_name

    name = given["name"]
    known = {one.casefold(): one for one in await complete_name(session, name[:_BEGINNING])}
    close = difflib.get_close_matches(name.casefold(), known, 1, _ALIKE)
    asks = f" Did you mean {show_name(known[close[0]])}?" if close else ""
    return f"Nothing is known of {show_name(name)}.{asks}"


def _show_found(row: Row) -> Iterator[str]:
    for one in row["found"]:
        who = f", {one['who']}" if one.get("who") else ""
        yield f"{one['kind']}: {one['date'][:10]}{who}: {quote(one['text'])} ({one['id']})"
    if row["total"] > len(row["found"]):
        yield f"{row['total'] - len(row['found']):,} more; --limit shows them."


def _show_explained(row: Row) -> Iterator[str]:
    for one in row["explained"]:
        verb = "belongs" if one["belongs"] else "does not belong"
        if one["kind"] != schema.MEMORY:
            verb = "asks for something" if one["belongs"] else "asks for nothing"
        named = f" ({one['id']})" if one["id"] else ""
        yield f"{quote(one['text'])}{named}"
        yield f"  {verb}: chance {one['chance']:.3f}, needed {one['least']:.3f}"
        yield from (f"  {line}" for line in one["why"].splitlines())


def _read_remembered(given: Given) -> Given:
    """Return what was typed with names and kinds of "Lena (sister)", as the owner's own word."""
    about = [_read_name(one) for one in given.get("about", ())]
    return {"said": given["text"], **given, "about": about}


def _read_name(given: str) -> str | Row:
    name, opening, kind = given.removesuffix(")").rpartition(" (")
    return {"name": name, "kind": kind} if opening and given.endswith(")") else given


def _show_kept(row: Row) -> Iterator[str]:
    yield f"{'Stored already' if row.get('existing') else 'Stored'}: {row['id']}"
    for one in row.get("similar", ()):
        yield f"Similar: {quote(one['text'])} ({one['id']}); --replaces ends it"


def _show_about(row: Row) -> Iterator[str]:
    if "text" in row:
        yield from row["text"].splitlines() or [NOTHING_OF_USER]
        return
    kind = f" ({row['kind']})" if row.get("kind") else ""
    yield ", also ".join([f"{row['name']}{kind}", *row["also"]])
    if "id" in row:
        yield f"id: {row['id']}"
    if "feeling" in row:
        yield f"feeling: {row['feeling']:+.2f}"
    for one in row["facts"]:
        yield f"fact: {one['predicate']}: {one['value']}{_span(one)}, {one['who']} ({one['id']})"
    yield from (f"doubt: {one}" for one in row["doubts"])
    yield from (f"relation: {one}" for one in row["relations"])
    for one in row["said"]:
        said = f"said: {one['date'][:10]}, {one['who']}: {quote(one['text'])}"
        yield f"{said}{_span(one)} ({one['id']})"
    if more := ", ".join(f"{count:,} {what}" for what, count in row.get("more", _NONE).items()):
        yield f"and more: {more}; --limit shows them"


def _span(row: Row) -> str:
    return "".join(f", {name} {row[name][:10]}" for name in ("since", "until") if name in row)


def _show_forgotten(row: Row) -> Iterator[str]:
    if "id" in row:
        yield f"Forgotten; memories restore {row['id']} brings it back."
        for one in row.get("others", ()):
            yield f"About {', '.join(one['about'])} too: {quote(one['text'])} ({one['id']})"
        return
    yield "Nothing is forgotten yet; name one of these by its id:"
    for one in row["candidates"]:
        yield f"{one['kind']}: {quote(one['text'])} ({one['id']})"


def _show_settled(row: Row) -> Iterator[str]:
    if row["verdict"] == schema.ASKED:
        raise Failure("kept as a question: --said has no name of each; quote words that have them")
    yield f"{row['verdict']}; entities unmerge {row['undo']} takes it back"


_ALSO: Final = {
    "metavar": "TEXT",
    "help": "Other words for it; may be given again, up to 20 times.",
}
_RECALL = Everyday(
    verbs.recall,
    "Print what the memory has on MESSAGE: people and things, memories, associations.\n\n"
    "It prints what the tool recall returns to an agent. Nothing changes unless --touch is given.",
    {"message": "MESSAGE..."},
    lambda row: iter(row["text"].splitlines()),
    {
        "before": {"metavar": "TEXT"},
        "token_budget": {"name": "--budget", "help": "At most this many tokens."},
        "also": _ALSO,
    },
    _explain_nothing,
)
_MADE = (
    Everyday(
        verbs.search,
        "Search memories, people and things, and concepts for TEXT; the best come first.\n\n"
        "Nothing changes.",
        {"query": "TEXT..."},
        _show_found,
        {
            "since": {"metavar": "DATE"},
            "until": {"metavar": "DATE"},
            "about": {"metavar": "NAME"},
            "kinds": {"name": "--kind", "help": "Only this kind; may be given again."},
            "limit": "At most this many.",
            "also": _ALSO,
        },
        _explain_nothing,
    ),
    Everyday(
        verbs.explain,
        "Tell why recall shows a memory for MESSAGE, or does not: what each signal adds.\n\n"
        "Nothing changes.",
        {"message": "MESSAGE..."},
        _show_explained,
        {
            "id": {"metavar": "ID", "help": "This memory; without it, the best."},
            "limit": "At most this many.",
            "also": _ALSO,
        },
    ),
    Everyday(
        verbs.remember,
        "Store TEXT once, with the names it is about.\n\n"
        "The same text again is the memory that is there, and counts as an access.",
        {"text": "TEXT"},
        _show_kept,
        {
            "about": {
                "metavar": "NAME",
                "help": 'Names that it is about, such as "Lena" or "Lena (sister)"; may be given'
                " again.",
            },
            "said": {"metavar": "TEXT", "help": "Your words, to be quoted; by default TEXT."},
            "replaces": {"metavar": "ID", "help": "The memory or the wrong fact that is over."},
            "happened_at": {"name": "--happened", "metavar": "TIME"},
        },
        prepares=_read_remembered,
    ),
    Everyday(
        verbs.about,
        "Print all that is known of NAME: facts, doubts, relations, and what was said.\n\n"
        'Past facts are printed too, with their end. For NAME "me" it prints a profile: who the'
        " user is, what is kept always, who is close, and what is coming up. Nothing changes.",
        {"name": "NAME..."},
        _show_about,
        {"limit": "At most this many."},
        _suggest_name,
    ),
    Everyday(
        verbs.forget,
        "Hide the memory, fact, mention or entity ID; memories restore brings it back, whole.\n\n"
        "With an entity go its mentions and its facts, and with a mention the facts that it alone"
        " told. The words of a memory, or a name, stand for its ID if they are of one alone.",
        {"id": "ID..."},
        _show_forgotten,
        {"reason": {"metavar": "TEXT"}},
    ),
    Everyday(
        verbs.relate,
        "Relate two concepts: FROM is-a, part-of or evokes TO.",
        {"source": "FROM", "type": "TYPE", "target": "TO"},
        lambda row: iter([f"{row['from']} {row['type']} {row['to']}"]),
    ),
    Everyday(
        verbs.identify,
        "Settle who is who: A and B are --same or --different.\n\n"
        "A and B are names, or ids of entities. Without B, --different lets A be the name of"
        " another one from now on. entities unmerge takes each back.",
        {"a": "A", "b": "B"},
        _show_settled,
        {
            "same": {"name": "--same/--different", "help": "A and B are one, or two."},
            "said": {"metavar": "TEXT", "help": "Your words, with a name of each, to be quoted."},
        },
    ),
)
recall = AT(
    click.option("counts", "--touch", is_flag=True, help="Count an access, as the tool does.")(
        _make(_RECALL)
    )
)
search, explain, remember, about, forget, relate, identify = map(_make, _MADE)
