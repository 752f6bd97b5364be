"""entity_observe: what a message mentions, who said it, and who it is."""

from contextlib import closing
from pathlib import Path

import pytest
from entity_layer import entity
from expect import REFUSALS
from neo4j.exceptions import ClientError

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

DAY_MS = 86_400_000


def test_what_stands_in_the_users_words_is_the_users_and_all_else_the_models(entities):
    answer = entities.observe(
        "My ＭＡＸ chewed my shoe",
        *("max", "shoes"),
        {"label": "boredom", "type": "emotion", "span": "chewed my shoe"},
        {"label": "Rex", "type": "entity", "span": "my dog Rex"},
    )
    assert [row["origin"] for row in answer["entities"]] == ["user", "user", "model", "model"]
    assert [row.get("refused_span") for row in answer["entities"]] == [None] * 3 + ["my dog Rex"]
    inferred = [row.get("inferred_from") for row in answer["entities"]]
    assert inferred == [None, None, "chewed my shoe", None]


def test_no_span_launders_an_inference(entities):
    depression = {"label": "depression", "type": "emotion", "span": "rough", "intensity": 1.0}
    for session in ("a", "b", "c"):
        row = entities.one("Work is rough", depression, session=session)
        entities.end(session)
    assert (row["origin"], row["inferred_from"]) == ("model", "rough")
    record = entities.record("depression")
    assert (record["identity_status"], record["origin"]) == ("provisional", "model")
    assert (record["user_mention_count"], record["emotional_intensity"]) == (0, 0.0)
    [mention] = {one["inferred_from"]: one for one in entities.records("mention")}.values()
    assert "source_span" not in mention
    assert mention["mention_context"] == "Work is rough"


def test_the_same_message_says_the_same_of_its_origin_again(entities):
    seen = (
        {"label": "boredom", "type": "emotion", "span": "bored"},
        {"label": "Rex", "type": "entity", "span": "dog Rex"},
    )
    first = entities.observe("I am bored", *seen, message="m")["entities"]
    again = entities.observe("I am bored", *seen, message="m")["entities"]
    assert [(one["origin"], one.get("refused_span")) for one in first] == [
        ("model", None),
        ("model", "dog Rex"),
    ]
    assert [one | {"created": True} for one in again] == first


def test_another_name_that_the_user_gave_is_the_users_word_for_it(entities):
    max_ = entities.one("Max slept", "Max")["entity_id"]
    asleep = {**entity("Max"), "span": "the puppy"}
    assert entities.one("the puppy is asleep", asleep)["origin"] == "model"
    puppy = entities.one("my puppy", "puppy")["entity_id"]
    entities.merge(puppy, max_)
    assert entities.one("the puppy is asleep", asleep)["origin"] == "user"


def test_a_message_can_be_observed_without_saying_what_it_mentions(entities):
    [row] = entities.run(calls.entities.observe("s", "m", "user", "I met Anna Smith"))
    assert [one["label"] for one in row["entities"]] == ["Anna Smith"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "I know " + ", ".join(f"Aa{number} (Bb{number})" for number in range(300)),
        "I know " + "A" * 300 + " (Bb)",
        " ".join(f"I like a{number}x." for number in range(300)),
        "I walk my dog Max. " * 300,
    ],
    ids=["many", "long", "liked", "repeated"],
)
def test_a_message_full_of_what_can_be_told_is_not_refused(entities, text):
    [row] = entities.run(calls.entities.observe("s", "m", "user", text))
    # And whom the facts are of.
    assert len(row["entities"]) <= 31


@pytest.mark.parametrize(
    ("text", "speaker"),
    [("Done.\n```\nMax (Rex)\n```", "user"), ("Max (Rex) slept", "model")],
)
def test_what_the_user_did_not_say_gives_nobody_another_name(entities, text, speaker):
    entities.one("Max slept", "Max", session="before")
    rex = entities.one(text, "Rex", speaker=speaker)
    assert (rex["created"], rex.get("candidates")) == (True, None)


def test_what_a_model_says_is_the_models_even_where_it_stands_there(entities):
    assert entities.one("I think of Max", "Max", speaker="model")["origin"] == "model"
    record = entities.record("Max")
    assert (record["origin"], record["origin_confidence"]) == ("model", 0.0)
    assert entities.one("Max is my dog", "Max")["created"] is False
    record = entities.record("Max")
    assert (record["origin"], record["origin_confidence"]) == ("mixed", 0.5)
    assert (record["user_mention_count"], record["model_mention_count"]) == (1, 1)


def test_a_message_that_is_observed_again_counts_no_more(entities):
    first = entities.one("Max barks", "Max", message="m")
    before = entities.memory.records()
    entities.memory.now_ms += DAY_MS
    again = entities.one("Max barks", " max ", message="m")
    assert (first["created"], again["created"]) == (True, False)
    assert again["entity_id"] == first["entity_id"]
    assert entities.memory.records() == before


@pytest.mark.parametrize("labels", [["2"], [str(number) for number in range(2, 15)]])
def test_a_further_entity_of_a_name_takes_no_name_that_somebody_gave(entities, labels):
    for label in ("Task", *(f"Task #{one}" for one in labels)):
        entities.observe("Hello", label)
    for number in range(26):
        entities.days(1)
        entities.observe("Hello", f"Tas {number:02}")
    made = entities.one("Hello", {"label": "Task", "type": "topic"})
    assert (made["created"], made["label"], made["type"]) == (True, "Task", "topic")
    again = entities.one("Hello", {"label": "task", "type": "topic"})
    assert (again["created"], again["entity_id"]) == (False, made["entity_id"])


def test_a_mention_says_where_it_stands_and_in_which_sentence(entities):
    entities.observe("Hello. My dog Max barks! Bye.", {**entity("Max"), "valence": -0.5})
    [mention] = entities.records("mention")
    assert (mention["span_start"], mention["span_end"]) == (14, 17)
    assert mention["mention_context"] == "My dog Max barks!"
    assert mention["emotional_valence"] == -0.5
    [to_session] = entities.ties("in")
    assert (to_session["from"], to_session["to"]) == (mention["id"], ["default", "s"])
    [of] = entities.ties("of")
    assert of["to"] == entities.record("Max")["id"]


def test_a_models_claim_of_feeling_raises_nothing(entities):
    entities.observe("Max", {**entity("Max"), "valence": -0.5})
    entities.observe("Max", {**entity("Max"), "intensity": 1.0}, speaker="model")
    assert entities.record("Max")["emotional_intensity"] == 0.5
    assert max(one.get("emotional_intensity", 0) for one in entities.records("mention")) == 1.0


def test_a_mention_raises_activation_to_one_by_a_user_and_to_a_half_by_a_model(entities):
    entities.observe("Rex", "Max", speaker="model")
    assert entities.record("Max")["activation_strength"] == 0.5
    entities.observe("Max", "Max")
    assert entities.record("Max")["activation_strength"] == 1.0
    entities.memory.now_ms += 14 * DAY_MS
    entities.observe("Rex", "Max", speaker="model")
    record = entities.record("Max")
    assert record["activation_strength"] == 0.5
    assert record["last_activated"] == entities.memory.now_ms


def test_a_name_of_another_type_or_kind_is_another_entity(entities):
    zinc = entities.one("zinc", {**entity("Zinc"), "kind": "mineral"})
    firm = entities.one("zinc", {**entity("Zinc"), "kind": "company"})
    mood = entities.one("zinc", {**entity("zinc"), "type": "emotion"})
    assert len({row["entity_id"] for row in (zinc, firm, mood)}) == 3
    names = [record["canonical_name"] for record in entities.records("entity")]
    assert sorted(names) == ["zinc", "zinc #2", "zinc #3"]
    assert firm["identity_status"] == "provisional"
    again = entities.one("zinc", {**entity("ZINC"), "kind": "Company"})
    assert (again["entity_id"], again["created"]) == (firm["entity_id"], False)


def test_what_is_alike_is_a_new_entity_with_a_question_and_never_merged(entities):
    boss = entities.one("Anna Smith called", "Anna Smith")
    other = entities.one("Anna Smyth called", "Anna Smyth")
    assert other["created"]
    assert other["identity_status"] == "ambiguous"
    [candidate] = other["candidates"]
    assert candidate["entity_id"] == boss["entity_id"]
    assert candidate["confidence"] == pytest.approx(0.9)
    [tie] = entities.ties("same_as")
    assert (tie["status"], tie["confidence"]) == ("candidate", candidate["confidence"])
    assert entities.records("merge") == []


def test_what_is_unlike_is_provisional_without_a_question(entities):
    entities.one("Max", "Max")
    row = entities.one("the weather", {"label": "weather", "type": "topic"})
    assert row["identity_status"] == "provisional"
    assert "candidates" not in row


def test_a_claim_of_the_caller_is_kept_as_a_question(entities):
    dog = entities.one("Max", "Max")
    puppy = entities.one(
        "the puppy", {**entity("puppy"), "same_as": dog["entity_id"], "rationale": "only one dog"}
    )
    assert puppy["entity_id"] != dog["entity_id"]
    assert puppy["identity_status"] == "ambiguous"
    [tie] = entities.ties("same_as")
    assert (tie["status"], tie["evidence"]) == ("candidate", "only one dog")


def test_a_mention_by_other_words_keeps_its_span_and_context(entities):
    dog = entities.one("Max", "Max")
    claimed = {**entity("Max"), "same_as": dog["entity_id"]}
    entities.one("The puppy chewed a shoe. I laughed.", {**claimed, "span": "The puppy"})
    entities.one("He slept on the sofa", claimed)
    mentions = entities.records("mention")
    said = {(one.get("source_span"), one.get("mention_context")) for one in mentions}
    assert ("The puppy", "The puppy chewed a shoe.") in said
    assert (None, "He slept on the sofa") in said


def test_nothing_of_another_user_is_seen_or_touched(entities):
    mine = entities.one("Max", "Max", user="ann")
    other = entities.one("Max", {**entity("Max"), "same_as": mine["entity_id"]}, user="bob")
    assert other["created"]
    assert other["entity_id"] != mine["entity_id"]
    assert other["identity_status"] == "provisional"
    assert [one["user_mention_count"] for one in entities.records("entity")] == [1, 1]


def test_a_relation_is_the_users_only_with_words_of_the_user(entities):
    stated = {"from": "rain", "to": "mood", "type": "causal", "span": "rain makes me sad, my mood"}
    answer = entities.observe(
        "The rain makes me sad, my mood is low",
        *("rain", "mood"),
        relations=[stated, {"from": "mood", "to": "rain", "type": "temporal"}],
    )
    # That one thing causes another is an inference, whoever says it.
    assert [row["origin"] for row in answer["edges"]] == ["inferred", "inferred"]
    assert "inferred_from" not in answer["edges"][0]
    assert [row["is_active"] for row in answer["edges"]] == [False, True]
    [causal] = entities.ties("causal")
    assert (causal["weight"], causal["requires_activation"]) == (0.6, 3)
    assert (causal["user_reinforcement_count"], causal["model_reinforcement_count"]) == (1.0, 0.0)
    [temporal] = entities.ties("temporal")
    assert temporal["model_reinforcement_count"] == 1.0


def test_a_relation_is_the_users_only_if_its_words_name_both_ends(entities):
    said = "The rain makes me sad. Tea helps"
    for span, told in (("rain makes me sad", "inferred_from"), ("rain hurts", "refused_span")):
        relation = {"from": "rain", "to": "depression", "type": "temporal", "span": span}
        answer = entities.observe(
            said, "rain", {"label": "depression", "type": "emotion"}, relations=[relation]
        )
        [row] = answer["edges"]
        assert (row["origin"], row[told]) == ("inferred", span)
    [tie] = entities.ties("temporal")
    assert tie["user_reinforcement_count"] == 0.0


def test_a_relation_counts_once_a_session(entities):
    relation = [{"from": "rain", "to": "mood", "type": "temporal", "span": "rain and mood"}]
    for session in ("a", "a", "b"):
        text = "rain and mood"
        answer = entities.observe(text, "rain", "mood", session=session, relations=relation)
        assert answer["edges"][0]["origin"] == "explicit"
    [tie] = entities.ties("temporal")
    assert tie["user_reinforcement_count"] == 2.0
    assert (tie["distinct_session_count"], tie["sessions"]) == (2, ["a", "b"])


def test_a_semantic_relation_needs_the_users_words(entities):
    relation = {"from": "boss", "to": "manager", "type": "semantic"}
    text = "my boss is my manager"
    answer = entities.observe(text, "boss", "manager", relations=[relation])
    assert answer["edges"][0]["refused"] == "a semantic relation needs the user's words"
    assert entities.ties("semantic") == []
    stated = [{**relation, "span": text}]
    assert entities.observe(text, "boss", "manager", relations=stated)["edges"][0]["created"]


def test_a_person_in_lab_gets_the_same_without_a_look_up(entities):
    entities.observe("Anna Smith", "Anna Smith")
    arguments = ["s", "lab", "user", "Anna Smyth", [entity("Anna Smyth"), entity("anna smith")], []]
    [row] = entities.memory.procedure("entitygraph.observe", arguments, ("entities",))
    assert [one["created"] for one in row["entities"]] == [True, False]
    assert row["entities"][0]["identity_status"] == "ambiguous"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"observations": [{"label": "Max"}]}, "observations.0.type: must be one of entity, "),
        ({"observations": [{"label": " ", "type": "topic"}]}, "observations.0.label: must not be"),
        ({"observations": [{**entity("Max"), "trust": 1}]}, 'observations.0: unknown key "trust"'),
        ({"observations": [{**entity("Max"), "valence": 2}]}, "observations.0.valence: must be"),
        ({"speaker": "assistant"}, "speaker: must be one of user, model"),
        ({"session": ""}, "session_id: must not be empty"),
        ({"relations": [{"from": "a", "to": "A", "type": "causal"}]}, "relations.0: tautology"),
        ({"relations": [{"from": "a", "to": "b", "type": "causal"}]}, 'not mentioned "a"; obs'),
    ],
)
def test_what_is_wrong_is_refused_in_one_line_and_nothing_is_written(entities, wrong, message):
    given = {"session": "s", "speaker": "user", "observations": [entity("Max")], "relations": []}
    given |= wrong
    with pytest.raises(REFUSALS, match=message):
        entities.memory.run(
            calls.entities.observe(
                *(given["session"], "m", given["speaker"], "Max", given["observations"]),
                relations=given["relations"],
            )
        )
    assert entities.memory.records() == []


def test_everything_is_exported_and_comes_back_as_it_was(entities):
    entities.observe(
        "Anna Smith likes rain",
        *("Anna Smith", {**entity("rain"), "valence": 0.5}),
        relations=[{"from": "rain", "to": "Anna Smith", "type": "causal", "span": "likes"}],
    )
    entities.observe("Anna Smyth", "Anna Smyth")
    before = entities.memory.records()
    assert entities.memory.import_rows(before)["nodes_created"] == 0
    assert entities.memory.records() == before
    assert entities.memory.run(calls.transfer.check()) == []
    stats = entities.memory.stats()
    assert (stats["entities"], stats["mentions"], stats["sessions"]) == (3, 3, 1)


def test_without_observations_names_are_told_from_the_text(entities):
    answer = entities.observe("Max met Anna Smith on May 3rd")
    assert [row["label"] for row in answer["entities"]] == ["Max", "Anna Smith", "3 May"]
    assert {row["origin"] for row in answer["entities"]} == {"user"}
    again = entities.observe("Max barks")["entities"]
    assert [(row["label"], row["created"]) for row in again] == [("Max", False)]
    assert entities.observe("well, yes") == {"entities": [], "edges": []}


def test_what_is_told_of_late_is_no_other_entity(entities):
    late = entities.memory.now_ms
    entities.memory.now_ms += 7 * DAY_MS
    first = entities.one("Max", "Max", session="today")
    entities.memory.now_ms = late
    row = entities.one("Max", "Max", session="last week")
    assert (row["entity_id"], row["created"]) == (first["entity_id"], False)
    record = entities.record("Max")
    assert record["last_activated"] == late + 7 * DAY_MS
    assert (record["valid_from"], record["activation_strength"]) == (late, 1.0)


def test_curled_quotes_are_the_same_as_typed_ones(entities):
    answer = entities.observe(
        "I don’t like O’Brien’s “blue‑green” car",
        *("O'Brien", {"label": "don't like", "type": "preference", "span": "I don't like"}),
        {**entity("car"), "span": '"blue-green" car'},
    )
    assert [row["origin"] for row in answer["entities"]] == ["user"] * 3
    record = next(one for one in entities.records("mention") if one["label"] == "don't like")
    assert record["source_span"] == "I don't like"
    assert (record["span_start"], record["span_end"]) == (0, 12)


def test_what_the_user_denies_or_never_said_is_the_models(entities):
    denied = entities.one("I do not like beer", {"label": "likes beer", "type": "preference"})
    assert denied["origin"] == "model"
    called = "My sister called: her old cat died"
    assert entities.one(called, {"label": "sister died", "type": "event"})["origin"] == "model"
    assert entities.one("My sister died", {"label": "sister died", "type": "event"})["origin"] == (
        "user"
    )


def test_whom_an_entity_in_doubt_may_be_is_told_whenever_it_is_mentioned(entities):
    first = entities.one("Maximilian Berger", "Maximilian Berger")
    asked = entities.one("Maximilian Bergers", "Maximilian Bergers")["candidates"]
    assert [one["entity_id"] for one in asked] == [first["entity_id"]]
    for session, message in (("s", "again"), ("t", "again"), ("t", "again")):
        again = entities.one(
            *("Maximilian Bergers", "Maximilian Bergers"), session=session, message=message
        )
        assert (again["created"], again["candidates"]) == (False, asked)


def test_whom_the_caller_believes_it_to_be_is_a_candidate(entities):
    max_ = entities.one("Max", "Max")["entity_id"]
    row = entities.one("the boy", {**entity("the boy"), "same_as": max_})
    assert row["identity_status"] == "ambiguous"
    assert [one["entity_id"] for one in row["candidates"]] == [max_]
    assert "refused_same_as" not in row


def test_a_claim_that_names_no_entity_is_told_and_nothing_comes_of_it(entities):
    row = entities.one("Max", {**entity("Max"), "same_as": "nosuch"})
    assert (row["refused_same_as"], row["identity_status"]) == ("nosuch", "provisional")
    assert entities.ties("same_as") == []


def test_a_relation_says_which_of_its_labels_is_not_known(entities):
    entities.observe("Luna", "Luna", session="another")
    relation = {"from": "Max", "to": "Luna", "type": "causal"}
    with pytest.raises(REFUSALS, match=r'relations\.0\.to: this session has not mentioned "luna"'):
        entities.observe("Max", "Max", relations=[relation])


def test_an_embedding_that_is_none_of_the_stores_is_refused(entities):
    seen = {**entity("Max"), "embedding": [1.0, 0.0], "model": "toy"}
    with pytest.raises(REFUSALS, match="this store has none yet; run concept-graph-mcp embed with"):
        entities.observe("Max", seen)
    entities.run(calls.embedding.choose("toy", 2, False))
    for wrong in ({"embedding": [1.0, 0.0, 0.0]}, {"model": "other"}):
        with pytest.raises(REFUSALS, match=r"of this store are of toy \(2 numbers\), not of "):
            entities.observe("Max", seen | wrong)
    assert not any(record["kind"] == "entity" for record in entities.memory.records())
    entities.observe("Max", seen)
    assert entities.record("Max")["embedding"] == [1.0, 0.0]


def test_an_embedding_of_no_named_model_is_refused(entities):
    entities.run(calls.embedding.choose("toy", 2, False))
    seen = {**entity("Max"), "embedding": [1.0, 0.0]}
    asked = r"observations\.1\.model: must say by which embedding the vector is"
    with pytest.raises(REFUSALS, match=asked):
        entities.run(calls.entities.observe("s", "m", "user", "Max", [entity("Max"), seen]))


def test_two_who_observe_vectors_at_once_do_not_wait_for_each_other(entities, hands, host):
    if host != "memgraph":
        pytest.skip("a store file has one writer at a time")
    entities.run(calls.embedding.choose("toy", 2, False))
    max_, rex = (
        {**entity(name), "embedding": vector, "model": "toy"}
        for name, vector in (("Max", [1.0, 0.0]), ("Rex", [0.0, 1.0]))
    )
    with hands.transaction() as transaction:
        observe = 'CALL entitygraph.observe("a", "m", "user", "Max", [$seen])'
        transaction.run(f"{observe} YIELD edges RETURN edges", seen=max_).consume()
        entities.observe("Rex", rex, session="b")
        transaction.commit()
    assert {one["node_label"] for one in entities.records("entity")} == {"Max", "Rex"}


def test_no_vector_is_observed_while_another_embedding_is_chosen(
    entities, hands, host, monkeypatch
):
    entities.run(calls.embedding.choose("toy", 2, False))
    seen = {**entity("Max"), "embedding": [1.0, 0.0], "model": "toy"}
    another = calls.embedding.choose("other", 3, True)
    if host == "memgraph":
        with hands.transaction() as transaction:
            # From here on it sees the graph as it is now.
            transaction.run("MATCH (n) RETURN count(n)").consume()
            entities.run(another)
            observe = 'CALL entitygraph.observe("s", "m", "user", "Max", [$seen])'
            with pytest.raises(ClientError, match="SerializationError"):
                transaction.run(f"{observe} YIELD edges RETURN edges", seen=seen).consume()
    else:
        # Only here: `mgp` must first be imported by the host.
        from conceptgraph_core.embeddings import remembered

        overtaken, asked = [another], remembered.read_embedding

        def chosen(graph):
            known = asked(graph)
            while overtaken:
                call = overtaken.pop()
                with closing(Host(Path(entities.memory.store.location))) as other:
                    other.call(call.procedure.name, [*call.arguments, {}])
            return known

        monkeypatch.setattr(remembered, "read_embedding", chosen)
    with pytest.raises(
        REFUSALS, match=r"of this store are of other \(3 numbers\), not of toy \(2\)"
    ):
        entities.observe("Max", seen)
    assert entities.records("entity") == []


def test_a_message_that_comes_again_with_another_text_is_told(entities):
    entities.observe("I live in Bonn.", message="m")
    again = entities.observe("I live in Bonn.", message="m")["entities"]
    assert not [row for row in again if "observed_in" in row]
    told = entities.observe("I live in Kiel.", message="m")["entities"]
    seen = {row["label"]: row.get("observed_in") for row in told}
    assert seen["the user"] == "I live in Bonn."
