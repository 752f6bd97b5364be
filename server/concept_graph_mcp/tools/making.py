"""Make tools of verbs: the verb has the arguments, and its procedure the fields of the result.

Say what fields of results mean, once for all tools.
"""

import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
)

from pydantic import BeforeValidator, Field, Strict
from typing_extensions import TypedDict

from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.arguments import Between, Items, Moment, OneOf

from ..calls.verb import Also, Argument, Verb
from ..session import Session, cut_question, join_advice
from ..times import find_moments, iso, read_moments, without_none
from .adapter import ADDING, READING, Asking, ConceptTool, Hints, terse, tool

# Unix ms in a row, and in a result an ISO time with its zone.
TIMES: Final = {
    *("created_at", "accessed_at", "deleted_at", "last_decay_update", "next_state_at"),
    *("preserved_until", "last_activated", "valid_from", "valid_until"),
}
# Every row says these of the whole list.
LISTED_ONCE: Final = ("total", "truncated")
LEFT_OUT_IF_EMPTY: Final = frozenset(("also", "existing", "kept", "similar"))
_LACKING = "The missing evidence, if it is only a claim."
# By the name of the field, or of the tool and the field.
MEANINGS: Final = {
    # Memories
    "memory_id": "The memory's id; use it unchanged.",
    "state": "active, dormant, archived (still readable) or expired (hidden until restored).",
    "decay_score": "How present it is, 0 to 1; fades unless accessed.",
    "speaker": "The speaker, if it is a message.",
    "text": "Its summary, or else its content, cut where long.",
    "also": "How many more say the same in the same words.",
    "contradicted_by": "The memory_id of a later one that contradicts it.",
    "existing": "True: it was there; this counted as an access.",
    "kept": "Its own, kept in place of yours; memory_node_update sets it.",
    "similar": "Memories that say nearly the same: link or correct them.",
    "preserved": "Whether a tag or a date keeps it from fading.",
    "decay_rate": "Its own, per day.",
    "expired": "How many more there are that expired, if any; the owner restores them.",
    "total": "How many there are, counted up to a bound; only if limit cut some.",
    "truncated": "max_nodes or time_budget: why there is more than this.",
    "advice": "Why meaning was left out, or no access counted.",
    "strength": "How firm the link is now, 0 to 1; fades to 0.1 unless used.",
    "memory_node_link.created": "False: there was one already.",
    "relation": "The type of the link that leads there.",
    "direction": "outgoing or incoming: whether the link leads there, or comes from there.",
    "distance": "How many links away; the start is 0.",
    "depth": "How many links away; the start is 0.",
    "via": "The memory_id that it was reached from.",
    "average_connections": "Links at a memory, either way.",
    "isolated": "Memories without any link.",
    "score": "How well it fits. Compare, do not threshold.",
    "matched": "Words of the query, the most telling first.",
    "similarity": "How near its meaning is, 1 at most.",
    "memory_context.text": "One a line, quoted, the best first: [time memory_id] who: “…”.",
    "memory_context.memory_ids": "Those in the text, in its order.",
    "tokens": "How many it has, estimated: bytes / 4.",
    "next_state": "The state that comes next, if any.",
    "memory_node_recent.memories": "The latest first.",
    # Concepts
    "valence": "How it feels, by all feelings added up: -1 bad, 0 neither, 1 good.",
    "arousal": "How present it is now, 0 to 1; fades unless recalled or felt again.",
    "episode_id": "The episode's id; use it unchanged.",
    "update_affect.accessed_at": "When it was last aroused, unix milliseconds.",
    # Entities
    "entity_id": "The entity's id; use it unchanged.",
    "entity_split.entity_id": "The other one of the name.",
    "trust": "How far to trust it, from 0; compare, do not threshold. Not yours to set.",
    "status": "distinct, provisional, ambiguous (it may be another one) or merged.",
    "identity_status": "distinct, provisional, ambiguous (it may be another one) or merged.",
    "inferred": "The user never mentioned it: say so, and trust it last.",
    "labels": "Its names, the main label first.",
    "entity_get.valid_until": "When it ended.",
    "origin": "user: it stands in the user's own words; model; or mixed.",
    "origin_confidence": "The user's share of its mentions.",
    "trust_parts": "The factors of trust. edge_count counts the edges that the user ever"
    " reinforced; active_edges those that are active now.",
    "activation": "How present it is, 0 to 1.",
    "facts": "Facts believed, as of both times.",
    "entity_get.edges": "The strongest: weight, strength, recency and trust stay apart.",
    "entity_observe.edges": "Relations between them; `refused` says why there is none.",
    "mentions": "The latest, in their sentences.",
    "conflicts": "Contradictions, all kept: ask the user, do not resolve them.",
    "merges": "Merges: entity_unmerge undoes them.",
    "entity_search.entities": "The user's mentions first, each group by closeness.",
    "entity_observe.entities": "What was mentioned. candidates: those that it may be;"
    " inferred_from: these words do not say the label, so it is yours; refused_span: not found in"
    " the text; observed_in: this message_id had other words: give these one of their own.",
    "entity_end_session.entities": "How many were mentioned in it.",
    "promoted": "Entities that are now distinct, and why.",
    "activated_causal": "Causal relations that now count: three sessions did.",
    "fact_id": "The id with which a later call corrects or ends it.",
    "inferred_from": "These words do not say the value: it is your guess.",
    "refused_span": "Not found in the text, so the fact counts as yours.",
    "verdict": "What came of it; candidate: kept as a question, nothing changed.",
    "merge_id": "The id with which entity_unmerge undoes it.",
    "entity_merge.reason": _LACKING,
    "entity_split.reason": _LACKING,
    "entity_end.reason": _LACKING,
    "separate": "The separated entities, as they are now.",
    "undo": "The id that undoes this again, if it merged two.",
    "entity_context.text": "A line for each of sources. inferred: only you have said it.",
    "sources": "The source of each sentence, in order.",
    "entity_explain.text": "A line for each reason.",
}


# The schemas of tools are made of these, and pydantic needs this one before Python 3.12.


Given = dict[str, Any]
Row = Mapping[str, Any]
Rows = Sequence[Row]
_NONE: Mapping[Any, Any] = {}
Text = Annotated[str, Strict()]
# Its fields are known at run time alone.
_typed_dict: Any = TypedDict


class Made(NamedTuple):
    """A tool made of a verb, which a model is *told* to call.

    * `rows` is the name of the list in which a result has the rows; without it, there is one row.
    * `asks_by` is the argument that gets a vector, `redacts` are those that may hold secrets.
    * `prepares` changes the arguments, and `adds` returns further fields, which `more` declares.
    * `runs` is the method of the toolset's state that answers in place of the procedure.
    * The result lacks the fields `without`. A time stays a number in one that is not `dated`.
    * `names`, `defaults`, `types` and `order` say how the arguments differ from the verb's:
      some have another name, another default or another type.
    """

    name: str
    verb: Verb[Any]
    title: str
    told: str
    hints: Hints | None = None
    rows: str | None = None
    asks_by: str | None = None
    redacts: Sequence[str] = ()
    without: Sequence[str] = ()
    more: Mapping[str, Any] = _NONE
    prepares: Callable[[Session, Given], Awaitable[Given]] | None = None
    adds: Callable[[Session, Given, Rows], Awaitable[Given]] | None = None
    runs: Callable[..., Awaitable[Any]] | None = None
    asks: Callable[[], Asking] | None = None
    decimals: int | None = None
    is_dated: bool = True
    names: Mapping[str, str] = _NONE
    defaults: Mapping[str, Any] = _NONE
    types: Mapping[Any, Any] = _NONE
    order: Sequence[str] = ()


class Toolset(NamedTuple):
    """Tools that are enabled together, and the instructions for a model on their use.

    `aliases` are other names for some of them, which are accepted and not listed. The text of
    `whose` for shared or own concepts replaces "{whose}" in the instructions, and that of `when`
    "{when}", by whether notes come by themselves. The tools over a session share one `state`, and
    the `functions` of a state are tools of no verb. In the schema of one that `is_brief` null is no
    default beside a type that has it.
    """

    made: Sequence[Made]
    instructions: str
    aliases: Mapping[str, str] = _NONE
    whose: Mapping[str, str] = _NONE
    when: Mapping[bool, str] = _NONE
    state: Callable[[Session], Any] = lambda _: None
    functions: Callable[[Any], Sequence[ConceptTool]] = lambda _: ()
    is_brief: bool = False

    def tools(self, session: Session) -> list[ConceptTool]:
        """Return the tools over *session*, in the order of the list."""
        state = self.state(session)
        made = [_make_tool(session, one, state) for one in self.made]
        tools = [terse(one) for one in (*made, *self.functions(state))]
        for field in (one for of in tools for one in of.parameters["properties"].values()):
            if self.is_brief and field.get("default", ...) is None:
                del field["default"]
        return tools

    def told(self, concepts: str, has_notes: bool = False) -> str:
        """Return the instructions of a server where *concepts* are "shared" or "own"."""
        told = self.instructions.replace("{when}", self.when.get(has_notes, ""))
        return told.replace("{whose}", self.whose.get(concepts, ""))


def _make_tool(session: Session, made: Made, state: Any) -> ConceptTool:
    taken = list(made.verb.arguments)
    if made.order:
        taken.sort(key=lambda one: made.order.index(one.name))
    moments = find_moments(made.verb)
    returns = _result_type(made) if made.runs is None else made.runs.__annotations__["return"]
    signature = Signature([*_parameters(taken, made)], return_annotation=returns)

    async def run(*given: Any, **named: Any) -> Any:
        bound = {**made.defaults, **signature.bind(*given, **named).arguments}
        bound |= read_moments(bound, moments, session.zone, session.clock.now_ms())
        if made.prepares is not None:
            bound |= await made.prepares(session, bound)
        texts = {one: bound[one] for one in made.redacts if one in bound}
        bound |= session.redacted(texts) if texts else texts
        if made.runs is not None:
            return await made.runs(state, **bound)
        return await _answer(session, made, bound)

    run.__name__, run.__doc__ = made.name, made.told
    run.__signature__ = signature  # type: ignore[attr-defined]
    hints = made.hints or (ADDING if made.verb.procedure.writes else READING)
    result = tool(run, made.title, hints, asks=None if made.asks is None else made.asks())
    result.procedure = made.verb.procedure.name
    return result


async def _answer(session: Session, made: Made, given: Given) -> Given:
    """Run the verb, and return its rows in the form of results."""
    procedure, cut = made.verb.procedure, None
    is_statement = procedure.writes and not procedure.counts
    if made.asks_by is not None and not is_statement:
        given[made.asks_by], cut = cut_question(given[made.asks_by] or "")
    by = partial(session.call, made.verb, **given)
    if made.asks_by is not None and given[made.asks_by]:
        rows, advice = await session.answered(given[made.asks_by], by, is_statement)
    else:
        rows, advice = await session.accessed(by())
    shown = [_show_row(session, made, one) for one in rows]
    if made.rows is None:
        [result] = shown
    else:
        result = {made.rows: shown}
        if rows and rows[0].get("total", 0) > sum(1 + row.get("also", 0) for row in rows):
            result["total"] = rows[0]["total"]
        result["truncated"] = rows[0].get("truncated") if rows else None
    if made.adds is not None:
        result |= await made.adds(session, given, rows)
    told = None if is_statement else join_advice(cut, advice)
    return without_none({**result, "advice": told})


def _show_row(session: Session, made: Made, row: Row) -> Given:
    """Return *row* in the form of results: times with a zone, and nothing that is empty."""
    left_out = {*made.without, *(LISTED_ONCE if made.rows else ())}
    shown: Given = {}
    for name, value in row.items():
        is_empty = value is None or (name in LEFT_OUT_IF_EMPTY and not value)
        if is_empty or name in left_out or name not in made.verb.procedure.fields:
            continue
        is_time = name in TIMES and made.is_dated
        shown[name] = iso(value, session.zone) if is_time else _show_value(session, made, value)
    return shown


def _show_value(session: Session, made: Made, value: Any) -> Any:
    if isinstance(value, float) and made.decimals is not None:
        return round(value, made.decimals)
    if isinstance(value, Mapping) and made.decimals is not None:
        return {name: _show_value(session, made, one) for name, one in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [
        {
            name: iso(one, session.zone)
            if name in TIMES and made.is_dated
            else _show_value(session, made, one)
            for name, one in item.items()
            if one is not None
        }
        if isinstance(item, Mapping)
        else item
        for item in value
    ]


def _result_type(made: Made) -> Any:
    """Return the type of the result: the fields of the procedure, with their meanings."""
    procedure = made.verb.procedure
    left_out = {*made.without, *(LISTED_ONCE if made.rows else ())}
    fields = {
        name: _field_type(made, name, procedure.returns[name])
        for name in procedure.fields
        if name not in left_out
    }
    more = {name: _describe(made, name, one) for name, one in made.more.items()}
    if procedure.counts or (made.asks_by is not None and not procedure.writes):
        more["advice"] = _describe(made, "advice", NotRequired[str])
    called = made.name.title().replace("_", "")
    if made.rows is None:
        return _typed_dict(called, {**fields, **more})
    row: Any = _typed_dict(f"{called}Row", fields)
    once = {"total": NotRequired[int], "truncated": NotRequired[str]}
    told = {name: _describe(made, name, once[name]) for name in once if name in procedure.fields}
    listed = _describe(made, made.rows, list[row])
    return _typed_dict(called, {made.rows: listed, **told, **more})


def _field_type(made: Made, name: str, type_: Any) -> Any:
    members = [one for one in get_args(type_) if one is not NoneType]
    is_optional = NoneType in get_args(type_) or name in LEFT_OUT_IF_EMPTY
    plain = members[0] if NoneType in get_args(type_) else type_
    plain = str if name in TIMES and made.is_dated else plain
    return _describe(made, name, NotRequired[plain] if is_optional else plain)


def _describe(made: Made, name: str, type_: Any) -> Any:
    """Return the type of the field *name* with its meaning, if that is not plain from the name."""
    meaning = MEANINGS.get(f"{made.name}.{name}", MEANINGS.get(name))
    if meaning is None and name in TIMES:
        meaning = "A time with its zone, e.g. 2025-06-15T17:06:40+02:00."
    if meaning is None:
        return type_
    if get_origin(type_) is NotRequired:
        return NotRequired[Annotated[get_args(type_)[0], Field(description=meaning)]]
    return Annotated[type_, Field(description=meaning)]


def _parameters(taken: Sequence[Argument], made: Made) -> Iterator[Parameter]:
    kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    is_optional = is_by_name = False
    for one in taken:
        default = made.defaults.get(one.name, one.default)
        # A list in a schema; nobody changes it.
        default = list(default) if isinstance(default, tuple) else default
        is_by_name = is_by_name or (default is ... and is_optional)
        is_optional = is_optional or default is not ...
        type_ = schema_type(one.type, made.types)
        if one.name in made.names:
            type_ = Annotated[type_, Field(alias=made.names[one.name])]
        default = Parameter.empty if default is ... else default
        yield Parameter(one.name, kinds[is_by_name], default=default, annotation=type_)


def schema_type(type_: Any, types: Mapping[Any, Any] = _NONE) -> Any:
    """Return pydantic's type of an argument: strict, with its bounds and its meaning."""
    if type_ in types:
        return types[type_]
    origin, parts = get_origin(type_), get_args(type_)
    if origin is Annotated:
        inner, *told = parts
        made = schema_type(inner, types)
        for one in _meta(type_, OneOf):
            made = Literal[one.values]
        if _meta(type_, Moment):
            made = Annotated[str, Strict()] | None if NoneType in get_args(inner) else str
        texts = [one for one in told if isinstance(one, str)]
        bounds = [two for one in told for two in _bounds(one, inner)]
        meaning = [Field(description=texts[-1])] if texts else []
        return functools.reduce(lambda of, one: Annotated[of, one], [*bounds, *meaning], made)
    if origin in {Union, UnionType}:
        members = [schema_type(one, types) for one in parts if one is not Also]
        return functools.reduce(lambda one, other: Union[one, other], members)  # noqa: UP007
    if origin is not None and origin is not Literal and issubclass(origin, Sequence):
        return list[schema_type(parts[0], types)]  # type: ignore[misc]
    if type_ in {str, int, float, bool}:
        return Annotated[type_, Strict()]
    return type_


def _bounds(told: Any, of: Any) -> Iterator[Any]:
    if isinstance(told, Items):
        yield Field(min_length=told.least, max_length=told.most)
    if isinstance(told, Between):
        most = told.most if told.asked is None else told.asked
        if of is float:
            yield Field(ge=told.least, le=most, allow_inf_nan=False)
            return
        yield Field(ge=told.least, le=most)
        low = -limits.MAX_INTEGER if told.refuses_less else int(told.least or 0)
        yield _clamp_to(low, int(most or 0)) if told.clamps else _WHOLE


def _meta(type_: Any, kind: type) -> list[Any]:
    return [one for one in getattr(type_, "__metadata__", ()) if isinstance(one, kind)]


def _whole(value: Any) -> Any:
    """Accept 2.0 as 2, as JSON Schema does; a bool or a text is still no integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _clamp_to(low: int, high: int) -> BeforeValidator:
    """Replace any 64-bit integer by the nearest one from *low* to *high*."""

    def clamp(value: Any) -> Any:
        whole = _whole(value)
        if isinstance(whole, bool) or not isinstance(whole, int) or abs(whole) > limits.MAX_INTEGER:
            return whole
        return min(high, max(low, whole))

    return BeforeValidator(clamp)


# Placed after the range in every annotation, otherwise the schema lacks the range.
_WHOLE = BeforeValidator(_whole)
