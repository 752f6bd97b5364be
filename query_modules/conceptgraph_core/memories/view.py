"""View memories as one call sees them: those of its own scope, and no others."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..graph import adapter
from ..graph.raw import keep
from ..texts import quoting, text
from ..texts.dates import DAY_MS
from ..verbs.errors import NotFound
from . import fade, schema
from .fade import ACTIVE, ARCHIVED, EXPIRED, STATES, Fading, link_days, link_strength


class Node(adapter.Node):
    """A memory as it is now."""

    __slots__ = ("_content",)
    declared = schema.LAYER.declared
    _content: str

    @property
    def memory_id(self) -> str:
        return str(self.get("id"))

    @property
    def content(self) -> str:
        """The whole content, whether it is archived or not."""
        # A recall reads that of hundreds several times. `AllMemories.update` forgets it.
        try:
            return self._content
        except AttributeError:
            made = self._content = read_content(self.raw)
            return made

    def forget_content(self) -> None:
        """Read the content anew when it is asked for next."""
        if hasattr(self, "_content"):
            del self._content

    @property
    def text(self) -> str:
        """The summary, or else the content, cut if it is long."""
        summary = self.raw.get_property("summary")
        if isinstance(summary, str) and summary and not self.get("withheld"):
            return summary
        content = self.told
        cut = schema.BRIEF_CHARACTERS
        return content if len(content) <= cut else content[: cut - 1] + "…"

    @property
    def told(self) -> str:
        """The content without the sentences of forgotten and corrected facts."""
        return withhold(self.content, self.raw.get_property("withheld"))

    @property
    def stored_state(self) -> str:
        """Its state as of `last_decay_update`; `AllMemories.state` has the current one."""
        state = self.raw.get_property("state")
        return state if state in STATES else ACTIVE

    @property
    def last(self) -> int:
        """The time of its creation or last access, unix ms."""
        names = ("created_at", "accessed_at", "access_count", "said_at")
        return -schema.latest({name: self.get(name) for name in names})

    @property
    def told_at(self) -> int:
        """The time at which it happened or was said, or else was stored; unix ms."""
        return int(keep(self.raw, "told at", self._read_told_at))

    def _read_told_at(self, _: Any) -> int:
        said_at = self.get("said_at")
        return int(self.get("created_at") if said_at is None else said_at)

    @property
    def heard_at(self) -> int:
        """The time from which it was known: `told_at`, but a plan is known before its day."""
        created_at, said_at = self.get("created_at"), self.get("said_at")
        return int(created_at if said_at is None else min(said_at, created_at))

    @property
    def is_plan(self) -> bool:
        """Whether it was stored before it happens, or on the day that it names."""
        said_at, created_at = self.get("said_at"), self.get("created_at")
        return said_at is not None and said_at != created_at and said_at > created_at - DAY_MS

    @property
    def is_deleted(self) -> bool:
        """Whether it was forgotten or has expired: then only its owner sees it."""
        return self.raw.get_property("deleted_at") is not None or self.stored_state == EXPIRED

    @property
    def is_expired(self) -> bool:
        """Whether it expired, and nobody forgot it: its owner gets a report of it."""
        return schema.is_expired(self.raw.get_property)

    @property
    def is_forgotten(self) -> bool:
        """Whether somebody forgot it."""
        return schema.is_forgotten(self.raw.get_property)

    @property
    def fading(self) -> Fading:
        """The inputs of its score, without its links."""
        return schema.fading(self.get)

    @property
    def score(self) -> float:
        """Its score as of `last_decay_update`."""
        return float(self.get("decay_score"))


def withhold(content: str, sentences: Any) -> str:
    """Return *content* with "…" for each of *sentences*, a stored list or nothing."""
    for one in sentences if isinstance(sentences, (list, tuple)) else ():
        content = content.replace(one, quoting.CUT)
    return content


def read_content(raw: Any) -> str:
    """Return the whole content of a memory below `mgp`."""
    return str(schema.unpack(raw.get_property("content")) or "")


class _Presence(NamedTuple):
    """Properties that tell whether a memory is there, for its user and at a time."""

    user_id: Any
    is_deleted: bool
    heard_at: int
    lapses_at: int | None
    # Nothing of it may be told.
    is_withheld: bool

    @classmethod
    def of(cls, raw: Any) -> "_Presence":
        node = Node(raw, raw.get_id(), schema.MEMORY, None)  # type: ignore[arg-type]
        until = raw.get_property("lapses_at")
        lapses_at = until if until.__class__ is int else None
        is_withheld = bool(node.get("withheld")) and not any(map(str.isalnum, node.told))
        mine = raw.get_property("user_id")
        return cls(mine, node.is_deleted, node.heard_at, lapses_at, is_withheld)


def _time(value: Any, otherwise: int) -> int:
    return value if value.__class__ is int else otherwise


def _days(value: Any) -> int:
    return min(fade.MAX_LINK_DAYS, max(0, value)) if value.__class__ is int else 0


# The properties that `schema.derive_own` reads.
_OF_OWN = frozenset(("tags", "thread", "concepts", "content"))
_OF_TAGGED = frozenset((schema.TAGGED.source, schema.TAGGED.unless))


class AllMemories(adapter.Graph[Node]):
    """One call's view of its scope's memories, forgotten ones too: as their owner sees them."""

    layer = schema.LAYER
    node_class = Node

    def _new_node(self, raw: Any, node_id: int) -> Node | None:
        # Here, so that no look-up, scan or walk can meet another user's memory.
        node = super()._new_node(raw, node_id)
        if node is not None and not self.sees(node):
            node = self._nodes[node_id] = None
        return node

    def update(self, node: Node, /, **properties: Any) -> None:
        """Set properties of *node*, and what follows: `schema.derive_own`, the places of tags."""
        super().update(node, **properties)
        if "content" in properties:
            node.forget_content()
        if not _OF_TAGGED.isdisjoint(properties):
            tagged = schema.TAGGED.of({name: node.get(name) for name in _OF_TAGGED})
            get = node.raw.get_property
            super().update(node, **{name: one for name, one in tagged.items() if get(name) != one})
        if not _OF_OWN.isdisjoint(properties):
            read = {name: node.get(name) for name in ("tags", "thread", "concepts", "created_at")}
            own = schema.derive_own({**read, "content": node.content})
            if own != node.raw.get_property("own"):
                super().update(node, own=own)

    def existing(self, memory_id: str, field: str = "memory_id") -> Node:
        """Return the memory of that id. Raises NotFound for another user's as for a missing one."""
        return self.existing_all([memory_id], field)[0]

    def existing_all(self, memory_ids: Sequence[str], field: str = "memory_ids") -> list[Node]:
        """Return the memories of those ids, each once, in their order. Raises NotFound."""
        wanted = dict.fromkeys(text.name(one, field) for one in memory_ids)
        found = self._with_ids(wanted)
        for memory_id in wanted:
            if memory_id not in found:
                # Another user's id gives the same error as an unknown one.
                raise NotFound(f"memory: not found: {' '.join(memory_id.split())[:100]}")
        return [found[memory_id] for memory_id in wanted]

    def present(self, memory_ids: Sequence[str]) -> list[Node]:
        """Return those of the memories that exist, each once, in their order."""
        wanted = dict.fromkeys(memory_ids)
        found = self._with_ids(wanted)
        return [found[memory_id] for memory_id in wanted if memory_id in found]

    def _with_ids(self, wanted: Collection[str]) -> dict[str, Node]:
        # Nothing is asked for twice.
        known = () if self.found.by_id is None else self.nodes()
        found = {one: node for node in known if (one := node.raw.get_property("id")) in wanted}
        if len(found) < len(wanted):
            for node in self.find(schema.MEMORY, ("id",), ((one,) for one in wanted)):
                found.setdefault(node.raw.get_property("id"), node)
        return found

    def sees(self, node: Node) -> bool:
        """Tell whether *node* belongs to this call's scope."""
        return bool(node.raw.get_property("user_id") == self.context.user_id)

    def has_lapsed(self, node: Node) -> bool:
        """Tell whether *node* is the value of a program whose time is over."""
        until = node.raw.get_property("lapses_at")
        return until.__class__ is int and until <= self.context.now_ms

    def ended(self, node: Node) -> int | None:
        """Return until when *node* held (unix ms), if another one had replaced it when asked."""
        if node.raw.get_property("valid_until") is None:
            return None
        until: int | None = node.get("valid_until")
        asked_at = self.context.asked_at
        return None if until is None or (asked_at is not None and until >= asked_at) else until

    def outdated(self, node: Node) -> int | None:
        """Return since when *node* is no longer so (unix ms): replaced, or by a later word."""
        since: int | None = self.ended(node)
        return node.get("over_since") if since is None else since

    def fading(self, node: Node) -> Fading:
        """Return the inputs of the score of *node*, with its links if they count."""
        fading = node.fading
        if not self.context.decay.degree_boost:
            return fading
        # The worker sees forgotten memories too, but must compute the same score as other calls.
        others = (other for _, _, other, _ in self.edges(node))
        return fading._replace(degree=sum(not other.is_deleted for other in others))

    def presence(self, node: Node, may_expire: bool = False) -> tuple[float, str]:
        """Return the score and the state of *node* now; only the worker lets it expire."""
        score, state = fade.now(self.fading(node), self.context.now_ms, self.context.decay)
        return score, ARCHIVED if state == EXPIRED and not may_expire else state

    def state(self, node: Node) -> str:
        """Return the current state of *node*, whenever the worker last ran."""
        return EXPIRED if node.is_deleted else self.presence(node)[1]

    def score(self, node: Node) -> float:
        """Return the current score of *node*; for a hidden one, its score when it was hidden."""
        return node.score if node.is_deleted else self.presence(node)[0]

    def brief(self, node: Node) -> dict[str, Any]:
        """Return the fields of a memory in lists; times in unix ms."""
        return {
            "memory_id": node.memory_id,
            "text": node.text,
            **{name: node.get(name) for name in ("source", "speaker", "type")},
            "tags": list(node.get("tags")),
            "state": self.state(node),
            "created_at": node.get("created_at"),
        }

    def strength(self, edge: Any, least: float = 0.0) -> float:
        """Return a link's current strength; any lower value if that is below *least*."""
        strength = edge.get_property("strength")
        # Every link of a walk needs this. A valid value skips the full check. Links only fade, so
        # one that starts below *least* needs no time.
        if strength.__class__ is float and strength < least:
            return float(strength)
        since = edge.get_property("last_strengthened")
        days = edge.get_property("strengthened_days")
        now_ms = self.context.now_ms
        if strength.__class__ is float and since.__class__ is int and days is None:
            return link_strength(strength, since, 0, now_ms)
        if isinstance(strength, bool) or not isinstance(strength, (int, float)):
            strength = schema.DEFAULT_STRENGTH
        return link_strength(float(strength), _time(since, now_ms), _days(days), now_ms)

    def link_days(self, edge: Any) -> int:
        """Return the number of days on which a link was strengthened, counting today."""
        now_ms = self.context.now_ms
        since = _time(edge.get_property("last_strengthened"), now_ms)
        return link_days(_days(edge.get_property("strengthened_days")), since, now_ms)

    def is_later(self, node: Node) -> bool:
        until_ms = self.context.until_ms
        return until_ms is not None and int(node.get("created_at")) > until_ms


class Graph(AllMemories):
    """One call's view of the memories of its scope that are neither forgotten nor expired.

    With the context's `asked_at` it has those said before that time, so that no link leads later.
    """

    def sees(self, node: Node) -> bool:
        # A recall asks for hundreds.
        known = keep(node.raw, "presence", _Presence.of)
        asked_at, now_ms = self.context.asked_at, self.context.now_ms
        return (
            known.user_id == self.context.user_id
            and not known.is_deleted
            and not known.is_withheld
            and (known.lapses_at is None or known.lapses_at > now_ms)
            and (asked_at is None or known.heard_at < asked_at)
        )

    def state(self, node: Node) -> str:
        # A deleted memory is invisible.
        return self.presence(node)[1]


class ExpiredMemories(AllMemories):
    """One call's view of the expired memories of its scope."""

    def sees(self, node: Node) -> bool:
        # Few are, so the scope is read last.
        return node.is_expired and super().sees(node)


class DeletedMemories(AllMemories):
    """One call's view of the hidden memories of its scope: expired or forgotten."""

    def sees(self, node: Node) -> bool:
        return super().sees(node) and node.is_deleted
