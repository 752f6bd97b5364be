"""Facts on two time axes: what was so, and when it was believed; contradictions are only shown."""

import random
from dataclasses import astuple

import pytest
from entity_layer import DAY_MS
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.entities.inputs import Given


@pytest.fixture
def max_(entities):
    return entities.one("Max is here", "Max")["entity_id"]


def state(entities, entity_id, predicate, value=None, **given):
    [row] = entities.run(calls.entities.fact(entity_id, predicate, value, **given))
    return row


def said(text, span=None):
    return {"speaker": "user", "text": text, "span": span}


def values(entities, entity_id, **times):
    return sorted(row["value"] for row in entities.get(entity_id, **times)["facts"])


def test_a_fact_is_read_with_its_entity(entities, max_):
    stated = state(entities, max_, "home", "Berlin", valid_from=1)
    assert (stated["origin"], stated["conflicts"]) == ("model", [])
    [row] = entities.get(max_)["facts"]
    assert row == {
        "fact_id": stated["fact_id"],
        "predicate": "home",
        "value": "Berlin",
        "valid_from": 1,
        "valid_until": None,
        "origin": "model",
    }


def test_a_fact_is_the_users_only_in_the_users_words(entities, max_):
    for number, (given, origin) in enumerate(
        (
            (said("He lives in Berlin"), "user"),
            (said("He lives in Berlin", "lives in Berlin"), "user"),
            (said("He lives in Berlin", "moved to Berlin"), "model"),
            (said("In BERLIN-Mitte"), "user"),
            (said("He is a Berliner"), "model"),
            # The value itself must stand in the words that are said to state it.
            (said("He lives near the Spree, not in Berlin", "lives near the Spree"), "model"),
            ({"speaker": "model", "text": "He lives in Berlin"}, "model"),
            ({"speaker": "user", "text": ""}, "model"),
        )
    ):
        stated = state(entities, max_, f"place {number}", "Berlin", **given)
        assert stated["origin"] == origin, given


@pytest.mark.parametrize(
    ("value", "text", "origin"),
    [
        ("4", "Max turned four", "user"),
        ("1200 dollars", "It cost 1,200 dollars", "user"),
        ("13", "He weighs 30 kilos", "model"),
        ("3 May", "His birthday is May 3rd, 2021", "user"),
        ("2021-05-03", "Er ist am 3. Mai 2021 geboren", "user"),
        ("3 May 2021", "His birthday is May 3rd", "model"),
        ("Siemens AG", "He works for Siemens", "user"),
        ("depression", "He is rather down", "model"),
    ],
)
def test_numbers_and_dates_of_a_fact_are_compared_as_such(entities, max_, value, text, origin):
    assert state(entities, max_, "told", value, **said(text))["origin"] == origin


def test_words_that_do_not_say_the_value_are_told(entities, max_):
    stated = state(entities, max_, "mood", "depressed", **said("He feels rough", "feels rough"))
    assert (stated["origin"], stated["inferred_from"]) == ("model", "feels rough")
    [fact] = entities.records("fact")
    assert fact["inferred_from"] == "feels rough"
    assert "source_span" not in fact


def test_a_span_that_does_not_stand_in_the_text_is_refused(entities, max_):
    row = state(entities, max_, "employer", "Siemens", **said("Max works at Siemens", "at Bosch"))
    assert (row["origin"], row["refused_span"]) == ("model", "at Bosch")
    row = state(entities, max_, "home", "Bonn", **said("Max lives in Bonn", "in Bonn"))
    assert (row["origin"], row["refused_span"]) == ("user", None)


def test_what_ends_without_another_value_needs_words_of_the_user_but_not_the_value(entities, max_):
    fact = state(entities, max_, "employer", "Acme", **said("He works at Acme"))["fact_id"]
    with pytest.raises(REFUSALS, match="the user said that"):
        state(entities, max_, "employer", ends=fact, **said("He likes it", "quit"))
    assert state(entities, max_, "employer", ends=fact, **said("He quit", "quit"))["fact_id"]
    assert values(entities, max_) == []


def test_a_fact_said_again_is_the_same_and_may_become_the_users(entities, max_):
    first = state(entities, max_, "home", "Berlin")
    assert state(entities, max_, "Home", "BERLIN")["fact_id"] == first["fact_id"]
    again = state(entities, max_, "home", "Berlin", **said("Berlin"))
    assert (again["fact_id"], again["origin"]) == (first["fact_id"], "user")
    assert state(entities, max_, "home", "Berlin")["origin"] == "user"
    assert len(entities.records("fact")) == 1


def test_what_is_corrected_was_never_so_but_is_known_to_have_been_believed(entities, max_):
    wrong = state(entities, max_, "moved", "2010")
    then = entities.memory.now_ms
    entities.days(1)
    right = state(entities, max_, "moved", "2011", corrects=wrong["fact_id"])
    assert values(entities, max_) == ["2011"]
    assert values(entities, max_, valid_at=then) == ["2011"]
    assert values(entities, max_, known_at=then) == ["2010"]
    assert right["conflicts"] == []
    record = next(one for one in entities.records("fact") if one["value"] == "2010")
    assert record["known_until"] == entities.memory.now_ms


def test_a_correction_of_the_times_alone_keeps_the_value(entities, max_):
    wrong = state(entities, max_, "home", "Berlin", valid_from=10)
    state(entities, max_, "home", corrects=wrong["fact_id"], valid_from=20)
    [row] = entities.get(max_)["facts"]
    assert (row["value"], row["valid_from"]) == ("Berlin", 20)
    assert values(entities, max_, valid_at=15) == []


def test_a_correction_of_the_value_alone_keeps_the_times(entities, max_):
    wrong = state(entities, max_, "home", "Berlin", valid_from=10, valid_until=30)
    state(entities, max_, "home", "Bonn", corrects=wrong["fact_id"])
    [row] = entities.get(max_, valid_at=20)["facts"]
    assert (row["value"], row["valid_from"], row["valid_until"]) == ("Bonn", 10, 30)


def test_a_correction_that_puts_nothing_in_its_place_takes_it_back(entities, max_):
    wrong = state(entities, max_, "home", "Berlin")
    entities.days(1)
    assert state(entities, max_, "home", corrects=wrong["fact_id"])["fact_id"] == wrong["fact_id"]
    assert values(entities, max_) == []
    again = state(entities, max_, "home", "Berlin")
    assert again["fact_id"] != wrong["fact_id"]


def test_what_is_ended_was_so_until_then(entities, max_):
    start, now = entities.memory.now_ms - 10 * DAY_MS, entities.memory.now_ms
    old = state(entities, max_, "employer", "Acme", valid_from=start)
    entities.days(1)
    new = state(entities, max_, "employer", "Zeta", valid_from=now, ends=old["fact_id"])
    assert new["conflicts"] == []
    assert values(entities, max_) == ["Zeta"]
    assert values(entities, max_, valid_at=now - 1) == ["Acme"]
    assert values(entities, max_, valid_at=now) == ["Zeta"]
    # Before we heard of it, we thought that it goes on.
    assert values(entities, max_, known_at=now, valid_at=now + 2 * DAY_MS) == ["Acme"]
    [believed] = entities.get(max_, known_at=now)["facts"]
    assert believed["valid_until"] is None


def test_what_is_ended_without_a_time_ends_now(entities, max_):
    old = state(entities, max_, "employer", "Acme")
    entities.days(1)
    assert state(entities, max_, "employer", ends=old["fact_id"])["fact_id"] == old["fact_id"]
    assert values(entities, max_) == []
    assert values(entities, max_, valid_at=entities.memory.now_ms - 1) == ["Acme"]


def test_what_both_are_believed_and_cannot_both_be_is_shown_and_left(entities, max_):
    one = state(entities, max_, "birthday", "3 May", **said("3 May"))
    other = state(entities, max_, "birthday", "4 May")
    conflict = {
        "predicate": "birthday",
        "fact_ids": sorted([one["fact_id"], other["fact_id"]]),
        "values": ["3 May", "4 May"],
    }
    [shown] = other["conflicts"]
    assert {**shown, "fact_ids": sorted(shown["fact_ids"]), "values": sorted(shown["values"])} == (
        conflict
    )
    [read] = entities.get(max_)["conflicts"]
    assert sorted(read["fact_ids"]) == conflict["fact_ids"]
    assert values(entities, max_) == ["3 May", "4 May"]


def test_values_of_what_may_have_several_or_at_other_times_are_no_conflict(entities, max_):
    state(entities, max_, "likes", "cheese")
    assert state(entities, max_, "likes", "shoes")["conflicts"] == []
    state(entities, max_, "employer", "Acme", valid_until=10)
    assert state(entities, max_, "employer", "Zeta", valid_from=10)["conflicts"] == []
    # With Zeta: what Acme was until 10 is over.
    assert len(state(entities, max_, "employer", "Beta", valid_from=9)["conflicts"]) == 1
    state(entities, max_, "collar", "red", single=True)
    assert len(state(entities, max_, "collar", "blue")["conflicts"]) == 1


def test_what_the_user_said_is_undone_by_the_users_words_alone(entities, max_):
    old = state(entities, max_, "home", "Berlin", **said("in Berlin"))
    for how in ("corrects", "ends"):
        with pytest.raises(REFUSALS, match=f"{how}: the user said that; pass the user's message"):
            state(entities, max_, "home", "Bonn", **{how: old["fact_id"]})
    assert values(entities, max_) == ["Berlin"]
    state(entities, max_, "home", "Bonn", corrects=old["fact_id"], **said("no, Bonn"))
    assert values(entities, max_) == ["Bonn"]


def test_a_value_may_be_an_entity(entities, max_):
    anna = entities.one("Anna", "Anna")["entity_id"]
    stated = state(entities, max_, "owner", object_id=anna, **said("Anna owns him"))
    assert stated["origin"] == "user"
    [row] = entities.get(max_)["facts"]
    assert (row["object_id"], row["value"]) == (anna, "Anna")
    other = entities.one("Ann", "Ann")["entity_id"]
    assert len(state(entities, max_, "owner", object_id=other, single=True)["conflicts"]) == 1


def test_facts_go_with_whom_they_were_stated_of(entities, max_):
    puppy = entities.one("the puppy", "puppy")["entity_id"]
    state(entities, max_, "age", "9")
    merge_id = entities.merge(puppy, max_)
    assert len(state(entities, puppy, "age", "1")["conflicts"]) == 1
    assert values(entities, max_) == ["1", "9"]
    entities.unmerge(merge_id)
    assert (values(entities, max_), values(entities, puppy)) == (["9"], ["1"])
    assert entities.get(max_)["conflicts"] == []


def test_facts_that_conflict_bar_a_merge_by_ourselves(entities):
    rows = entities.observe("Anna Smith, Anna Smyth", "Anna Smith", "Anna Smyth")["entities"]
    one, other = (row["entity_id"] for row in rows)
    entities.end()
    state(entities, one, "birthday", "3 May")
    state(entities, other, "birthday", "4 May")
    verdict, reason = entities.link(one, other, origin="user")
    assert verdict == "rejected"
    assert "their facts conflict: birthday is " in reason


def test_what_cannot_be_stated_is_refused_and_nothing_is_changed(entities, max_):
    stated = state(entities, max_, "home", "Berlin", valid_from=10)
    fact_id = stated["fact_id"]
    before = entities.records("fact")
    for given, message in (
        ((max_, "home"), "value: give a value or an object_id$"),
        ((max_, "home", "Bonn", {"object_id": max_}), "not both"),
        ((max_, "home", "Bonn", {"corrects": fact_id, "ends": fact_id}), "not both"),
        ((max_, "home", "Bonn", {"corrects": "nosuch"}), "corrects: not a fact of this entity"),
        ((max_, "age", "9", {"corrects": fact_id}), 'predicate: that fact is of "home"'),
        ((max_, "home", "berlin", {"corrects": fact_id}), "corrects: that fact says the same"),
        ((max_, "home", "Bonn", {"valid_from": 2, "valid_until": 2}), "later than valid_from"),
        ((max_, "home", "Bonn", {"valid_from": 10, "ends": fact_id}), "end before it began"),
        ((max_, " ", "Bonn"), "predicate: "),
        ((max_, "home", ""), "value: "),
        (("nosuch", "home", "Bonn"), 'entity_id: not found: "nosuch"'),
        ((max_, "owner", None, {"object_id": "nosuch"}), 'object_id: not found: "nosuch"'),
        ((max_, "home", "Bonn", {"speaker": "me"}), "speaker: must be one of user, model"),
    ):
        *arguments, more = given if isinstance(given[-1], dict) else (*given, {})
        with pytest.raises(REFUSALS, match=message):
            state(entities, *arguments, **more)
    assert entities.records("fact") == before


def test_what_was_undone_is_not_undone_twice(entities, max_):
    old = state(entities, max_, "home", "Berlin")["fact_id"]
    first = state(entities, max_, "home", "Bonn", corrects=old)
    # The same call, tried again, is no error.
    assert state(entities, max_, "home", "Bonn", corrects=old) == first
    with pytest.raises(REFUSALS, match="was corrected already"):
        state(entities, max_, "home", "Trier", corrects=old)
    with pytest.raises(REFUSALS, match="it is not believed"):
        state(entities, max_, "home", "Trier", ends=old)
    state(entities, max_, "home", ends=first["fact_id"])
    entities.days(1)
    with pytest.raises(REFUSALS, match="has ended already; correct it instead"):
        state(entities, max_, "home", "Trier", ends=first["fact_id"])


def test_facts_of_another_user_are_not_there(entities, max_):
    fact_id = state(entities, max_, "home", "Berlin")["fact_id"]
    theirs = entities.one("Max", "Max", user="bob")["entity_id"]
    with pytest.raises(REFUSALS, match="not found"):
        entities.run(calls.entities.fact(max_, "home", "Bonn"), user_id="bob")
    given = Given("home", "Bonn", corrects=fact_id)
    with pytest.raises(REFUSALS, match="not a fact of this entity"):
        entities.run(calls.entities.fact(theirs, *astuple(given)), user_id="bob")


class Plain:
    """What is believed, as a list of intervals: a second implementation of the rules."""

    def __init__(self):
        self.rows = []

    def add(self, fact_id, value, since, until, now):
        if not any(row["id"] == fact_id for row in self.rows):
            row = {"id": fact_id, "value": value, "from": since, "known": now, "forgot": None}
            self.rows.append({**row, "until": [(now, until)]})

    def end_at(self, row, known_at):
        return [until for since, until in row["until"] if since <= known_at][-1]

    def at(self, valid_at, known_at):
        return sorted(
            row["value"]
            for row in self.rows
            if row["known"] <= known_at
            and (row["forgot"] is None or known_at < row["forgot"])
            and (row["from"] is None or row["from"] <= valid_at)
            and ((end := self.end_at(row, known_at)) is None or valid_at < end)
        )

    def clashes(self, now):
        known = [row for row in self.rows if row["forgot"] is None and self._end(row, now) > now]
        return sum(
            one["value"] != other["value"]
            and self._begin(one) < self._end(other, now)
            and self._begin(other) < self._end(one, now)
            for number, one in enumerate(known)
            for other in known[:number]
        )

    def _begin(self, row):
        return -1e99 if row["from"] is None else row["from"]

    def _end(self, row, now):
        return 1e99 if (end := self.end_at(row, now)) is None else end


@pytest.mark.parametrize("seed", range(4))
def test_random_lives_of_facts_are_those_of_a_plain_model(entities, max_, seed):
    """Stating, correcting and ending in any order, read at any two times."""
    chance, plain, start = random.Random(seed), Plain(), entities.memory.now_ms
    for _ in range(30):
        entities.days(1)
        now = entities.memory.now_ms
        value = chance.choice("abcd")
        since = chance.choice((None, start + chance.randrange(-20, 20) * DAY_MS))
        open_ = [r for r in plain.rows if r["forgot"] is None and len(r["until"]) == 1]
        what = chance.choice(("state", "state", "correct", "end"))
        if what == "state" or not open_:
            made = state(entities, max_, "home", value, valid_from=since)
            plain.add(made["fact_id"], value, since, None, now)
        elif what == "correct":
            row = chance.choice(open_)
            state(entities, max_, "home", corrects=row["id"])
            row["forgot"] = now
        else:
            row = chance.choice(open_)
            if row["from"] is None or row["from"] < now:
                state(entities, max_, "home", ends=row["id"])
                row["until"].append((now, now))
    now = entities.memory.now_ms
    for _ in range(40):
        valid_at, known_at = (start + chance.randrange(-30, 40) * DAY_MS + 1 for _ in range(2))
        shown = values(entities, max_, valid_at=valid_at, known_at=known_at)
        assert shown == plain.at(valid_at, known_at)
    known = [one for one in entities.records("fact") if "known_until" not in one]
    assert len(known) == sum(row["forgot"] is None for row in plain.rows)
    everything = state(entities, max_, "home", "z", valid_from=start - 99 * DAY_MS)
    plain.add(everything["fact_id"], "z", start - 99 * DAY_MS, None, now)
    mine = Plain()
    mine.rows = [row for row in plain.rows if row["id"] != everything["fact_id"]]
    assert len(everything["conflicts"]) == plain.clashes(now) - mine.clashes(now)


def test_the_history_has_the_facts_of_now_the_ended_and_the_corrected(entities, max_):
    def at(day, *given, **more):
        entities.memory.now_ms = day * DAY_MS
        return state(entities, max_, *given, **more)["fact_id"]

    kiel = at(100, "home", "Kiel", **said("Max lives in Kiel"))
    at(110, "home", "Bonn", ends=kiel, valid_from=110 * DAY_MS, **said("Max lives in Bonn now"))
    wrong = at(120, "born", "May", **said("Max was born in May"))
    at(121, "born", "June", corrects=wrong, **said("Max was born in June, not May"))

    def history(day):
        entities.memory.now_ms = day * DAY_MS
        rows = entities.run(calls.entities.history(max_))
        times = ("valid_from", "valid_until", "known_from", "known_until")
        days = [[one[name] and one[name] // DAY_MS for name in times] for one in rows]
        return [[one["value"], *each] for one, each in zip(rows, days, strict=True)], rows

    told, rows = history(130)
    assert told == [
        ["June", None, None, 121, None],
        ["Bonn", 110, None, 110, None],
        ["Kiel", None, 110, 100, None],
        ["May", None, None, 120, 121],
    ]
    assert rows[0]["text"] == "Max was born in June, not May"
    assert rows[0]["origin"] == "user"
    # Looking back, what came later is not known.
    assert history(105)[0] == [["Kiel", None, None, 100, None]]
    with pytest.raises(REFUSALS, match="not found"):
        entities.run(calls.entities.history(max_), user_id="bob")
