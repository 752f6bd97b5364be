"""What a question asks for: its cues, whom it names, who asks, and about when."""

import pytest

from concept_graph_mcp.calls.verb import read_also as also
from conceptgraph_core.everyday.lookups import named
from conceptgraph_core.graph.primitives import Equal, Incoming, Lookup, Union
from conceptgraph_core.memories.lookups import leading
from conceptgraph_core.retrieval.documents import of_mentions
from conceptgraph_core.retrieval.question import (
    MOST_WORDS,
    Cue,
    Further,
    Sought,
    read_sought,
    shorten,
    speaker_terms,
)
from conceptgraph_core.texts.words.splitting import split

ASKED_AT = 1_750_000_000_000
BOTH = ("english", "german")
DAY_MS = 86_400_000
SPEAKERS = {"carolin": ("Caroline",), "mark": ("Mark Twain", "Mark Spitz")}


def own(asked: Sought) -> tuple[Cue, ...]:
    """Return the cues without the families of their words."""
    return tuple(cue._replace(near=()) for cue in asked.cues)


def test_cues_are_the_terms_of_the_text_each_once() -> None:
    asked = read_sought("Dogs? Which dog saw dogs?", ASKED_AT, speakers={})
    assert own(asked) == (Cue("dogs", ("dog",)), Cue("saw", ("saw",)))
    assert asked == Sought(cues=asked.cues, asked_at=ASKED_AT)


def test_a_question_is_read_in_every_language() -> None:
    asked = read_sought("Wann war die Party?", ASKED_AT, speakers={}, languages=BOTH)
    # "war" and "die" are English words too, but nothing in a German question.
    assert own(asked) == (Cue("party", ("party", "parti")),)
    asked = read_sought("Who died in the war?", ASKED_AT, speakers={}, languages=BOTH)
    assert [one.terms for one in asked.cues] == [("die", "died"), ("war",)]


def test_a_question_that_may_be_of_either_language_is_of_both() -> None:
    asked = read_sought("Party", ASKED_AT, speakers={}, languages=BOTH)
    assert own(asked) == (Cue("party", ("parti", "party")),)


def test_two_words_that_are_one_in_a_language_are_one_cue() -> None:
    asked = read_sought("What was baked at the baking?", ASKED_AT, speakers={}, languages=BOTH)
    assert own(asked) == (Cue("baked", ("bake", "baked", "baking")),)


def test_a_first_name_is_no_cue_in_any_language() -> None:
    asked = read_sought("Was malte Caroline?", ASKED_AT, speakers=SPEAKERS, languages=BOTH)
    assert [one.said for one in asked.cues] == ["malte"]
    assert asked.named == {"Caroline"}


def test_the_terms_of_a_word_that_a_question_leads_to_are_one_cue() -> None:
    led = {"said": "fest", "to": "Party", "why": "fest evokes Party", "share": 0.2}
    further = [Further(term=term, **led) for term in ("parti", "party")]
    asked = read_sought("Fest", ASKED_AT, speakers={}, languages=BOTH, further=further)
    [one] = asked.further
    assert one == Cue("fest → Party", ("parti", "party"), 0.2, "fest evokes Party")


def test_the_first_name_of_a_speaker_names_and_is_no_cue() -> None:
    asked = read_sought("what did caroline paint?", ASKED_AT, speakers=SPEAKERS)
    assert own(asked) == (Cue("paint", ("paint",)),)
    assert asked.named == {"Caroline"}


def test_a_first_name_that_several_have_names_them_all() -> None:
    asked = read_sought("Did Mark swim?", ASKED_AT, speakers=SPEAKERS)
    assert asked.named == {"Mark Twain", "Mark Spitz"}


def test_a_name_alone_is_the_cue_for_there_is_no_other() -> None:
    asked = read_sought("Who is Caroline?", ASKED_AT, speakers=SPEAKERS)
    assert (own(asked), asked.named) == ((Cue("caroline", ("carolin",)),), {"Caroline"})


def test_the_term_that_knows_a_speaker_is_that_of_the_first_name() -> None:
    assert speaker_terms("Caroline Herschel") == ["carolin"]
    assert speaker_terms("ＡＮＮ") == ["ann"]
    assert speaker_terms("Will Smith") == speaker_terms("!") == []


def test_the_four_factors_of_a_text() -> None:
    asked = read_sought(
        "What did Caroline paint yesterday?", ASKED_AT, speakers=SPEAKERS, askers=["caroline"]
    )
    said = asked.factors("Caroline", ASKED_AT - DAY_MS)
    assert (said.age, said.named, said.asker, said.period) == (2**-0.05, 1.2, 1.5, 2.0)
    assert said.product == said.age * 1.2 * 1.5 * 2.0
    other = asked.factors("Mel", ASKED_AT - 30 * DAY_MS)
    assert (other.age, other.named, other.asker, other.period) == (31**-0.05, 1.0, 1.0, 1.0)
    assert asked.factors(None, None).product == 1.0


def test_no_text_can_gain_more_than_the_most_that_a_question_says() -> None:
    everything = read_sought(
        "Did Caroline paint today?", ASKED_AT, speakers=SPEAKERS, askers=["caroline"]
    )
    assert everything.most_by_speaker * everything.most_by_time == 1.2 * 1.5 * 2.0
    nothing = read_sought("Did anyone paint?", ASKED_AT, speakers=SPEAKERS)
    assert (nothing.most_by_speaker, nothing.most_by_time) == (1.0, 1.0)


def test_only_what_was_said_before_can_answer() -> None:
    asked = Sought(cues=(), asked_at=ASKED_AT)
    assert asked.is_older(ASKED_AT - 1)
    assert not asked.is_older(ASKED_AT)
    assert asked.is_older(None)


def test_an_ordinary_long_message_is_read_whole() -> None:
    said = "\n".join(f"On day {day} the crew of Apollo saw the Moon again." for day in range(380))
    assert len(said) > 15_000
    assert shorten(said) == said


@pytest.mark.parametrize("word", ["ab{} cd{}, ", "{}年{}月", "{}.\n"])
def test_of_a_message_of_many_words_both_ends_are_read(word: str) -> None:
    said = "".join(word.format(n, n) for n in range(5_000))[:19_900]
    read = shorten(f"What is Clara's allergy? {said} And what is Tom's?")
    assert read.startswith("What is Clara's allergy? ")
    assert read.endswith(" And what is Tom's?")
    assert MOST_WORDS - 150 <= len({*split(read)}) <= MOST_WORDS
    # It is not cut again, or the look-ups would be of another text.
    assert shorten(read) == read


def _count_values(lookup: Lookup | None) -> int:
    parts = lookup.parts if isinstance(lookup, Union) else ()
    inner = [lookup.lookup] if isinstance(lookup, Incoming) else []
    own = len(lookup.values) if isinstance(lookup, Equal) else 1
    return own + sum(_count_values(one) for one in (*parts, *inner))


def test_the_look_ups_of_a_question_are_bounded() -> None:
    def looked_up(names: int) -> int:
        asked = shorten(", ".join(f"Nemi{n} Olo{n}" for n in range(names)))
        found = [of_mentions((asked,), "ann", ("english",)), *named((asked,), "ann")]
        found += leading((asked,), "ann", "ann", ("english",))
        return sum(map(_count_values, found))

    assert looked_up(1_200) <= 1.5 * looked_up(MOST_WORDS // 2)


def test_other_wordings_have_the_words_of_one_question_together() -> None:
    made = also([" ".join(f"w{one}x{n}" for n in range(120)) for one in range(20)])
    assert len(made.wordings) == MOST_WORDS // 120
