"""Tell the user from other speakers, who count as the model and raise no trust."""

from collections.abc import Iterable

from conceptgraph_core.entities import names, schema
from conceptgraph_core.retrieval.question import USERS

_USERS = frozenset(USERS)


class Speakers:
    """Tells the user from all others by name; the user's names can be given."""

    def __init__(self, user_id: str, said: Iterable[str] = ()) -> None:
        named = frozenset(names.canonical(one) for one in said)
        self._users = named or _USERS | {names.canonical(user_id)}
        self._others: dict[str, None] = {}
        self.user_spoke = False

    def find_role(self, speaker: str) -> str:
        """Return "user" or "model"."""
        name = names.canonical(speaker)
        # The form in which `Messages` joins a role and a user_id.
        if name in self._users or name.partition(" ")[0] in self._users & _USERS:
            self.user_spoke = True
            return schema.USER
        self._others.setdefault(speaker)
        return schema.MODEL

    @property
    def other_speakers(self) -> list[str]:
        return list(self._others)
