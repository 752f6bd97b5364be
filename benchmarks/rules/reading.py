"""Turn each part of what reads people's prose off, and count what that loses.

`python -m benchmarks.rules.reading [--only PART]`: the messages of `extraction`, the conversations
of `identity` from their text alone, the short people and the questions about what was so of `life`,
and the training lives of `answers`, by words.
"""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import click

from ..answers.sets import Part, sets
from ..extraction import __main__ as extraction
from ..extraction.measures import scored
from ..identity.__main__ import cases, wrong
from ..life import people, then
from ..life.histories import rows
from . import __main__ as rules
from .table import Rule, load_core, no_rows, nothing, off, unchanged

_EXTRACTOR: Final = "entities.rule_extractor"
_NARRATION: Final = "entities.narration"


def _none(*_: Any, **__: Any) -> Iterator[Any]:
    return iter(())


PARTS: Final = (
    Rule("all that reads people", {f"{_EXTRACTOR}:observations": no_rows}),
    Rule("names", {f"{_EXTRACTOR}.naming:find_names": _none}),
    Rule("names that are known", {f"{_EXTRACTOR}.naming:list_possible": _none}),
    Rule("kin and their names", {f"{_EXTRACTOR}.kin_names:find_kin_names": _none}),
    Rule("statements", {f"{_EXTRACTOR}.reading:find_statements": _none}),
    Rule("amounts", {f"{_EXTRACTOR}.amounts:find_amounts": _none}),
    Rule("dates", {"entities.language.dated:dates": _none}),
    Rule("pairs of names", {"entities.language.cues:paired": _none}),
    Rule("cues beside a name", {"entities.language.cues:noticed": unchanged(1)}),
    Rule("pasted text", {f"{_EXTRACTOR}.prose:spoken": lambda text, **_: text}),
    Rule("quotations", {f"{_EXTRACTOR}.voices:others": lambda text: bytearray(len(text))}),
    Rule(
        "ends by the words",
        {
            f"{_NARRATION}.current_facts:{name}": nothing
            for name in ("since_no_longer", "dead_since", "since_apart")
        },
    ),
    Rule("widening by merged names", {f"{_NARRATION}.widening:widened": no_rows}),
    Rule("the user's own facts", {"everyday.oneself:asked_for": no_rows}),
    Rule("words for kin", {"entities.language.kin:named": no_rows}),
    Rule("words for several", {"entities.language.kin:groups": _none}),
)


async def measure_part(parts: list[Part]) -> dict[str, str]:
    """Return the figures of all sets with the rules that are on."""
    messages = extraction.read()
    found = scored((extraction.built_in(one), one) for one in messages)
    figures = {name: f"{found[name].told}/{found[name].right}" for name in ("entities", "facts")}
    kept = [not await wrong(one, labelled=False) for one in cases()]
    figures["identity"] = str(sum(kept))
    with tempfile.TemporaryDirectory() as folder:
        told: dict[str, list[int]] = {}
        for person in rows(people.PEOPLE):
            for way in people.WAYS:
                held, *_ = await people.judge_person(Path(folder), person, way)
                told.setdefault(f"{person['half']} {way}", []).append(held)
        figures |= {name: str(sum(each)) for name, each in told.items()}
        for number, case in enumerate(rows(then.CASES)):
            right = await then.judge_questions(Path(folder), case, number, None)
            told.setdefault(f"then {case['half']}", []).append(sum(not one for one in right))
        figures |= {name: str(sum(each)) for name, each in told.items() if name.startswith("then")}
    if parts:
        async with rules.filled(parts, "none") as memories:
            asked = await rules.ask(memories)
        figures |= {"answered": str(asked.answered), "silent": str(asked.silent)}
    return figures


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--only", multiple=True, metavar="PART", help="Turn only this part off.")
@click.option("--lives/--no-lives", default=True, help="Ask the training lives too.")
def main(only: tuple[str, ...], lives: bool) -> None:
    """Turn each part of what reads people's prose off in turn, and print what that loses."""
    parts = [part for one in sets() if one.is_tuned for part in one.parts] if lives else []
    load_core()
    heads: list[str] = []
    for rule in (None, *(one for one in PARTS if not only or one.name in only)):
        with contextlib.nullcontext() if rule is None else off(rule):
            figures = anyio.run(measure_part, parts)
        if not heads:
            heads = list(figures)
            click.echo(f"| without | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
        cells = " | ".join(figures[head] for head in heads)
        click.echo(f"| {'nothing' if rule is None else rule.name} | {cells} |")


if __name__ == "__main__":
    main()
