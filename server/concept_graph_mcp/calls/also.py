"""The other wordings of a question, as calls take them."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from conceptgraph_core import limits, validators
from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.retrieval.question import MOST_WORDS
from conceptgraph_core.words.splitting import split

from ..errors import Refused


class Also(NamedTuple):
    """Other wordings of a question, and one vector of all of them, if there is an embedding.

    One for each would take as many searches of the vectors, and a second to make.
    """

    wordings: tuple[str, ...] = ()
    vector: tuple[float, ...] = ()

    def beside(self, embedded: Any) -> "Also":
        """Return it for a question that is *embedded*; without its vector if that has none."""
        return self if embedded is not None and len(embedded[1]) else Also(self.wordings)

    @property
    def text(self) -> str:
        """All wordings as one text: one look-up finds what any of them needs."""
        return "\n".join(self.wordings)[: limits.MAX_SUMMARY]

    def context(self) -> dict[str, Any]:
        """Return the wordings for the context of a call."""
        given = {"also": list(self.wordings), "also_vector": list(self.vector)}
        return {key: value for key, value in given.items() if value}


NO_ALSO: Final = Also()


def also(given: "Sequence[str] | Also | None") -> Also:
    """Return *given*, checked, without a vector. Raises Refused."""
    if isinstance(given, Also):
        return given
    try:
        wordings = validators.wordings([] if given is None else given, "also")
    except ConceptGraphError as error:
        raise Refused(str(error), type(error)) from error
    words = accumulate(len(split(one)) for one in wordings)
    # They have as many words together as a question may have; the last ones are left out.
    fitting = [one for one, so_far in zip(wordings, words, strict=True) if so_far <= MOST_WORDS]
    return Also(tuple(fitting))
