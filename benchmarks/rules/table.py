"""The rules that decide what a recall tells, each with what stands in for it when it is off.

A rule names the functions, methods or numbers of the core that it is, and a neutral one for each. A
name that the core no longer has is an error, so that the table cannot outlive the code.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final, NamedTuple

import conceptgraph_core
from concept_graph_mcp.hosts.sqlite.procedure_host import load_mgp

CORE: Final = "conceptgraph_core"
_OURS: Final = (CORE, "concept_graph_mcp")
# Longer than any text.
_ENDLESS: Final = 10**9


class Rule(NamedTuple):
    """One rule: `replaced` has a neutral value by "module:name" or "module:Class.name".

    `keeps` says what the documentation promises by it; it is empty if nothing does. If it `stores`
    something, the sets are stored again without it.
    """

    name: str
    replaced: Mapping[str, Any]
    keeps: str = ""
    stores: bool = False


def _returning(make: Callable[[], Any]) -> Callable[..., Any]:
    """Return a function of any arguments that returns what *make* does."""
    return lambda *_, **__: make()


def unchanged(place: int) -> Callable[..., Any]:
    """Return a function that returns its argument at *place* as a list."""
    return lambda *given, **_: list(given[place])


_no: Final = _returning(lambda: False)
_yes: Final = _returning(lambda: True)
nothing: Final = _returning(lambda: None)
no_rows: Final = _returning(list)
_no_words: Final = _returning(frozenset)
no_pairs: Final = _returning(dict)
_no_turns: Final = _returning(lambda: iter(()))


def _untimed(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return *read*, a function that finds the periods in a text, so that it finds none."""
    return lambda *given, **named: read(*given, **named)._replace(periods=())


RULES: Final = (
    # Words.
    Rule("light words", {"retrieval.question:light": _no_words}),
    Rule("words that ask", {"retrieval.question:asking": _no_words}),
    # Time.
    Rule("periods", {"retrieval.periods:find_periods": _untimed}, "questions that name a time"),
    Rule(
        "a time alone", {"everyday.asking:read_time_alone": nothing}, "questions that name a time"
    ),
    Rule(
        "a time among other words",
        {"everyday.asking:read_time_beside": nothing},
        "questions that name a time",
    ),
    Rule("the past", {"retrieval.question:past_of": nothing}, "what was so before"),
    Rule("plans that a text tells", {"recall.gather:find_planned": no_rows}, "what is planned"),
    Rule(
        "what was done, without plans",
        {"everyday.asking:asks_what_was_done": _no},
        "a plan is no deed",
    ),
    Rule("older texts count less", {"retrieval.question:AGE_EXPONENT": 0.0}),
    # Parts of an answer.
    Rule("own facts", {"everyday.oneself:asked_for": no_rows}, "questions about oneself"),
    Rule("who and what", {"entities.narration.narrative:brief": _no_turns}, "who somebody is"),
    Rule("what comes to mind", {"recall.answering:_brought_to_mind": lambda *_: ([], {})}, "mind"),
    Rule("no proposition twice", {"recall.answering:_is_said": _no}),
    Rule("passages of long texts", {"everyday.passages:LONG": _ENDLESS}, "long notes"),
    # Order.
    Rule("shorter texts first", {"memories.schema:CONTEXT_BREVITY": 0.0}),
    Rule("links", {"memories.schema:CONTEXT_HOPS": 0}, "linked memories come along"),
    Rule(
        "duplicates once",
        {"memories.standing:group_nodes": lambda nodes: [[one] for one in nodes]},
        "the same words come once",
    ),
    Rule(
        "contradictions",
        {"memories.standing:find_contradicting": no_pairs},
        "what contradicts comes first",
    ),
    Rule(
        "only what the user said with it",
        {"retrieval.searching:Found.is_heard": False},
        "one message in several notes",
    ),
    Rule("a later text on a matter first", {"retrieval.ranking:later_first": unchanged(1)}),
    # Finding.
    Rule("the second step", {"retrieval.ranking:_pass_on": nothing}, "answers two texts away"),
    Rule("spelling", {"retrieval.spelling:correct": no_rows}, "misspelt words"),
    Rule("compounds", {"retrieval.spelling:find_compounds": no_rows}, "German compounds"),
    Rule("families", {"texts.words.families:find_families": no_pairs}, "allergic finds allergy"),
    Rule("families of WordNet", {"texts.words.families:_line": nothing}),
    Rule(
        "names and concepts lead on",
        {"memories.search:pull_led_to": lambda graph, _: [[] for _ in (0, *graph.context.also)]},
    ),
    Rule(
        "who speaks, who asks", {"retrieval.question:NAMED": 1.0, "retrieval.question:ASKER": 1.0}
    ),
    Rule("words for kin", {"entities.language.kin:named": no_rows}, "my sister means Clara"),
    # Parts of a stored text.
    Rule(
        "words heard with a text",
        {"retrieval.documents:_read_heard": _returning(str)},
        "found by the user's own words",
        stores=True,
    ),
    Rule(
        "the rules that read people",
        {"entities.rule_extractor:observations": no_rows},
        "facts from what the user says",
        stores=True,
    ),
    Rule("cues for names", {"entities.language.cues:noticed": unchanged(1)}, stores=True),
    Rule(
        "what replaces by itself",
        {"everyday.stating:replaces": _no, "memories.superseding:may_replace": _no},
        "what a new text may replace",
        stores=True,
    ),
    Rule(
        "associations of a text's names",
        {"cascade.texts:associate": no_rows},
        "mind",
        stores=True,
    ),
    Rule(
        "names often together",
        {"memories.entries:_count_together": nothing},
        "links are offered",
        stores=True,
    ),
    Rule(
        "ended by the words",
        {
            f"entities.narration.current_facts:{name}": nothing
            for name in ("since_no_longer", "dead_since", "since_apart")
        },
        "what is over is told so",
    ),
)


@contextmanager
def off(rule: Rule) -> Iterator[None]:
    """Run the core without *rule*. Raises LookupError if the core has no such name."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for path, neutral in rule.replaced.items():
            places = list(find_places(path))
            was = vars(places[0][0])[places[0][1]]
            instead = neutral(was) if neutral is _untimed else neutral
            for owner, name in places:
                before.append((owner, name, was))
                setattr(owner, name, instead)
        _forget_results()
        yield
    finally:
        for owner, name, was in reversed(before):
            setattr(owner, name, was)
        _forget_results()


def find_places(path: str) -> Iterator[tuple[Any, str]]:
    """Yield each module or class, with the name, that has what *path* names.

    A function may have been imported by any name, and a number only by its own. Raises LookupError.
    """
    module, _, name = path.partition(":")
    owner: Any = load_core().get(f"{CORE}.{module}")
    *classes, name = name.split(".")
    for one in classes:
        owner = getattr(owner, one, None)
    if owner is None or name not in vars(owner):
        raise LookupError(f"{path}: the core has no such name; correct or remove its rule")
    found = vars(owner)[name]
    yield owner, name
    if classes:
        return
    for other in _loaded().values():
        for known, value in list(vars(other).items()):
            if value is found and other is not owner and (callable(value) or known == name):
                yield other, known


def load_core() -> Mapping[str, ModuleType]:
    """Import every module of the core, because one imported later would keep what is neutral."""
    load_mgp()
    every = pkgutil.walk_packages(conceptgraph_core.__path__, f"{CORE}.")
    return {one.name: importlib.import_module(one.name) for one in every}


def _loaded() -> Mapping[str, ModuleType]:
    return {name: one for name, one in sys.modules.items() if name.partition(".")[0] in _OURS}


def _forget_results() -> None:
    """Empty the caches of the core: what a rule gave must not outlast it."""
    for name, module in _loaded().items():
        # The server's remember which modules it loaded, and none can be loaded twice.
        for one in list(vars(module).values()) if name.startswith(CORE) else ():
            if hasattr(one, "cache_clear"):
                one.cache_clear()
