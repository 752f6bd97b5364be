"""Look up what the everyday rules read beside a query: the user, a time, and what a text names.

Imports nothing of Memgraph: the server names beforehand what a rule is sure to ask for.
"""

from collections.abc import Sequence
from typing import Final

from ..concepts import lookups as concepts
from ..concepts.schema import CONCEPT, EPISODE
from ..entities import lookups as entities
from ..entities.language import kin
from ..entities.schema import ENTITY, MENTION
from ..graph.primitives import BEYOND, Lookup, Range, Tallied, Tally, Union
from ..memories import schema as memories
from ..memories.fade import ACTIVE
from ..memories.lookups import SEEN, latest, mine
from ..verbs import limits
from .schema import MOST_EPISODES, MOST_LISTED, MOST_OF_A_STATE, OWN_LOOKED_UP, find_day_after

LAST_MS: Final = limits.MAX_TIME_MS + 1
# Beyond all keys of `memories.own`.
_OWN_MS: Final = 20 * limits.MAX_TIME_MS


def of_time(
    scope: str, since: int | None, until: int | None, *, plans: bool = False, last: bool = True
) -> list[Lookup]:
    """Look up the memories that happened from *since* to before *until*, or were told then.

    *plans* are found by the day that they are for alone, the earliest; else the latest are found.
    """
    names = ("said_at",) if plans else ("said_at", "created_at")
    first = -limits.MAX_TIME_MS if since is None else since
    beyond = LAST_MS if until is None else until
    memory, own, last = (memories.MEMORY,), mine(scope), last and not plans
    return [Range(memory, one, first, beyond, own, MOST_LISTED, descending=last) for one in names]


def episodes(first: str, beyond: str, scope: str) -> Range:
    """Look up the episodes whose names are at least *first* and before *beyond*."""
    return Range((EPISODE,), "name", first, beyond, concepts.mine(scope), MOST_EPISODES)


def own_texts(scope: str) -> list[Lookup]:
    """Look up the memories about the user, of each state."""
    ever, own = (-_OWN_MS, _OWN_MS), mine(scope)
    return [
        Range((memories.MEMORY,), "own", *ever, (*own, ("state", state)), OWN_LOOKED_UP, "id")
        for state in SEEN
    ]


def of_user(scope: str) -> list[Lookup]:
    """Look up the entities that stand for the user, and the memories about the user.

    Memories that an older version stored have no key; of them the latest are read.
    """
    unkeyed = latest(scope, (ACTIVE,), OWN_LOOKED_UP)
    return [*entities.selves(scope), *own_texts(scope), *unkeyed.parts]


def of_profile(scope: str, since: int, until: int) -> list[Lookup]:
    """Look up the same, those closest to the user, and what is coming up."""
    ahead = Range((memories.MEMORY,), "said_at", since, until, mine(scope), MOST_LISTED)
    return [*of_user(scope), entities.of_kinds(kin.CLOSE, scope), ahead]


def named(wordings: Sequence[str], scope: str) -> list[Lookup]:
    """Look up the entities that *wordings* may name."""
    return [found for one in wordings for found in entities.named_by(one, scope)]


def changed(scope: str, since: int, until: int) -> Union:
    """Look up what changed in a time.

    No index has the changes of a state, so these are the latest memories of each state.
    """
    most, own = MOST_LISTED, mine(scope)
    parts = (
        *(
            Range((memories.MEMORY,), one, since, until, own, most, then)
            for one, then in (("created_at", None), ("deleted_at", "id"))
        ),
        *latest(scope, SEEN, MOST_OF_A_STATE).parts,
        Range((ENTITY,), "last_activated", since, LAST_MS, own, most),
        entities.latest_merges(most, scope),
        *entities.forgotten(since, until, scope, most).parts,
    )
    return Union(parts)


def happened(scope: str, concept_scope: str, day: str, since: int, until: int) -> Union:
    """Look up what was kept and said between the two times, and the episodes of *day*."""
    mention = Range((MENTION,), "created_at", since, until, mine(scope), MOST_LISTED)
    # "0" follows "/", which follows the date in a name.
    told = episodes(f"{day}/", f"{day}0", concept_scope)
    return Union((told, *of_time(scope, since, until, last=False), mention))


def counted_days(scope: str, concept_scope: str, first: str, parts: Sequence[int]) -> Tallied:
    """Count what was kept and said between each two of *parts*, days from the date *first* on."""
    told = episodes(first, find_day_after(first, parts), concept_scope)
    return Tallied(told, _list_tallies(scope, parts))


def counted(scope: str, concept_scope: str, parts: Sequence[int]) -> Tallied:
    """Count what is stored, and what was made between each two of *parts*, by index."""
    activated = Tally(ENTITY, "last_activated", (0, LAST_MS), mine(scope))
    named = (
        Tally(label, "name", ("", BEYOND), concepts.mine(concept_scope))
        for label in (CONCEPT, EPISODE)
    )
    return Tallied(Union(()), (*_list_tallies(scope, parts), activated, *named))


def _list_tallies(scope: str, parts: Sequence[int]) -> tuple[Tally, ...]:
    """Return those of memories and mentions, whose creation is news."""
    told = memories.MEMORY, MENTION
    return tuple(Tally(label, "created_at", tuple(parts), mine(scope)) for label in told)
