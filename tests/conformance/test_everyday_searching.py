"""Memories found by a search, about a name, and by a time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from everyday_calls import SAID, clara, ms
from expect import DAY_MS

from concept_graph_mcp import calls
from concept_graph_mcp.calls import everyday
from conceptgraph_core.entities.names import Subject
from conceptgraph_core.everyday import asking, lines
from conceptgraph_core.retrieval.question import asks_of_the_past
from conceptgraph_core.texts.dates import Span
from memories import node


def test_a_search_goes_over_all_layers_and_can_be_narrowed(days, memory):
    memory_id = clara(days)
    added = calls.concepts.episode_add
    days.run(added("Hazelnuts were on sale", ["market"], "default"))
    rows = days.search("hazelnuts")
    assert {one["kind"] for one in rows} == {"memory", "episode", "entity"}
    assert {one["total"] for one in rows} == {3}
    assert [one["id"] for one in days.search("hazelnuts", about="clara")] == [memory_id]
    assert [one["kind"] for one in days.search("hazelnuts", kinds=["episode"])] == ["episode"]
    assert len(days.search("hazelnuts", limit=1)) == 1
    assert days.search("hazelnuts", kinds=["memory"], until=memory.now_ms - DAY_MS) == []
    assert len(days.search("hazelnuts", kinds=["memory"], since=memory.now_ms - DAY_MS)) == 1


def test_all_about_a_name_is_bounded_and_says_what_more_there_is(days, memory):
    for number in range(4):
        days.remember(f"Clara has book{number}", [{"name": "Clara", "kind": "sister"}], said=SAID)
    days.run(everyday.relate("default", "Clara", "music", "evokes"))
    row = days.about("Clara", limit=3)
    assert (row["name"], row["kind"], len(row["said"])) == ("Clara", "sister", 3)
    assert (row["relations"], row["more"]) == (["Clara evokes music"], {"said": 1})


@pytest.mark.slow
def test_all_about_a_name_has_what_was_so_too(days, memory):
    clara(days)
    entity_id = days.about("Clara")["id"]
    said = {"text": "Clara lives in Leipzig", "speaker": "user", "span": "Leipzig"}
    ended = memory.now_ms - DAY_MS
    days.run(calls.entities.fact(entity_id, "home", "Leipzig", valid_until=ended, **said))
    days.run(calls.entities.fact(entity_id, "diet", "vegan"))
    rows = [(one["predicate"], one["who"], one["until"]) for one in days.about("Clara")["facts"]]
    assert sorted(rows[:2]) == [("allergy", "the user", None), ("diet", "the model", None)]
    assert rows[2:] == [("home", "the user", ended)]
    line = days.recall("How is Clara?").split("\n")[1]
    assert "allergy: hazelnuts" in line
    assert "diet: vegan (inferred)" in line
    assert "Leipzig" not in line


def test_by_hand_without_any_look_up_all_goes_alike(days, memory):
    clara(days)
    message = "What does my sister Clara not eat?"
    looked_up = days.recalled(message)
    fields = ("lines", "sources", "tokens")
    [row] = memory.procedure("everyday.peek", [message, None, 1_200, [], None], fields)
    assert row == looked_up


def test_a_message_is_asked_with_what_came_before_only_for_a_pronoun():
    assert asking.make_query("Where is it?", "the key") == "Where is it?\nthe key"
    assert asking.make_query("Where is Max?", "the key") == "Where is Max?"
    assert asks_of_the_past("Wo war das früher?")
    assert not asks_of_the_past("Where is it?")


@pytest.mark.slow
def test_a_time_in_a_long_memory_is_found_whole(days, memory):
    start = memory.now_ms
    walks = [f"Walked the dog in the park, round {number}" for number in range(400)]
    memory.import_rows(
        [
            node(f"dog {number}", content=walk, said_at=start - number * DAY_MS)
            for number, walk in enumerate(walks)
        ]
    )
    since, until = start - 300 * DAY_MS, start - 272 * DAY_MS
    rows = days.search("dog park", since=since, until=until, limit=100)
    assert {one["id"] for one in rows} == {f"dog {number}" for number in range(273, 301)}
    assert {one["total"] for one in rows} == {28}
    assert len(days.search("dog park", since=since, until=since + 1)) == 1
    assert days.search("dog park", until=start - 400 * DAY_MS) == []


def test_who_it_is_about_is_asked_before_any_limit(days, memory):
    walks = [f"Walked the dog in the park, round {number}" for number in range(200)]
    memory.import_rows([node(f"dog {number}", content=walk) for number, walk in enumerate(walks)])
    made = days.remember("A long, long walk with Tom and with the dog of his in a park far away")
    assert [one["id"] for one in days.search("dog park", about="Tom")] == [made["id"]]


def test_a_text_is_found_on_each_day_on_which_it_was_said(days, memory):
    told = [memory.now_ms - number * 30 * DAY_MS for number in (1, 2, 3)]
    said = {"text": "I have a migraine again today", "speaker": "user"}
    for number, at in enumerate(told):
        ingested = said | {"id": str(number), "thread": str(number), "said_at": at}
        memory.run(calls.memories.ingest("default", [ingested]))
    for at in told:
        [row] = days.search("migraine", since=at, until=at + DAY_MS, kinds=["memory"])
        assert row["at"] == at


@pytest.mark.parametrize(
    ("name", "text", "is_about"),
    [
        ("Tom", "Tomatoes grow well", False),
        ("Ann", "The train to Hannover was late", False),
        ("Ann", "Ann's bicycle is green", True),
        ("Anna", "Annas Fahrrad ist grün", True),
        ("tomato", "Tomatoes grow well", True),
        ("haselnuss", "Die Haselnüsse sind vom Markt", True),
        ("New York", "It rains in New Yorker bars", False),
        ("jose", "José repairs bicycles", True),
        ("東京", "来週は東京都に行く", True),
        ("C++", "She writes C++ at work", True),
    ],
)
def test_a_text_is_about_a_name_by_words(name, text, is_about):
    assert Subject([name]).is_in([text]) is is_about


def test_about_goes_by_words_in_search_and_in_about(days):
    tomatoes = days.remember("Tomatoes grow on the balcony", ["tomatoes"])["id"]
    tom = days.remember("Tom sold tomatoes", ["Tom"])["id"]
    rows = days.search("Tom sold tomatoes", about="Tom")
    assert {one["id"] for one in rows if one["kind"] == "memory"} == {tom}
    assert {one["text"] for one in rows if one["kind"] == "entity"} == {"Tom (entity)"}
    assert {one["id"] for one in days.about("tomato")["said"]} == {tomatoes, tom}
    assert [one["id"] for one in days.about("Tom")["said"]] == [tom]


def test_all_names_of_the_merged_are_names_of_one(days):
    job = days.remember("Katharina has a job at Bosch", ["Katharina"], said="Katharina works")
    cello = days.remember("Kathi plays the cello", ["Kathi"], said="Kathi plays")
    days.identify("Kathi", "Katharina", True, "Kathi is Katharina")
    for name in ("Katharina", "Kathi"):
        assert {one["id"] for one in days.about(name)["said"]} == {job["id"], cello["id"]}
        rows = days.search("cello", about=name, kinds=["memory"])
        assert [one["id"] for one in rows] == [cello["id"]]


def test_what_was_replaced_is_found_last_and_marked(days, memory):
    old = days.remember("Oskar is 7")["id"]
    new = days.remember("Oskar is 8 years old this year", replaces=old)["id"]
    rows = days.search("Oskar is 7")
    assert [(one["id"], one["until"]) for one in rows] == [
        (new, None),
        (old, days.kept(old)["valid_until"]),
    ]


def test_for_days_again_counts_from_then(days, memory):
    text, question = "The plumber comes on Thursday", "When does the plumber come?"
    days.remember(text, keep="days")
    memory.now_ms += 20 * DAY_MS
    assert text not in days.recall(question)
    assert days.remember(text, keep="days")["existing"]
    assert text in days.recall(question)
    memory.now_ms += 13 * DAY_MS
    assert text in days.recall(question)
    memory.now_ms += 2 * DAY_MS
    assert text not in days.recall(question)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "typed"), [("José", "Jose"), ("René", "Rene"), ("Clara", "Clära")]
)
def test_a_name_is_found_with_and_without_its_accents(days, label, typed):
    made = days.remember(f"{label} repairs bicycles", [label, "bicycles"], said=f"{label} repairs")
    told = days.recall(f"Who is {typed}?")
    assert f"[1] {label} (entity)" in told
    assert f"“{label} repairs bicycles”" in told
    row = days.about(typed)
    assert (row["name"], [one["id"] for one in row["said"]]) == (label, [made["id"]])
    rows = days.search("bicycles", about=typed, kinds=["memory"])
    assert [one["id"] for one in rows] == [made["id"]]


def door_codes(days):
    ids, times = [], []
    for code in (1111, 2222, 3333):
        old = ids[-1] if ids else None
        ids.append(days.remember(f"The door code is {code}", replaces=old)["id"])
        times.append(days.memory.now_ms)
        days.memory.now_ms += 5 * DAY_MS
    return ids, times


def test_nothing_later_than_the_question_is_told(days):
    ids, times = door_codes(days)
    question = "What is the door code?"
    for place, at in enumerate(times):
        call = everyday.recall("default", question, asked_at=at + DAY_MS)
        text = lines.text(days.run(call)[0]["lines"])
        assert [code for code in ("1111", "2222", "3333") if code in text] == [f"{place + 1}" * 4]
        assert "no longer" not in text
        assert "contradicts" not in text
        call = calls.memories.context("default", question, asked_at=at + DAY_MS)
        assert days.run(call)[0]["memory_ids"] == [ids[place]]


def test_replaced_ones_are_in_no_list_of_the_memory_layer(days):
    ids, _ = door_codes(days)
    search, context = calls.memories.search, calls.memories.context
    assert [row["memory_id"] for row in days.run(search("default", "door code"))] == ids[2:]
    assert [row["memory_id"] for row in days.run(calls.memories.recent("default"))] == ids[2:]
    [row] = days.run(context("default", "What is the door code?"))
    assert row["memory_ids"] == ids[2:]
    found = days.run(search("default", "What was the door code before?"))
    assert {row["memory_id"] for row in found} == set(ids)
    [row] = days.run(context("default", "What was the door code before?"))
    assert set(row["memory_ids"]) == set(ids)


@pytest.mark.slow
def test_what_is_near_in_meaning_is_narrowed_before_any_limit(days, memory, store, portal):
    memory.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(store.fit_vectors)
    start = memory.now_ms
    memory.import_rows(
        [
            node(f"near {number}", content=f"Canine {number}", embedding=[1.0, 0.0, 0.0])
            for number in range(150)
        ]
        + [
            node(
                "old",
                content="Hound of a neighbour",
                embedding=[0.8, 0.6, 0.0],
                said_at=start - 90 * DAY_MS,
            )
        ]
    )
    embedded = ("toy", (1.0, 0.0, 0.0))
    rows = days.search("puppy", until=start - 80 * DAY_MS, embedded=embedded, kinds=["memory"])
    assert [one["id"] for one in rows] == ["old"]
    rows = days.search("puppy", about="neighbour", embedded=embedded, kinds=["memory"])
    assert [one["id"] for one in rows] == ["old"]


def test_a_time_alone_brings_all_that_was_told_then(days, memory):
    start = memory.now_ms
    for number, text in enumerate(("Pia bought a kayak", "The roof leaks", "Tea with Max")):
        memory.now_ms = start + number * DAY_MS
        kept = days.remember(text)["id"]
    days.remember("Tea with Mona", replaces=kept)
    memory.now_ms = start + 3 * DAY_MS
    message = "What did I tell you?"

    def told(since, until, message=message):
        span = Span(start + since * DAY_MS, start + until * DAY_MS)
        call = everyday.recall("default", message, told_in=span)
        return [line["parts"][1] for line in days.run(call)[0]["lines"]]

    assert [one.partition("“")[2] for one in told(0, 3)] == [
        "Tea with Mona”",
        "Tea with Max”",
        "The roof leaks”",
        "Pia bought a kayak”",
    ]
    assert [one.partition("“")[2] for one in told(1, 2)] == ["The roof leaks”"]
    assert told(-9, 0) == []
    assert days.recall(message) == ""
    asked = everyday.recall(
        "default", message, told_in=Span(start, start + 3 * DAY_MS), asked_at=start + DAY_MS
    )
    assert len(days.run(asked)[0]["lines"]) == 1
    other = everyday.recall("ann", message, told_in=Span(0, memory.now_ms))
    assert days.run(other, "ann")[0]["lines"] == []


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("What did I tell you yesterday?", 20, 20),
        ("What happened on 15 January?", 15, 15),
        ("What have I said today?", 21, 21),
        ("Remind me what I told you 3 days ago", 18, 18),
        ("Was habe ich letzte Woche erzählt?", 12, 18),
        ("Was war gestern los?", 20, 20),
        ("What did we talk about this week?", 19, 25),
    ],
)
def test_a_message_may_ask_for_a_time_alone(message, first, last):
    zone = ZoneInfo("Europe/Berlin")
    asked_at = ms(datetime(2026, 1, 21, 15, tzinfo=zone))
    span = asking.read_time_alone(message, asked_at, zone, ("en", "de"))
    ends = (datetime(2026, 1, day, tzinfo=zone) for day in (first, last + 1))
    assert span == asking.Then(*map(ms, ends))


@pytest.mark.parametrize(
    "message",
    [
        *("How are you today?", "What's the weather today?", "What day is it today?"),
        *("What did you do yesterday?", "How was your day yesterday?"),
        *("What did I tell you about Tom yesterday?", "Was ist heute?"),
        *(
            "I slept well last night",
            "What happened yesterday in the news?",
            "What did I tell you?",
        ),
        "What will I tell you on 2026-05-01?",
    ],
)
def test_no_other_message_does(message):
    asked_at = ms(datetime(2026, 1, 21, 15, tzinfo=UTC))
    assert asking.read_time_alone(message, asked_at, UTC, ("en", "de")) is None


def test_an_earlier_question_comes_behind_what_answers_it(days):
    days.remember("Where does Anna live now?")
    answer = days.remember("In October Anna moved, and she lives in Porto with her two children")
    further = days.remember("Does Anna live in Porto because of the sea?")
    found = [one["id"] for one in days.search("Where does Anna live now?", kinds=["memory"])]
    assert {*found[:2]} == {answer["id"], further["id"]}
    assert len(found) == 3


def test_a_search_without_a_word_lists_what_was_said_in_its_time(days, memory):
    start = memory.now_ms
    for number, text in enumerate(("Pia bought a kayak", "The roof leaks", "Tea with Max")):
        memory.now_ms = start + number * DAY_MS
        days.remember(text)
    days.remember("Born in Ulm", happened_at=start - 9 * DAY_MS)

    def found(query="what did I tell you", **more):
        rows = days.search(query, **more)
        assert {one["total"] for one in rows} <= {len(rows)}
        return [one["text"] for one in rows]

    assert found(since=start) == ["Tea with Max", "The roof leaks", "Pia bought a kayak"]
    assert found("everything", since=start, until=start + DAY_MS) == ["Pia bought a kayak"]
    assert found(since=start - 10 * DAY_MS, until=start) == ["Born in Ulm"]
    assert found(since=start, about="Pia") == ["Pia bought a kayak"]
    assert found("what about the submarine", since=start) == []
    assert found() == []
    assert days.search("everything", since=0, user="ann") == []


def test_a_new_one_whom_about_names_is_the_one_that_is_known(days, memory):
    about = [{"name": "Conor", "kind": "colleague"}]
    days.remember("Conor is a colleague", about, said="Conor is my colleague")
    days.remember("They had lunch", ["Conor"], said="I had lunch with the new Conor")
    assert len([one for one in memory.records() if one.get("canonical_name") == "conor"]) == 1
    assert days.about("Conor")["kind"] == "colleague"


def test_a_text_that_ends_another_one_may_be_about_the_same(days):
    about = [{"name": "Ingrid", "kind": "boss"}]
    days.remember("Ingrid is the user's boss", about, said="My boss is Ingrid.")
    days.memory.now_ms += 90 * DAY_MS
    said = "Paul is my new boss, he took over from Ingrid."
    about = [{"name": "Paul", "kind": "boss"}, {"name": "Ingrid", "kind": "former boss"}]
    row = days.remember("Paul is the user's new boss, he took over from Ingrid", about, said=said)
    assert [one["ended"] for one in row["similar"]] == [True]
    assert days.about("Ingrid")["kind"] == "former boss"


@pytest.mark.parametrize(
    ("old", "new", "is_ended"),
    [
        ("The user lives in Lisbon", "The user moved from Lisbon to Porto", True),
        ("The user works for Siemens as an engineer", "The user works at Bosch now", True),
        # The rest of what it says still holds.
        ("The user is vegan and lives in Lisbon", "The user moved to Porto", False),
        ("The user's sister lives in Lisbon", "The user moved to Porto", False),
    ],
)
def test_a_text_ends_one_that_states_another_value_and_nothing_else(days, old, new, is_ended):
    kept = days.remember(old, said=old)["id"]
    days.memory.now_ms += 90 * DAY_MS
    days.remember(new, said=new)
    [row] = [one for one in days.search(old, kinds=["memory"]) if one["id"] == kept]
    assert (row["until"] is not None) is is_ended
