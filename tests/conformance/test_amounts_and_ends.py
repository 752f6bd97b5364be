"""Doses and rents follow the latest word, and "I quit my job" ends what was told."""

import pytest
from test_entity_statements import own


def tell(entities, *said):
    for one in ("My name is Ute.", *said):
        entities.observe(one)
        entities.days(30)
    return [(predicate, value) for predicate, value, _ in own(entities) if predicate != "name"]


@pytest.mark.parametrize(
    ("first", "then", "fact"),
    [
        (
            "I take 50 mcg of levothyroxine.",
            "levothyroxine 75 mcg now",
            ("levothyroxine", "75 mcg"),
        ),
        (
            "I'm on sertraline, 50 mg a day.",
            "They upped my sertraline to 100.",
            ("sertraline", "100"),
        ),
        ("Ich nehme Metformin, 500 mg.", "Metformin jetzt 1000 mg.", ("metformin", "1000 mg")),
        ("Tomo Eutirox de 88 mcg.", "Me han subido el Eutirox a 100 mcg.", ("eutirox", "100 mcg")),
        ("Tomo sertralina 25 mg.", "Agora tomo sertralina 50 mg.", ("sertralina", "50 mg")),
        ("Je prends 20 mg d'oméprazole.", "Oméprazole 40 mg maintenant.", ("oméprazole", "40 mg")),
    ],
)
def test_a_dose_follows_the_latest_word(entities, first, then, fact):
    assert tell(entities, first, then) == [(f"dose of {fact[0]}", fact[1])]


def test_a_dose_follows_across_languages(entities):
    told = tell(entities, "I take 50 mcg of levothyroxine.", "Ahora tomo levotiroxina 100 mcg.")
    assert told == [("dose of levotiroxina", "100 mcg")]


def test_a_rent_follows_and_a_stopped_medicine_has_no_dose(entities):
    assert tell(entities, "Our rent is £900.", "Our rent is going up to £950.") == [
        ("rent", "£950")
    ]
    told = tell(entities, "I take 5 mg of ramipril.", "I stopped taking ramipril.")
    assert told == [("rent", "£950")]


@pytest.mark.parametrize(
    ("first", "then", "dose"),
    [
        ("I take 5 mg of ramipril.", "They've put the ramipril down to 2.5.", "2.5"),
        ("I'm on ramipril for my blood pressure, 5 mg a day.", "Lovely day today.", "5 mg"),
        ("I take 5 mg of ramipril.", "We've put the thermostat down to 18.", "5 mg"),
        ("I take 5 mg of ramipril.", "The nurse brought the ramipril down to 3 tablets.", "5 mg"),
        ("Je suis sous ramipril, 5 mg.", "Je prends maintenant le ramipril à 8 heures.", "5 mg"),
        ("My son plays.", "El médico me recetó para la tensión ramipril 10 mg.", "10 mg"),
        ("Lovely day.", "I swapped ibuprofen for ramipril 5 mg.", "5 mg"),
    ],
)
def test_a_bare_number_changes_only_a_dose_that_is_known(entities, first, then, dose):
    assert tell(entities, first, then) == [("dose of ramipril", dose)]


@pytest.mark.parametrize("said", ["I don't live in Paris.", "I don't work at Bosch."])
def test_what_was_never_so_ends_nothing(entities, said):
    assert tell(entities, said) == []


def test_a_denial_ends_what_was_told(entities):
    assert tell(entities, "I live in Paris.", "I don't live in Paris.") == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I pay 900 euros in rent.", ("rent", "900 euros")),
        ("Pago 640 euros de alquiler.", ("rent", "640 euros")),
        ("Die Miete steigt auf 690 Euro.", ("rent", "690 Euro")),
        ("La renta sube a 900.", ("rent", "900")),
        ("I earn 3,200 euros a month.", ("salary", "3,200 euros")),
        ("My salary pays the 40 euros.", None),
    ],
)
def test_what_one_pays_and_earns_is_told_by_the_verb_too(entities, said, fact):
    assert tell(entities, said) == ([] if fact is None else [fact])


def test_a_diet_ends_in_any_form_of_its_word(entities):
    assert tell(entities, "Ich bin Veganerin.", "Ich bin nicht mehr vegan.") == []


@pytest.mark.parametrize(
    "said", ["How much is 50 mg of ramipril?", "My mum takes 5 mg of ramipril."]
)
def test_no_dose_of_the_users_is_told(entities, said):
    assert tell(entities, said) == []


@pytest.mark.parametrize("said", ["I quit my job.", "I was made redundant.", "I retired."])
def test_an_end_without_a_name_ends_the_job(entities, said):
    assert tell(entities, "I work at Tarn as a driver.", said) == []


def test_an_end_of_what_was_never_told_says_nothing(entities):
    assert tell(entities, "I quit my job.", "I am not allergic to fish.") == []


@pytest.mark.parametrize(
    "said",
    [
        *("I retired to bed early.", "I quit my job search.", "I got fired up for the game."),
        *("I left my job application at home.", "I gave notice to my landlord."),
    ],
)
def test_what_else_ends_ends_no_job(entities, said):
    assert tell(entities, "I work at Tarn as a driver.", said) == tell(entities)


@pytest.mark.parametrize(
    "said",
    [
        *("My sister's rent is 700 euros.", "Tom's rent is 700 euros."),
        *("The rent in Lisbon is 2000 euros.", "We rent a cabin for 120 euros every summer."),
        "I want to rent a bike for 20 dollars.",
    ],
)
def test_no_other_rent_is_the_users(entities, said):
    assert tell(entities, "My rent is $900.", said) == [("rent", "$900")]


def test_a_rent_ends_where_another_price_begins(entities):
    said = "My rent is 950 euros and the internet costs 40 euros."
    assert tell(entities, said) == [("rent", "950 euros")]
