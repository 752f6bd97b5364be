"""Say how many conversations end with everybody being who they are."""

import json
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import anyio
import click

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from conceptgraph_core.entities import names, schema

CASES = Path(__file__).with_name("cases.jsonl")
_DAY_MS = 86_400_000
_START_MS = 1_750_000_000_000
_GIVEN = ("kind", "new", "qualifier")

Row = dict[str, Any]


class Conversation:
    """One case, told to a store of its own: its labels given, or told from the text alone."""

    def __init__(self, store: EmbeddedStore, case: Row, labelled: bool) -> None:
        self._store = store
        self._case = case
        self._labelled = labelled
        self._now_ms = _START_MS
        # The mentions of each person, as (message, label), and the id of each mention.
        self.said: list[tuple[str, str, str]] = []
        self._undoable: list[str] = []

    async def run(self) -> list[str]:
        """Return what is wrong in the end; nothing: it holds."""
        for number, step in enumerate(self._case["says"]):
            self._now_ms += _DAY_MS
            try:
                await (self._tell(step, number) if "text" in step else self._correct(step))
            except (Refused, LookupError) as error:
                return [f"{number}: {error!r}"]
        return await self._wrong()

    async def _call(self, call: calls.Call) -> list[Row]:
        return await self._store.call(call, {"now_ms": self._now_ms})

    async def _tell(self, step: Row, number: int) -> None:
        session = f"s{number}"
        given = [
            {"label": label, "type": one.get("type", "entity")}
            | {key: one[key] for key in _GIVEN if key in one}
            | ({"same_as": await self._entity(one["same_as"])} if "same_as" in one else {})
            for label, one in step["is"].items()
            if self._labelled
        ]
        call = calls.entities.observe(session, f"m{number}", "user", step["text"], given)
        await self._call(call)
        await self._call(calls.entities.end_session(session))
        for label, one in step["is"].items():
            self.said.append((one["who"], f"m{number}", label))

    async def _correct(self, step: Row) -> None:
        if "undo" in step:
            await self._call(calls.entities.unmerge(self._undoable.pop(), "it was wrong"))
            return
        said, reason = step["said"], "the user said so"
        if "end" in step:
            call = calls.entities.end(await self._entity(step["end"]), said, reason)
        elif "merge" in step:
            source, target = [await self._entity(one) for one in step["merge"]]
            call = calls.entities.merge(source, target, reason, schema.USER_CORRECTION, said)
            if "now" in step:
                now: dict[str, Any] = dict.fromkeys(step["merge"], step["now"])
                self.said = [(now.get(who, who), *rest) for who, *rest in self.said]
        else:
            entity_id = await self._entity(step["split"])
            [whole] = await self._call(calls.entities.get(entity_id))
            wanted = {f"m{number}" for number in step["moves"]}
            moved = [one["mention_id"] for one in whole["mentions"] if one["message_id"] in wanted]
            call = calls.entities.split(entity_id, moved, None, said=said, reason=reason)
        [row] = await self._call(call)
        if row["merge_id"] is not None:
            self._undoable.append(row["merge_id"])

    async def _entity(self, who: str) -> str:
        found = await self._found()
        return next(found[one[1:]] for one in self.said if one[0] == who)

    async def _found(self) -> dict[tuple[str, str], str]:
        """Return of each message's each label which component its mention is of."""
        found: dict[tuple[str, str], str] = {}
        rows = await self._call(calls.entities.listed((), schema.MAX_LISTED))
        for entity in rows:
            if entity["merged_into"] is not None:
                continue
            [whole] = await self._call(calls.entities.get(entity["entity_id"], None, None, 200))
            for mention in whole["mentions"]:
                for key in _called(mention["label"]):
                    found.setdefault((mention["message_id"], key), entity["entity_id"])
        return _Found(found)

    async def questions(self) -> set[frozenset[str]]:
        """Return which components are in question to be one."""
        asked = set()
        for entity in await self._call(calls.entities.listed((), schema.MAX_LISTED)):
            [whole] = await self._call(calls.entities.get(entity["entity_id"], None, None, 200))
            asked |= {
                frozenset((whole["entity_id"], edge["entity_id"]))
                for edge in whole["edges"]
                if edge["type"] == "same_as" and edge["status"] == schema.CANDIDATE
            }
        return asked

    async def _wrong(self) -> list[str]:
        found, asked = await self._found(), await self.questions()
        never = {frozenset(pair) for pair in self._case.get("never", ())}
        wrong = []
        for (who, *one), (other_who, *other) in combinations(self.said, 2):
            try:
                ends = frozenset((found[one[0], one[1]], found[other[0], other[1]]))
            except LookupError as error:
                wrong.append(f"not found: {error}")
                continue
            told = f"{' '.join(one)} and {' '.join(other)}"
            if who == other_who and len(ends) > 1 and ends not in asked:
                wrong.append(f"{told} are two, and nobody asks")
            elif who != other_who and len(ends) == 1:
                wrong.append(f"{told} are one")
            elif ends in asked and frozenset((who, other_who)) in never:
                wrong.append(f"{told} are asked about")
        return wrong or [f"not found: {one}" for one in self.said if tuple(one[1:]) not in found]


class _Found(dict[tuple[str, str], str]):
    """Mentions by message and label, whatever article or title is before it."""

    def __missing__(self, key: tuple[str, str]) -> str:
        message, label = key
        for name in _called(label):
            if dict.__contains__(self, (message, name)):
                return dict.__getitem__(self, (message, name))
        raise LookupError(f"{label} in {message}")

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]
        except LookupError:
            return False
        return True


def _called(label: str) -> Iterator[str]:
    yield names.key(label.partition(" (")[0])
    *_, last = names.canonical(label.partition(" (")[0]).split()
    first, *rest = names.canonical(label).split()
    if rest and first in ("my", "the", "our", "der", "die", "das", "mein", "meine"):
        yield last


def cases(path: Path = CASES) -> list[Row]:
    """Return the conversations of a file, a JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def wrong(case: Row, labelled: bool) -> list[str]:
    """Return what is wrong in the end of a case."""
    with tempfile.TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder) / "memory.db")
        await store.open()
        try:
            return await Conversation(store, case, labelled).run()
        finally:
            await store.close()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(exists=True, path_type=Path), default=CASES)
@click.option("--labelled/--text", default=None, help="With labels, or from text alone; both.")
def main(file: Path, labelled: bool | None) -> None:
    """Tell the conversations of FILE to an empty store each; say which end right.

    A case holds if those who are one are one, or are asked about, and those who are two are two.
    """
    told = cases(file)
    for given in (True, False) if labelled is None else (labelled,):
        failed = 0
        for case in told:
            found = anyio.run(wrong, case, given)
            failed += bool(found)
            if found:
                click.echo(f"  {case['name']}: {'; '.join(found)}")
        how = "with labels" if given else "from text alone"
        click.echo(f"{how}: {len(told) - failed} of {len(told)} hold")


if __name__ == "__main__":
    main()
