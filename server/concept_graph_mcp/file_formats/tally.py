"""Count the parts of a file that are converted or skipped, to report them."""

from collections import Counter
from collections.abc import Iterator

_EXAMPLES = 5


class Tally:
    """Counts conversions and omissions, each kind with a few examples."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], dict[str, None]] = {}

    def count_changed(self, what: str, example: str = "") -> None:
        self._add("changed", what, example)

    def count_other(self, what: str) -> None:
        self._add("of others", what, "")

    def left_out(self, what: str, example: str = "") -> None:
        self._add("left out", what, example)

    def there_already(self, what: str, example: str) -> None:
        self._add("there already", what, example)

    def count_taken(self, what: str) -> None:
        self._add("taken as they are", what, "")

    def lines(self) -> Iterator[str]:
        """Iterate over the report's lines, one for each kind, in the order of their occurrence."""
        for key, count in self._counts.items():
            examples = list(self._examples[key])
            more = ["…"] if len(examples) > _EXAMPLES else []
            shown = f" ({', '.join(examples[:_EXAMPLES] + more)})" if examples else ""
            yield f"{': '.join(key)}: {count:,}{shown}"

    def _add(self, verb: str, what: str, example: str) -> None:
        self._counts[verb, what] += 1
        examples = self._examples.setdefault((verb, what), {})
        if example and len(examples) <= _EXAMPLES:
            examples[example] = None
