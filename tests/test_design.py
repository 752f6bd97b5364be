"""The formulas, tables and numbers of docs/design.md, held against the rules themselves."""

import math

from tests.markdown import ROOT, blocks, table

from conceptgraph_core.concepts import schema
from conceptgraph_core.entities import edges, trust
from conceptgraph_core.entities.identity import likenesses, resolution
from conceptgraph_core.entities.schema import CAUSAL_MOODS_APART
from conceptgraph_core.everyday import schema as everyday
from conceptgraph_core.memories import fade
from conceptgraph_core.memories import schema as memories
from conceptgraph_core.retrieval import periods, question, ranks, scoring
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.decaying import RULES

DESIGN = ROOT / "docs/design.md"
TEXT = " ".join(DESIGN.read_text(encoding="utf-8").split())
HEADINGS = {block.heading: block.text for block in blocks(DESIGN)}


def minus(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def test_arousal_fades_as_the_table_says():
    hours = {"hour": 1, "day": 24, "week": 168}
    rows = table(DESIGN, "after", "arousal")
    assert len(rows) == 6
    for after, arousal in rows:
        number, unit = after.split()
        elapsed_ms = int(number) * hours[unit.rstrip("s")] * 3_600_000
        left = math.exp(-elapsed_ms / limits.DEFAULT_TAU_MS)
        assert f"{left:.{schema.SCORE_DECIMALS}f}" == arousal


def test_weights_grow_as_the_table_says(memory):
    rows = table(DESIGN, "stated", "weight")
    times = [{"once": 1, "twice": 2}.get(stated) or int(stated.split()[0]) for stated, _ in rows]
    weights = [memory.relation_add("fig jam", "jam", "is-a")["weight"] for _ in range(max(times))]
    assert [f"{round(weights[count - 1], 6):g}" for count in times] == [
        weight for _, weight in rows
    ]


def test_the_edges_of_entities_begin_and_fade_as_the_page_says():
    rows = table(DESIGN, "edge", "begins with", "tau, in days")
    begins = {kind.strip("`"): begin.split()[-1] for kind, begin, _ in rows}
    assert begins.pop("same_as") == "confidence"
    weights = {kind.lower(): f"{weight:g}" for kind, weight in edges.DEFAULT_WEIGHTS.items()}
    assert begins.items() <= weights.items()
    taus = {kind.strip("`"): math.inf if "never" in tau else float(tau) for kind, _, tau in rows}
    assert taus == {kind.lower(): tau for kind, tau in edges.TAU_DAYS.items()}


def test_levels_are_those_of_the_schema():
    levels = [level for _, level in table(DESIGN, "what", "arousal level")]
    assert levels[:3] == [
        str(schema.AROUSAL_UPSERTED),
        str(schema.AROUSAL_INDIRECT),
        str(schema.AROUSAL_EPISODE),
    ]
    assert levels[4] == f"{schema.HOP_DECAY}^(h − 1)"
    assert f"less than {schema.MIN_AROUSAL_GAIN}" in TEXT


def test_the_score_of_a_text_is_that_of_the_ranking():
    formula = HEADINGS["Score of a text"]
    assert f"count / (count + {scoring.SATURATION})" in formula
    assert f"(length / mean length)^{minus(scoring.LENGTH_EXPONENT)}" in formula
    assert f"(texts / texts with the word)^{scoring.RARITY_EXPONENT}" in formula
    assert f"{scoring.FADING}^distance" in formula
    assert f"up to {scoring.NEIGHBOURS} texts away" in formula
    assert f"(1 + days)^{minus(question.AGE_EXPONENT)}" in formula
    assert f"named          = {question.NAMED}" in formula
    assert f"asker          = {question.ASKER}" in formula
    assert f"period         = {question.PERIOD:g}" in formula
    reach = f"A named day reaches {periods.REACH_OF_DAYS} days further"
    assert f"{reach}, a named month {periods.REACH_OF_MONTHS}" in TEXT


def test_the_numbers_by_which_memories_fade_are_those_of_the_rules():
    rows = [row[:2] for row in table(DESIGN, "number", "default", "meaning")]
    assert [(name, float(value)) for name, value in rows] == list(RULES._asdict().items())


def test_links_fade_as_the_formula_says():
    days, floor = fade.LINK_HALF_LIFE_MS // fade.DAY_MS, fade.LINK_FLOOR
    formula = f"max(min({floor}, strength), strength · 0.5^(days / ({days} · (1 + n))))"
    assert HEADINGS["Strength of a link"] == f"strength(now) = {formula}"
    assert f"at most {fade.MAX_LINK_DAYS}" in TEXT


def test_near_duplicates_and_contexts_are_as_the_page_says():
    assert f"(Jaccard {memories.SIMILAR_OVERLAP}), or a cosine of {memories.SIMILAR_COSINE}" in TEXT
    assert f"{memories.SIMILAR_COMPARED} memories are compared" in TEXT
    assert f"{memories.CONTEXT_LEAST:.0%}".replace("%", " %") in TEXT
    assert f"links of {memories.CONTEXT_STRENGTH} or more" in TEXT


def test_trust_is_the_product_of_the_page():
    formula = HEADINGS["Trust"]
    assert f"{trust.MODEL_WORTH} · model mentions" in formula
    assert (
        f"({trust.ECHO_PENALTY} if model mentions / (user mentions + 1) > {trust.ECHO_RATIO}"
        in (formula)
    )
    assert f"(1 + intensity / {1 / trust.BOOST:g})" in formula
    assert f"min(edges / {trust.FULL_DENSITY}, 1)" in formula
    assert f"intensity is above {trust.PROMOTING_INTENSITY}" in TEXT
    assert f"a tau of {edges.TAU_MS // fade.DAY_MS} days" in TEXT
    assert f"a standard deviation of {CAUSAL_MOODS_APART}" in TEXT


def test_names_are_as_similar_as_the_page_says():
    rows = dict(table(DESIGN, "reason", "similarity"))
    assert [float(value) for value in rows.values()] == [
        likenesses.SAID,
        likenesses._SYNONYM,
        likenesses._PART,
        likenesses._KIND,
    ]
    assert likenesses._SAME_NAME == likenesses.SAID
    assert {likenesses._SHORT, likenesses._INITIALS} == {likenesses._SYNONYM}
    assert f"a similarity of {resolution.SIMILAR} or more" in TEXT
    assert f"below {resolution.MERGING}" in TEXT


def test_recall_shares_its_budget_as_the_page_says():
    assert f"one budget of {everyday.DEFAULT_BUDGET:,} tokens" in TEXT
    assert f"takes {everyday.WHO_SHARE:.0%}".replace("%", " %") in TEXT
    assert f"*comes to mind* {everyday.MIND_SHARE:.0%}".replace("%", " %") in TEXT
    assert f"1 / ({ranks.K} + rank)" in TEXT
