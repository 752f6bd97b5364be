"""Declare a verb: its procedure, and the function that says what it takes and surely looks up.

    @verb(procedures.SEARCH, is_of_user=True, is_worded=True)
    def search(scope: str, query: str, limit: Limit = 10, *, asker: Asker = None) -> None: ...

    worker_pause = verb(procedures.WORKER_PAUSE)(lambda paused: None)

* The first argument of one that `is_of_user` is the user, or the scope of the concepts.
* Arguments that may be given by position are those of the procedure, in its order. `embedded` is
  its `vector` and `model`.
* `user_id` is neither passed nor shown: the look-up is of that user, whom the session adds.
* Arguments by name alone are keys of the context. `concept_scope` says whose the concepts are, and
  `explained` whether the rows have the parts of their scores.

Called with its arguments a verb returns the call. Tools and commands take their arguments from it,
by the types in `conceptgraph_core.verbs.arguments`.

The verb of a rule (`verb_of_rule`) has the arguments that its rule declares. The rule checks them.
Any key of the context may be passed to it by name.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Concatenate, Final, Generic, NamedTuple, ParamSpec, get_type_hints

from conceptgraph_core.concepts import lookups as concepts
from conceptgraph_core.concepts import schema
from conceptgraph_core.entities.names import Subject
from conceptgraph_core.everyday.asking import read_span
from conceptgraph_core.graph.primitives import Lookup
from conceptgraph_core.memories import lookups as memories
from conceptgraph_core.memories.filters import Wanted
from conceptgraph_core.memories.schema import SEARCH_DEPTH
from conceptgraph_core.retrieval.question import MOST_WORDS
from conceptgraph_core.texts import text
from conceptgraph_core.texts.words.splitting import split
from conceptgraph_core.verbs import limits, validators
from conceptgraph_core.verbs.arguments import INNER
from conceptgraph_core.verbs.context import KEYS
from conceptgraph_core.verbs.errors import ConceptGraphError, InvalidText
from conceptgraph_core.verbs.procedures import Procedure

from ..errors import Refused
from .call import Call, spoken_context, whose

P = ParamSpec("P")
_EMBEDDED: Final = "embedded"
_USER: Final = "user_id"
_CONCEPTS: Final = "concept_scope"
_EXPLAINED: Final = "explained"
_OWN: Final = ("scope", _USER, _CONCEPTS, "tau_ms")
_EXPLANATION: Final = ("words", "factors")
_ANY: Final = Wanted()
_SAFE: Final = frozenset({int, float, bool, type(None)})
_SIMPLE: Final = _SAFE | {str, list, dict}


class Also(NamedTuple):
    """Other wordings of a question, and one vector of all of them, if there is an embedding.

    One for each would take as many searches of the vectors, and a second to make.
    """

    wordings: tuple[str, ...] = ()
    vector: tuple[float, ...] = ()

    def beside(self, embedded: Any) -> "Also":
        """Return it for a question that is *embedded*; without its vector if that has none."""
        return self if embedded is not None and len(embedded[1]) else Also(self.wordings)

    @property
    def text(self) -> str:
        """All wordings as one text: one look-up finds what any of them needs."""
        return "\n".join(self.wordings)[: limits.MAX_SUMMARY]

    def context(self) -> dict[str, Any]:
        """Return the wordings for the context of a call."""
        given = {"also": list(self.wordings), "also_vector": list(self.vector)}
        return {key: value for key, value in given.items() if value}


def read_also(given: Sequence[str] | Also | None) -> Also:
    """Return *given*, checked, without a vector. Raises Refused."""
    if isinstance(given, Also):
        return given
    try:
        wordings = validators.wordings([] if given is None else given, "also")
    except ConceptGraphError as error:
        raise Refused(str(error), type(error)) from error
    words = accumulate(len(split(one)) for one in wordings)
    # They have as many words together as a question may have; the last ones are left out.
    fitting = [one for one, so_far in zip(wordings, words, strict=True) if so_far <= MOST_WORDS]
    return Also(tuple(fitting))


class Argument(NamedTuple):
    """An argument that surfaces have, with its type as it is declared; `...` is no default."""

    name: str
    type: Any
    default: Any


# Look-ups that the procedure is sure to ask for.
Reads = list[Lookup] | None


class Verb(Generic[P]):
    """A verb: its procedure, and the function that returns what a call looks up.

    It *is_worded* if the call depends on the languages of texts. The arguments *beside* those of
    the procedure are for the look-up alone. Those of surfaces begin at *start*.
    """

    def __init__(
        self,
        procedure: Procedure,
        reads: Callable[..., Reads],
        start: int,
        is_worded: bool,
        beside: Sequence[str],
    ) -> None:
        self.__doc__, self.__name__, self.__wrapped__ = reads.__doc__, reads.__name__, reads
        self.procedure = procedure
        self._reads, self._start, self._is_worded = reads, start, is_worded
        code, late = reads.__code__, reads.__defaults__ or ()
        count = code.co_argcount
        self._names = code.co_varnames[: count + code.co_kwonlyargcount]
        self._defaults = dict(zip(self._names[count - len(late) : count], late, strict=True))
        self._defaults |= reads.__kwdefaults__ or {}
        apart = {_EMBEDDED, _USER, _CONCEPTS, _EXPLAINED, *beside}
        self._sent = [one for one in self._names[start:count] if one not in apart]
        self._told = [one for one in self._names[count:] if one not in apart]
        self._is_embedded = _EMBEDDED in self._names
        self._has_concepts = _CONCEPTS in self._names
        self._unexplained = procedure.without(*_EXPLANATION)
        # The arguments that the session has.
        self.own = [one for one in _OWN if one in self._names]

    @functools.cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of surfaces, in their order."""
        types = get_type_hints(self._reads, include_extras=True)
        return tuple(
            Argument(one, types[one], self._defaults.get(one, ...))
            for one in self._names[self._start :]
            if one not in {_EMBEDDED, _USER, _CONCEPTS}
            and INNER not in getattr(types[one], "__metadata__", ())
        )

    def make_call(self, **named: Any) -> Call:
        """Return the call with these arguments, the scope too. Raises Refused."""
        return self._call((), named)

    def _bind(
        self, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Reads, dict[str, Any]]:
        """Return what the call is sure to look up, and the values of all arguments."""
        values = self._defaults.copy()
        values.update(zip(self._names, given, strict=False))
        values.update(named)
        for name, value in values.items():
            if value.__class__ not in _SAFE and name != _EMBEDDED:
                _check_storable(value, name)
        return self._reads(*given, **named), values

    def __call__(self, *given: P.args, **named: P.kwargs) -> Call:
        return self._call(given, named)

    def _call(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> Call:
        try:
            wanted, values = self._bind(given, named)
            arguments = [
                one if one.__class__ in _SIMPLE else _plain(one)
                for one in map(values.__getitem__, self._sent)
            ]
            if self._is_embedded:
                model, vector = values[_EMBEDDED] or (None, ())
                arguments += [list(vector), model]
            context = spoken_context() if self._is_worded else {}
            for one in self._told:
                if values.get(one) != self._defaults.get(one):
                    context |= _of_context(one, values[one])
            if self._has_concepts:
                own = values[_CONCEPTS]
                context |= whose(values[self._names[0]] if own is None else own)
            procedure = self.procedure if values.get(_EXPLAINED, True) else self._unexplained
            return Call(procedure, tuple(arguments), context, wanted or ())
        except ConceptGraphError as error:
            raise Refused(str(error), type(error)) from error


class RuleVerb(Verb[P]):
    """The verb of a rule on what belongs to a user."""

    def __init__(
        self, procedure: Procedure, reads: Callable[..., Any], sends: Sequence[str]
    ) -> None:
        super().__init__(procedure, reads, 1, is_worded=True, beside=())
        apart = {*sends, _EMBEDDED, _CONCEPTS}
        self._beside = frozenset((*apart, *KEYS)) - {*self._names}
        self._sent = [one for one in sends if one != _EMBEDDED]
        self._told = [*dict.fromkeys(one for one in (*self._names[1:], *KEYS) if one not in apart)]
        self._is_embedded, self._has_concepts = _EMBEDDED in sends, True
        self._defaults |= dict.fromkeys(apart.difference(self._names))
        self._lists = [name for name in self._sent if isinstance(self._defaults.get(name), tuple)]
        self._foresees = _FORESEEN.get(self.__name__)
        self.own = ["scope", _CONCEPTS]

    def __call__(self, scope: str, *given: Any, **named: Any) -> Call:  # type: ignore[override]
        return self._call((scope, *given), named)

    def _bind(
        self, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Reads, dict[str, Any]]:
        beside = {name: named[name] for name in self._beside.intersection(named)}
        _, values = super()._bind(given, {n: one for n, one in named.items() if n not in beside})
        values |= beside
        for name in self._lists:
            # A database would refuse it in its own words.
            if isinstance(values[name], str | Mapping):
                raise InvalidText(f"{name}: must be a list")
        if "also" in values:
            values["also"] = read_also(values["also"])
        wanted = None if self._foresees is None else self._foresees(values)
        return wanted, values


def _near(given: Mapping[str, Any], wanted: Wanted = _ANY) -> list[Lookup]:
    """Look up the memories that are near in meaning to a question and its other wordings."""
    vectors = [(given[_EMBEDDED] or (None, ()))[1], getattr(given.get("also"), "vector", ())]
    return [
        found
        for vector in vectors
        if len(vector)
        for found in memories.near(given["scope"], vector, SEARCH_DEPTH, wanted)
    ]


def _of_search(given: Mapping[str, Any]) -> list[Lookup]:
    name = given["about"]
    subject = None if name is None else Subject([text.name(name, "about")])
    return _near(given, Wanted(within=read_span(given["since"], given["until"]), about=subject))


def _of_relate(given: Mapping[str, Any]) -> list[Lookup]:
    own = given["scope"] if given[_CONCEPTS] is None else given[_CONCEPTS]
    return [concepts.named(own, *schema.checked_ends(given["source"], given["target"]))]


# Look-ups that a rule surely needs, from its arguments alone: they save Memgraph a round.
_FORESEEN: Final[Mapping[str, Callable[[Mapping[str, Any]], list[Lookup]]]] = {
    "recall": _near,
    "explain": _near,
    "search": _of_search,
    "relate": _of_relate,
}


def verb_of_rule(
    procedure: Procedure, *sends: str
) -> Callable[[Callable[Concatenate[str, P], None]], RuleVerb[P]]:
    """Declare the verb of a rule, which *sends* these arguments to its procedure, in its order."""
    return lambda reads: RuleVerb(procedure, reads, sends)


def verb(
    procedure: Procedure,
    *,
    is_of_user: bool = False,
    is_worded: bool = False,
    beside: Sequence[str] = (),
) -> Callable[[Callable[P, Reads]], Verb[P]]:
    """Declare a verb of *procedure*, on what its arguments name or on what is the user's."""
    return lambda reads: Verb(procedure, reads, int(is_of_user), is_worded, beside)


def _check_storable(value: Any, name: str) -> None:
    """Raise InvalidText for a text, at any depth, that must not even reach a database."""
    if isinstance(value, str):
        if not text.storable(value):
            raise InvalidText(text.unstorable(name))
    elif isinstance(value, Mapping):
        _check_storable([*value.values()], name)
    elif isinstance(value, list | tuple):
        for one in value:
            _check_storable(one, name)


def _plain(value: Any) -> Any:
    """Return *value* with lists and maps as hosts take them."""
    if value.__class__ in _SIMPLE:
        return value
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(one) for one in value]


def _of_context(name: str, value: Any) -> dict[str, Any]:
    """Return the keys of the context that say *value*, one or those that it makes of itself."""
    made: dict[str, Any] = value.context() if hasattr(value, "context") else {name: _plain(value)}
    return made
