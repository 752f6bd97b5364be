"""Types of the arguments of verbs: bounds and meaning, once for every surface.

A type is `Annotated`: a text in it is what the argument means, the last one if there are several.
The shell makes the schema of a tool and the options of a command of it. Imports nothing of them.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from ..recall import budgets
from ..retrieval import schema as words
from . import limits


class Between(NamedTuple):
    """The bounds of a number. One of a model's that lies beyond is set to the nearest, if so said.

    `asked` is the most that a model is told, if that is less. One below the least is refused
    where it `refuses_less`.
    """

    least: float | None = None
    most: float | None = None
    clamps: bool = False
    asked: float | None = None
    refuses_less: bool = False


class OneOf(NamedTuple):
    """The values that a text may have."""

    values: tuple[str, ...]


class Items(NamedTuple):
    """The most and the least items of a list."""

    most: int | None = None
    least: int | None = None


class Moment(NamedTuple):
    """A time: unix ms in a call, and on a surface an ISO date or time in the zone of its user.

    A date means the time at which its day begins or ends, or the `last` one of that day; `after`
    adds so many milliseconds.
    """

    begins: bool
    last: bool = False
    after: int = 0


class Inner(NamedTuple):
    """An argument that the shell makes; no surface has it."""


INNER: Final = Inner()
BEGINS: Final = Moment(begins=True)
UNTIL: Final = Moment(begins=False)
ENDS: Final = Moment(begins=False, last=True)
ENDED: Final = Moment(begins=False, last=True, after=1)

When = int | str | date
Wordings = Annotated[
    Sequence[str],
    "Pass three to eight other words for what is asked, names, the notes' language.",
]
Asker = Annotated[str | None, "If not the user."]
AskedAt = Annotated[
    When | None,
    ENDS,
    "If not now.",
]
# That of the session; the server names it. A call that names none asks in all projects.
THIS: Final = "this"
ALL: Final = "all"
InProject = Annotated[str, "This one, all, or a name."]
Named = str | Mapping[str, Any]
Names = Annotated[
    Sequence[Named],
    Items(limits.MOST_ABOUT),
    "Names in it, with stated facts: home, employer, occupation, spouse,"
    " partner, boss, birthday, age, diet, allergy, phone, dose of X.",
]
Keep = Literal["days", "normal", "years", "always"]
Kind = Literal["memory", "episode", "entity"]
RelationType = Literal["is-a", "part-of", "evokes"]
MemoryId = Annotated[str, "A memory_id."]
EntityId = Annotated[str, "An entity_id."]
Reason = Annotated[str, "Why, in a sentence: it is kept."]
SourceFilter = Annotated[str | None, "Only those from this source, e.g. conversation."]
Unit = Annotated[float, Between(0, 1)]
Query = Annotated[str, "A question or a sentence, in plain words; dates are read."]
Most = Annotated[int, Between(1, words.MAX_LIMIT, clamps=True)]
Limit = Annotated[int, Between(1, limits.MOST_FOUND, clamps=True)]
Days = Annotated[int, Between(1, limits.MAX_DAYS, clamps=True)]
TextBudget = Annotated[
    int, Between(budgets.MIN_BUDGET, budgets.MAX_BUDGET, clamps=True), "At most so many tokens."
]
# A recall comes with every message: a budget beyond the last is a model's slip, not its wish.
Budget = Annotated[
    int,
    Between(budgets.MIN_BUDGET, budgets.MAX_BUDGET, clamps=True, asked=20_000),
    "The most tokens, estimated.",
]


class Told(NamedTuple):
    """Keys of the context that a surface has, if the procedure says so (`Procedure.told`)."""

    asker: Asker = None
    asked_at: AskedAt = None
    also: Wordings = ()
    project: InProject = THIS


def ms(when: When | None) -> Any:
    """Return a time as the shell passes it, in unix ms; None if there is none."""
    assert not isinstance(when, str | date)
    return when


def unwrap_type(type_: Any) -> tuple[Any, list[Any]]:
    """Return *type_* without `Annotated` and None, the first of a union, and what it is told."""
    told: list[Any] = []
    while len(get_args(type_)) > 1 and get_origin(type_) is not Literal:
        members = [one for one in get_args(type_) if one is not type(None)]
        if get_origin(type_) is Annotated:
            told = [*members[1:], *told]
        elif get_origin(type_) not in {Union, type(int | str)}:
            break
        type_ = members[0]
    return type_, told


def describe(type_: Any) -> str:
    """Return what an argument of that type means, with its values or its bounds."""
    plain, told = unwrap_type(type_)
    meaning = next((one for one in reversed(told) if isinstance(one, str)), "")
    item = get_args(plain)[0] if get_origin(plain) is Sequence else plain
    values: tuple[Any, ...] = get_args(item) if get_origin(item) is Literal else ()
    bounds = next((one for one in told if isinstance(one, Between)), Between())
    if values:
        meaning += f" One of {', '.join(map(repr, values))}."
    elif bounds.most is not None:
        meaning += f" From {bounds.least:,} to {bounds.most:,}."
    return meaning.strip()
