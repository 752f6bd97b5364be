"""Tell what is known of the user: where a message asks for it, and in a profile."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from ..entities.language import kin
from ..entities.narration import own_facts
from ..entities.node import Graph as Entities
from ..language import oneself
from ..memories import rendering, standing
from ..memories import schema as memories
from ..memories.entries import entry as make_entry
from ..memories.view import Graph, Node
from ..retrieval.question import Past
from ..texts import quoting
from ..texts.words.splitting import split
from . import schema
from .lines import ALWAYS, RULES, WHO, Line, make_line

Row = dict[str, Any]

_SPOUSES: Final = frozenset(("wife", "husband"))


def own_texts(graph: Graph, past: Past | None = None) -> list[Node]:
    """Return the current memories about the user, and house rules; for a *past*, ended ones too.

    Those that are kept always come first, then the most important, then the latest. For a *past*,
    what was so then comes first. A text that matters for some days only is left out.
    """
    # A memory of an older version has no key until `index`.
    raw = ((node, node.raw.get_property("own")) for node in graph.nodes())
    keys = {node: key for node, key in raw if isinstance(key, int)}
    current = [
        node
        for node in keys
        if (past is not None or graph.outdated(node) is None)
        and schema.DAYS_TAG not in node.get("tags")
    ]
    outdated = {} if past is not None else standing.find_contradicting(graph, current)
    # The look-up finds no more, and a copy of a text adds nothing.
    found = sorted(
        (node for node in current if node not in outdated),
        key=lambda node: (
            not memories.is_always(node.get("tags")),
            -node.get("importance_score"),
            keys[node],
            node.memory_id,
        ),
    )
    if past is not None:
        found.sort(key=lambda node: past.order(node.told_at, graph.ended(node)))
    return list({node.content: node for node in reversed(found)}.values())[::-1]


def asked_for(
    graph: Graph, *messages: str, past: Past | None = None
) -> list[tuple[Line, Node | None]]:
    """Return the lines on the user that *messages* ask for, each with its memory, if it has one.

    For a *past*, the texts and facts that were so then come first.

    A question on one matter ("what is my job?") gets the facts and the texts of that, and who the
    user is where that tells it; "who am I?" gets the most important of all. A message that only has
    a "my" in it gets none.
    """
    known = graph.another(Entities)
    asks = _add_named(oneself.asked(*messages), known, messages, past)
    if not asks:
        return []
    words = None if asks.everything else asks.words
    found: list[tuple[Line, Node | None]] = [
        (make_line(WHO, schema.ENTITY, node.key, *parts), None)
        for node, parts in own_facts.facts(known, words, past)
    ]
    name = own_facts.own_name(known)
    texts = own_texts(graph, None if asks.everything else past)
    if asks.everything:
        mine = [node for node in texts if is_about_user(node, name)]
        beside = [
            one
            for one in texts
            if one not in mine
            and (memories.is_always(one.get("tags")) or oneself.is_order(one.told))
        ][: schema.MOST_BESIDE]
        who = [node for node in mine if oneself.tells_who(node.content, name)]
        mine = [*who, *(one for one in mine if one not in who)][: schema.MOST_OWN - len(beside)]
    else:
        mine = _list_of_matter(texts, asks if past is None else asks._replace(identity=False), name)
        beside = [
            one
            for one in texts
            if oneself.begins_with_matter(one.told, asks.words) and not is_about_user(one, name)
        ]
    return [
        *found,
        *((_line(graph, one), one) for one in mine),
        *(
            (
                make_line(
                    ALWAYS if memories.is_always(one.get("tags")) else RULES,
                    *(schema.MEMORY, one.memory_id),
                    *quote_memory(graph, one, schema.LONGEST_OWN),
                ),
                one,
            )
            for one in beside
        ),
    ]


def _add_named(
    asks: oneself.Asked, known: Entities, messages: Sequence[str], past: Past | None
) -> oneself.Asked:
    """Return *asks* with what else *messages* name: what the user takes, and ties of a *past*."""
    words = [word for message in messages for word in split(message)]
    more = own_facts.list_dosed(known, words)
    if past is not None:
        more.update(kin.relation(word) or word for _, word in kin.named(words))
        more.update(("spouse",) if more & _SPOUSES else ())
    return asks._replace(words=asks.words | more) if more else asks


def _list_of_matter(texts: Sequence[Node], asks: oneself.Asked, name: str | None) -> list[Node]:
    """Return those of *texts* about the user that have the matter, with who the user is."""
    about = (one for one in texts if oneself.has_matter(one.told, asks.words))
    mine = list(islice((one for one in about if is_about_user(one, name)), schema.MOST_OF_A_MATTER))
    who = (one for one in texts if asks.identity and oneself.tells_who(one.told, name))
    first = next((one for one in who if is_about_user(one, name)), None)
    if first is None or first in mine:
        return mine
    # "A sound engineer in Lyon" comes after a later move to Grenoble.
    is_older = any(one.told_at > first.told_at for one in mine)
    return [*mine, first] if is_older else [first, *mine]


def is_about_user(node: Node, name: str | None) -> bool:
    """Tell whether the text of *node* is about the user, whose *name* may be known.

    A text that is kept always may be about anybody, and "The user's mother" is about her.
    """
    said = node.told
    if oneself.is_of_user(said) or (name and oneself.begins_with(said, name)):
        return True
    own = {*oneself.KINDS, *(name or "").casefold().split()[:1], (name or "").casefold()}
    names = [one for one in node.get("concepts") or () if one.casefold() not in own]
    is_named = len(names) < len(node.get("concepts") or ())
    return is_named and not oneself.is_of_another(said, names)


def quote_memory(graph: Graph, node: Node, most: int) -> tuple[str | int, ...]:
    """Return the parts of a line that quotes *node*: its time, who said it, and its text."""
    entry = make_entry(graph, node, [node], {})
    quoted = quoting.quote(node.told, most)
    return entry["at"], f", {rendering.teller(entry)}: {quoted}"


def _line(graph: Graph, node: Node) -> Line:
    parts, until = quote_memory(graph, node, schema.LONGEST_OWN), graph.outdated(node)
    mark: tuple[str | int, ...] = ()
    if until is not None:
        mark = " (no longer so since ", until, ")"
    elif (corrected := node.get("corrects")) is not None:
        mark = " (corrects what was said on ", corrected, ")"
    return make_line(WHO, schema.MEMORY, node.memory_id, "The user, ", *parts, *mark)
