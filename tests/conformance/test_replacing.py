"""A new text shows what it may replace, and ends what it surely does."""

import pytest

from concept_graph_mcp.calls import everyday
from conceptgraph_core.everyday import lines


def tell(days, text, **given):
    days.memory.now_ms += 86_400_000
    return days.remember(text, **given)


def similar(row):
    return [one["text"] for one in row["similar"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user has a flat in Benfica", "The user lives in Cacilhas since June"),
        ("The user eats meat", "The user is a vegetarian now"),
        ("Otter sends its events through Kafka", "Otter has moved its messaging to NATS"),
        ("The team's stand-up is on Tuesdays at 9", "Stand-up is now on Thursdays at 10"),
        ("Der Nutzer wohnt in Ulm", "Der Nutzer ist nach Augsburg gezogen"),
        ("El usuario trabaja en Correos", "El usuario tiene un nuevo empleo en Renfe"),
        ("O utilizador mora em Braga", "O utilizador mudou-se para Évora"),
        ("L'utilisateur habite à Lyon", "L'utilisateur a emménagé à Nantes"),
    ],
)
def test_what_a_text_may_replace_is_similar(days, old, new):
    tell(days, old)
    for text in ("The user likes jazz", "The cat weighs 5 kg", "The user's aunt is a judge"):
        tell(days, text)
    assert similar(tell(days, new)) == [old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gym costs 35 euros a month", "The phone costs 20 euros a month"),
        ("The user's mother lives in Bremen", "The user's brother lives in Kiel"),
        ("Otter is about maps", "Otter has its kick-off in April"),
        ("The user worked late on Monday", "The user works well with music on"),
    ],
)
def test_what_is_of_another_matter_is_not_similar(days, old, new):
    tell(days, old)
    assert similar(tell(days, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("The user lives in Porto", "The user lives in Faro", "Where do I live?"),
        ("The user takes 20 mg of citalopram", "The user's citalopram was raised to 40 mg", "me"),
        ("The user takes 50 mcg of levothyroxine", "The user takes 75 mcg of levothyroxine", "me"),
        ("Der Nutzer wohnt in Kiel", "Der Nutzer wohnt jetzt in Jena", "Wo wohne ich?"),
    ],
)
def test_the_users_latest_word_ends_the_earlier_one_until_it_is_forgotten(days, old, new, question):
    def told():
        if question == "me":
            return lines.text(days.run(everyday.profile("default"))[0]["lines"])
        return days.recall(question)

    first = tell(days, old, said=old)
    assert f"“{old}”" in told()
    last = tell(days, new, said=new)
    assert last["similar"] == [{"id": first["id"], "text": old, "ended": True}]
    assert f"“{new}”" in told()
    assert f"“{old}”" not in told()
    days.run(everyday.forget("default", last["id"]))
    assert f"“{old}”" in told()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Porto", "The user lives in Porto with Ana"),
        ("The user takes 20 mg of citalopram", "The user's mother takes 40 mg of citalopram now"),
        ("The user ran 10 km on Sunday", "The user ran 12 km on Tuesday"),
        ("The user lives in Porto", "The user wants to live in Faro"),
        ("The user is a vegan", "The user eats no meat"),
    ],
)
def test_what_may_both_be_so_ends_nothing(days, old, new):
    tell(days, old, said=old)
    row = tell(days, new, said=new)
    assert not any("ended" in one for one in row["similar"])


def test_only_what_the_user_said_ends_anything(days):
    tell(days, "The user lives in Porto", said="I live in Porto")
    row = tell(days, "The user lives in Faro")
    assert similar(row) == ["The user lives in Porto"]
    assert not any("ended" in one for one in row["similar"])


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("The user takes 20 mg of citalopram", "The user stopped citalopram completely", True),
        ("The user takes 20 mg of citalopram", "The user has not stopped citalopram", False),
        ("The user takes 20 mg of citalopram", "The user stopped smoking", False),
        ("The user takes 20 mg of citalopram", "The user's sister stopped citalopram", False),
        (
            "Die Nutzerin nimmt 100 mg Sertralin am Tag",
            "Die Nutzerin hat Sertralin abgesetzt",
            True,
        ),
        ("La usuaria toma 20 mg de omeprazol", "La usuaria ya no toma omeprazol", True),
    ],
)
def test_a_dose_ends_when_it_is_stopped(days, old, new, is_over):
    tell(days, old)
    [row] = tell(days, new, said=new)["similar"] or [{}]
    assert row.get("ended", False) == is_over
