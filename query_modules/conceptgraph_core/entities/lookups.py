"""Look up entities: by id, by name, by what a name may mean, and by kind, of one user.

Imports nothing of Memgraph: the server names beforehand what a rule is sure to ask for.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..embeddings.schema import held, remembered
from ..graph.primitives import (
    BEYOND,
    Equal,
    Lookup,
    Nearest,
    Ordered,
    Range,
    Ranges,
    Reached,
    Union,
    Where,
    WithEdges,
    following,
    next_text,
)
from ..language import oneself
from ..texts import text
from ..verbs import limits
from . import names, schema

if TYPE_CHECKING:
    from .inputs import Given, Observation, Relation

# More than are candidates, because entities activated at one time have no order.
_LATEST_LOOKED_UP = 20
# The number of entities whose names begin alike.
_KIN_LOOKED_UP = 25
# The number of longer names that a name may begin, or an acronym abbreviate.
_BEGUN_LOOKED_UP = 5
_ACRONYM_LOOKED_UP = 200
# The words of other wordings of a query.
_WORDS_LOOKED_UP = 60
_SELF = names.searched(schema.SELF)


def with_ids(*entity_ids: str, field: str = "entity_id") -> Lookup:
    """Look up entities by their ids; the procedure checks their scope.

    An invalid id is refused under the argument name *field*.
    """
    values = tuple((text.name(one, field),) for one in dict.fromkeys(entity_ids))
    return Equal((schema.ENTITY,), ("id",), values)


def with_any_id(*ids: str) -> Union:
    """Look up the facts, the mentions or the entities of these ids."""
    values = tuple((one,) for one in dict.fromkeys(ids))
    of = (schema.FACT, schema.MENTION, schema.ENTITY)
    return Union(tuple(Equal((label,), ("id",), values) for label in of))


def stated(entity_id: str, given: "Given") -> Union:
    """Look up the entities of a fact that is stated, and the fact that it corrects or ends."""
    of = [one for one in (entity_id, given.object_id) if one is not None]
    old = tuple((one,) for one in (given.corrects, given.ends) if one is not None)
    return Union((with_ids(*of), *([Equal((schema.FACT,), ("id",), old)] if old else [])))


def searched(query: str, user_id: str) -> Union:
    """Look up the entities whose name is *query*, or begins with it or with one of its words."""
    name = names.canonical(query)
    plain = names.searched(name)
    asked = list(dict.fromkeys(names.words(name)))[: schema.WORDS_SEARCHED]
    begun = [
        ("searched", one, schema.SEARCHED if one == plain else schema.WORD_SEARCHED)
        for one in dict.fromkeys((plain, *asked))
    ]
    begun += [
        (place, one, schema.WORD_SEARCHED)
        for one in asked[: schema.INNER_SEARCHED]
        for place in schema.INNER_WORDS.values()
    ]
    return Union(
        (
            Equal((schema.ENTITY,), ("user_id", "called"), ((user_id, name),)),
            *(_beginning(place, one, user_id, most) for place, one, most in begun),
        )
    )


def _beginning(place: str, first: str, user_id: str, most: int) -> Range:
    """Look up *most* entities of which the property *place* begins with *first*."""
    return Range((schema.ENTITY,), place, first, first + names.LAST, mine(user_id), most)


def taking(name: str, user_id: str) -> Equal:
    """Look up the entities that have the canonical *name*, or a numbered one."""
    values = tuple((user_id, one) for one in (name, *names.numbered(name)))
    return Equal((schema.ENTITY,), ("user_id", "canonical_name"), values)


def last_activated(most: int, user_id: str, where: Where = ()) -> Ordered:
    """Look up the *most* entities *where* it is so that were activated last."""
    return Ordered(schema.ENTITY, "last_activated", most, where=(*mine(user_id), *where))


def every(user_id: str) -> Equal:
    return Equal((schema.ENTITY,), ("user_id",), ((user_id,),))


def of_merge(merge_id: str) -> Equal:
    """Look up an entry of the ledger."""
    return Equal((schema.MERGE,), ("id",), ((text.name(merge_id, "merge_id"),),))


def in_question(user_id: str) -> Union:
    """Look up entities that may be in an open question."""
    statuses = schema.AMBIGUOUS, schema.PROVISIONAL, schema.DISTINCT
    return of_statuses(statuses, schema.MAX_LISTED, user_id)


def of_statuses(statuses: Iterable[str], most: int, user_id: str) -> Union:
    """Look up the *most* entities of each of *statuses*, or of all, that were activated last."""
    wheres: list[Where] = [(("identity_status", one),) for one in dict.fromkeys(statuses)]
    return Union(tuple(last_activated(most, user_id, one) for one in wheres or [()]))


def activated_until(until_ms: int, user_id: str) -> Union:
    """Look up a thousand of the entities activated last, and of those not activated since."""
    until, most = (-limits.MAX_TIME_MS, until_ms + 1), schema.MAX_LISTED
    rest = Range((schema.ENTITY,), "last_activated", *until, mine(user_id), most)
    return Union((last_activated(most, user_id), rest))


def latest_merges(most: int, user_id: str) -> Ordered:
    return Ordered(schema.MERGE, "created_at", most, where=mine(user_id))


def forgotten(first: int, beyond: int, user_id: str, most: int) -> Union:
    """Look up the *most* entities, facts and mentions that were forgotten in that time."""
    of = (schema.ENTITY, schema.FACT, schema.MENTION)
    span = first, beyond, mine(user_id), most
    return Union(tuple(Range((label,), "forgotten_at", *span) for label in of))


def batch(step: str, after: str | None, most: int, user_id: str) -> Lookup:
    """Look up the *most* entities whose ids follow *after*, with the edges that *step* reads."""
    found = Range((schema.ENTITY,), "id", following(after), BEYOND, mine(user_id), most)
    if step == schema.COMMUNITIES:
        return WithEdges(found)
    if step == schema.ARCHIVE:
        # Edges lead from mentions to their entity.
        return WithEdges(found, leaving=False, entering=True)
    if step in (*schema.READING_LEAVING, *schema.READING_ALL):
        return WithEdges(found, entering=step in schema.READING_ALL)
    return found


def silent_sessions(until_ms: int, most: int, user_id: str) -> Range:
    """Look up the *most* open sessions that were silent since *until_ms*, the longest first."""
    first, where = -limits.MAX_TIME_MS, (*mine(user_id), ("is_open", True))
    return Range((schema.SESSION,), "last_mention_at", first, until_ms + 1, where, most)


def observed(
    user_id: str,
    message: tuple[str, str, str],
    observations: "Sequence[Observation]",
    relations: "Sequence[Relation]" = (),
) -> list[Lookup]:
    """Look up what it takes to record *message*: its session, its id and its text."""
    from .language import kin

    session_id, message_id, text_of = message
    known = [one for one in observations if one.needs_known]
    others = [one for one in observations if not one.needs_known]
    so_called = [name for one in others for name in (one.name, *one.also)]
    so_called += [name for one in relations for name in (one.source, one.target)]
    mentioned = {
        names.make_mention_id(user_id, session_id, message_id, one.counted, one.node_type)
        for one in observations
    }
    embeddings = [one.embedding for one in others if one.embedding is not None]
    single = kin.list_single(text_of)
    kinds = dict.fromkeys(kind for _, one in single for kind in (one, *kin.kinds(one)))
    return [
        session(session_id, user_id),
        Equal((schema.MENTION,), ("id",), tuple((one,) for one in sorted(mentioned))),
        *called(so_called, user_id),
        *meaning(others, user_id),
        *find_known(known, user_id),
        # The mother, the father and the like whom the message may mean or name.
        *([of_kinds(kinds, user_id)] if kinds else []),
        with_ids(*(one.same_as for one in others if one.same_as is not None)),
        last_activated(_LATEST_LOOKED_UP, user_id),
        *(near(one, user_id) for one in embeddings),
        *([remembered(), held(session_id)] if embeddings else []),
    ]


def sessions_of(entity_id: str) -> Lookup:
    """Look up an entity with those merged with it, their mentions, and the sessions of these."""
    merged = Reached(with_ids(entity_id), (schema.SAME_AS,), schema.MOST_MERGED, entering=True)
    return Reached(Reached(merged, (schema.OF,), 1, entering=True), (schema.IN,), 1)


def session(session_id: str, user_id: str) -> Lookup:
    return Equal((schema.SESSION,), ("user_id", "session_id"), ((user_id, session_id),))


def mentioning(user_id: str, session_ids: Iterable[str]) -> Lookup:
    """Look up these sessions with their mentions."""
    values = tuple((user_id, one) for one in session_ids)
    sessions = Equal((schema.SESSION,), ("user_id", "session_id"), values)
    return Reached(sessions, (schema.IN,), 1, entering=True)


def called(wanted: Iterable[str], user_id: str) -> list[Lookup]:
    """Look up the entities with these canonical names, or with names that begin alike."""
    once = tuple(dict.fromkeys(wanted))
    values = tuple((user_id, name) for name in once)
    exactly = Equal((schema.ENTITY,), ("user_id", "called"), values)
    begun = dict.fromkeys(names.kin(name) for name in once)
    taken = dict.fromkeys(one for name in once for one in (name, *names.numbered(name)))
    return [
        exactly,
        # Another entity may hold the name as an alias.
        Equal(
            (schema.ENTITY,), ("user_id", "canonical_name"), tuple((user_id, one) for one in taken)
        ),
        *(
            Range((schema.ENTITY,), "canonical_name", *one, mine(user_id), _KIN_LOOKED_UP)
            for one in begun
        ),
    ]


def find_known(wanted: "Iterable[Observation]", user_id: str) -> list[Lookup]:
    """Look up the entities with exactly these names, or of the kind that "Mum" is a word for."""
    from .identity import likenesses

    wanted = list(wanted)
    values = tuple((user_id, one) for one in dict.fromkeys(names.key(one.label) for one in wanted))
    kinds = dict.fromkeys(kind for one in wanted for kind in likenesses.kinds_named(one.name))
    exactly = Equal((schema.ENTITY,), ("user_id", "called"), values)
    return [*([exactly] if values else []), *([of_kinds(kinds, user_id)] if kinds else [])]


def meaning(wanted: "Iterable[Observation]", user_id: str) -> list[Lookup]:
    """Look up entities that may be the same under another name: see `likenesses`."""
    from .identity import likenesses

    once = list({one.name: one for one in wanted}.values())
    forms = dict.fromkeys(
        form
        for one in once
        for form in (names.key(one.label), *likenesses.forms(names.canonical(one.label)))
    )
    begun = dict.fromkeys(f"{name} " for one in once for name in likenesses.beginnings(one.name))
    # Finds New York City for NYC: names with the same first letter, unless there are too many.
    letters = dict.fromkeys(one.name[0] for one in once if likenesses.is_acronym(one.label))
    kinds = dict.fromkeys(kind for one in once for kind in likenesses.kinds_named(one.name))
    surnames = map(likenesses.surname, (one.name for one in once))
    words = tuple((user_id, one) for one in surnames if one is not None)
    found: list[Lookup] = [
        Equal((schema.ENTITY,), ("user_id", "called"), tuple((user_id, one) for one in forms)),
        *(
            Equal((schema.ENTITY,), ("user_id", place), words)
            for place in list(schema.INNER_WORDS.values())[:2]
        ),
        *([of_kinds(kinds, user_id)] if kinds else []),
    ]
    found += [_beginning("searched", one, user_id, _BEGUN_LOOKED_UP) for one in begun]
    found += [_beginning("searched", one, user_id, _ACRONYM_LOOKED_UP) for one in letters]
    return found


def near(embedding: tuple[float, ...], user_id: str) -> Lookup:
    where = mine(user_id)
    return Nearest(schema.ENTITY, "embedding", embedding, schema.NEAREST_CANDIDATES, where)


def mine(user_id: str) -> Where:
    return (("user_id", user_id),)


def sharing(
    place: str, ranges: tuple[tuple[str, str], ...], user_id: str, label: str = schema.ENTITY
) -> Ranges:
    """Look up nodes with *place* in each of *ranges*: at most one more than may share a name."""
    from .narration import named

    return Ranges(label, place, ranges, named.MOST_SHARING + 1, mine(user_id))


def named_by(message: str, user_id: str) -> list[Lookup]:
    """Look up the entities that *message* may name, and the user's own if it has an I."""
    from .narration import named

    read = named.read(message)
    is_of_user = not schema.FIRST_PERSON.isdisjoint(word.folded for word in read.words)
    own = (names.searched(schema.SELF),) if is_of_user else ()
    wholes = tuple((user_id, form) for form in (*read.wholes, *own))
    return [
        Equal((schema.ENTITY,), ("user_id", "searched"), wholes),
        *named_in_part(message, user_id),
        of_kinds(read.kinds, user_id),
    ]


def matching_any(wordings: Iterable[str], user_id: str) -> list[Lookup]:
    """Look up the entities whose name has a word, or the beginning, of any of *wordings*."""
    canonical = dict.fromkeys(map(names.canonical, wordings))
    called = tuple((user_id, name) for name in canonical)
    words = (word for name in canonical for word in (names.searched(name), *names.words(name)))
    begun = tuple((word, word + names.LAST) for word in dict.fromkeys(words) if word)
    begun = begun[:_WORDS_LOOKED_UP]
    return [
        Equal((schema.ENTITY,), ("user_id", "called"), called),
        *(
            Ranges(schema.ENTITY, place, begun, _KIN_LOOKED_UP, mine(user_id))
            for place in ("searched", *schema.INNER_WORDS.values())
        ),
    ]


def selves(user_id: str) -> list[Lookup]:
    """Look up the entities that stand for the user."""
    itself = Equal((schema.ENTITY,), ("user_id", "searched"), ((user_id, _SELF),))
    return [itself, of_kinds(sorted(oneself.KINDS), user_id)]


def named_in_part(message: str, user_id: str) -> list[Lookup]:
    """Look up the entities that a word of *message* may name: García, Garcia."""
    from .narration import named

    parts = named.read(message).parts
    if not parts:
        return []
    first = tuple((f"{word} ", f"{word} {names.LAST}") for word in parts)
    ranges = tuple((one, next_text(one)) for one in parts)
    inner = (sharing(place, ranges, user_id) for place in schema.INNER_WORDS.values())
    return [sharing("searched", first, user_id), *inner]


def meant_by_kind(message: str, user_id: str) -> list[Lookup]:
    """Look up the entities that *message* means by a kind: my son, the plumber."""
    from .narration import named

    kinds = named.read(message).kinds
    return [of_kinds(kinds, user_id)] if kinds else []


def of_matters(query: str, user_id: str, languages: Sequence[str]) -> list[Lookup]:
    """Look up the entities of the kinds, and the facts of the predicates, that *query* may name."""
    from .narration import named

    forms = named.list_matters(query, languages)
    if not forms:
        return []
    predicates = dict.fromkeys(one for form in forms for one in (form, form.replace(" ", "_")))
    return [
        of_kinds(forms, user_id),
        sharing(
            *("predicate", tuple((one, next_text(one)) for one in predicates), user_id),
            schema.FACT,
        ),
    ]


def of_kinds(kinds: Iterable[str], user_id: str) -> Ranges:
    """Look up entities of one of *kinds*."""
    return sharing("entity_kind", tuple((one, next_text(one)) for one in kinds), user_id)
