"""Measure one `recall` a message: questions answered, silence kept, tokens, trips.

Three lives are played, each message as `recall` and what is to be kept of it as `remember`; then
each user asks. The first life was at hand while ranking was built; the two others were written
without a look at it, and answered 16 and 19 of 26 when they were first asked.
"""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import anyio
import click
import neo4j

from concept_graph_mcp.tools import toolsets

from ..life.histories import Message, family
from ..life.world import World, opened

HERE: Final = Path(__file__).parent
LATER_MS: Final = 86_400_000
YEARS: Final = 0.8

Life = dict[str, Any]


class Agent:
    """Calls the seven tools for one user, and counts what they cost."""

    def __init__(self, world: World, user: str) -> None:
        self._world = world
        session = replace(world.session(user), concepts="own")
        self._tools = {one.name: one for one in toolsets.tools(session, ("everyday",), False)}
        self.tokens: list[int] = []
        self._ids: dict[str, str] = {}
        self.calls: Counter[str] = Counter()
        self.statements: Counter[str] = Counter()

    async def call(self, tool: str, **given: Any) -> dict[str, Any]:
        with counted() as statements:
            answer: dict[str, Any] = await self._tools[tool].run(given, None)
        self.calls[tool] += 1
        self.statements[tool] += len(statements)
        return answer

    async def recall(self, message: str, before: str | None = None) -> str:
        row = await self.call("recall", message=message, before=before)
        self.tokens.append(row.get("tokens", 0))
        return str(row["text"])

    async def live(self, life: Life) -> None:
        """Recall what belongs to each message, and keep what is to be kept of it."""
        before = None
        for one in life["messages"]:
            self._world.clock.set(unix_ms(one["at"]))
            await self.recall(one["said"], before)
            before = one["said"]
            for kept in one["keeps"]:
                key, old = kept["key"], self._ids.get(kept.get("replaces", ""))
                given = {name: kept[name] for name in ("text", "about", "keep")}
                given |= {} if old is None else {"replaces": old}
                row = await self.call("remember", said=one["said"], **given)
                self._ids[key] = row["id"]


def read(user: str) -> Life:
    """Return the life of *user*: what was said and kept when, and what is asked in the end."""
    life: Life = json.loads((HERE / f"{user}.json").read_text(encoding="utf-8"))
    return life


def the_familys() -> Life:
    """Return the first life: the user's messages of `benchmarks.life`'s family."""
    history = family()
    messages = history.of(history.users[0])
    return {
        "user": history.users[0],
        "messages": [_message(one) for one in messages if one.speaker == "user"],
        "asked_at": iso(messages[-1].at_ms + LATER_MS),
        "questions": json.loads((HERE / "questions.json").read_text(encoding="utf-8")),
    }


def _message(message: Message) -> dict[str, Any]:
    about = [
        {name: one[of] for name, of in (("name", "label"), ("kind", "kind")) if of in one}
        for one in message.sees
    ]
    keeps = [
        {
            "key": kept["key"],
            "text": kept["content"],
            "about": about,
            "keep": "years" if kept.get("importance", 0.0) >= YEARS else "normal",
            "replaces": kept.get("contradicts", ""),
        }
        for kept in message.keeps
    ]
    return {"at": iso(message.at_ms), "said": message.text, "keeps": keeps}


def iso(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat()


def unix_ms(time: str) -> int:
    return round(datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp() * 1000)


@contextmanager
def counted() -> Iterator[list[None]]:
    """Give a list that has an item for each statement that is sent to a Memgraph."""
    sent: list[None] = []
    run = neo4j.AsyncTransaction.run

    async def counting(*arguments: Any, **named: Any) -> Any:
        sent.append(None)
        return await run(*arguments, **named)

    neo4j.AsyncTransaction.run = counting  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        neo4j.AsyncTransaction.run = run  # type: ignore[method-assign]


def answers(text: str, question: dict[str, Any]) -> bool:
    """Tell whether *text* has an answer."""
    return any(one.casefold() in text.casefold() for one in question["answers"])


async def measured(folder: Path, uri: str | None, shows: bool) -> None:
    foreign = (HERE / "silence.txt").read_text(encoding="utf-8").splitlines()
    click.echo(f"{'Memgraph' if uri else 'embedded'}:")
    for life in (the_familys(), *map(read, ("priya", "ruth"))):
        store = folder / life["user"]
        store.mkdir(exist_ok=True)
        async with opened(store, uri, "embedded" if uri is None else "memgraph") as world:
            agent = Agent(world, life["user"])
            await agent.live(life)
            world.clock.set(unix_ms(life["asked_at"]))
            agent.tokens.clear()
            told = [(one, await agent.recall(one["ask"])) for one in life["questions"]]
            tokens = median(agent.tokens)
            spoke = [(one, text) for one in foreign if (text := await agent.recall(one))]
        missed = [(one["ask"], text) for one, text in told if not answers(text, one)]
        click.echo(
            f"  {life['user']:8} answered by one recall {len(told) - len(missed)} of {len(told)};"
            f" silent {len(foreign) - len(spoke)} of {len(foreign)};"
            f" median tokens of an answer {tokens:.0f}"
        )
        for tool, times in agent.calls.items() if uri else ():
            click.echo(f"    statements a call, {tool:10}{agent.statements[tool] / times:4.1f}")
        for title, those in (("missed", missed), ("not silent", spoke)) if shows else ():
            for asked, text in those:
                click.echo(f"  {title}: {asked}\n{text}")


@click.command()
@click.option("--show", is_flag=True, help="Print what was missed, and where it was not silent.")
def main(show: bool) -> None:
    """Ask the family, embedded and on the Memgraph that MEMGRAPH_TEST_URI names."""
    with tempfile.TemporaryDirectory() as folder:
        for uri in (None, os.environ.get("MEMGRAPH_TEST_URI")):
            if uri is not None or not list(Path(folder).iterdir()):
                anyio.run(measured, Path(folder), uri, show)


if __name__ == "__main__":
    main()
