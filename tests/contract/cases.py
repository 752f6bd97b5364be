"""Contract cases: calls of tools and what they must give, read from the YAML files beside this one.

`find_breach` needs nothing of this project, so that any memory with these tools can be held
against them.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml

HERE = Path(__file__).resolve().parent
# The time at which a case begins, where it can be set: 2025-06-15T15:06:40Z.
BEGIN_MS = 1_750_000_000_000
_UNITS_MS = {"minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
# Keys of a step besides the tool that it calls.
_EXPECTED = {"gives", "says", "lacks", "refuses"}
_OTHERS = {"as", "keep", *_EXPECTED}
USER = "ada"


class Broken(AssertionError):
    """An answer is not the wanted one."""


class Memory(Protocol):
    """A memory with tools, which each user calls."""

    async def call(self, user: str, tool: str, arguments: dict[str, Any]) -> tuple[Any, bool]:
        """Return the answer, or the text of an error, and whether it is one."""

    async def wait(self, milliseconds: int) -> None:
        """Let time pass."""


@dataclass(frozen=True)
class Step:
    user: str
    tool: str
    arguments: dict[str, Any]
    # Name of a kept value -> its path in the answer, such as `found.0.id`.
    keep: dict[str, str] = field(default_factory=dict)
    # A part of the answer; its lists are as long as those of the answer.
    gives: Any = None
    # Texts that are, or are not, somewhere in the answer.
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    # A part of the refusal, whose calls then must fail.
    refuses: str | None = None
    wait_ms: int = 0


@dataclass(frozen=True)
class Case:
    name: str
    steps: tuple[Step, ...]

    @property
    def waits(self) -> bool:
        return any(step.wait_ms for step in self.steps)

    @property
    def tools(self) -> set[str]:
        return {step.tool for step in self.steps if step.tool}


def read_cases(directory: Path = HERE) -> list[Case]:
    """Return the cases of all files. Raises ValueError for one that could not fail."""
    made = [
        Case(f"{file.stem}: {given['case']}", tuple(map(_read_step, given["steps"])))
        for file in sorted(directory.glob("*.yaml"))
        for given in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]
    for case in made:
        if not any(
            step.says or step.lacks or step.refuses or step.gives is not None for step in case.steps
        ):
            raise ValueError(f"{case.name}: expects nothing")
    if len({case.name for case in made}) < len(made):
        raise ValueError("two cases have one name")
    return made


def _read_step(given: dict[str, Any]) -> Step:
    if set(given) == {"wait"}:
        number, unit = given["wait"].split()
        return Step("", "", {}, wait_ms=int(number) * _UNITS_MS[unit])
    [tool] = given.keys() - _OTHERS
    return Step(
        given.get("as", USER),
        tool,
        given[tool],
        given.get("keep", {}),
        given.get("gives"),
        _read_texts(given.get("says", ())),
        _read_texts(given.get("lacks", ())),
        given.get("refuses"),
    )


def _read_texts(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


async def find_breach(case: Case, memory: Memory) -> str | None:
    """Make the calls of *case* on an empty memory; return what is wrong with an answer, if any."""
    try:
        await _play(case, memory)
    except Broken as broken:
        # Returned, because a client would wrap an exception in a group.
        return str(broken)
    return None


async def _play(case: Case, memory: Memory) -> None:
    kept: dict[str, Any] = {}
    for number, step in enumerate(case.steps, 1):
        if step.wait_ms:
            await memory.wait(step.wait_ms)
            continue
        arguments = _fill_in(step.arguments, kept)
        answer, failed = await memory.call(step.user, step.tool, arguments)
        try:
            _check(step, answer, failed, kept)
            kept |= {name: _value_at(path, answer) for name, path in step.keep.items()}
        except (Broken, LookupError, TypeError, ValueError) as error:
            said = f"step {number}, {step.tool} {arguments}: {error}\nanswer: {answer}"
            raise Broken(f"{case.name}: {said}") from None


def _check(step: Step, answer: Any, failed: bool, kept: Mapping[str, Any]) -> None:
    if failed != (step.refuses is not None):
        raise Broken("is refused" if failed else "is not refused")
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    for wanted in (*step.says, *([step.refuses] if step.refuses else [])):
        if wanted not in text:
            raise Broken(f"does not say {wanted!r}")
    for unwanted in step.lacks:
        if unwanted in text:
            raise Broken(f"says {unwanted!r}")
    if step.gives is not None:
        _compare(_fill_in(step.gives, kept), answer, "answer")


def _compare(wanted: Any, found: Any, where: str) -> None:
    """Raise Broken unless *found* has all that is *wanted*."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            if key not in found:
                raise Broken(f"{where} has no {key}")
            _compare(value, found[key], f"{where}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            raise Broken(f"{where} has {len(found)} rows, not {len(wanted)}")
        for number, (one, other) in enumerate(zip(wanted, found, strict=True)):
            _compare(one, other, f"{where}.{number}")
    elif wanted != found or isinstance(wanted, bool) is not isinstance(found, bool):
        raise Broken(f"{where} is {found!r}, not {wanted!r}")


def _fill_in(given: Any, kept: Mapping[str, Any]) -> Any:
    """Return *given* with the kept value in place of each `$name`."""
    if isinstance(given, dict):
        return {key: _fill_in(value, kept) for key, value in given.items()}
    if isinstance(given, list):
        return [_fill_in(value, kept) for value in given]
    if isinstance(given, str) and re.fullmatch(r"\$\w+", given):
        return kept[given[1:]]
    return given


def _value_at(path: str, answer: Any) -> Any:
    for part in path.split("."):
        answer = answer[int(part)] if isinstance(answer, list) else answer[part]
    return answer
