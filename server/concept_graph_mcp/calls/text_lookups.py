"""Look up the parts of the text index that are needed to index or search texts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from conceptgraph_core import text as texts
from conceptgraph_core.entities import subjects
from conceptgraph_core.graph.primitives import (
    BEYOND,
    Answered,
    Equal,
    Incoming,
    Lookup,
    Range,
    Union,
)
from conceptgraph_core.registry import indexed_kinds
from conceptgraph_core.retrieval import documents, schema, spelling
from conceptgraph_core.retrieval.documents import equal, with_mentions
from conceptgraph_core.retrieval.question import own_names, sought_terms
from conceptgraph_core.words import languages, missing

from .call import Call

# Not imported: this module is deployed with the query modules too, whose reload would drop these.
os: Final[Any] = __import__("os")
re: Final[Any] = __import__("re")

# A term of the question, one near it, a word of that, and their cosine.
Neighbour = tuple[str, str, str, float]

# The share of a part of a compound, in place of a cosine.
_PART = 0.5
_WORD = re.compile(r"[^\W\d_]+")


def spoken() -> tuple[str, ...]:
    """Return the configured languages of texts. Raises UnknownLanguage."""
    return languages.read_configured(os.environ)


def context() -> dict[str, Any]:
    """Return the settings of these look-ups, for the context of the call."""
    return {"languages": list(spoken())}


def check_asker(asker: str | None) -> None:
    """Raise InvalidText if *asker*, who asks, is no name. None is the user."""
    if asker is not None:
        texts.name(asker, "asker")


def texts_among(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return those of *records* whose nodes are in the text index."""
    kinds = {kind.kind for kind in indexed_kinds()}
    return [record for record in records if record.get("kind") in kinds]


def of_records(records: Iterable[Mapping[str, Any]]) -> list[Lookup]:
    """Look up the data needed to index the nodes of *records*."""
    kinds = {kind.kind: kind for kind in indexed_kinds()}
    told = [
        documents.read_told(kinds[name], record)
        for record in records
        if isinstance(name := record.get("kind"), str) and name in kinds
    ]
    return documents.needed(told, spoken())


def of_question(
    text: str,
    scope: str,
    user_id: str,
    also: Sequence[Lookup] = (),
    then: Answered | None = None,
    *,
    others: Sequence[str] = (),
) -> Lookup:
    """Look up a query's terms, the texts that mention them, and the results of *also* and *then*.

    The speakers of *scope* that may be the user are looked up too. Mentions are read up to a limit;
    *then* and the neighbours of the terms are looked up last. *others* are other wordings of the
    query: their terms have what it leaves of the limit, and a few mentions in any case.
    """
    found = Union((*of_terms((text, *others), scope), of_user(scope, user_id), *also))
    mentions = with_mentions(found, schema.MOST_MENTIONS)
    own = _asked((text,)) if others else []
    last = tuple(one for one in _asked(others) if one not in own)
    return mentions._replace(
        then=then, few=schema.FEW_MENTIONS, related=schema.NEAR, scope="scope", last=last
    )


def with_neighbours(call: Call, scope: str, neighbours: Sequence[Neighbour]) -> Call:
    """Return *call*, a query of `of_question`, with *neighbours* of its terms in *scope*."""
    if not neighbours or not isinstance(call.lookup, Incoming):
        return call
    names = dict.fromkeys((scope, term) for _, term, _, _ in neighbours)
    also = Equal((schema.TERM,), ("scope", "name"), tuple(names))
    context = {**call.context, "neighbours": [list(one) for one in neighbours]}
    return call._replace(lookup=call.lookup._replace(also=also), context=context)


def with_spelling(call: Call, scope: str, spelt: Sequence[Mapping[str, str]]) -> Call:
    """Return *call*, a query of `of_question`, with the terms that misspelt ones are meant for."""
    if not spelt or not isinstance(call.lookup, Incoming):
        return call
    also = Equal((schema.TERM,), ("scope", "name"), tuple((scope, one["term"]) for one in spelt))
    if call.lookup.also is not None:
        also = also._replace(values=(*call.lookup.also.values, *also.values))
    rows = [
        [one["asked"], one["term"], one["word"], 1.0 if "meant" in one else _PART] for one in spelt
    ]
    context = {**call.context, "spelt": rows}
    return call._replace(lookup=call.lookup._replace(also=also), context=context)


def respelt(text: str, spelt: Sequence[Mapping[str, str]]) -> str:
    """Return *text* with each word of *spelt* as it was meant."""
    meant = {one["said"]: one["meant"] for one in spelt if "meant" in one}

    def right(found: Any) -> str:
        said = found[0]
        word = meant.get(said.casefold(), said)
        return str(word.capitalize() if said.istitle() else word)

    return str(_WORD.sub(right, text)) if meant else text


def may_be_misspelt(text: str) -> bool:
    """Tell whether a word of *text* may be misspelt."""
    return not missing() and bool(spelling.doubtful(text, spoken()))


def of_terms(wordings: Sequence[str], scope: str, spelt: bool = False) -> list[Lookup]:
    """Look up the terms of the *wordings* of a query, and the number of texts of *scope*.

    With *spelt*, the terms that misspelt words may be meant for are looked up too.
    """
    terms = _asked(wordings)
    begun: list[Lookup] = []
    for one in wordings if spelt and not missing() else ():
        terms += [term for meant in spelling.spellings(one, spoken()).values() for term in meant]
        words = spelling.doubtful(one, spoken()) if spelling.is_german(one) else {}
        for word, term in words.items():
            terms += [part for two in spelling.split_compound(word, spoken()) for part in two]
            begun += _beginning(spelling.find_beginning(word, term), scope)
    return [*equal([*documents.corpus(scope), *documents.find_terms(scope, terms)]), *begun]


def _beginning(start: str | None, scope: str) -> list[Lookup]:
    """Look up a few terms that begin with *start*."""
    if start is None:
        return []
    where = (("scope", scope),)
    return [
        Range((schema.TERM,), "name", start, start + BEYOND, where, 2 * spelling.MOST_COMPOUNDS)
    ]


def _asked(wordings: Sequence[str]) -> list[str]:
    if missing():
        return []
    return list(dict.fromkeys(term for one in wordings for term in sought_terms(one, spoken())))


def of_name(name: str, scope: str) -> list[Lookup]:
    """Look up the terms of which a text of *scope* about *name* has some."""
    words = [] if missing() else subjects.terms(name, spoken())
    return equal(documents.find_terms(scope, [term for word in words for term in word]))


def of_user(scope: str, user_id: str) -> Equal:
    """Look up the speakers of *scope* that may be the user."""
    values = tuple((scope, name) for name in own_names(user_id))
    return Equal((schema.SPEAKER,), ("scope", "name"), values)


def of_widened(widened: Call, scope: str) -> Answered:
    """Look up the terms of *scope* in the rows of *widened*."""
    assert widened.lookup is not None
    return Answered(
        widened.procedure,
        widened.arguments,
        tuple(widened.context.items()),
        widened.lookup,
        key="widened",
        label=schema.TERM,
        property="name",
        where=(("scope", scope),),
    )
