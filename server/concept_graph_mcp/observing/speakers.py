"""Who of a history is the user: all others count as the model, whose word raises no trust."""

from collections.abc import Iterable

from conceptgraph_core.entities import names, schema

# What histories call the user, and programs.
_USERS = frozenset(("user", "human"))


class Speakers:
    """Tells the user from all others, by what they are called; who the user is may be said."""

    def __init__(self, user_id: str, said: Iterable[str] = ()) -> None:
        named = frozenset(names.canonical(one) for one in said)
        self._users = named or _USERS | {names.canonical(user_id)}
        self._others: dict[str, None] = {}
        self.user_spoke = False

    def of(self, speaker: str) -> str:
        """Return "user" or "model"."""
        name = names.canonical(speaker)
        # As `Messages` puts a role and a user_id together.
        if name in self._users or name.partition(" ")[0] in self._users & _USERS:
            self.user_spoke = True
            return schema.USER
        self._others.setdefault(speaker)
        return schema.MODEL

    @property
    def others(self) -> list[str]:
        return list(self._others)
