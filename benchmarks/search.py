"""Search among 100,000 concepts: WordNet's and Chinese names, in any state of arousal.

On Memgraph against plain queries that find the same: a scan for matches, and a ranking by arousal
where they do not fill the answer.
"""

import random
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import neo4j

from concept_graph_mcp import calls
from conceptgraph_core.concepts import schema
from conceptgraph_core.texts import folding
from conceptgraph_core.verbs import limits

from . import wordnet
from .harness import Figure, Setup, interleaved
from .stores import NOW_MS, Bolt, Embedded, fill_embedded, fill_memgraph

SIZE = 100_000
LIMIT = schema.DEFAULT_SEARCH_LIMIT
_DAY_MS = 86_400_000
SEARCHES = {
    "one rare keyword": ["archaeopteryx"],
    "three keywords": ["archaeopteryx", "marsupial", "violin"],
    "a common keyword": ["er"],
    "a common long keyword": ["tion"],
    "what many names begin with": ["dog"],
    "two Chinese characters": ["山水"],
    "a keyword that nothing has": ["zzzzz"],
    "a keyword without its accent": ["senor"],
    "no keywords": [],
}
SCAN = (
    "MATCH (n:Concept) WHERE any(keyword IN $keywords WHERE n.search_name CONTAINS keyword)"
    " RETURN n.name AS concept ORDER BY concept LIMIT 50"
)
RANKING = (
    "MATCH (n:Concept) RETURN n.name AS concept"
    " ORDER BY n.accessed_at + $tau_ms * log(n.arousal_level) DESC LIMIT 50"
)


def run(setup: Setup) -> Iterator[Figure]:
    concepts = list(islice(_concepts(), SIZE))
    fill_embedded(setup.folder / "search.db", concepts)
    store = Embedded(setup.folder / "search.db")
    for what, keywords in SEARCHES.items():
        call = calls.concepts.concept_search(keywords)
        matches = _matches(concepts, keywords)
        (ours,) = interleaved([partial(store.run, call)], setup.times(100))
        yield Figure(f"{what}, embedded ({matches:,} match)", ours, aim="< 10 ms")
    store.close()
    if setup.memgraph:
        yield from _memgraph(setup, setup.memgraph, concepts)


def _memgraph(setup: Setup, uri: str, concepts: list[dict[str, Any]]) -> Iterator[Figure]:
    fill_memgraph(uri, concepts)
    store = Bolt(uri)
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        session.run("FREE MEMORY").consume()
        for what, keywords in SEARCHES.items():
            call = calls.concepts.concept_search(keywords)
            # Where the matches do not fill the answer, the most aroused concepts do.
            queries = [SCAN] if keywords else []
            queries += [RANKING] if _matches(concepts, keywords) < LIMIT else []

            def by_hand(keywords: list[str] = keywords, queries: list[str] = queries) -> None:
                for query in queries:
                    parameters = {"keywords": keywords, "tau_ms": limits.DEFAULT_TAU_MS}
                    list(session.run(query, parameters))

            ours, theirs = interleaved((partial(store.run, call), by_hand), setup.times(30))
            against = "plain scan and ranking" if len(queries) > 1 else "plain query"
            yield Figure(f"{what}, Memgraph", ours, against, theirs)
    store.close()


def _matches(concepts: list[dict[str, Any]], keywords: list[str]) -> int:
    wanted = folding.keywords(keywords)
    return sum(wanted.place(concept["name"]) != folding.ELSEWHERE for concept in concepts)


def _concepts() -> Iterator[dict[str, Any]]:
    """Iterate over concepts without end, each with a name of its own."""
    chance = random.Random(3)
    # A level has two decimals, as what a model feels has.
    state = {"kind": "concept", "valence": 0.0}
    for name in _names(chance):
        level = round(chance.uniform(0.01, 1), 2)
        accessed_at = NOW_MS - chance.randrange(30 * _DAY_MS)
        yield state | {"name": name, "arousal_level": level, "accessed_at": accessed_at}


def _names(chance: random.Random) -> Iterator[str]:
    yield from dict.fromkeys(end for edge in wordnet.edges() for end in (edge[0], edge[2]))
    common = "山水人大小上下天地日月火木金土石田力心手口目耳足车马牛羊鱼鸟花草竹米衣食住行"
    seen = set()
    while True:
        name = "".join(chance.choices(common, k=chance.randint(2, 6)))
        if name not in seen:
            seen.add(name)
            yield name
