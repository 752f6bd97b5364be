"""Animals by their breed, several at once, partners by any word, and questions without a kind."""

from tests.tables import beside

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.entities.language import kin

table = beside(__file__)

LANGUAGES = ("en", "de", "es", "pt", "fr")


def list_kinds(said):
    rows = rule_extractor.observations(said, LANGUAGES)
    return {
        one["label"]: one["kind"] for one in rows if one.get("kind") and one["label"] != "the user"
    }


@table("said, kinds")
def test_who_belongs_to_the_user(said, kinds):
    assert list_kinds(said) == kinds


@table("asked, kind")
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
