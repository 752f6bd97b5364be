"""What a store tells about its texts and their words: all that `associate` needs of a graph."""

from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

H = TypeVar("H", bound=Hashable)
"""How a store holds a text: a vertex, a key."""


class Mentions(NamedTuple, Generic[H]):
    """The texts that mention a cue, a column for each thing told of them.

    The text, how often it does, its length (the sum of its counts), its thread, its position there,
    and when it was said (unix ms). A text without a thread has no neighbours; its position says
    nothing. No two texts share a thread and a position.

    Columns: ten thousand mentions are read for one question.
    """

    texts: Sequence[H]
    counts: Sequence[float]
    lengths: Sequence[int]
    threads: Sequence[str | None]
    positions: Sequence[int]
    said_at: Sequence[int | None]


class Told(NamedTuple):
    """What only the texts that may win are asked for."""

    id: str
    speaker: str | None
    said_at: int | None


class Corpus(NamedTuple):
    """How many texts there are to choose from, and their mean length; both may be a little old."""

    texts: int
    mean_length: float


class Index(Protocol[H]):
    """A store's texts by their terms. All methods raise what the store raises."""

    def count(self, cue: str, most: int | None = None) -> int:
        """Return how many texts mention *cue*, without reading them; 0 if there is no such term.

        Of more than *most* it may be fewer than all, but more than *most*.
        """

    def mentions(self, cue: str) -> Mentions[H]:
        """Return the texts that mention *cue*, in any order."""

    def about(self, texts: Sequence[H]) -> Mentions[H]:
        """Return what a mention tells of each of *texts*, counted once."""

    def terms(self, texts: Sequence[H]) -> list[list[str]]:
        """Return the terms that each of *texts* mentions, without first names of speakers."""

    def beside(self, text: H, offset: int) -> H | None:
        """Return the text *offset* positions further along the thread, if that position has one."""

    def expect(self, texts: Sequence[tuple[H, int]]) -> None:
        """Be ready to tell of texts and of those beside them, each given as `beside` takes it.

        Most of them, if not all, will be asked about. An offset of 0 is the text itself.
        """

    def expect_nodes(self, texts: Sequence[H]) -> None:
        """Be ready to be asked whether *texts* are admitted."""

    def tell(self, text: H) -> Told:
        """Return what the text is, who said it and when."""
