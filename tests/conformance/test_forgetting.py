"""`forget` reaches every id that `about`, `recall` and `search` return, and all can be restored."""

from dataclasses import astuple

import pytest
from everyday_calls import Days
from expect import DAY_MS, REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls
from conceptgraph_core.entities.inputs import Given

everyday = calls.everyday
SAID = "My husband Sander lives in Utrecht and I work at Philips"


class Told(Days):
    """The words of the user in conversations, and the notes that were kept of them."""

    _number = 0

    def say(self, text, *names, user="default", session="s"):
        """Observe *names* in a message of the user's, or what the rules find there."""
        self._number += 1
        said = [{"label": name, "type": "entity"} for name in names]
        given = (session, f"m{self._number}", "user", text, said)
        return self.run(calls.entities.observe(*given), user)[0]

    def forget(self, id_, user="default", reason="he is gone"):
        return self.run(everyday.forget(user, id_, reason), user)[0]

    def restore(self, id_, user="default"):
        return self.run(everyday.restore(user, id_), user)[0]

    def get(self, entity_id, user="default"):
        return self.run(calls.entities.get(entity_id), user)[0]

    def entity(self, name, user="default"):
        return self.about(name, user=user)["id"]

    def facts(self, user="default"):
        """Return the user's own facts believed and valid now."""
        rows = self.run(calls.entities.search("the user", user_id=user), user)
        if not rows:
            return []
        whole = self.get(rows[0]["entity_id"], user)
        return sorted((one["predicate"], one["value"]) for one in whole["facts"])

    def fact(self, predicate, value, user="default"):
        rows = self.run(calls.entities.search("the user", user_id=user), user)
        facts = self.run(calls.entities.history(rows[0]["entity_id"]), user)
        return next(
            one["fact_id"]
            for one in facts
            if (one["predicate"], one["value"]) == (predicate, value)
        )

    def state(self):
        """Return everything that the tools show, and that may be compared."""
        return (
            self.facts(),
            self.recall("What about Sander?"),
            self.search("Sander"),
            [row["text"] for row in self.happened()],
        )

    def happened(self):
        at = self.memory.now_ms
        return self.run(everyday.happened("default", "20250615", at - DAY_MS, at + DAY_MS))


@pytest.fixture
def days(memory):
    return Told(memory)


@pytest.mark.slow
def test_each_id_that_is_returned_can_be_forgotten_and_restored(days):
    days.say(SAID)
    days.remember("Sander plays the cello", [{"name": "Sander", "kind": "husband"}])
    recalled = days.recalled("What about Sander?")
    ids = {one["id"] for one in recalled["sources"]}
    ids |= {one["id"] for one in days.search("Sander")}
    told = days.about("Sander")
    ids |= {told["id"], *(one["id"] for one in told["said"])}
    ids |= {days.fact("spouse", "Sander"), days.fact("employer", "Philips")}
    ids |= {one["mention_id"] for one in days.get(told["id"])["mentions"]}
    memory_ids = {one["id"] for one in days.memory.records() if one["kind"] == "memory"}
    assert len(ids) >= 6
    for one in sorted(ids):
        before, entities = days.memory.records(), of_entities(days.memory)
        row = days.forget(one)
        assert (row.pop("candidates"), type(row.pop("others"))) == ([], list)
        assert row == {"id": one, "forgotten_at": days.memory.now_ms}
        assert days.memory.records() != before
        with pytest.raises(REFUSALS, match="id: not found"):
            days.forget(one)
        if one in memory_ids:
            days.run(calls.memories.restore(one))
        else:
            assert days.restore(one) == {"id": one, "restored": True, "state": None}
            assert days.restore(one) == {"id": one, "restored": False, "state": None}
            assert of_entities(days.memory) == entities


def of_entities(memory):
    kinds = {"entity", "mention", "fact", "session", "tie"}
    return without_times(one for one in memory.records() if one["kind"] in kinds)


def without_times(records):
    times = {"last_activated", "accessed_at"}
    return [{key: one[key] for key in one if key not in times} for one in records]


def test_facts_in_about_have_the_ids_that_forget_takes(days):
    days.say("My sister Clara came by")
    given = Given("job", "vet", speaker="user", text="Clara is a vet", span="vet")
    days.run(calls.entities.fact(days.entity("Clara"), *astuple(given)))
    [fact] = days.about("Clara")["facts"]
    days.forget(fact["id"])
    assert days.about("Clara")["facts"] == []
    days.restore(fact["id"])
    assert days.about("Clara")["facts"] == [fact]


def test_the_sentence_that_told_a_forgotten_fact_is_quoted_no_more(days):
    days.say("I work at Philips. My sister Clara came by")
    fact = days.fact("employer", "Philips")
    before = of_entities(days.memory)
    days.forget(fact)
    whole = days.get(days.entity("Philips"))
    assert [one["context"] for one in whole["mentions"]] == [None]
    assert "work" not in days.recall("What about Philips?")
    assert "Clara came by" in days.recall("What about Clara?")
    days.restore(fact)
    assert of_entities(days.memory) == before
    assert "I work at Philips" in days.recall("What about Philips?")


def test_with_an_entity_goes_all_that_rests_on_it_alone(days):
    days.say(SAID)
    days.say("Sander snores", "Sander")
    before = days.state()
    sander = days.entity("Sander")
    days.forget(sander)
    assert not [row for row in days.happened() if "snores" in row["text"]]
    assert days.facts() == [("employer", "Philips")]
    assert "Sander" not in days.recall("What about Sander?")
    assert days.search("Sander") == []
    assert days.run(everyday.about("default", "Sander")) == []
    with pytest.raises(REFUSALS, match="entity_id: not found"):
        days.get(sander)
    days.restore(sander)
    assert days.state() == before


@pytest.mark.slow
def test_with_an_entity_go_the_memories_about_it_alone(days):
    alone = days.remember("Sander snores at night", [{"name": "Sander", "kind": "husband"}])["id"]
    days.remember("Sander is allergic to peanuts", ["Sander", "peanuts"])
    days.remember("Sander plays the cello", ["Sander"])
    both = days.remember("Sander and Mia play chess", ["Sander", "Mia"])["id"]
    mum = days.remember("Sander cooks for mum", ["Sander", {"name": "mum", "kind": "mother"}])["id"]
    nobody = days.remember("The chess board is on the shelf")["id"]
    sander = days.entity("Sander")
    before = days.recall("Does Sander snore?")
    days.forget(sander)
    assert "snore" not in days.recall("Does Sander snore?")
    found = {one["id"] for one in days.search("Sander snores chess", kinds=["memory"])}
    assert found == {both, nobody, mum}
    assert days.search("peanuts") == []
    assert days.restore(sander) == {"id": sander, "restored": True, "state": None}
    assert days.recall("Does Sander snore?").splitlines()[:3] == before.splitlines()[:3]
    days.forget(sander)
    days.restore(alone)
    assert days.search("snores", kinds=["memory"])[0]["id"] == alone
    assert days.search("Sander", kinds=["entity"]) == []
    days.restore(sander)
    assert days.entity("Sander") == sander


def test_a_memory_that_was_forgotten_before_an_entity_stays_so_after_it(days):
    memory = days.remember("Sander snores at night", ["Sander"])["id"]
    days.remember("Sander plays the cello", ["Sander"])
    sander = days.entity("Sander")
    days.forget(memory)
    days.forget(sander)
    days.restore(sander)
    assert days.search("snores", kinds=["memory"]) == []
    assert "cello" in days.recall("What about Sander?")


def test_told_anew_to_remember_it_is_known_again(days):
    days.remember("Sander snores at night", ["Sander"])
    sander = days.entity("Sander")
    days.forget(sander)
    days.remember("Sander snores at night", ["Sander"])
    assert "snores" in days.recall("What about Sander?")
    assert days.entity("Sander") == sander


def test_with_a_merged_entity_go_all_that_it_was_merged_with(days):
    days.say("My husband Sander cooked")
    days.say("Sandertje is tired", "Sandertje")
    sander, other = days.entity("Sander"), days.entity("Sandertje")
    merged = days.run(
        calls.entities.merge(other, sander, "one", "user_correction", "Sandertje is Sander")
    )[0]
    days.forget(sander)
    for name in ("Sander", "Sandertje"):
        assert days.search(name) == []
    with pytest.raises(REFUSALS, match="merge_id"):
        days.run(calls.entities.unmerge(merged["merge_id"], "no"))
    days.restore(other)
    assert set(days.get(sander)["labels"]) == {"Sander", "Sandertje"}
    assert ("spouse", "Sander") in days.facts()
    days.run(calls.entities.unmerge(merged["merge_id"], "no"))


def test_one_of_the_forgotten_name_who_is_told_anew_has_nothing_of_the_old(days):
    days.say(SAID)
    sander = days.entity("Sander")
    days.forget(sander)
    days.say("Sander from accounting was late", "Sander")
    assert days.about("Sander")["facts"] == []
    assert ("spouse", "Sander") not in days.facts()
    days.restore(sander)
    assert ("spouse", "Sander") in days.facts()
    assert len(days.get(days.entity("Sander"))["mentions"]) >= 1


def test_a_message_that_is_observed_again_brings_nothing_back(days):
    days.say(SAID)
    days.forget(days.entity("Sander"))
    records = days.memory.records()
    days._number = 0
    days.say(SAID)
    assert days.memory.records() == records


def test_with_a_mention_go_the_facts_that_it_alone_told(days):
    days.say("I work at Philips")
    days.say("I work at Philips, as you know")
    [user] = days.run(calls.entities.search("the user"))
    told = days.get(user["entity_id"])["mentions"]
    first, second = (one["mention_id"] for one in told)
    days.forget(first)
    assert days.facts() == [("employer", "Philips")]
    days.forget(second)
    assert days.facts() == []
    days.restore(first)
    assert days.facts() == [("employer", "Philips")]


def test_what_went_with_something_else_is_restored_with_that(days):
    days.say(SAID)
    sander, spouse = days.entity("Sander"), days.fact("spouse", "Sander")
    days.forget(sander)
    with pytest.raises(REFUSALS, match=f'forgotten with "{sander}"; restore that'):
        days.restore(spouse)
    days.restore(sander)
    assert ("spouse", "Sander") in days.facts()


def test_the_statement_before_is_so_again_when_the_later_is_forgotten(days):
    for city in ("Leeds", "York", "Oslo"):
        days.say(f"I live in {city}")
        days.memory.now_ms += DAY_MS
    leeds, york, oslo = (days.fact("home", city) for city in ("Leeds", "York", "Oslo"))
    before = days.memory.records()
    assert days.facts() == [("home", "Oslo")]
    days.forget(oslo)
    assert days.facts() == [("home", "York")]
    days.forget(york)
    assert days.facts() == [("home", "Leeds")]
    days.restore(oslo)
    assert days.facts() == [("home", "Oslo")]
    days.restore(york)
    assert days.facts() == [("home", "Oslo")]
    assert days.memory.records() == before
    days.forget(leeds)
    assert days.facts() == [("home", "Oslo")]


def test_nobody_forgets_or_restores_what_is_another_users(days):
    days.say(SAID)
    sander, spouse = days.entity("Sander"), days.fact("spouse", "Sander")
    mention = days.get(sander)["mentions"][0]["mention_id"]
    records = days.memory.records()
    for one in (sander, spouse, mention, "nosuch"):
        with pytest.raises(REFUSALS, match=f'^id: not found: "{one}"'):
            days.forget(one, "bob")
    assert days.memory.records() == records
    days.forget(sander)
    with pytest.raises(REFUSALS, match="id: not found"):
        days.restore(sander, "bob")


@pytest.mark.slow
def test_what_was_forgotten_goes_through_an_export(days, memory):
    days.say(SAID)
    sander = days.entity("Sander")
    before = days.state()
    days.forget(sander)
    records = memory.records()
    memory.empty()
    memory.import_rows(records)
    assert memory.records() == records
    assert memory.run(calls.transfer.check()) == []
    assert days.search("Sander") == []
    days.restore(sander)
    assert days.state() == before


def corrected(days, fact_id, text="The user lives in Oslo", **more):
    return days.remember(text, replaces=fact_id, **more)["id"]


def test_a_fact_is_corrected_by_what_replaces_it(days):
    days.say("I live in York")
    york = days.fact("home", "York")
    made = corrected(days, york, said="No, I live in Oslo!")
    assert days.facts() == [("home", "Oslo")]
    assert "York" not in days.recall("Where do I live?")
    assert [one["fact_id"] for one in history(days) if one["known_until"]] == [york]
    days.forget(made)
    assert days.facts() == [("home", "York")]
    days.run(everyday.restore("default", made))
    assert days.facts() == [("home", "Oslo")]


def history(days):
    [user] = days.run(calls.entities.search("the user"))
    return days.run(calls.entities.history(user["entity_id"]))


def test_without_a_value_that_the_words_state_nothing_takes_the_place_of_a_fact(days):
    days.say("I live in Leeds")
    days.memory.now_ms += DAY_MS
    days.say("I live in York")
    made = corrected(days, days.fact("home", "York"), "York was a joke", said="York was a joke")
    assert days.facts() == [("home", "Leeds")]
    days.forget(made)
    assert days.facts() == [("home", "York")]


def test_a_correction_is_itself_corrected(days):
    days.say("I live in York")
    corrected(days, days.fact("home", "York"), said="I live in Oslo")
    days.memory.now_ms += DAY_MS
    last = corrected(
        days, days.fact("home", "Oslo"), "The user lives in Bergen", said="I live in Bergen"
    )
    assert days.facts() == [("home", "Bergen")]
    days.forget(last)
    assert days.facts() == [("home", "Oslo")]


def test_only_the_users_words_correct_what_the_user_said(days):
    days.say("I live in York")
    york = days.fact("home", "York")
    records = days.memory.records()
    with pytest.raises(REFUSALS, match="replaces: the user said that; pass the user's words"):
        corrected(days, york)
    with pytest.raises(REFUSALS, match="replaces: that fact says the same"):
        corrected(days, york, said="I live in York!")
    assert days.memory.records() == records


def test_what_is_no_memory_and_no_fact_replaces_nothing(days):
    days.say(SAID)
    days.say("I live in York", user="bob")
    mention = days.get(days.entity("Sander"))["mentions"][0]["mention_id"]
    records = days.memory.records()
    others = days.fact("home", "York", "bob")
    for one in (days.entity("Sander"), mention, others, "nosuch"):
        with pytest.raises(REFUSALS, match=f'^replaces: not found: "{one}"'):
            corrected(days, one, said="I live in Oslo")
    assert days.memory.records() == records


def test_said_again_a_correction_counts_once(days):
    days.say("I live in York")
    york = days.fact("home", "York")
    made = corrected(days, york, said="I live in Oslo")
    assert corrected(days, york, said="I live in Oslo") == made
    assert days.facts() == [("home", "Oslo")]
    assert len(history(days)) == 2


def test_a_forgotten_correction_is_told_again(days):
    days.say("I live in York")
    york = days.fact("home", "York")
    days.forget(corrected(days, york, said="I live in Oslo"))
    again = corrected(days, york, said="I live in Oslo")
    assert days.facts() == [("home", "Oslo")]
    days.forget(again)
    assert days.facts() == [("home", "York")]


def test_with_a_corrected_fact_goes_a_memory_about_it(days):
    days.say("My sister Clara came by")
    given = Given("job", "vet", speaker="model", text="Clara is a vet", span="vet")
    days.run(calls.entities.fact(days.entity("Clara"), *astuple(given)))
    [fact] = days.about("Clara")["facts"]
    made = corrected(days, fact["id"], "Clara is a baker", about=["Clara"])
    assert days.about("Clara")["facts"] == []
    days.forget(made)
    assert days.about("Clara")["facts"] == [fact]


class Heard(Told):
    """Messages that both `ingest` and `observe` read."""

    def hear(self, number, text, thread="chat", user="default"):
        said = {"id": f"memory {number}", "text": text, "thread": thread, "speaker": "user"}
        more = {"said_at": self.memory.now_ms, "metadata": {"message_id": number}}
        self.memory.run(calls.memories.ingest(user, [said | more]), user_id=user)
        given = (f"{thread} #2", number, "user", text)
        self.memory.run(calls.entities.observe(*given), user_id=user)
        self.memory.now_ms += 60_000


@pytest.fixture
def heard(memory):
    return Heard(memory)


def kept(memory, word):
    return [one for one in memory.records() if word in str(one)]


def test_with_a_message_go_its_mentions_and_facts(heard, memory):
    heard.hear("1", "I work at Philips in Drachten")
    heard.hear("2", "My sister Clara came by", thread="other")
    before = of_entities(memory)
    heard.forget("memory 1")
    assert heard.facts() == [("sister", "Clara")]
    for name in ("Drachten", "Philips"):
        assert heard.search(name, kinds=["entity"]) == []
    assert heard.recall("Where is Drachten?") == ""
    assert not [row for row in heard.happened() if "Drachten" in row["text"]]
    heard.run(everyday.restore("default", "memory 1"))
    assert ("employer", "Philips") in heard.facts()
    assert of_entities(memory) == before


def test_a_purged_message_is_left_nowhere(heard, memory):
    heard.hear("1", "I work at Philips in Drachten")
    heard.hear("2", "My sister Clara came by")
    heard.forget("memory 1")
    heard.memory.now_ms += 60_000
    heard.run(calls.memories.purge(1, ["memory 1"]))
    assert kept(memory, "Drachten") == kept(memory, "Philips") == []
    assert memory.run(calls.transfer.check()) == []
    assert heard.facts() == [("sister", "Clara")]


@pytest.mark.slow
def test_what_a_second_message_told_outlives_the_first_in_its_own_words(heard, memory):
    heard.hear("1", "I work at Philips, in gloomy Drachten")
    heard.hear("2", "I work at Philips")
    heard.forget("memory 1")
    assert heard.facts() == [("employer", "Philips")]
    assert [one["text"] for one in history(heard)] == ["I work at Philips"]
    heard.memory.now_ms += 60_000
    heard.run(calls.memories.purge(1, ["memory 1"]))
    assert kept(memory, "gloomy") == []
    assert [one["text"] for one in history(heard)] == ["I work at Philips"]


@pytest.mark.slow
def test_a_statement_before_is_so_again_when_the_message_of_the_later_is_forgotten(heard):
    heard.hear("1", "I live in Leeds")
    heard.hear("2", "I live in York")
    heard.forget("memory 2")
    assert heard.facts() == [("home", "Leeds")]
    heard.run(everyday.restore("default", "memory 2"))
    assert heard.facts() == [("home", "York")]


def test_an_end_is_taken_back_when_the_message_that_told_it_is_forgotten(heard):
    heard.hear("1", "I work at Philips")
    heard.hear("2", "I no longer work at Philips")
    assert heard.facts() == []
    heard.forget("memory 2")
    assert heard.facts() == [("employer", "Philips")]
    heard.run(everyday.restore("default", "memory 2"))
    assert heard.facts() == []


def test_of_two_messages_of_one_time_only_the_forgotten_goes(heard):
    at = heard.memory.now_ms
    heard.hear("1", "I work at Philips")
    heard.memory.now_ms = at
    heard.hear("2", "My sister Clara came by")
    heard.memory.now_ms = at
    heard.hear("1", "I live in York", thread="other")
    heard.memory.now_ms = at
    heard.hear("3", "I work at Fokker", user="bob")
    heard.forget("memory 2")
    assert heard.facts() == [("employer", "Philips"), ("home", "York")]
    assert heard.facts("bob") == [("employer", "Fokker")]


def tell_much(heard):
    """Tell what ends, corrects, merges and repeats; return the ids that can be forgotten."""
    heard.hear("1", "I live in Leeds")
    heard.hear("2", "I work at Philips and I live in York")
    heard.hear("3", "My husband Sander cooked")
    heard.hear("4", "I no longer work at Philips")
    heard.say("Sandertje is tired", "Sandertje")
    heard.say("I live in York")
    merging = heard.entity("Sandertje"), heard.entity("Sander"), "one", "user_correction"
    heard.run(calls.entities.merge(*merging, "Sandertje is Sander"))
    heard.remember("Sander snores at night", [{"name": "Sander", "kind": "husband"}])
    heard.remember("Sander and Clara play chess", ["Sander", "Clara"])
    corrected(heard, heard.fact("home", "York"), said="I live in Oslo")
    kinds = {"entity", "mention", "fact", "memory"}
    return sorted(one["id"] for one in heard.memory.records() if one["kind"] in kinds)


@pytest.mark.slow
@settings(
    max_examples=limit_examples(),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_forgotten_and_restored_in_any_order_all_is_as_before(memory, data):
    memory.empty()
    heard = Heard(memory)
    ids = tell_much(heard)
    before = of_entities(memory)
    forgotten = []
    for one in data.draw(st.lists(st.sampled_from(ids), max_size=6, unique=True)):
        try:
            heard.forget(one)
        except REFUSALS:
            continue
        forgotten.append(one)
    assert (of_entities(memory) == before) is (not forgotten)
    waiting = data.draw(st.permutations(forgotten))
    for _ in range(len(forgotten) + 1):
        for one in list(waiting):
            try:
                heard.restore(one)
            except REFUSALS:
                continue
            waiting.remove(one)
    assert waiting == []
    assert of_entities(memory) == before


def purge(days, *ids):
    days.memory.now_ms += 60_000
    return [row["id"] for row in days.run(calls.entities.purge(1, ids))]


def test_purged_nothing_is_left_of_an_entity(days, memory):
    days.say("I work at Philips")
    before = of_entities(memory)
    days.say("My husband Sander cooked", session="other")
    days.say("Sandertje snores", "Sandertje", session="other")
    sander, other = days.entity("Sander"), days.entity("Sandertje")
    merging = other, sander, "one", "user_correction", "Sandertje is Sander"
    days.run(calls.entities.merge(*merging))
    assert purge(days, sander) == []
    days.forget(sander)
    assert purge(days, sander) == [sander]
    assert not kept(memory, "Sander")
    assert memory.run(calls.transfer.check()) == []
    assert {one.get("value") for one in of_entities(memory)} == {one.get("value") for one in before}
    days.say("My husband Sander came home", session="third")
    assert ("spouse", "Sander") in days.facts()


def test_one_who_was_told_anew_outlives_the_purge_of_the_other(days, memory):
    days.say("Sander cooked", "Sander")
    days.say("Sandertje snores", "Sandertje")
    sander, other = days.entity("Sander"), days.entity("Sandertje")
    days.run(calls.entities.merge(other, sander, "one", "user_correction", "Sandertje is Sander"))
    days.forget(sander)
    days.say("Sandertje is here again", "Sandertje")
    assert purge(days, sander) == [sander]
    assert days.get(other)["labels"] == ["Sandertje"]
    assert kept(memory, "cooked") == []
    assert memory.run(calls.transfer.check()) == []


def test_a_purged_fact_takes_its_sentence_along(days, memory):
    days.say("I work at Philips in gloomy times")
    fact = days.fact("employer", "Philips")
    days.forget(fact)
    assert purge(days, fact) == [fact]
    assert kept(memory, "gloomy") == []
    days.say("I work at Philips again")
    assert days.facts() == [("employer", "Philips")]


def test_a_purged_mention_takes_along_what_it_alone_told(days, memory):
    days.say("I work at Philips in gloomy times")
    mentions = [one["id"] for one in memory.records() if one["kind"] == "mention"]
    for one in mentions:
        days.forget(one)
    assert sorted(purge(days, *mentions)) == sorted(mentions)
    assert of_entities(memory) == []


@pytest.mark.slow
def test_only_what_was_forgotten_long_ago_is_purged(days):
    days.say(SAID)
    sander, now = days.entity("Sander"), days.memory.now_ms
    days.forget(sander)
    later = now + 2 * DAY_MS
    for window, expected in ((3 * DAY_MS, []), (DAY_MS, [sander])):
        days.memory.now_ms = later
        rows = days.run(calls.entities.purgeable(window))
        assert [row["id"] for row in rows] == expected
        assert days.run(calls.entities.purgeable(window), "bob") == []
