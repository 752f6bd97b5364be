"""What one `recall` a message gives a family: questions answered, silence kept, tokens, trips.

What the history keeps is played as `remember`, its user's messages as `recall`; then it is asked.
"""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
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


class Agent:
    """Calls the seven tools for one user, and counts what they cost."""

    def __init__(self, world: World, user: str) -> None:
        self._world = world
        session = world.session(user)
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

    async def live(self, message: Message, before: str | None) -> None:
        """Recall what belongs to a message of the user's, and keep what is to be kept of it."""
        self._world.clock.set(message.at_ms)
        if message.speaker != "user":
            return
        await self.recall(message.text, before)
        about = [
            {name: one[of] for name, of in (("name", "label"), ("kind", "kind")) if of in one}
            for one in message.sees
        ]
        for kept in message.keeps:
            old = self._ids.get(kept.get("contradicts", ""))
            row = await self.call(
                "remember",
                text=kept["content"],
                about=about,
                keep="years" if kept.get("importance", 0.0) >= YEARS else "normal",
                said=message.text,
                **({} if old is None else {"replaces": old}),
            )
            self._ids[kept["key"]] = row["id"]


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
    history = family()
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    foreign = (HERE / "silence.txt").read_text(encoding="utf-8").splitlines()
    async with opened(folder, uri, "embedded" if uri is None else "memgraph") as world:
        agent = Agent(world, history.users[0])
        before = None
        for message in history.of(history.users[0]):
            await agent.live(message, before)
            before = message.text
        world.clock.set(message.at_ms + LATER_MS)
        agent.tokens.clear()
        told = [(one, await agent.recall(one["ask"])) for one in questions]
        tokens = median(agent.tokens)
        spoke = [(one, text) for one in foreign if (text := await agent.recall(one))]
        await agent.call("search", query="hazelnuts")
        await agent.call("about", name="Lena")
        await agent.call("relate", **{"from": "hazelnut", "to": "nut", "type": "is-a"})
        said = "Micha is Michael, of course"
        await agent.call("identify", a="Micha", b="Michael", same=True, said=said)
    missed = [(one["ask"], text) for one, text in told if not answers(text, one)]
    click.echo(f"{'Memgraph' if uri else 'embedded'}:")
    click.echo(f"  questions answered by one recall  {len(told) - len(missed):4} of {len(told)}")
    click.echo(
        f"  foreign messages met by silence   {len(foreign) - len(spoke):4} of {len(foreign)}"
    )
    click.echo(f"  median tokens of an answer        {tokens:4.0f}")
    for tool, times in agent.calls.items() if uri else ():
        click.echo(f"  statements a call, {tool:15}{agent.statements[tool] / times:4.1f}")
    if shows:
        for title, those in (("missed", missed), ("not silent", spoke)):
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
