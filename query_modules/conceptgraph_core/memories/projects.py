"""Keep the notes of other projects out of an answer, unless they are about the user.

The tag of a note names the project in which it was said ("project cake"). A note without such a tag
belongs to all of them. Imports nothing of Memgraph: the shell uses it too.
"""

from collections.abc import Collection
from typing import Any, Final

from ..entities.language import kin
from ..language import oneself
from ..texts.folding import fold
from ..texts.words.splitting import split
from . import schema, superseding

TAG: Final = "project "
# The speaker of the user's messages in a transcript.
_USER: Final = "user"


class Project:
    """The project *name*, in which a question is asked in some *wordings*.

    A project that a wording names is admitted too.
    """

    def __init__(self, name: str, *wordings: str) -> None:
        self._name = fold(name)
        self._wordings = [f" {' '.join(split(one))} " for one in wordings]

    def admits(self, node: Any) -> bool:
        """Tell whether the memory *node* is of this project, of none, or about the user."""
        if isinstance(node.raw.get_property("own"), int):
            return True
        return self.holds(node.get("tags"), node.get("speaker"), node.content)

    def holds(self, tags: Collection[str], speaker: str | None, said: str) -> bool:
        """Tell the same of a text with *tags* that *speaker* said."""
        named = [one.removeprefix(TAG) for one in tags if one.startswith(TAG)]
        if not named or any(map(self._is_meant, named)) or schema.is_always(tags):
            return True
        return speaker == _USER and is_about_user(said)

    def _is_meant(self, name: str) -> bool:
        words = " ".join(split(name))
        return fold(name) == self._name or any(f" {words} " in one for one in self._wordings)


def read_project(graph: Any, query: str) -> Project | None:
    """Return the project in which the call of *graph* asks *query*; None: all are one."""
    name = graph.context.project
    return None if name is None else Project(name, query, *graph.context.also)


def is_about_user(said: str) -> bool:
    """Tell whether the user's words are on the user, wherever they were said.

    They are on what the user wants or likes, on a matter such as home or employer, or on kin. "I"
    alone begins most of what is said of work.
    """
    if oneself.is_rule(said) or superseding.is_of_matter(said):
        return True
    return bool(kin.named(split(said)))
