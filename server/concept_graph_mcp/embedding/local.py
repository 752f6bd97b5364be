"""Run embedding models in this process. Their packages are imported on demand."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import one_line
from .base import Embedding, EmbeddingError, LocalEmbedding, missing, name_embedding
from .vocabulary import StaticEmbedding

_MOST_OF_A_REASON = 300


def model2vec(name: str) -> Embedding:
    """Return the static model in the folder *name*, or of that name on the Hugging Face Hub."""
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise _not_installed(error, "model2vec") from None
    model = _load_package("model2vec", name, StaticModel.from_pretrained)
    made = name_embedding(f"model2vec:{name}"), int(model.dim), model.encode
    return StaticEmbedding(*made, model.tokenizer.get_vocab())


def sentence_transformers(name: str) -> Embedding:
    """Return the sentence transformer in the folder *name*, or of that name on the Hub."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise _not_installed(error, "sentence-transformers") from None
    model = _load_package("sentence-transformers", name, SentenceTransformer)

    def encode(texts: list[str]) -> Any:
        return model.encode(texts, show_progress_bar=False)

    # The method that returns it is named differently in different versions.
    dimension = len(encode(["a"])[0])
    return LocalEmbedding(name_embedding(f"sentence-transformers:{name}"), dimension, encode)


def _load_package(provider: str, name: str, load: Callable[[str], Any]) -> Any:
    # The package logs a remark on the README of every folder.
    logging.getLogger("huggingface_hub.repocard").setLevel(logging.ERROR)
    folder = Path(name).expanduser()
    if not folder.is_dir() and (name.startswith(("/", ".", "~", "\\")) or folder.is_absolute()):
        raise EmbeddingError(f"CONCEPT_GRAPH_EMBEDDINGS: {name}: there is no such folder")
    try:
        return load(str(folder) if folder.is_dir() else name)
    # A damaged folder, an unknown name and a missing network raise all kinds of errors.
    except Exception as error:  # noqa: BLE001
        reason = one_line(error)[:_MOST_OF_A_REASON] or type(error).__name__
        raise EmbeddingError(
            f"CONCEPT_GRAPH_EMBEDDINGS: {provider}:{name} cannot be loaded: {reason}"
        ) from None


def _not_installed(error: ImportError, package: str) -> Exception:
    module = (error.name or "").partition(".")[0]
    return missing(package) if module == package.replace("-", "_") else error
