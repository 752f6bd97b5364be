"""Whom "my kids" and "mum" name, and what recall and a profile tell of the user, on both hosts."""

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.everyday import lines
from conceptgraph_core.texts.dates import DAY_MS

everyday = calls.everyday


@pytest.fixture
def family(days):
    for name, kind, text in (
        ("Ida", "daughter", "Ida started second grade"),
        ("Emil", "Sohn", "Emil is afraid of the dark"),
        ("Ruth", "mãe", "Ruth gets a new hip"),
        ("Tobias", "brother", "Tobias bakes at night"),
        ("Biscuit", "perro", "Biscuit only takes kibble"),
        ("Miso", "cat", "Miso had four kittens"),
        ("Paul", "colleague", "Paul plays the tuba"),
    ):
        said = f"{name} is my {kind}. {text}."
        days.remember(text, [{"name": name, "kind": kind}], said=said)
    return days


def who(days, message):
    """Return the names in the lines on who and what."""
    found = days.recalled(message)["lines"]
    return [str(one["parts"][0]).partition(" (")[0] for one in found if one["part"] == "who"]


def test_the_kin_in_the_users_words_say_more_than_a_person(days):
    about = [{"name": "Quillia", "kind": "person"}]
    days.remember("Quillia plays the piano", about, said="My daughter Quillia plays the piano")
    assert who(days, "How are my kids?") == ["Quillia"]


# Asked one after the other of one family, whom to bring to life takes longest.
KIN = {
    "How are my kids?": {"Ida", "Emil"},
    "What do the children want?": {"Ida", "Emil"},
    "Was machen meine Kinder?": {"Ida", "Emil"},
    "Como estão os meus filhos?": {"Ida", "Emil"},
    "¿Qué quieren los niños?": {"Ida", "Emil"},
    "Que font mes enfants ?": {"Ida", "Emil"},
    "Did mum call?": {"Ruth"},
    "Hat Mama angerufen?": {"Ruth"},
    "A mãe ligou?": {"Ruth"},
    "¿Llamó mi madre?": {"Ruth"},
    "Maman a appelé ?": {"Ruth"},
    "any news from my parents": {"Ruth"},
    "Do my siblings know?": {"Tobias"},
    "Was machen meine Geschwister?": {"Tobias"},
    "who feeds the pets": {"Biscuit", "Miso"},
    "Wer füttert unsere Haustiere?": {"Biscuit", "Miso"},
    "¿Quién cuida al perro?": {"Biscuit"},
    "Greetings to the family!": {"Ida", "Emil", "Ruth", "Tobias"},
    "Os meus irmãos sabem?": {"Tobias"},
    # These name nobody of the user's.
    "The family of Jan is kind": set(),
    "Your kids are nice": set(),
    "The parents of the bride sang": set(),
    "It is my kind of day": set(),
    "A mom wrote that": set(),
}


def test_a_word_for_kin_names_those_who_are_known_as_that(family):
    found = {message: {*who(family, message)} for message in KIN}
    assert found == KIN


def test_the_family_comes_with_the_closest_first_and_with_what_was_said_of_them(family):
    assert who(family, "How is the family?")[-1] == "Tobias"
    assert "one of" not in family.recall("How are my kids?")
    assert "afraid of the dark" in family.recall("What are my kids afraid of?")


@pytest.fixture
def lena(days):
    days.remember("The user is Lena, a nurse in Lisbon")
    days.remember("The user is allergic to penicillin (anaphylaxis)", keep="always")
    days.remember("User prefers short answers")
    days.remember("The user turned 41 in March")
    days.remember("Never push to the main branch")
    days.remember("The user's sister Clara sells books", [{"name": "Clara", "kind": "sister"}])
    days.remember("The flat has a leaking roof")
    return days


FACTS = {
    "What allergies do I have?": ("penicillin",),
    "Welche Allergien habe ich?": ("penicillin",),
    "Que alergias tenho?": ("penicillin",),
    "¿A qué soy alérgica?": ("penicillin",),
    "Quelles sont mes allergies ?": ("penicillin",),
    "What is my job?": ("nurse",),
    "Where do I live?": ("Lisbon",),
    "How old am I?": ("41",),
    "Who am I?": ("Lena", "penicillin", "41"),
    "What do you know about me?": ("Lena", "penicillin", "41"),
    "Was weißt du über mich?": ("Lena", "penicillin", "41"),
    "Quem sou eu?": ("Lena",),
    "¿Quién soy?": ("Lena",),
    "Qui suis-je ?": ("Lena",),
}


def test_recall_tells_the_users_own_facts_where_they_are_asked_for(lena):
    texts = {message: lena.recall(message) for message in FACTS}
    lacking = {m: [one for one in told if one not in texts[m]] for m, told in FACTS.items()}
    assert {message: one for message, one in lacking.items() if one} == {}
    assert [message for message, text in texts.items() if "Clara" in text] == []


MINE = (
    "My head hurts, any stretches?",
    "Can you help me work on the house?",
    "What should I work on next?",
    "What is my sister's job?",
    "What is my IP address?",
    "Who am I meeting tomorrow?",
)


def test_a_my_alone_does_not_bring_the_profile(lena):
    told = {message: lena.recall(message) for message in MINE}
    words = ("Lena", "penicillin", "short answers")
    assert [message for message, text in told.items() if any(map(text.count, words))] == []


def test_a_text_of_the_user_comes_once_and_counts_as_accessed(lena):
    row = lena.recalled("Who am I? What do you know about the penicillin?")
    ids = [one["id"] for one in row["sources"]]
    assert len(ids) == len(set(ids))
    assert [lena.kept(one)["access_count"] for one in ids] == [1] * len(ids)


def test_a_name_that_was_told_to_be_the_users_is_the_user(days):
    days.remember("Marek works wood", [{"name": "Marek", "kind": "the user"}], said="I'm Marek.")
    days.remember("Marek is a carpenter")
    days.remember("Marek's wife sings")
    text = days.recall("Who am I?")
    assert "carpenter" in text
    assert "works wood" in text
    assert "sings" not in text
    assert days.about("me")["name"] == "Marek"


def test_what_the_user_stated_is_told(days, memory):
    said = "I work at Kaiser. I live in Ghent."
    facts = [{"predicate": "employer", "value": "Kaiser", "span": "I work at Kaiser"}]
    facts.append({"predicate": "home", "value": "Ghent", "span": "I live in Ghent"})
    about = [{"label": "the user", "type": "entity", "facts": facts}]
    days.run(calls.entities.observe("s", "m", "user", said, about))
    assert "employer: Kaiser" in days.recall("Where do I work?")
    assert "Ghent" not in days.recall("Where do I work?")
    assert "home: Ghent" in days.recall("Who am I?")
    assert "home: Ghent" in text(days.run(everyday.profile("default"))[0])


def text(row):
    return lines.text(row["lines"])


def profile(days, **more):
    return days.run(everyday.profile("default", **more))[0]


def test_a_profile_has_its_parts_in_order(lena):
    days = lena
    ida = [{"name": "Ida", "kind": "daughter"}]
    days.remember("Ida started school", ida, said="My daughter Ida")
    found = text(profile(days)).split("\n")
    titles = [one for one in found if not one.startswith("[")]
    assert titles == ["The user:", "Kept always:", "Wishes and rules:", "Closest:"]
    assert "Lena, a nurse" in found[1]
    assert "note: “" in found[1]
    assert "2025-06-15" in found[1]
    whole = "\n".join(found)
    assert "penicillin" in whole
    assert "Never push" in whole
    assert "Ida (daughter)" in whole
    assert "leaking roof" not in whole


def test_a_profile_is_current(lena, memory):
    old = lena.search("penicillin")[0]["id"]
    lena.remember("The user is allergic to latex", keep="always", replaces=old)
    rule = lena.search("push main branch")[0]["id"]
    lena.run(everyday.forget("default", rule))
    whole = text(profile(lena))
    assert "latex" in whole
    assert "penicillin" not in whole
    assert "push" not in whole


@pytest.mark.slow
def test_a_profile_is_bounded_and_its_parts_take_turns(days):
    for number in range(40):
        days.remember(f"The user keeps secret number {number} in mind " + "x" * 300, keep="always")
    days.remember("User prefers tea")
    row = profile(days)
    assert row["tokens"] <= 300
    assert "prefers tea" in text(row)
    assert "number 39" in text(row)
    assert len(row["sources"]) == len(row["lines"])
    assert profile(days, token_budget=2_000)["tokens"] > 300


def test_a_profile_of_nothing_is_empty(days):
    row = profile(days)
    assert (row["lines"], row["sources"], row["tokens"]) == ([], [], 0)
    assert days.about("me")["text"] == ""


def test_a_profile_accesses_none(lena, memory):
    before = memory.records()
    profile(lena)
    lena.about("me")
    assert memory.records() == before


@pytest.mark.parametrize("name", ["me", "I", "myself", "ich", "mim", "yo", "moi", "Me"])
def test_about_me_is_the_profile(lena, name):
    row = lena.about(name)
    assert row["text"] == text(profile(lena))
    assert row["sources"] == profile(lena)["sources"]
    assert (row["name"], row["kind"], row["facts"]) == ("Lena", "the user", [])


def test_the_profile_of_another_user_stays_theirs(lena):
    assert lena.run(everyday.profile("bob"), "bob")[0]["lines"] == []
    assert "Lena" not in str(lena.recalled("Who am I?", user="bob"))


@pytest.mark.slow
def test_what_is_kept_always_is_found_behind_many_others(days, memory):
    days.remember("The user is allergic to penicillin", keep="always")
    rows = [
        {"id": str(number), "text": f"Remark {number}", "thread": "t", "speaker": "Bo"}
        | {"said_at": memory.now_ms}
        for number in range(700)
    ]
    memory.run(calls.memories.ingest("default", rows))
    assert "penicillin" in text(profile(days))


def test_a_profile_has_what_is_coming_up_this_week(lena, memory):
    for days_ahead, said in ((3, "Dentist at the Rossio"), (1, "Lunch"), (20, "Flight to Oslo")):
        lena.remember(said, happened_at=memory.now_ms + days_ahead * DAY_MS)
    found = text(profile(lena)).split("\n")
    assert "Coming up:" in found
    assert "Lunch" in found[-2]
    assert "Dentist" in found[-1]
    assert "] 2025-06-18 15:" in found[-1]
    assert "Dentist" not in text(profile(lena, until=memory.now_ms + 2 * DAY_MS))
    memory.now_ms += 2 * DAY_MS
    assert "Lunch" not in text(profile(lena))
