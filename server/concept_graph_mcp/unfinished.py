"""Remember in this process for which texts vectors are being made, so that nobody looks it up."""


class Unfinished:
    """The texts of each user that wait for their vectors, as far as they are known."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        self._told: set[str] = set()

    def note(self, user_id: str, left: int) -> None:
        """Note that at least *left* texts wait."""
        self._left[user_id] = left

    def end(self, user_id: str) -> None:
        """Note that none is waited for any more."""
        self._left.pop(user_id, None)
        self._told.discard(user_id)

    def advice(self, user_id: str) -> str | None:
        """Return the words for an answer without results, once until the end."""
        left = self._left.get(user_id)
        if not left or user_id in self._told:
            return None
        self._told.add(user_id)
        return f"vectors of {left:,} or more texts are still being made; words alone find these"
