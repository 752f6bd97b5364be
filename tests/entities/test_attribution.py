"""Whose a claim is: what a label says stands in the user's words, or a model reads it there."""

import json
from pathlib import Path

import pytest
from tests.tables import beside

from conceptgraph_core.entities.beliefs.attribution import origin
from conceptgraph_core.entities.language.spans import Said

table = beside(__file__)

# Labels that models gave: honest ones, and such that say more than the user did.
LABELS = [
    json.loads(line)
    for line in (Path(__file__).parent / "labels.jsonl").read_text(encoding="utf-8").splitlines()
]


def kept(honest: bool) -> list[str]:
    return [
        one["label"]
        for one in LABELS
        if one["honest"] == honest
        and origin(Said(one["text"]), "user", one["label"], one["span"], one["type"]).origin
        == "user"
    ]


def test_most_honest_labels_are_the_users_and_hardly_one_that_launders():
    assert sum(one["honest"] for one in LABELS) == 30
    assert len(LABELS) == 57
    assert len(kept(honest=True)) >= 19
    assert len(kept(honest=False)) <= 1


# Labels that state something: the user did, or the words only stand somewhere in the message.
STATEMENTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "statements.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one["label"])
def test_a_statement_is_the_users_where_its_words_stand_together_and_nobody_denies_them(one):
    assert (said(one["text"], one["label"], node_type=one["type"]).origin == "user") == one[
        "honest"
    ]
    # A span that leaves the denial out, or is the whole message, changes nothing.
    whole = said(one["text"], one["label"], one["text"], one["type"])
    assert (whole.origin == "user") == one["honest"]


@table("text, label, is_users")
def test_a_clause_states_or_denies(text, label, is_users):
    assert (said(text, label, node_type="preference").origin == "user") == is_users


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Tom sold his car to Anna", "Anna sold car"),
        ("The vet said the dog next door bit my son", "dog bit vet"),
        ("My sister drove mum to the hospital", "mum drove sister"),
        ("I told Ben that Carla quit", "Ben quit"),
        ("We left the party early because Max felt ill", "Max left party"),
        pytest.param(
            *("The bus to school was late", "school late"),
            marks=pytest.mark.xfail(strict=True, reason="one scattered label of twelve passes"),
        ),
        ("My boss praised Lena and ignored me", "boss ignored Lena"),
        ("I gave my brother the keys of the flat", "brother flat"),
        ("Anna lent Paul her bike", "Paul lent bike"),
        ("The plan of my brother to sell the farm failed", "brother failed"),
    ],
)
def test_a_statement_whose_words_stand_scattered_is_nobodys(text, label):
    assert said(text, label, node_type="event").origin == "model"


@table("text, label")
def test_a_statement_whose_words_stand_together_is_the_users(text, label):
    assert said(text, label, node_type="event").origin == "user"


def test_a_part_of_a_denial_is_none_of_the_users_statements():
    assert said("I do not like beer", "likes beer", "like beer", "preference").origin == "model"
    known = said("I do not like beer", "beer lover", None, "preference", known=["like beer"])
    assert known.origin == "model"
    # One who does not like beer speaks of beer.
    assert said("I do not like beer", "beer", node_type="topic").origin == "user"
    assert said("I do not like beer", "beer", node_type="preference").origin == "model"


def said(text, label, span=None, node_type="entity", known=(), speaker="user"):
    return origin(Said(text), speaker, label, span, node_type, known)


def test_only_what_the_user_says_in_these_words_is_the_users():
    assert said("work is rough", "work").origin == "user"
    assert said("work is rough", "stress").origin == "model"
    assert said("work is rough", "work", speaker="model").origin == "model"
    refused = said("work is rough", "work", "I hate work")
    assert (refused.origin, refused.refused, refused.inferred_from) == ("model", True, None)


def test_a_label_that_does_not_stand_in_its_span_is_the_models_and_keeps_the_span():
    found = said("work is rough", "depression", "rough", "emotion")
    assert (found.origin, found.refused, found.inferred_from) == ("model", False, "rough")
    # Nor does it where it stands elsewhere in the message.
    assert said("Max slept, Tom ate", "Max", "Tom ate").origin == "model"


def test_a_name_that_it_has_from_the_user_will_do():
    assert said("the puppy slept", "Max", "the puppy").origin == "model"
    assert said("the puppy slept", "Max", "the puppy", known=["puppy"]).origin == "user"
    assert said("so bored", "boredom", "so bored", "emotion", known=["bored"]).origin == "user"


@table("text, label, node_type, is_users")
def test_what_says_no_more_than_the_words_do_is_the_users(text, label, node_type, is_users):
    assert (said(text, label, node_type=node_type).origin == "user") == is_users
