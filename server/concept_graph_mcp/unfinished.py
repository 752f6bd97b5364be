"""Remember in this process for which texts vectors are being made, so that nobody looks it up."""

Place = tuple[str, str | None]


class Unfinished:
    """The texts of each user and database that wait for their vectors, as far as they are known."""

    def __init__(self) -> None:
        self._left: dict[Place, int] = {}
        self._told: set[Place] = set()

    def note(self, place: Place, left: int) -> None:
        """Note that at least *left* texts wait."""
        self._left[place] = left

    def end(self, place: Place) -> None:
        """Note that none is waited for any more."""
        self._left.pop(place, None)
        self._told.discard(place)

    def advice(self, place: Place) -> str | None:
        """Return the words for an answer without results, once until the end."""
        left = self._left.get(place)
        if not left or place in self._told:
            return None
        self._told.add(place)
        return f"vectors of {left:,} or more texts are still being made; words alone find these"
