"""A fact as a caller states it, checked: nothing of it is believed yet."""

from dataclasses import dataclass

from ... import text as texts
from ... import validators
from ...errors import InvalidNumber, InvalidText
from .. import schema


@dataclass(frozen=True, slots=True)
class Given:
    """A fact as a caller states it; times are unix ms, an end that is missing is open."""

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


def check(given: Given) -> None:
    """Raise InvalidText or InvalidNumber if *given* is none that can be stated."""
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
    """Raise InvalidNumber if something would end before it begins."""
    if since is not None and until is not None and until <= since:
        raise InvalidNumber("valid_until: must be later than valid_from")
