"""Store a text once: as a memory, with the entities that it is about."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from ..cascade import forgetting
from ..cascade import texts as cascade
from ..concepts import lookups as of_concepts
from ..concepts import relations
from ..concepts.node import Graph as Concepts
from ..entities import lookups as of_entities
from ..entities import mentions
from ..entities import schema as entities
from ..entities.language import endings
from ..entities.narration import own_facts
from ..entities.node import Graph as Entities
from ..entities.node import Node as Entity
from ..entities.observation import observing
from ..graph.layers import SHARED
from ..graph.primitives import Lookup, Union
from ..language import oneself
from ..memories import crud, ingesting, lifecycle, links, lookups, superseding
from ..memories import schema as memories
from ..memories.entries import TOGETHER
from ..memories.projects import TAG, is_about_user
from ..memories.view import AllMemories, Graph, Node
from ..texts import text as texts
from ..texts.folding import fold
from ..verbs import limits, validators
from ..verbs.arguments import BEGINS, Keep, Names, RelationType
from . import correcting, schema, stating
from .hearing import Message, make_note, make_observation, named_in, read_facts, terms
from .lookups import own_texts

Row = dict[str, Any]
# How many sessions of the same words are looked up in one go.
_SESSIONS_AT_ONCE: Final = 32


def remember(
    graph: Graph,
    text: Annotated[str, "One thing, in a sentence understood on its own."],
    about: Names = (),
    keep: Annotated[Keep, "How long; days are two weeks."] = schema.DEFAULT_KEEP,
    said: Annotated[str | None, "The user's message, word for word."] = None,
    replaces: Annotated[str | None, "The id of what is over."] = None,
    happened_at: Annotated[
        int | None, BEGINS, "When, if not now: 2026-01-31, last Tuesday."
    ] = None,
    vector: Sequence[float] = (),
    model: str | None = None,
) -> Row:
    """Keep *text*; *about* has the names in it, or maps of a name with its kind and facts.

    *said* are the user's words, which alone make what it names the user's; the memory is found by
    them too. *keep* says how long it matters (`schema.KEEP`), *replaces* is the id of a memory that
    is no longer so, or of a fact that this corrects (only the user's words correct what the user
    said; a value that they state takes its place), and *happened_at* (unix ms) when it was so or
    will be, if not now; a plan fades after that. It has the tag of the context's `project`, unless
    it matters in all. It is found by the names and the kinds too, and
    the names are observed as entities. If concepts are the user's own, the names become concepts
    that evoke one another, more strongly each time. The same text again is the memory that is
    there: existing is true, it is accessed, and *keep* is set anew. With *said*, it
    ends an earlier text on the user that states another value of what one has once at a time, such
    as a home or a dose, until it is forgotten. Returns id, existing and similar ({id, text, and
    ended, if it is}); those that were often in one answer with an existing one are there with
    together, the number of answers, and a memory that replaced the same one before is there too.
    Raises InvalidText, InvalidNumber, Tautology, NotFound.
    """
    memories.checked_content(text, "text")
    wanted = named_in(about, text)
    if said is not None:
        texts.summary(said, "said")
    chosen = schema.KEEP[str(validators.one_of(tuple(schema.KEEP))(keep, "keep"))]
    now_ms = graph.context.now_ms
    if happened_at is not None:
        validators.time(happened_at, "happened_at")
    at = now_ms if happened_at is None else happened_at
    message = make_observation(text, said, wanted, happened_at, read_facts(about))
    note, languages = make_note(text, said, wanted, happened_at), graph.context.languages
    stated = message
    # A plan states nothing that is so.
    is_so = at <= now_ms
    if is_so:
        stated = stating.add_stated(message, languages, note=text)
    _look_up(graph, (text, said), wanted, replaces, vector, (stated, note))
    known = graph.another(Entities)
    old = wrong = None
    if replaces is not None:
        old = next(iter(graph.present([replaces])), None)
        wrong = None if old is not None else correcting.find_wrong(known, replaces, said)
    noted = crud.keep(
        graph,
        text,
        vector,
        model,
        tags=[*chosen.tags, *_name_project(known, text, wanted, keep, said)],
        importance_score=chosen.importance,
        concepts=_terms(graph, text, wanted),
        said_at=happened_at,
        said=None if said == text else said,
        # A plan must not fade before it is over.
        preserved_until=min(at + schema.DAYS_MS, limits.MAX_TIME_MS) if at > now_ms else None,
    )
    node, existing, similar = noted.node, noted.existing, noted.similar
    ingesting.note_import(graph, node, existing)
    if existing:
        _again(graph, node, keep, at)
        # One of other projects is of this one too; one of no project stays of all.
        tags, tag = node.get("tags"), f"{TAG}{graph.context.project}"
        is_of_others = tag not in tags and any(one.startswith(TAG) for one in tags)
        if graph.context.project is not None and is_of_others:
            graph.update(node, tags=[*tags, tag])
    others = [one for one in similar if one.memory_id != replaces]
    # Those of a memory that was there are offered: they were in its answers, and may say much else.
    paired = others[:] if existing else []
    ends = not paired and replaces is None and said is not None and at <= now_ms
    ended = [
        one
        for one in others
        if ends
        and one.told_at < node.told_at
        and stating.replaces(node.content, one.content, languages)
    ]
    made = [] if existing else [node]
    if ended:
        forgetting.end(graph, node, ended, at, made)
    for one in others if not paired else ():
        # A link brings a text to answers that share nothing with it.
        if one in noted.alike and one not in ended:
            links.join(graph, node, one, memories.DEFAULT_RELATION)
    if is_so and wrong is None:
        # Those who are no longer what they were to the user.
        former = {
            one.get("canonical_name")
            for one in known.of(entities.ENTITY)
            if endings.is_former_kind(one.get("entity_kind") or "")
        }
        message = stating.add_stated(
            message, languages, former, note=text, is_change=old is not None
        )
    since = at if at < now_ms else None
    _observe(graph, node, message, note, list(wanted), wrong, made, since)
    if old is not None:
        other = forgetting.replace(graph, node, old, at, made)
        others += [one for one in (other,) if one is not None and one not in others]
    return {
        "id": node.memory_id,
        "existing": existing,
        "similar": [
            {"id": one.memory_id, "text": one.text}
            | (TOGETHER if one in paired else {})
            | ({"ended": True} if one in ended else {})
            for one in others
            # This may have corrected all that it says.
            if any(map(str.isalnum, one.text))
        ],
    }


def _observe(
    graph: Graph,
    node: Node,
    message: Message,
    note: Message | None,
    names: list[str],
    wrong: Entity | None,
    made: Sequence[Node],
    since: int | None,
) -> None:
    """Observe *message*, so *since* then, for the memory *node*; it corrects the fact *wrong*."""
    known, own = graph.another(Entities), graph.another(Concepts)
    message = message._replace(
        session_id=_find_session(known, message.session_id, node),
        observations=observing.list_heard(known, message.observations),
    )
    has_facts = wrong is not None
    if message.observations:
        heard = observing.hear(known, *message)
        session, row = observing.record(known, heard, note and (note.message_id, note.text), since)
        # Shared concepts are everybody's.
        is_own = own.scope != SHARED
        associated = cascade.associate(own, names, node.memory_id) if is_own else []
        cascade.note(node, session, associated)
        has_facts |= any(one.get("facts") for one in row["entities"])
    elif wrong is not None:
        session = mentions.session(known, message.session_id)
    if wrong is not None:
        correcting.correct(known, wrong, message, session)
        cascade.note(node, session, ())
        graph.update(node, corrects=wrong.get("known_from"))
    if has_facts:
        told = list(mentions.of_session(known, session))
        cascade.mark_told(graph.another(AllMemories), told, made)


def _find_session(graph: Entities, name: str, node: Node) -> str:
    """Return the session *name*; numbered if those words were told for a memory that is forgotten.

    So what that one told stays its own, until it is restored or purged.
    """
    number, found = 1, name
    while True:
        there = next((one for one in graph.of(entities.SESSION) if one.key == found), None)
        if there is None or there.get("memory_id") in (None, node.memory_id):
            return found
        if number % _SESSIONS_AT_ONCE == 1:
            ahead = range(number + 1, number + 1 + _SESSIONS_AT_ONCE)
            graph.pull(of_entities.mentioning(graph.user_id, [f"{name} #{one}" for one in ahead]))
        number += 1
        found = f"{name} #{number}"


def _look_up(
    graph: Graph,
    texts_of: tuple[str, str | None],
    about: Mapping[str, str | None],
    replaces: str | None,
    vector: Sequence[float],
    heard: tuple[Message, Message | None],
) -> None:
    """Look up all that `remember` reads, before anything is written.

    *heard* is what the user's words state, and maybe a note on it.
    """
    (text, said), (message, note) = texts_of, heard
    context, known, own = graph.context, graph.another(Entities), graph.another(Concepts).scope
    scope = context.user_id
    # A text that begins with the name of the user is marked so.
    names = dict.fromkeys((*terms(about), entities.SELF))
    told = {"content": text, "concepts": list(names), "said": said}
    found = lookups.similar(scope, told, vector, context.languages)
    parts: list[Lookup] = [found.lookup, *of_entities.selves(scope)]
    alone: list[Lookup] = []
    if superseding.is_of_matter(text):
        parts += own_texts(scope)
    if replaces is not None:
        alone.append(lookups.ids(replaces, field="replaces"))
        parts += [lookups.resting(replaces), of_entities.with_any_id(replaces)]
        parts.append(of_entities.session(message.session_id, scope))
    if about and own != SHARED:
        parts += of_concepts.called(own, list(about))
    for one in (message, note) if message.observations else ():
        if one is not None:
            parts += observing.hear(known, *one).lookups(known)
    graph.pull(*alone, found._replace(lookup=Union(tuple(parts))))


def relate(
    graph: Concepts,
    source: Annotated[str, "A notion."],
    target: Annotated[str, "Another."],
    type_: RelationType,
) -> Row:
    """Relate two concepts, as `relations.add` does, which returns the weight too."""
    row = relations.add(graph, source, target, type_)
    return {name: row[name] for name in ("from", "to", "type")}


def _terms(graph: Graph, text: str, about: Mapping[str, str | None]) -> list[str]:
    """Return the additional search terms of *text*; one about the user by name is marked so."""
    found = terms(about)
    if entities.SELF not in found and len(found) < memories.MAX_NAMES:
        mine = own_facts.selves(graph.another(Entities))
        if any(oneself.begins_with(text, one.bare) for one in mine):
            found.append(entities.SELF)
    return found


def _name_project(
    graph: Entities, text: str, about: Mapping[str, str | None], keep: str, said: str | None
) -> list[str]:
    """Return the tag of the project in which *text* is told, unless it matters in all of them.

    A text that is kept always does, and so does one about the user or kin.
    """
    project = graph.context.project
    if project is None or keep == "always":
        return []
    named = {fold(one) for one in about}
    known = (one for one in graph.of(entities.ENTITY) if fold(one.bare) in named)
    kinds = [*about.values(), *(one.get("entity_kind") for one in known)]
    told = (text, said, *kinds)
    return [] if any(is_about_user(one) for one in told if one) else [f"{TAG}{project}"]


def _again(graph: Graph, node: Node, keep: str, since_ms: int) -> None:
    """Set anew how long the repeated text of *node* matters, from *since_ms* on.

    The default may not have been said: it ends "days", and leaves what matters longer.
    """
    tags = [one for one in node.get("tags") if one != schema.DAYS_TAG]
    if keep == schema.DEFAULT_KEEP:
        graph.update(node, tags=tags)
    else:
        chosen = schema.KEEP[keep]
        others = [one for one in tags if one not in schema.KEEP_TAGS]
        graph.update(
            node,
            tags=[*others, *chosen.tags],
            importance_score=chosen.importance,
            kept_at=since_ms,
        )
    lifecycle.settle(graph, node)
