"""Find duplicates and near-duplicates of a text before it is stored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..retrieval import ranks
from ..retrieval.graph_index import StoredIndex
from ..retrieval.indexer import Words
from ..retrieval.searching import Texts
from ..texts.words import missing, terms
from . import schema, standing, superseding
from .search import comparable
from .view import Graph, Node


class Known(NamedTuple):
    """The duplicate of a text with its index entry, and near-duplicates with what contradicts them.

    The index entry is its node's id; without a duplicate it is None. `alike` has those that share
    words or meaning with the text, not only the place that it may take.
    """

    there: Node | None
    entry: int | None
    similar: dict[Node, Node | None]
    alike: frozenset[Node]


def find_known(
    graph: Graph,
    content: str,
    vector: Sequence[float] = (),
    model: str | None = None,
    happened_at: int | None = None,
) -> Known:
    """Return the duplicate of a text, if one is current, and its near-duplicates, best first.

    * A duplicate has exactly this text, but for blanks: a corrected password is another text.
    * It is current if it is a note, neither a message nor a program's value, and no later memory
      contradicts or replaced it. The latest of several counts. A text about another time
      (*happened_at*) is another one.
    * A near-duplicate shares half of all terms of both, and two or more, or its vector has a
      cosine of 0.85 or more, or the text may take its place (`superseding`). The value is the later
      memory that contradicts it, if any.

    Only texts that share most of the rarest terms are compared, and those on the user, as far as
    the look-up found them.
    """
    found = _compare(graph, content)
    others = (
        [] if happened_at is None else [one for one in found if one.get("said_at") != happened_at]
    )

    def collapse(text: str) -> str:
        return " ".join(standing.compose(text).split())

    # The latest note of exactly that text that no memory contradicts or replaced.
    said = standing.words(content)
    same = [one for one in found if one not in others and standing.words(one.content) == said]
    noted = [
        one
        for one in same
        if all(one.get(name) is None for name in ("thread", "path", "valid_until"))
        and collapse(one.content) == collapse(content)
    ]
    against = standing.find_contradicting(graph, noted, standing.group_nodes(same))
    there = max((one for one in noted if one not in against), key=standing.age, default=None)
    shares = {node: share for node, (share, _) in found.items()}
    likenesses = {node: one for node, one in shares.items() if one >= schema.SIMILAR_OVERLAP}
    given = comparable(graph, vector, model)
    for node in graph.nodes():
        kept = node.raw.get_property("embedding") if given else None
        cosine = ranks.cosine(given, kept) if isinstance(kept, (list, tuple)) else None
        if cosine is not None and cosine >= schema.SIMILAR_COSINE:
            likenesses[node] = max(cosine, likenesses.get(node, 0.0))
    # A text whose place is taken comes before those that are only alike.
    spoken = graph.context.languages
    taken = [one for one in shares if superseding.may_replace(content, one.content, spoken)]
    if superseding.is_of_matter(content):
        beside = (one for one in graph.nodes() if one not in shares)
        taken += (one for one in beside if superseding.share_matter(content, one.content))
    alike = frozenset(likenesses)
    likenesses |= {node: likenesses.get(node, 0.0) + 1.0 for node in taken}
    ordered = sorted(likenesses, key=lambda node: (-likenesses[node], node.memory_id))
    groups = standing.group_nodes(one for one in ordered if one.get("valid_until") is None)
    shown = [group[0] for group in groups[: schema.MOST_SIMILAR]]
    against = standing.find_contradicting(graph, shown, groups)
    entry = None if there is None else found[there][1]
    return Known(there, entry, {node: against.get(node) for node in shown}, alike)


def _compare(graph: Graph, content: str) -> dict[Node, tuple[float, int]]:
    """Return memories that share terms with *content*, and their share of all terms of both.

    0 for those that share fewer than two. Each comes with its index entry.
    """
    spoken = graph.context.languages
    counted = {} if missing() else terms(content, spoken)
    index = StoredIndex(graph.another(Words), graph.context.user_id)
    likely = _likely(index, counted)
    index.expect([(text, 0) for text in likely])
    index.expect_nodes(likely)
    own, texts = set(counted), Texts(graph, schema.KIND, index)
    found: dict[Node, tuple[float, int]] = {}
    for text in likely:
        node = texts.node_of(text)
        if node is not None:
            others = set(terms(node.content, spoken))
            common = len(own & others)
            share = common / len(own | others) if common >= schema.SIMILAR_TERMS else 0.0
            found[node] = share, text
    return found


def _likely(index: StoredIndex, counted: Mapping[str, int]) -> list[int]:
    """Return the texts that share most of these terms.

    On ties, texts of similar length come first, because a copy has the same length.
    """
    length = sum(counted.values())
    shared: Counter[int] = Counter()
    longer: dict[int, int] = {}
    for term in sorted(filter(index.is_read, counted)):
        mentions = index.mentions(term)
        shared.update(mentions.texts)
        by = (abs(other - length) for other in mentions.lengths)
        longer.update(zip(mentions.texts, by, strict=True))
    ordered = sorted(shared, key=lambda text: (-shared[text], longer[text]))
    return ordered[: schema.SIMILAR_COMPARED]
