"""Published figures, and what they may be compared with.

Answers that a model wrote and another one graded are another measure, and are left out.
"""

from .folder import Source

_LOCOMO = "all ten conversations, of which the unseen part has seven"

# By benchmark and figure: the published figures in percent, and where they are from.
_FIGURES: dict[tuple[str, str], tuple[str, str]] = {
    ("LoCoMo", "recall@5"): (
        "36.3",
        f"turns of LoCoMo, {_LOCOMO}: MiniLM (kitfunso/hippo-memory, pull request 169)",
    ),
    ("LoCoMo", "recall@10"): (
        "66.2, 78.0",
        "turns of LoCoMo: a trained dense retriever; a reranker trained on other questions of"
        " LoCoMo (ConvMemory, arXiv:2605.28062)",
    ),
    ("LoCoMo", "session hit@1"): (
        "64.0, 69.8, 75.2",
        f"sessions of LoCoMo, {_LOCOMO}: BM25 (arXiv:2606.04194); words alone (vshulcz/deja-vu,"
        " pull request 326); e5-large-v2 and BM25 (arXiv:2606.04194)",
    ),
    ("LoCoMo", "session hit@5"): (
        "85.6",
        f"sessions of LoCoMo, {_LOCOMO}: words alone (vshulcz/deja-vu, pull request 326)",
    ),
    ("LoCoMo", "context, 4,000 tokens"): (
        "70.0",
        f"share of the evidence within 4,000 tokens, {_LOCOMO}: full-text search (sipeed/picoclaw,"
        " pull request 2353)",
    ),
    ("LongMemEval", "session hit@1"): (
        "84.4",
        "sessions of LongMemEval-S: mpnet and BM25 (xiaowu0162/LongMemEval, issue 42)",
    ),
    ("LongMemEval", "session hit@5"): (
        "86.2, 95.2, 96.6",
        "sessions of LongMemEval-S: BM25; BM25 and MiniLM (rohitg00/agentmemory); MiniLM over the"
        " user's turns alone (MemPalace). They ask 500 questions, with those without an answer",
    ),
    ("RealMem", "session hit@5"): (
        "33.1",
        "sessions of RealMem, one persona (Adeleke Okonjo): Mem0 as the makers ran it"
        " (zhiyuan5986/RealMemBench, recall_any@5)",
    ),
}


def comparable(source: Source, figure: str) -> tuple[str, str] | None:
    """Return what *figure* may be compared with: the figures, and a note on them.

    The part that the ranking was tuned on is compared with nothing.
    """
    return None if source.part == "tuning" else _FIGURES.get((source.benchmark, figure))
