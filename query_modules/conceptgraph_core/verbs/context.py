"""The context of one call: the clock and the results of look-ups, fixed before any retry."""

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any, Final, NamedTuple

from ..texts import text
from ..texts.words import languages
from . import decaying, limits, validators
from .decaying import Rules
from .errors import ConceptGraphError, InvalidContext, InvalidNumber

# In the environment of Memgraph: how many nodes a call without a look-up may read.
MOST_SCANNED_VARIABLE: Final = "CONCEPT_GRAPH_MOST_SCANNED"
# The chances from which a message asks for what is stored, and a text answers it.
CHANCE_VARIABLES: Final = ("CONCEPT_GRAPH_ASKS", "CONCEPT_GRAPH_ANSWERS")

# The user of memories and entities if a call names none.
DEFAULT_USER: Final = "default"
# The concepts of a call: shared by all users, or the user's own.
OWN: Final = "own"
WHOSE: Final = ("shared", OWN)


class Context(NamedTuple):
    """The clock, the arousal time constant, the local date and the nodes found by index.

    * `until_ms` (unix ms; None: no bound) hides from a reading call everything created later;
      `until_date` is its local date. The clock may be ahead of it, for a forecast.
    * `found` is None if nothing was looked up. Otherwise it is authoritative: a requested name
      that it lacks does not exist. It holds nodes or their ids.
    * `answers` are the results of look-ups that the server made for this call, by `lacking.key`:
      maps with some of these keys. A call that lacks one says so (None: it makes them itself).
    * `neighbours` has a row for each term near one of the question by a static embedding: the term
      of the question, the other term, a word of it, and their cosine (see `retrieval.groups`).
    * `embeds`: who calls makes the vector of any text that the call asks for.
    * `languages` are the languages of texts, as `words.terms` takes them.
    * `asker` is the full name of who asks as a speaker (None: the user, see
      `retrieval.question.own_names`), and `asked_at` (unix ms; None: now) the time of the question.
      Later texts are no answers, and "yesterday" is the day before.
    * `told_in`: the question asks for all that happened or was told from one time to before another
      (unix ms), and for nothing else. A third value, true, asks for the plans of that time alone, a
      fourth for its first and last day alone.
    * `told_around`: the past time that the question names among other words, as two such times.
    * `offset_minutes`: how far the local time of the question is ahead of UTC.
    * `also` are other wordings of the question (see `memories.search`), and `also_vector` is the
      vector of all of them together.
    * `only_new`: an import leaves existing elements unchanged.
    * `import_id` is of the import that a call belongs to, and can be taken back by (None: none).
    * `decay` are the numbers of decay. Without `expires`, nothing expires
      (see `decaying.lasting`), as without a retention window of the owner's.
    * `owner`: the owner of the store decides identities without words of the user's.
    * `planned` has the changes of earlier steps of a rehearsal: see `consolidation.planned`.
    * `concepts` are "shared", by all users, or the user's "own".
    * `chances` from which a message asks for what is stored, and a text answers it
      (None, or one of them: see `thresholds`).
    * `project` is that in which a question is asked (None: all are one; see `memories.projects`).
    """

    now_ms: int
    tau_ms: float
    date: str
    until_ms: int | None
    until_date: str
    found: tuple[Any, ...] | None
    answers: Mapping[str, Mapping[str, Any]] | None
    neighbours: tuple[tuple[str, str, str, float], ...]
    embeds: bool
    user_id: str
    spoken: tuple[str, ...] | None
    asker: str | None
    asked_at: int | None
    told_in: tuple[int, int, bool, bool] | None
    told_around: tuple[int, int] | None
    offset_minutes: int
    also: tuple[str, ...]
    also_vector: tuple[float, ...]
    only_new: bool
    import_id: str | None
    planned: Mapping[str, Any]
    owner: bool
    concepts: str
    project: str | None
    chances: tuple[float | None, float | None] | None
    decay: Rules

    @property
    def at(self) -> int:
        """When the question is asked: now, unless `asked_at` says so."""
        return self.now_ms if self.asked_at is None else self.asked_at

    @property
    def zone(self) -> tzinfo:
        """The zone of the question's days."""
        return timezone(timedelta(minutes=self.offset_minutes))

    @property
    def languages(self) -> tuple[str, ...]:
        """The given languages, or those of the host's environment. Raises UnknownLanguage."""
        if self.spoken is not None:
            return self.spoken
        return languages.read_configured(_environment())

    @property
    def thresholds(self) -> tuple[float | None, ...]:
        """The given `chances`, or those of the host's environment; None: that of the weights.

        One of the environment that is out of range is left out, which a warning says once.
        """
        get, given = _environment().get, self.chances or (None, None)
        return tuple(
            _usable(get(name, ""), name) if one is None else one
            for one, name in zip(given, CHANCE_VARIABLES, strict=True)
        )


def parse(given: Mapping[str, Any]) -> Context:
    """Return the context that the map *given* describes; the host's clock fills a missing time.

    Raises InvalidContext for unknown keys and for values of the wrong type or range.
    """
    if not isinstance(given, Mapping):
        raise InvalidContext("context: must be a map such as {now_ms: 1750000000000}")
    if not given.keys() <= KEYS:
        key = next(key for key in given if key not in KEYS)
        raise InvalidContext(f"context: unknown key {key!r}; known are {', '.join(_NAMES)}")
    # Every call does this, so absent keys cost nothing.
    get, values = given.get, dict(_ABSENT)
    for key in given.keys() & values.keys():
        values[key] = _KEYS[key].read(get(key), key)
    now_ms = _now_ms(get("now_ms"))
    return Context(
        now_ms=now_ms,
        tau_ms=tau(get("tau_ms")),
        date=_date(get("date"), "date", now_ms),
        until_date=_until_date(get("until_date"), values["until_ms"]),
        spoken=_read_languages(get("languages")),
        decay=_decay(get("decay"), get("expires")),
        **values,
    )


def owning(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context *given*; unless it says whose concepts it is about, the user's own."""
    return {"concepts": OWN, **given}


def tau(value: Any) -> float:
    """Return the time constant in milliseconds; None means the default. Raises InvalidContext."""
    if value is None:
        return float(limits.DEFAULT_TAU_MS)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidContext("context: tau_ms must be a number of milliseconds")
    if not math.isfinite(value) or value <= 0:
        raise InvalidContext("context: tau_ms must be greater than 0")
    return float(value)


def _now_ms(value: Any) -> int:
    if value is None:
        return time.time_ns() // 1_000_000
    return _time(value, "now_ms")


def _time(value: Any, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidContext(f"context: {key} must be an integer (unix milliseconds)")
    if abs(value) > limits.MAX_TIME_MS:
        raise InvalidContext(f"context: {key} must be within ±{limits.MAX_TIME_MS}")
    return value


def _date(value: Any, key: str, time_ms: int) -> str:
    """Return *value*, or the host's local date at *time_ms*."""
    if value is None:
        try:
            return datetime.fromtimestamp(time_ms / 1000).strftime("%Y%m%d")
        except (OverflowError, ValueError, OSError):
            raise InvalidContext(f"context: {time_ms} has no local date") from None
    if not isinstance(value, str) or len(value) != 8 or not (value.isascii() and value.isdigit()):
        raise InvalidContext(f'context: {key} must be a local date such as "20260131"')
    return value


def _until_date(value: Any, until_ms: int | None) -> str:
    return "" if value is None and until_ms is None else _date(value, "until_date", until_ms or 0)


def _time_if_any(value: Any, key: str) -> int | None:
    return None if value is None else _time(value, key)


def _read_found(value: Any, _: str) -> tuple[Any, ...] | None:
    if value is not None and not isinstance(value, (list, tuple)):
        raise InvalidContext("context: found must be a list of nodes")
    return None if value is None else tuple(value)


def _read_answers(value: Any, _: str) -> Mapping[str, Mapping[str, Any]] | None:
    if value is not None and not isinstance(value, Mapping):
        raise InvalidContext("context: answers must be a map")
    return value


def _user_id(value: Any, _: str) -> str:
    if value is None:
        return DEFAULT_USER
    if not isinstance(value, str) or not value.strip():
        raise InvalidContext("context: user_id must be a non-empty text")
    # An export omits a scope that is no valid user id, so all users would share what has it.
    return text.user(value, "context: user_id")


def _check_name(value: Any, key: str) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise InvalidContext(f"context: {key} must be a non-empty text")
    # A project may be a path.
    if value is not None and len(value) > limits.MAX_PATH:
        raise InvalidContext(f"context: {key} has more than {limits.MAX_PATH:,} characters")
    return value


def _decay(value: Any, expires: Any) -> Rules:
    made = _numbers(value)
    if expires is None:
        expires = bool(_environment().get(decaying.RETENTION_VARIABLE, "").strip())
    return made if _truth(expires, "expires") else decaying.lasting(made)


def _numbers(value: Any) -> Rules:
    if value is None:
        said = _environment().get(decaying.DECAY_VARIABLE, "")
        return decaying.rules(decaying.parse_rates(said)) if said else decaying.RULES
    if value == {}:
        return decaying.RULES
    if not isinstance(value, Mapping):
        raise InvalidContext("context: decay must be a map such as {base_rate: 0.02}")
    return decaying.rules(value)


def most_scanned() -> int:
    """Return how many nodes a call without a look-up may read; the server's environment sets it."""
    said = _environment().get(MOST_SCANNED_VARIABLE, "").strip()
    return int(said) if said.isascii() and said.isdigit() else limits.MAX_SCANNED


def read_chance(said: str, name: str) -> float | None:
    """Return the chance that *said*, what the variable *name* has, is; None if it is blank.

    Raises InvalidNumber.
    """
    if not said.strip():
        return None
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not _is_share(value):
        raise InvalidNumber(f"{name}: must be a number from 0 to 1, not {said!r}")
    return value


@cache
def _usable(said: str, name: str) -> float | None:
    try:
        return read_chance(said, name)
    except InvalidNumber as error:
        told = f"{error}; the shipped one goes on"
        __import__("logging").getLogger("conceptgraph").warning(told)
        return None


def _environment() -> Mapping[str, str]:
    # Not imported: a reload would drop it, and with it all names that begin with "os".
    environment: Mapping[str, str] = __import__("os").environ
    return environment


def _truth(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidContext(f"context: {key} must be true or false")
    return value


def _also(value: Any, key: str) -> tuple[str, ...]:
    try:
        return validators.wordings(value, key)
    except ConceptGraphError as error:
        raise InvalidContext(f"context: {error}") from None


def _vector(value: Any, key: str) -> tuple[float, ...]:
    try:
        return tuple(validators.vector(value, key))
    except ConceptGraphError as error:
        raise InvalidContext(f"context: {error}") from None


def _two_times(value: Any, key: str) -> tuple[int, int, bool, bool] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or len(value) not in {2, 3, 4}:
        raise InvalidContext(f"context: {key} must be two times in unix ms")
    plans, apart = (_truth(one, key) for one in (*value[2:], False, False)[:2])
    return _time(value[0], key), _time(value[1], key), plans, apart


def _read_time(value: Any, key: str) -> tuple[int, int] | None:
    said = _two_times(value, key)
    return None if said is None else said[:2]


def _read_chances(value: Any, key: str) -> tuple[float | None, float | None] | None:
    if value is None:
        return None
    if (
        not isinstance(value, (list, tuple))
        or len(value) != 2
        or not all(one is None or _is_share(one) for one in value)
    ):
        raise InvalidContext(f"context: {key} must be two numbers from 0 to 1, such as [0.4, 0.02]")
    asks, answers = value
    return asks, answers


def _is_share(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value <= 1


def _offset(value: Any, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -1440 < value < 1440:
        raise InvalidContext(f"context: {key} must be less than 1440 minutes")
    return value


def _neighbours(value: Any, key: str) -> tuple[tuple[str, str, str, float], ...]:
    if not isinstance(value, (list, tuple)) or not all(map(_is_neighbour, value)):
        raise InvalidContext(f"context: {key} must be a list of rows of three texts, a cosine")
    return tuple((asked, term, word, float(cosine)) for asked, term, word, cosine in value)


def _is_neighbour(row: Any) -> bool:
    if not isinstance(row, (list, tuple)) or len(row) != 4:
        return False
    *texts, cosine = row
    return (
        all(isinstance(one, str) for one in texts)
        and isinstance(cosine, (int, float))
        and not isinstance(cosine, bool)
        and 0 <= cosine <= 1
    )


def _read_planned(value: Any, _: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(
        isinstance(one, (list, tuple)) for one in value.values()
    ):
        raise InvalidContext("context: planned must be a map of lists")
    return value


def _concepts(value: Any, _: str) -> str:
    if value not in WHOSE:
        raise InvalidContext(f"context: concepts must be one of {', '.join(WHOSE)}")
    return str(value)


def _read_languages(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise InvalidContext('context: languages must be a list such as ["en", "de"]')
    return languages.name_languages(value)


class Key(NamedTuple):
    """A key of a context: its value if it is absent, and what checks and reads a given one."""

    absent: Any
    read: Callable[[Any, str], Any]


# Each is a field of Context. Only given keys are checked.
_KEYS: Final[Mapping[str, Key]] = {
    "until_ms": Key(None, _time_if_any),
    "found": Key(None, _read_found),
    "answers": Key(None, _read_answers),
    "neighbours": Key((), _neighbours),
    "embeds": Key(False, _truth),
    "user_id": Key(DEFAULT_USER, _user_id),
    "asker": Key(None, _check_name),
    "asked_at": Key(None, _time_if_any),
    "told_in": Key(None, _two_times),
    "told_around": Key(None, _read_time),
    "offset_minutes": Key(0, _offset),
    "also": Key((), _also),
    "also_vector": Key((), _vector),
    "only_new": Key(False, _truth),
    "import_id": Key(None, _check_name),
    "planned": Key({}, _read_planned),
    "owner": Key(False, _truth),
    "concepts": Key(WHOSE[0], _concepts),
    "project": Key(None, _check_name),
    "chances": Key(None, _read_chances),
}
_ABSENT: Final = {name: key.absent for name, key in _KEYS.items()}
# These are read from one another, or from the environment.
_NAMES: Final = (
    *("now_ms", "tau_ms", "date", "until_date", "languages", "decay", "expires"),
    *_KEYS,
)
KEYS: Final = frozenset(_NAMES)
