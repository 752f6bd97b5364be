"""How many of 100 greetings, remarks and questions about the world bring nothing to mind.

Others than the server's own. What words find is not counted: a store of thousands of messages says
"good morning" somewhere.
"""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from .by_meaning import ByMeaning, model
from .folder import Message, read
from .in_store import emptied

REMARKS = Path(__file__).with_name("remarks.txt")
SIZES = (8, 100, 3_000)


def messages(folders: tuple[Path, ...], size: int) -> list[Message]:
    """Return *size* messages of *folders*, evenly spread."""
    every = [one for folder in folders for memory in read(folder) for one in memory.messages]
    return every[:: max(1, len(every) // size)][:size]


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--embeddings", multiple=True, required=True, metavar="MODEL")
@click.option("--store", required=True, metavar="URI", help="sqlite:///FILE or bolt://…, emptied.")
def main(folders: tuple[Path, ...], embeddings: tuple[str, ...], store: str) -> None:
    """Count the silent ones in stores of 8, 100 and 3,000 messages of FOLDERS, by each MODEL."""
    remarks = REMARKS.read_text(encoding="utf-8").splitlines()
    table = Table("messages", *(f"silent by {said}" for said in embeddings))
    counted: dict[int, list[str]] = {size: [] for size in SIZES}
    for said in embeddings:
        with model(said) as by:
            for size in SIZES:
                chosen = messages(folders, size)
                last = max(one.time_ms for one in chosen) + 1
                with emptied(store) as opened:
                    found = ByMeaning(opened, chosen, by)
                    loud = sum(
                        any(not row["matched"] for row in found.rows(text, 100, last))
                        for text in remarks
                    )
                counted[size].append(f"{len(remarks) - loud} of {len(remarks)}")
    for size, cells in counted.items():
        table.add_row(f"{size:,}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
