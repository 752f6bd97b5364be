"""The user's latest word wins on what one has once, and what has ended is told as over."""

import pytest
from entity_layer import Entities
from everyday_calls import Days
from test_entity_statements import own
from tests.tables import beside

table = beside(__file__)


def kind_of(days, name):
    return days.about(name)["kind"]


@pytest.mark.slow
def test_a_later_statement_takes_the_place_of_an_earlier_one(entities):
    entities.observe("I live in Leeds")
    then = entities.memory.now_ms
    entities.days(30)
    entities.observe("I live in York")
    assert own(entities) == [("home", "York", "user")]
    assert own(entities, valid_at=then) == [("home", "Leeds", "user")]
    entities.days(30)
    entities.observe("I live in Leeds")
    assert own(entities) == [("home", "Leeds", "user")]


@table("first, last, expected")
def test_a_move_and_a_leaving_end_what_was_before(entities, first, last, expected):
    entities.observe(first)
    entities.days(30)
    entities.observe(last)
    assert own(entities) == expected


def test_two_values_in_one_message_stay_a_contradiction(entities):
    row = entities.observe("I live in Leeds. I live in York.")["entities"][-1]
    [conflict] = row["facts"][1]["conflicts"]
    assert sorted(conflict["values"]) == ["Leeds", "York"]


@pytest.mark.slow
@table("kind, first, last")
def test_one_who_is_no_longer_of_a_kind_is_told_as_former(memory, kind, first, last):
    days = Days(memory)
    name = next(word for word in first.split() if word[0].isupper() and len(word) > 2)
    name = first.split()[1] if name == "O" else name
    days.remember(first, [{"name": name, "kind": kind}])
    assert kind_of(days, name) == kind
    memory.now_ms += 86_400_000
    days.remember(last, [name], said=last)
    assert kind_of(days, name) == f"former {kind}"
    assert f"({kind} until " in days.recall(f"What about {name}?")


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", ["Dana isn't happy, my boss said so", "Kim is no longer my boss, but Dana is"]
)
def test_what_ends_for_another_ends_for_nobody_else(memory, said):
    days = Days(memory)
    days.remember("Dana is the user's boss", [{"name": "Dana", "kind": "boss"}])
    memory.now_ms += 86_400_000
    days.remember(said, ["Dana"], said=said)
    assert kind_of(days, "Dana") == "boss"


@pytest.mark.parametrize("text", ["Bolota morreu", "Ontem morreu o Bolota", "Murió Bolota"])
def test_all_that_is_known_of_the_dead_says_that_they_died(memory, text):
    days = Days(memory)
    days.remember("Bolota is nine", [{"name": "Bolota", "kind": "dog"}])
    memory.now_ms += 86_400_000
    days.remember(text, ["Bolota"], said=text)
    assert kind_of(days, "Bolota") == "dog (died)"


@pytest.mark.slow
def test_an_end_counts_that_the_user_tells_without_the_name(memory):
    days = Days(memory)
    days.remember("The user's mother Birthe moved", [{"name": "Birthe", "kind": "mother"}])
    memory.now_ms += 86_400_000
    days.remember("Birthe died in her sleep", ["Birthe"], said="Mum died last night")
    assert kind_of(days, "Birthe") == "mother (died)"


def tell(memory, *messages):
    """Observe each of *messages* a day after the one before it; return the memory's verbs."""
    entities = Entities(memory)
    for number, text in enumerate(messages):
        entities.observe(text, session=f"s{number}")
        entities.days(1)
    return Days(memory)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "last", "before", "now"),
    [
        ("My boss is Dan.", "Hamish is my new boss.", "Dan", "Hamish"),
        ("Mein Chef heißt Dietz.", "Mein neuer Chef ist Marek.", "Dietz", "Marek"),
        ("My boss is Mr Adair.", "My new boss is Ms Kern.", "Mr Adair", "Ms Kern"),
        ("A minha chefe é a Leonor.", "O meu novo chefe é o Rui.", "Leonor", "Rui"),
    ],
)
def test_a_new_boss_makes_the_old_one_former(memory, first, last, before, now):
    days = tell(memory, first, last)
    assert (kind_of(days, before), kind_of(days, now)) == ("former boss", "boss")


def test_who_was_former_is_so_again_if_the_user_says_so(memory):
    days = tell(memory, "My boss is Dan.", "Hamish is my new boss.", "Dan is my boss now.")
    assert (kind_of(days, "Dan"), kind_of(days, "Hamish")) == ("boss", "former boss")


def test_the_tie_of_another_is_none_of_the_users(memory):
    days = tell(memory, "Zoltan came with his girlfriend Ingrid.")
    assert kind_of(days, "Ingrid") == "person"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "last", "name"),
    [
        ("My mother is called Birthe.", "Mum died last night.", "Birthe"),
        ("Meine Mutter heißt Gisela.", "Mama ist gestern Nacht gestorben.", "Gisela"),
        ("My dog is called Rex.", "Rex died.", "Rex"),
    ],
)
def test_hears_of_a_death_by_any_name(memory, first, last, name):
    assert kind_of(tell(memory, first, last), name).endswith("(died)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        *("If Tess and I ever split up, I'd move.", "I dreamt that Tess and I broke up."),
        *("Wenn Tess und ich uns getrennt hätten!", "Soñé que Tess y yo rompimos."),
    ],
)
def test_an_end_that_has_not_happened_ends_nothing(memory, said):
    assert kind_of(tell(memory, "My girlfriend Tess paints.", said), "Tess") == "girlfriend"


@pytest.mark.parametrize(
    ("said", "kind"),
    [("Lars and I got engaged!", "fiance"), ("Lars and I got married in June.", "spouse")],
)
def test_a_partner_becomes_a_spouse(memory, said, kind):
    assert kind_of(tell(memory, "My boyfriend Lars paints.", said), "Lars") == kind


def test_an_age_grows_with_the_birthday(memory):
    # The clock of the tests begins in June.
    entities = Entities(memory)
    entities.observe("Teo is five, his birthday is 3 November.")
    entities.observe("Ida is seven.")
    assert "age: 5" in Days(memory).recall("How old is Teo?")
    entities.days(200)
    assert "age: 6" in Days(memory).recall("How old is Teo?")
    assert "age: 7" in Days(memory).recall("How old is Ida?")
    entities.days(365)
    ages = [one for one in Days(memory).about("Teo")["facts"] if one["predicate"] == "age"]
    assert [one["value"] for one in ages] == ["7"]


def test_what_somebody_was_ends_with_the_life(memory):
    told = tell(memory, "Our cat Knopf is 15 years old.", "Knopf died.")
    assert "age" not in told.recall("Who is Knopf?")
    [age] = [one for one in told.about("Knopf")["facts"] if one["predicate"] == "age"]
    assert age["until"] is not None


def test_a_dose_is_asked_for_in_any_spelling(memory):
    told = tell(memory, "Ahora tomo 100 microgramos de levotiroxina.")
    assert "100 microgramos" in told.recall("How much levothyroxine do I take?")


def test_a_friend_who_got_divorced_is_a_friend_still(memory):
    days = tell(memory, "My friend Sue is here.", "My friend Sue got divorced.")
    assert kind_of(days, "Sue") == "friend"


@pytest.mark.slow
def test_a_day_with_its_stop_ends_no_sentence(memory):
    days = tell(memory, "Meine Mutter heißt Gisela.", "Gisela ist am 11. Oktober 2025 gestorben.")
    assert kind_of(days, "Gisela") == "mother (died)"


@pytest.mark.slow
@pytest.mark.parametrize(("first", "last"), [("ciso", "cto"), ("girlfriend", "wife")])
def test_a_kind_follows_the_users_latest_word(memory, first, last):
    days = Days(memory)
    days.remember("Maria came", [{"name": "Maria", "kind": first}], said="Maria came")
    memory.now_ms += 86_400_000
    days.remember("Maria left", [{"name": "Maria", "kind": last}])
    assert kind_of(days, "Maria") == first
    days.remember("Maria sang", [{"name": "Maria", "kind": last}], said="Maria sang")
    assert kind_of(days, "Maria") == last


@pytest.mark.slow
def test_two_kinds_that_one_rarely_has_are_a_doubt(memory):
    days = tell(memory, "My colleague Maria called.", "My cousin Maria is here.")
    row = days.about("Maria")
    assert row["kind"] == "colleague"
    assert row["doubts"] == ["cousin too, as told on 2025-06-16"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "last", "name", "fact"),
    [
        ("Jan lives in Oslo.", "Jan lives in Bergen.", "Jan", ("home", "Bergen")),
        ("Clara is a vet.", "Clara is a teacher now.", "Clara", ("occupation", "teacher")),
        ("Mia's birthday is 4 May.", "Mia's birthday is 5 May.", "Mia", ("birthday", "5 May")),
        ("Clara works at Shell.", "Clara works at Bosch.", "Clara", ("employer", "Bosch")),
    ],
)
def test_a_later_statement_about_somebody_known_changes_that_one(memory, first, last, name, fact):
    row = tell(memory, first, last).about(name)
    assert row["doubts"] == []
    now = [one for one in row["facts"] if one["until"] is None]
    assert [(one["predicate"], one["value"]) for one in now] == [fact]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "last", "is_over"),
    [
        ("roommate", "Rute", "Rute ist ausgezogen, sie arbeitet jetzt in Faro.", True),
        ("flatmate", "Ingrid", "Ingrid moved out yesterday", True),
        ("friend", "Malte", "Malte hat Schluss gemacht.", True),
        ("friend", "Ingrid", "Ingrid moved out yesterday", False),
        ("flatmate", "Ingrid", "Ingrid and I moved out yesterday", False),
        ("flatmate", "Ingrid", "Ingrid says that her sister moved out", False),
        ("friend", "Malte", "Malte hat mit seiner Freundin Schluss gemacht.", False),
        ("partner", "Odd", "Odd dumped me last night", True),
    ],
)
def test_a_tie_ends_by_what_ends_it_without_the_kind(memory, kind, name, last, is_over):
    days = Days(memory)
    days.remember(f"{name} is known", [{"name": name, "kind": kind}])
    memory.now_ms += 86_400_000
    days.remember(last, [name], said=last)
    assert kind_of(days, name) == (f"former {kind}" if is_over else kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "last", "is_dead"),
    [
        ("Kater", "Knopf ist heute eingeschlafen.", True),
        ("Kater", "Knopf ist auf dem Sofa eingeschlafen.", False),
        ("Sohn", "Knopf ist heute eingeschlafen.", False),
        ("Kater", "Heute ist Lotta bei Knopf eingeschlafen", False),
    ],
)
def test_an_animal_dies_by_words_that_mean_sleep_of_a_person(memory, kind, last, is_dead):
    days = Days(memory)
    days.remember("Knopf ist bekannt", [{"name": "Knopf", "kind": kind}])
    memory.now_ms += 86_400_000
    days.remember(last, ["Knopf"], said=last)
    assert kind_of(days, "Knopf").endswith("(died)") == is_dead


@pytest.mark.slow
@table("last")
def test_the_tie_of_another_ends(entities, last):
    entities.observe("Svenja ist mit Holger verheiratet")
    for said, is_so in (("Svenja sagt, Lotta ist geschieden", True), (last, False)):
        entities.days(30)
        entities.observe(said)
        [fact] = Days(entities.memory).about("Svenja")["facts"]
        assert (fact["value"], fact["until"] is None) == ("Holger", is_so)


@pytest.mark.slow
@table("word, name, told")
def test_a_word_for_kin_and_the_name_told_for_it_are_one(entities, word, name, told):
    entities.observe(word)
    entities.days(30)
    entities.observe(told)
    row = Days(entities.memory).about(name)
    assert row["name"] == name
    assert len(row["also"]) == 1
    assert row["doubts"] == []
    [merge] = entities.records("merge")
    entities.unmerge(merge["id"])
    assert Days(entities.memory).about(name)["also"] == []


@pytest.mark.slow
@pytest.mark.parametrize("told", ["My sister Clara is a vet.", "Her dad Walter is seventy."])
def test_another_is_not_the_one_of_a_word_for_kin(entities, told):
    entities.observe("My sister rang. Dad came round too.")
    entities.days(1)
    entities.observe(told)
    assert entities.records("merge") == []


@pytest.mark.slow
def test_a_note_on_the_users_father_is_on_dad(memory):
    days = Days(memory)
    days.remember("Alan, the user's father, is a miner", [{"name": "Alan", "kind": "father"}])
    note = "The user's father died"
    days.remember(note, ["Alan"], said="Dad died last night")
    days.remember("Tom's father Rob is ill", [{"name": "Rob", "kind": "father"}])
    assert kind_of(days, "Alan") == "father (died)"
    assert "Alan" in days.recall("How is my dad?")


@pytest.mark.slow
@table("said, partner")
def test_a_new_partner_takes_the_place_of_the_one_before(entities, said, partner):
    entities.observe("My boyfriend Odd is away.")
    entities.days(30)
    entities.observe(said)
    assert [value for _, value, _ in own(entities)] == [partner]


@pytest.mark.slow
def test_a_new_job_brings_its_occupation(entities):
    entities.observe("I work at Tideline as a data engineer.")
    entities.days(30)
    entities.observe("First day at Corvid Labs as a machine learning engineer.")
    assert {value for _, value, _ in own(entities)} == {"Corvid Labs", "machine learning engineer"}


def test_a_move_to_a_program_ends_no_home(memory):
    days = Days(memory)
    days.remember("The user lives in Leeds", ["Leeds"], said="I live in Leeds")
    memory.now_ms += 86_400_000
    said = "I moved to Linux"
    assert not any(
        "ended" in one for one in days.remember("The user moved to Linux", said=said)["similar"]
    )


def test_a_birthday_is_read_in_small_letters(entities):
    entities.observe("A minha mãe Graça faz anos a 12 de maio.")
    [fact] = Days(entities.memory).about("Graça")["facts"]
    assert (fact["predicate"], fact["value"]) == ("birthday", "12 May")


def test_an_occupation_ends_with_the_employer_that_it_was_told_with(entities):
    entities.observe("I work at Fenwick as a buyer.", message="a")
    entities.observe("I am a pianist.", message="b", session="t")
    entities.days(30)
    row = entities.observe("I handed in my notice at Fenwick today.", message="c", session="u")
    assert {value for _, value, _ in own(entities)} == {"pianist"}
    assert row["entities"]
