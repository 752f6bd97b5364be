"""Group the commands of the concept layer: recall, search, find, rename, remove."""

import click

from .correcting import remove, rename
from .finding import find
from .group import Topic
from .reading import recall, search


@click.group(cls=Topic)
def concept() -> None:
    """Recall, search, find, rename or remove concepts and episodes."""


for _command in (recall, search, find, rename, remove):
    concept.add_command(_command)
