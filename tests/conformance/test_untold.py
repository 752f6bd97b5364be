"""What only sounds like a statement ends no fact that was told; what is one takes its place."""

import pytest
from test_amounts_and_ends import tell


@pytest.mark.slow
@pytest.mark.parametrize(
    ("true", "others", "later"),
    [
        (
            "I work at Bosch.",
            (
                *("Joined Anna for lunch.", "Joined Netflix for a month.", "I teach in Berlin."),
                *("Started with Anna on the garden.", "I work in the library most evenings."),
                *("I work in the garage on my bike.", "I work for a charity on Sundays."),
                *("I work at the airport while waiting.", "Ich arbeite heute im Hotel."),
            ),
            ("I joined Siemens.", ("employer", "Siemens")),
        ),
        (
            "I live in Kiel.",
            (
                *("Moved to Friday.", "Moved to Thursday at 3.", "Moved to Outlook."),
                *("Moved to Room 4.", "Moved to Plan B.", "Moved to Anna's desk."),
                *("I relocated to Excel.", "I relocated to the sofa."),
            ),
            ("Moved to Leeds in May.", ("home", "Leeds")),
        ),
        (
            "My rent is 800 euros.",
            (
                *("I paid 40 euros to rent a car.", "I did not pay 900 euros in rent."),
                *("Maybe I pay 900 euros in rent.", "We pay 900 euros in rent for my mother."),
                *("My rent is going up by 50 euros.", "Die Miete steigt um 50 Euro."),
                *("I never paid 900 euros in rent.", "Ich zahle nicht 900 Euro Miete."),
                *("Mon loyer augmente de 50 euros.", "Mi alquiler sube 50 euros."),
            ),
            ("We pay 900 euros a month in rent.", ("rent", "900 euros")),
        ),
        (
            "My salary is 3000 euros.",
            (
                *("I earned 20 euros selling books.", "I earn less than 4000 euros a month."),
                *("Gano 300 euros al póker.", "My salary was raised by 200 euros."),
            ),
            ("Gano 3200 euros al mes.", ("salary", "3200 euros")),
        ),
        (
            "I married Ines.",
            (
                *("Tom and I have married friends.", "Tom and I are married to other people."),
                *("Tom and I got married? No.", "Tom and I got married in the game."),
                *("Tom and I got engaged in the debate.", "Tom and I got married?"),
                *("Tom and I are engaged in a lawsuit.", "I married young."),
            ),
            ("Tom and I got married last June.", ("spouse", "Tom")),
        ),
        (
            "My sister is Clara.",
            (
                *("Peter, my sister, and I went to the sea.", "I met Paul, my sister, and Eva."),
                *("I saw Peter, my sister, and her dog.", "Ayer vi a Rosa, mi hermana, y Tom."),
            ),
            None,
        ),
        (
            "I am 36.",
            ("I am a 10.", "I am an 8 on that scale."),
            ("I am a 37-year-old.", ("age", "37")),
        ),
    ],
)
def test_what_only_sounds_so_ends_nothing(entities, true, others, later):
    [told] = tell(entities, true)
    assert [tell(entities, one) for one in others] == [[told]] * len(others)
    if later is not None:
        assert later[1] in tell(entities, later[0])
        assert told not in tell(entities)


def test_a_place_of_work_without_a_name_stands_beside_a_firm(entities):
    assert tell(entities, "I work at Bosch.", "I work in the local library.") == [
        ("employer", "Bosch"),
        ("employer", "local library"),
    ]
    # A firm takes the place of both.
    assert tell(entities, "I work at Siemens.") == [("employer", "Siemens")]
