"""Read a query as it was meant: its misspelt words, and its vector without the names of speakers.

Both depend on the words of the stored texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..graph.primitives import Lookup
from ..limits import MAX_SUMMARY
from ..retrieval import documents, spelling
from ..retrieval.graph_index import StoredIndex, leave_out_speakers
from ..retrieval.indexer import Words
from ..words import missing
from .view import AllMemories


class Meant(NamedTuple):
    """A query without its slips, its vector, and the rows of its odd words (`spelling.correct`)."""

    text: str
    vector: Sequence[float] = ()
    spelt: Sequence[Mapping[str, str]] = ()


def read_meant(
    graph: AllMemories,
    query: str,
    vector: Sequence[float] = (),
    beside: Iterable[Lookup] = (),
    *,
    begins: bool = False,
) -> Meant:
    """Return *query* as it was meant, and pull *beside*.

    If it *begins* words, those of the texts that begin as one of its words does count a little.

    *vector* is that of its words as they stand. If its names or slips change them, and the caller
    `embeds`, it is made anew, and so is that of the other wordings, the context's `also_vector`.
    """
    context, languages, scope = graph.context, graph.context.languages, graph.context.user_id
    also = "\n".join(context.also)[:MAX_SUMMARY]
    texts = [query, *([also] if context.embeds and also else [])]
    starts = spelling.list_starts(query, languages) if begins and not missing() else {}
    if missing() or not (context.embeds or starts or spelling.doubtful(query, languages)):
        graph.pull(*beside)
        return Meant(query, vector)
    begun = documents.of_starts(starts, scope)
    graph.pull(*beside, *documents.of_terms(texts, scope, languages), *begun)
    index = StoredIndex(graph.another(Words), scope)
    unknown = {one: spelling.unknown(index, one, languages) for one in texts}
    if any(unknown.values()):
        odd = [one for one in texts if unknown[one]]
        graph.pull(*(look for one in odd for look in documents.of_spellings(one, scope, languages)))
        index = StoredIndex(graph.another(Words), scope)
    spelt = {one: spelling.correct(index, one, unknown[one], languages) for one in texts}
    if context.embeds:
        said = {one: leave_out_speakers(index, one, languages) for one in texts}
        said = {one: spelling.respell(bare, spelt[one]) for one, bare in said.items()}
        changed = [one for one in texts if said[one] != one]
        told = dict(zip(changed, graph.embed([said[one] for one in changed]), strict=True))
        if query in told:
            vector = told[query]["vector"]
        if also in told:
            graph.context = graph.context._replace(also_vector=told[also]["vector"])
    longer = spelling.find_longer(index, starts)
    return Meant(spelling.respell(query, spelt[query]), vector, [*spelt[query], *longer])
