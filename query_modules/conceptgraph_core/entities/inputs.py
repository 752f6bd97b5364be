"""Check the observations and facts that a caller states; none of them is believed yet."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..texts import text as texts
from ..texts.text import show_name
from ..verbs import validators
from ..verbs.errors import ConceptGraphError, InvalidNumber, InvalidText, Tautology, TooMuch
from . import names, schema

_FACT: Final[dict[str, Callable[[Any, str], Any]]] = {
    "predicate": schema.label,
    "value": texts.summary,
    # Or the label of this message that is the value.
    "object": schema.label,
    "span": texts.summary,
    "mode": validators.one_of(schema.FACT_MODES),
    # It counts only if a fact of its predicate, or if it is over this one, is known already.
    "known": validators.flag,
}


def _facts(given: Any, field: str) -> "tuple[Claim, ...]":
    """Return the facts of an observation, checked. Raises InvalidText."""
    if not isinstance(given, list | tuple):
        raise InvalidText(f"{field}: must be a list of maps with {', '.join(_FACT)}")
    claims = []
    for number, one in enumerate(_checked(given, field, _FACT, 1)):
        if ("value" in one) == ("object" in one):
            raise InvalidText(f"{field}.{number}.value: give a value or an object, not both")
        about = None if "object" not in one else names.canonical(one["object"])
        mode = one.get("mode", schema.BESIDE)
        told = one["predicate"], one.get("value"), about, one.get("span"), mode
        claims.append(Claim(*told, needs_known=one.get("known", False)))
    return tuple(claims)


_OBSERVATION: Final[dict[str, Callable[[Any, str], Any]]] = {
    "label": schema.label,
    "type": validators.one_of(schema.NODE_TYPES),
    "kind": lambda value, field: names.canonical(schema.label(value, field)),
    "span": texts.summary,
    "valence": validators.valence,
    "intensity": validators.unit,
    "same_as": texts.name,
    # It is none of the known entities of its name; if false, "the new Conor" is one.
    "new": validators.flag,
    # It counts only if an entity is so called already.
    "known": validators.flag,
    # Words that distinguish it from those: "from the office".
    "qualifier": schema.label,
    "rationale": texts.summary,
    # The vector of the label, if there is an embedding model, and the name of that model.
    "embedding": lambda value, field: tuple(validators.vector(value, field)),
    "model": texts.name,
    # The claims of the message about it.
    "facts": _facts,
}
# The fields of an `Observation` that are not called so.
_FIELDS: Final = {"type": "node_type", "new": "is_new", "known": "needs_known"}
_RELATION: Final[dict[str, Callable[[Any, str], Any]]] = {
    "from": schema.label,
    "to": schema.label,
    "type": validators.one_of(tuple(schema.RELATIONS)),
    "span": texts.summary,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed fact of an observation; `about` is the canonical name of a value that is an entity.

    `mode` relates it to an earlier fact: "beside" it, "after" it, or "over" with it.
    """

    predicate: str
    value: str | None
    about: str | None
    span: str | None
    mode: str
    needs_known: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """A label that names an entity, as a caller observes it."""

    label: str
    node_type: str
    kind: str | None = None
    span: str | None = None
    valence: float | None = None
    intensity: float | None = None
    same_as: str | None = None
    rationale: str | None = None
    embedding: tuple[float, ...] | None = None
    model: str | None = None
    facts: tuple[Claim, ...] = ()
    is_new: bool | None = None
    qualifier: str | None = None
    needs_known: bool = False
    # Results of `cues`: the text introduces it as another one, and gives it further names.
    is_introduced: bool = False
    also: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Its canonical name."""
        return names.canonical(self.label)

    @property
    def shown(self) -> str:
        """Its label, with the qualifier that distinguishes it from others of its name."""
        return self.label if self.qualifier is None else f"{self.label} ({self.qualifier})"

    @property
    def counted(self) -> str:
        """The key by which a message counts it once: two of one name are two."""
        return names.canonical(self.shown) + (" (new)" if self.is_new else "")

    @property
    def felt(self) -> float:
        """The strength of its feeling, in [0, 1]."""
        return max(abs(self.valence or 0.0), self.intensity or 0.0)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two names; `type` is the edge's, `where` its place for error texts."""

    source: str
    target: str
    type: str
    span: str | None
    where: str


@dataclass(frozen=True, slots=True)
class Given:
    """A fact as a caller states it; times are unix ms, and a missing end is open."""

    predicate: str
    value: str | None = None
    object_id: str | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    single: bool = False
    corrects: str | None = None
    ends: str | None = None
    speaker: str = schema.MODEL
    text: str = ""
    span: str | None = None

    @property
    def has_value(self) -> bool:
        return self.value is not None or self.object_id is not None


def observations(given: Sequence[Mapping[str, Any]]) -> list[Observation]:
    """Return *given* checked: {label, type, kind?, span?, valence?, intensity?, same_as?, …}.

    Raises InvalidText, InvalidNumber or TooMuch, which name the wrong value.
    """
    made = [
        Observation(**{_FIELDS.get(name, name): value for name, value in one.items()})
        for one in _checked(given, "observations", _OBSERVATION, 2)
    ]
    for number, one in enumerate(made):
        if one.embedding is not None and one.model is None:
            raise InvalidText(
                f"observations.{number}.model: must say by which embedding the vector is"
            )
    return made


def relations(given: Sequence[Mapping[str, Any]]) -> list[Relation]:
    """Return *given* checked: {from, to, type, span?}. Raises as `observations`, and Tautology."""
    made = []
    for number, one in enumerate(_checked(given, "relations", _RELATION, 3)):
        source, target = names.canonical(one["from"]), names.canonical(one["to"])
        if source == target:
            both = show_name(one["from"])
            raise Tautology(f"relations.{number}: tautology: from and to are both {both}")
        kind, where = schema.RELATIONS[one["type"]], f"relations.{number}"
        made.append(Relation(source, target, kind, one.get("span"), where))
    return made


def check_fact(given: Given) -> None:
    """Raise InvalidText or InvalidNumber if *given* cannot be stated."""
    schema.label(given.predicate, "predicate")
    validators.one_of(schema.SPEAKERS)(given.speaker, "speaker")
    for name in ("object_id", "corrects", "ends"):
        if getattr(given, name) is not None:
            texts.name(getattr(given, name), name)
    for name in ("value", "span"):
        if getattr(given, name) is not None:
            texts.summary(getattr(given, name), name)
    if given.text:
        texts.summary(given.text, "text")
    for name in ("valid_from", "valid_until"):
        if getattr(given, name) is not None:
            validators.time(getattr(given, name), name)
    if given.value is not None and given.object_id is not None:
        raise InvalidText("value: give a value or an object_id, not both")
    if given.corrects is not None and given.ends is not None:
        raise InvalidText("ends: a fact is corrected (never so) or ended (so until then), not both")
    if not given.has_value and given.corrects is None and given.ends is None:
        raise InvalidText("value: give a value or an object_id")
    check_times(given.valid_from, given.valid_until)


def check_times(since: int | None, until: int | None) -> None:
    """Raise InvalidNumber if the end is not after the beginning."""
    if since is not None and until is not None and until <= since:
        raise InvalidNumber("valid_until: must be later than valid_from")


def _checked(
    given: Sequence[Mapping[str, Any]],
    field: str,
    checks: Mapping[str, Callable[[Any, str], Any]],
    required: int,
) -> list[dict[str, Any]]:
    """Return the maps *given*, each value checked; the first *required* keys must be there."""
    if len(given) > schema.MAX_OBSERVATIONS:
        most = schema.MAX_OBSERVATIONS
        raise TooMuch(f"{field}: {len(given):,} are too many; at most {most} a message")
    return [
        _checked_one(one, f"{field}.{number}", checks, required) for number, one in enumerate(given)
    ]


def _checked_one(
    one: Any, field: str, checks: Mapping[str, Callable[[Any, str], Any]], required: int
) -> dict[str, Any]:
    if not isinstance(one, Mapping):
        raise InvalidText(f"{field}: must be a map with {', '.join(checks)}")
    for name in one:
        if name not in checks:
            raise InvalidText(
                f"{field}: unknown key {show_name(str(name))}; known are {', '.join(checks)}"
            )
    needed = list(checks)[:required]
    try:
        return {
            name: check(one.get(name), name)
            for name, check in checks.items()
            if name in needed or one.get(name) is not None
        }
    except ConceptGraphError as error:
        raise type(error)(f"{field}.{error}") from None
