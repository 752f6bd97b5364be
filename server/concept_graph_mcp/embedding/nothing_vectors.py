"""Keep minilm's vectors of the texts that ask for nothing in a file beside this module.

They are many, and the first question of a process would wait while they are computed. After a
change of the texts, `python -m concept_graph_mcp.embedding.nothing_vectors` writes the file anew.
"""

import hashlib
from pathlib import Path

from . import minilm, nothing
from .base import Vector

_FILE = Path(__file__).with_name("nothing_minilm.f16")


def read() -> list[Vector] | None:
    """Return the vector of each text; None if the file has those of other texts."""
    import numpy as np

    try:
        found = _FILE.read_bytes()
    except OSError:
        return None
    head = _head()
    if not found.startswith(head):
        return None
    rows = np.frombuffer(found[len(head) :], dtype="<f2").reshape(len(_texts()), -1)
    return [tuple(map(float, row)) for row in rows]


def write() -> None:
    """Compute the vectors and write the file. Raises EmbeddingError."""
    import anyio
    import numpy as np

    made = anyio.run(minilm.minilm("").vectors, _texts())
    _FILE.write_bytes(_head() + np.array(made, dtype="<f2").tobytes())


def _texts() -> list[str]:
    return [text for some in nothing.TEXTS for text in some]


def _head() -> bytes:
    return hashlib.sha256("\n".join((minilm.NAME, *_texts())).encode()).digest()


if __name__ == "__main__":
    write()
