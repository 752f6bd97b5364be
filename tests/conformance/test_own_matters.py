"""Which texts recall and the profile take for the user's own, on both hosts."""

import pytest
from everyday_calls import Days

from concept_graph_mcp import calls
from conceptgraph_core.everyday import lines
from conceptgraph_core.texts.dates import Span

everyday = calls.everyday

_WASPS = "Maëlle est allergique aux piqûres de guêpe"
_BROTHER = "Le frère de Maëlle, Anselme, est allergique à la pénicilline"
_PILLS = "The user's levothyroxine was raised to 88 micrograms"
_PARROT = "The user has an African grey parrot called Gaston, who is 14 years old"


@pytest.fixture
def maelle(memory):
    days = Days(memory)
    name = [{"name": "Maëlle Castaing", "kind": "the user"}]
    days.remember("The user is Maëlle Castaing, a sound engineer in Lyon", name, keep="years")
    days.remember(_WASPS, ["Maëlle"], keep="always")
    days.remember(_BROTHER, [{"name": "Anselme", "kind": "frère"}], keep="always")
    days.remember("User's mother takes 10 mg of ramipril", keep="always")
    days.remember("Cat Muis gets no milk", [{"name": "Muis", "kind": "cat"}], keep="always")
    days.remember(_PARROT, [{"name": "Gaston", "kind": "parrot"}], keep="years")
    days.remember("The user has a sister who is allergic to nuts")
    days.remember("The user and Tobias broke up after six years")
    days.remember(_PILLS, ["levothyroxine"], keep="years")
    days.remember("The user sold the old car")
    memory.now_ms += 1_000
    days.remember("Maëlle a déménagé à Grenoble, 12 rue Thiers", ["Grenoble"])
    return days


def own(days, message):
    """Return the texts of the lines on the user, and those beside them."""
    found = days.recalled(message)["lines"]
    texts = [
        (one["parts"][0] == "The user, ", str(one["parts"][-1]).partition("“")[2][:-1])
        for one in found
        if one["part"] in (lines.WHO, lines.ALWAYS, lines.RULES) and one["kind"] == "memory"
    ]
    return [one for mine, one in texts if mine], [one for mine, one in texts if not mine]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("What am I allergic to?", [_WASPS]),
        ("Am I allergic to anything?", [_WASPS]),
        ("Quelles sont mes allergies ?", [_WASPS]),
        ("What medication do I take?", [_PILLS]),
        ("What dose of thyroid pills am I on?", [_PILLS]),
        ("Quels médicaments je prends ?", [_PILLS]),
        ("What is my name?", ["The user is Maëlle Castaing, a sound engineer in Lyon"]),
        ("What is my surname?", ["The user is Maëlle Castaing, a sound engineer in Lyon"]),
        ("How old am I?", []),
        ("What did I get for the old car?", []),
        ("What does my husband do for a living?", []),
    ],
)
def test_a_question_on_a_matter_is_answered_by_the_users_own(maelle, message, told):
    assert own(maelle, message) == (told, [])


def test_a_later_text_on_the_home_comes_before_who_the_user_is(maelle):
    texts, _ = own(maelle, "Where do I live?")
    assert ["Grenoble" in one for one in texts] == [True, False]


def test_what_is_kept_always_about_others_stands_beside_the_user(maelle):
    mine, beside = own(maelle, "What do you know about me?")
    assert mine[0].startswith("The user is Maëlle")
    assert _WASPS in mine
    assert len(beside) == 3
    assert _BROTHER in beside
    assert "Kept always:\n" in lines.text(maelle.recalled("Who am I?")["lines"])
    profile = maelle.run(everyday.profile("default"))[0]["lines"]
    parts = {str(one["parts"][-1]).partition("“")[2][:-1]: one["part"] for one in profile}
    assert parts.get(_BROTHER, lines.ALWAYS) == lines.ALWAYS
    assert parts[_WASPS] == lines.ALWAYS
    assert [one for one in parts.values() if one == lines.ME]


def test_a_text_without_a_subject_is_told_without_a_label(maelle):
    maelle.remember("Allergic to latex", keep="always")
    assert own(maelle, "What am I allergic to?") == ([_WASPS], ["Allergic to latex"])


def test_a_trade_says_who_somebody_is_and_an_allergy_does_not(memory):
    days = Days(memory)
    days.remember("Lena naît", [{"name": "Lena", "kind": "the user"}], said="I'm Lena.")
    days.remember("Lena est infirmière", ["Lena"], keep="always")
    days.remember("Lena est allergique au latex", ["Lena"], keep="always")
    assert own(days, "Where do I live?")[0] == ["Lena est infirmière"]


def people(days):
    found = days.run(everyday.profile("default"))[0]["lines"]
    return [str(one["parts"][0]) for one in found if one["part"] == lines.PEOPLE]


@pytest.fixture
def parted(memory):
    days = Days(memory)
    for name, kind, text in (
        ("Tobias", "partner", "Tobias translates crime novels"),
        ("Côme", "bébé", "Inès has a baby, Côme"),
        ("Solange", "mère", "Solange has a new hip"),
        ("Ruth", "grandmother", "Ruth's husband died in March"),
        ("Ruben", "copain", "Ruben is a mountain guide"),
    ):
        days.remember(text, [{"name": name, "kind": kind}])
        memory.now_ms += 1_000
    return days


def test_the_closest_are_one_line_with_partners_first(parted):
    told = "Tobias (partner), Ruben (copain), Solange (mère), Ruth (grandmother), Côme (bébé)"
    assert people(parted) == [told]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The user and Tobias have broken up after six years", "We split up."),
        ("It is over with Tobias", "Tobias and I have split up."),
        ("Tobias et moi, nous sommes séparés", None),
        ("Tobias und ich haben uns getrennt", None),
        ("The user's ex Tobias moved to Leeds", None),
    ],
)
def test_a_partner_is_none_any_more_after_the_end(parted, memory, text, said):
    parted.remember(text, ["Tobias"], said=said)
    assert people(parted)[0].startswith("Ruben (copain), Solange")
    memory.now_ms += 1_000
    parted.remember("Tobias and I are back together", ["Tobias"])
    assert people(parted)[0].startswith("Tobias (partner), Ruben")


def test_recall_names_the_present_partner_first(parted):
    parted.remember("Tobias left", ["Tobias"], said="Tobias and I have split up.")
    found = [one["parts"] for one in parted.recalled("What is new with my partner?")["lines"]]
    named = [one for one in found if "(" in str(one[0])]
    assert [str(one[0]).split()[0] for one in named[:2]] == ["Ruben", "Tobias"]
    assert named[1][1] == " until "


def test_somebody_elses_end_is_not_the_users(parted):
    parted.remember("Ruben's sister broke up with Jan", ["Ruben"])
    parted.remember("The user and Ruben climbed and ate raclette", ["Ruben"])
    assert "Ruben (copain)" in people(parted)[0]
    parted.remember("Ruth has died in her sleep", ["Ruth"])
    assert "Ruth" not in people(parted)[0]


def test_for_a_living_asks_for_no_home(memory):
    days = Days(memory)
    days.remember("Jan is an electrician on ships", [{"name": "Jan", "kind": "husband"}])
    days.remember("The user and the cat live in Rotterdam")
    for number in range(8):
        days.remember(f"Note {number} on the garden and its {number + 3} trees")
    assert "Rotterdam" not in days.recall("What does my husband do for a living?")


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("Tobias and the user broke up", "It's over.", "partner"),
        ("Tobias and the user split up because of Jo", "There's another.", "partner"),
        ("Tobias came to the funeral", "He came, I said nothing to him.", "former partner"),
        ("Tobias came for his books", None, "ex-boyfriend"),
    ],
)
def test_a_note_ends_what_the_users_words_do_not_name(parted, memory, text, said, kind):
    parted.remember(text, [{"name": "Tobias", "kind": kind}], said=said)
    assert "Tobias" not in people(parted)[0]
    memory.now_ms += 1_000
    said = "Tobias and I are back together!"
    parted.remember(
        "The user and Tobias are a couple", [{"name": "Tobias", "kind": "partner"}], said=said
    )
    assert people(parted)[0].startswith("Tobias (partner), Ruben")


def test_the_users_own_word_outranks_the_note(parted, memory):
    about = [{"name": "Tobias", "kind": "partner"}]
    parted.remember("Tobias and the user broke up", about, said="Tobias and I made up again!")
    assert people(parted)[0].startswith("Tobias (partner)")
    parted.remember("Ruth died", ["Ruth"], said="Gran is gone.")
    assert "Ruth" not in people(parted)[0]
    memory.now_ms += 1_000
    parted.remember("Ruth is at home", ["Ruth"], said="Ruth is still alive, they mixed up the beds")
    assert "Ruth" in people(parted)[0]


@pytest.mark.parametrize("text", ["Biscuit was put to sleep", "Biscuit wurde eingeschläfert"])
def test_the_dead_are_told_as_dead(memory, text):
    days = Days(memory)
    days.remember("Biscuit is a greyhound", [{"name": "Biscuit", "kind": "dog"}])
    days.remember("Biscuit nearly died of a sausage", ["Biscuit"])
    assert "died, as told" not in days.recall("How is Biscuit?")
    memory.now_ms += 1_000
    days.remember(text, ["Biscuit"], said="Biscuit is gone")
    assert "(dog, died, as told on " in days.recall("How is Biscuit?")


def test_the_best_friend_is_one_of_the_closest(memory):
    days = Days(memory)
    days.remember("The user lent the tent to Wren", [{"name": "Wren", "kind": "best friend"}])
    assert people(days) == ["Wren (best friend)"]


def test_who_asks_what_happened_then_gets_no_plan_made_then(memory):
    days = Days(memory)
    ahead = memory.now_ms + 40 * 86_400_000
    days.remember("The user sings the Requiem in the cathedral", ["choir"], happened_at=ahead)
    days.remember("The user mended the fence")
    span = Span(memory.now_ms - 3_600_000, memory.now_ms + 3_600_000)

    def told(message):
        [row] = days.run(everyday.recall("default", message, told_in=span))
        return lines.text(row["lines"])

    assert "fence" in told("What did I do today?")
    assert "Requiem" not in told("What did I do today?")
    assert "Requiem" in told("What did I decide today?")
