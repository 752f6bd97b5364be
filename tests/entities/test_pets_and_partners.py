"""Animals by their breed, several at once, partners by any word, and questions without a kind."""

import pytest

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.entities.language import kin

LANGUAGES = ("en", "de", "es", "pt", "fr")


def list_kinds(said):
    rows = rule_extractor.observations(said, LANGUAGES)
    return {
        one["label"]: one["kind"] for one in rows if one.get("kind") and one["label"] != "the user"
    }


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("We adopted a greyhound named Biscuit.", {"Biscuit": "dog"}),
        ("Wir haben einen Dackel, der heißt Moritz.", {"Moritz": "dog"}),
        ("Hemos adoptado un galgo, se llama Trueno.", {"Trueno": "dog"}),
        ("We've got a golden retriever, Otto.", {"Otto": "dog"}),
        ("I live with our two cats, Pickle and Mabel.", {"Pickle": "cat", "Mabel": "cat"}),
        ("Unsere Kinder Emil und Ida sind krank.", {"Emil": "child", "Ida": "child"}),
        ("My cousin Jan sends his love.", {"Jan": "cousin"}),
        ("The head baker, Tunde, is my boss now.", {"Tunde": "boss"}),
        ("Mein Chef ist der Herr Petersen.", {"Herr Petersen": "boss"}),
        # "She" may be either, and nobody.
        ("Tom met Anna and Marta. She's my best friend.", {}),
        ("If Tom stays, he's my boyfriend.", {}),
        ("He's my boss now.", {}),
        # Somebody without a name may be meant, or the name is too far away.
        ("We had dinner with Marcus and his wife. She's my boss.", {}),
        ("J'ai parlé à Julien de sa femme. Elle est ma dentiste.", {}),
        ("Falei com o Rui sobre a mulher dele. Ela é minha médica.", {}),
        ("I read a book by Margaret. Later the plumber came. He's my neighbour.", {}),
        # No animal of the user's, and no boss.
        ("The greyhound Biscuit won the race.", {}),
        ("Our product manager Dan Whitlock called.", {"Dan Whitlock": "person"}),
    ],
)
def test_who_belongs_to_the_user(said, kinds):
    assert list_kinds(said) == kinds


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("do i have a pet", "dog"),
        ("haben wir ein haustier", "dog"),
        ("tengo mascota", "dog"),
        ("who am i seeing these days", "partner"),
        ("who do i report to", "boss"),
    ],
)
def test_a_question_means_those_of_a_kind(asked, kind):
    assert any(kind in kinds for _, _, kinds in kin.groups(asked.split()))


def test_a_boyfriend_may_have_been_told_as_a_partner():
    assert {"partner", "boyfriend"} <= set(kin.kinds("boyfriend")) & set(kin.kinds("freund"))


def test_a_relative_clause_is_of_the_one_before_it():
    rows = rule_extractor.observations(
        "My sister Clara, who is a nurse and lives in Oslo.", LANGUAGES
    )
    [facts] = [one["facts"] for one in rows if one["label"] == "Clara"]
    assert [(one["predicate"], one["value"]) for one in facts] == [
        ("occupation", "nurse"),
        ("home", "Oslo"),
    ]
