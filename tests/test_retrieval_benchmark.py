"""The retrieval benchmark: what the converters make of published files, and what is measured."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.retrieval import (
    beam,
    locomo,
    longmemeval,
    personamem,
    realmem,
    realtalk,
    widened,
)
from benchmarks.retrieval.__main__ import main
from benchmarks.retrieval.cost import cost
from benchmarks.retrieval.finders import BASELINES, FINDERS, by_associate
from benchmarks.retrieval.folder import Memory, Message, Query, Source, read, source, write
from benchmarks.retrieval.in_memory import InMemory
from benchmarks.retrieval.in_store import IN_STORE, emptied
from benchmarks.retrieval.measures import BUDGETS, found_by, interval, of_found
from benchmarks.retrieval.pairs import __main__ as pairs_module
from benchmarks.retrieval.pairs.__main__ import main as pairs
from benchmarks.retrieval.published import comparable
from click.testing import CliRunner

from conceptgraph_core.texts.words import terms

MINUTE_MS = 60_000
DAY_MS = 86_400_000
# 2023-05-08T13:56:00Z
MAY_8 = 1_683_554_160_000

REALMEM = Path(__file__).parents[2] / "shared/data/realmem_dev"


def saved(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    sample = {
        "sample_id": "conv-26",
        "conversation": {
            "speaker_a": "Caroline",
            "speaker_b": "Melanie",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Caroline", "dia_id": "D1:1", "text": "I painted a sunrise."},
                {
                    "speaker": "Melanie",
                    "dia_id": "D1:2",
                    "text": "Look!",
                    "blip_caption": "a photo of a dog",
                },
            ],
            "session_2_date_time": "9:00 am on 9 May, 2023",
        },
        "qa": [
            {"question": "What was painted?", "evidence": ["D1:01"], "category": 4},
            {"question": "Who has a dog?", "evidence": ["D1:2; D1:1", "D9:9"], "category": 1},
            {"question": "Who flew?", "evidence": ["D9:9"], "category": 5},
        ],
    }
    return saved(tmp_path / "locomo10.json", [sample, sample | {"sample_id": "conv-42"}])


def test_a_conversation_of_locomo_keeps_its_turns_times_and_evidence(locomo_file: Path) -> None:
    first, second = locomo.memories(locomo_file)
    assert (first.name, second.name) == ("conv-26", "conv-42")
    text = "Look! [a photo of a dog]"
    assert first.messages[1] == Message(
        "conv-26/D1:2", "conv-26", "conv-26/1", MAY_8 + MINUTE_MS // 2, "Melanie", text
    )
    assert [query.gold for query in first.queries] == [
        ("conv-26/D1:1",),
        ("conv-26/D1:2", "conv-26/D1:1"),
    ]
    assert first.queries[0].asked_ms == first.messages[1].time_ms + DAY_MS


@pytest.mark.parametrize(
    ("part", "names"),
    [("all", ["conv-26", "conv-42"]), ("tuning", ["conv-26"]), ("unseen", ["conv-42"])],
)
def test_what_the_ranking_is_tuned_on_is_kept_apart(
    tmp_path: Path, locomo_file: Path, part: str, names: list[str]
) -> None:
    asked = [str(locomo_file), str(tmp_path / "out"), "--part", part]
    assert CliRunner().invoke(locomo.main, asked).exit_code == 0
    assert [memory.name for memory in read(tmp_path / "out")] == names
    assert source(tmp_path / "out") == Source("LoCoMo", part)


def test_a_chat_of_realtalk_has_the_time_of_each_message(tmp_path: Path) -> None:
    turn = {"speaker": "Emi", "date_time": "29.12.2023, 22:42:04", "clean_text": "Hey!"}
    chat = {
        "name": {"speaker_1": "Emi", "speaker_2": "elise"},
        "session_1": [turn | {"dia_id": "D1:1"}, turn | {"dia_id": "D1:2"}],
        "session_1_date_time": "29.12.2023, 22:42:04",
        "events_session_1": {},
        "qa": [{"question": "Who greets?", "evidence": ["D1:1-D 1:2"], "category": 2}],
    }
    saved(tmp_path / "Chat_1_Emi_Elise.json", chat)
    (memory,) = realtalk.memories(tmp_path)
    assert {message.time_ms for message in memory.messages} == {1_703_889_724_000}
    assert memory.queries[0].gold == ("Chat_1_Emi_Elise/D1:1", "Chat_1_Emi_Elise/D1:2")


def test_a_chat_of_beam_has_the_dates_of_its_batches_and_no_notes_of_its_makers(
    tmp_path: Path,
) -> None:
    turn = [
        {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Plan it. ->-> 1,1"},
        {"role": "assistant", "id": 1, "content": "Sure ->"},
    ]
    later = [{"role": "user", "id": 2, "time_anchor": "April-05-2024", "content": "And now?"}]
    chat = [{"batch_number": 1, "turns": [turn]}, {"batch_number": 2, "turns": [later]}]
    asked = {
        "abstention": [{"question": "Why?"}],
        "event_ordering": [{"question": "In which order?", "source_chat_ids": [[2], [0]]}],
        "knowledge_update": [
            {"question": "What now?", "source_chat_ids": {"original_info": [0], "updated": [2]}}
        ],
    }
    for number in (2, 10):
        saved(tmp_path / f"100K/{number}/chat.json", [])
        saved(tmp_path / f"100K/{number}/chat_trunecated.json", chat)
        saved(tmp_path / f"100K/{number}/probing_questions/probing_questions.json", asked)
    saved(tmp_path / "100K/topics.json", [])
    memory, other = beam.memories(tmp_path / "100K")
    assert (memory.name, other.name) == ("100K/2", "100K/10")
    assert [message.text for message in memory.messages] == ["Plan it.", "Sure ->", "And now?"]
    assert len({message.thread for message in memory.messages}) == 2
    assert memory.messages[2].time_ms == 1_712_275_200_000
    assert [query.gold for query in memory.queries] == [
        ("100K/2/2", "100K/2/0"),
        ("100K/2/0", "100K/2/2"),
    ]
    assert {query.asker for query in memory.queries} == {"user"}


def test_the_chats_of_beam_that_are_tuned_on_are_the_first_five(tmp_path: Path) -> None:
    chat = [{"turns": [[{"role": "user", "id": 0, "time_anchor": "May-01-2024", "content": "Hi"}]]}]
    for number in (5, 6):
        saved(tmp_path / f"100K/{number}/chat.json", chat)
        saved(tmp_path / f"100K/{number}/probing_questions/probing_questions.json", {})
    for part, name in (("tuning", "100K/5"), ("unseen", "100K/6")):
        asked = [str(tmp_path / "100K"), str(tmp_path / part), "--part", part]
        assert CliRunner().invoke(beam.main, asked, catch_exceptions=False).exit_code == 0
        assert [memory.name for memory in read(tmp_path / part)] == [name]


def test_a_persona_of_realmem_is_asked_in_its_own_words_about_earlier_sessions(
    tmp_path: Path,
) -> None:
    def said(speaker: str, content: str, **more: Any) -> dict[str, Any]:
        return {"speaker": speaker, "content": content, **more}

    asks = {"is_query": True, "category_name": "Static Retrieval"}
    answer = {"memory_session_uuids": ["bb", "aa", "cc", "unknown"]}
    sessions = [
        ("aa", "2025-12-15 (Monday)", [said("User", "I run."), said("Assistant", "Good.")]),
        ("bb", "2025-12-15 (Monday)", [said("User", "I swim."), said("Assistant", "Nice.")]),
        ("cc", "2025-12-14 (Sunday)",
         [said("User", "My sports?", **asks), said("Assistant", "Two.", **answer)]),
        ("dd", "2025-12-20 (Saturday)",
         [said("User", "And?", **asks), said("Assistant", "None.", memory_session_uuids=[])]),
    ]  # fmt: skip
    dialogues = [
        {"session_uuid": uuid, "current_time": day, "dialogue_turns": turns}
        for uuid, day, turns in sessions
    ]
    saved(tmp_path / "Ann_Lee_dialogues_256k.json", {"dialogues": dialogues})
    (memory,) = realmem.memories(tmp_path)
    (query,) = memory.queries
    # Only sessions before the question's own are answers.
    assert (query.gold, query.level) == (("Ann_Lee/s0", "Ann_Lee/s1"), "session")
    assert (query.text, query.asker) == ("My sports?", "User")
    times = [message.time_ms for message in memory.messages]
    assert times == sorted(times)
    assert memory.messages[0].time_ms == 1_765_756_801_000
    assert times[3] < query.asked_ms < times[4]


@pytest.mark.skipif(not REALMEM.is_dir(), reason="needs the conversations for development")
def test_the_personas_that_are_tuned_on_are_named_as_in_their_files() -> None:
    assert [memory.name for memory in read(REALMEM)] == list(realmem.TUNED_ON)


def test_a_question_of_longmemeval_has_its_own_history_and_sessions_as_answers(
    tmp_path: Path,
) -> None:
    asked = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Which bike?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1", "noise", "noise"],
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21",
            "2023/05/01 (Mon) 10:00",
            "2023/05/02 (Tue) 10:00",
        ],
        "haystack_sessions": [
            [{"role": "user", "content": "I bought a bike.", "has_answer": True}],
            [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
            [{"role": "user", "content": "Bye"}],
        ],
        "answer_session_ids": ["answer_1"],
    }
    path = saved(tmp_path / "longmemeval_s.json", [asked, asked | {"question_id": "q2_abs"}])
    (memory,) = longmemeval.memories(path)
    assert [message.text for message in memory.messages] == [
        "Hello",
        "Hi",
        "Bye",
        "I bought a bike.",
    ]
    assert len({message.id for message in memory.messages}) == 4
    assert len({message.thread for message in memory.messages}) == 3
    (query,) = memory.queries
    assert query.gold == (memory.messages[3].thread,)
    assert query.level == "session"
    assert memory.messages[3].time_ms < query.asked_ms == 1_685_490_000_000


def test_a_context_of_personamem_is_cut_into_sessions_and_asked_about_where_it_ends(
    tmp_path: Path,
) -> None:
    turns = [
        ("system", "p" * 100),
        ("user", "User: " + "a" * 194),
        ("assistant", "Assistant: " + "b" * 189),
        ("system", "p" * 100),
        ("user", "User: " + "c" * 394),
        ("user", "User: later"),
    ]
    context = [{"role": role, "content": content} for role, content in turns]
    (tmp_path / "shared_contexts_32k.jsonl").write_text(
        json.dumps({"ctx": context}) + "\n" + json.dumps({"other": context}) + "\n"
    )
    (tmp_path / "questions_32k.csv").write_text(
        "question_id,question_type,user_question_or_message,shared_context_id,"
        "end_index_in_shared_context,distance_to_ref_proportion_in_context\n"
        'q1,facts,"What, then?",ctx,5,80.00%\n'
        "q2,facts,And now?,ctx,5,10.00%\n"
    )
    memory, other = personamem.memories(tmp_path)
    assert not other.queries
    assert [message.text[:5] for message in memory.messages] == ["aaaaa", "bbbbb", "ccccc", "later"]
    first, second = memory.messages[0].thread, memory.messages[2].thread
    assert first != second
    assert [query.gold for query in memory.queries] == [(first,), (second,)]
    asked_ms = memory.queries[0].asked_ms
    assert memory.messages[2].time_ms < asked_ms < memory.messages[3].time_ms


def small_memory(level: str = "message") -> Memory:
    """Twelve messages in twelve sessions; the second is about a ferry, and an answer follows."""
    texts = ["The weather is grey.", "When does the ferry leave?", "At seven, I think."]
    messages = tuple(
        Message(
            f"m{n}",
            "m",
            f"s{n // 3}",
            MAY_8 + n * MINUTE_MS,
            "ann",
            texts[n % 3] if n < 3 else "Rain.",
        )
        for n in range(36)
    )
    gold = ("s0",) if level == "session" else ("m1", "m2")
    asked = MAY_8 + DAY_MS
    return Memory("m", messages, (Query("q", "m", "the ferry?", asked, gold, level=level),))


def test_a_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    memories = [small_memory()]
    assert write(tmp_path / "new", memories).endswith("1 memories, 36 messages, 1 queries")
    assert read(tmp_path / "new") == memories


@pytest.mark.parametrize(
    ("name", "share"), [("BM25", 0.5), ("BM25 and neighbours", 1.0), ("associate", 1.0)]
)
def test_recall_is_the_share_of_the_answers_that_are_found(name: str, share: float) -> None:
    memory = small_memory()
    (shares,) = found_by(FINDERS[name], memory, InMemory(memory.messages))
    assert (shares["recall@1"], shares["recall@10"]) == (0.5, share)


def test_a_session_is_found_by_its_best_message() -> None:
    memory = small_memory("session")
    (shares,) = found_by(by_associate, memory, InMemory(memory.messages))
    assert set(shares.values()) == {1.0}


def test_a_session_is_hit_if_any_message_of_it_is_among_the_best_sessions() -> None:
    memory = small_memory()
    late = of_found(memory, memory.queries[0], [35, 34, 30, 0])
    assert (late["session hit@1"], late["session hit@5"]) == (0.0, 1.0)
    assert late["recall@10"] == 0.0


def test_nothing_is_found_that_was_said_after_the_question() -> None:
    memory = small_memory()
    early = Query("q", "m", "the ferry?", MAY_8 + MINUTE_MS, ("m1",))
    index = InMemory(memory.messages)
    assert [finder(index, early, 5) for finder in FINDERS.values()] == [[], [], []]


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [0.0, 1.0] * 50
    low, high = interval(values)
    assert 0.35 < low < 0.5 < high < 0.65
    assert interval(values) == (low, high)


@pytest.mark.slow
def test_the_cost_is_measured_on_as_many_messages_as_wanted() -> None:
    measured = cost([small_memory(), small_memory()], 100)
    assert measured.messages == 100
    assert list(measured.question) == list(FINDERS)
    assert all(0 < middle <= most for middle, most in measured.question.values())


def test_the_command_prints_recall_beside_bm25(tmp_path: Path, locomo_file: Path) -> None:
    run = CliRunner().invoke(locomo.main, [str(locomo_file), str(tmp_path / "out")])
    assert run.output == f"{tmp_path}/out: 1 memories, 2 messages, 2 queries\n"
    shown = CliRunner().invoke(main, [str(tmp_path / "out")], catch_exceptions=False).output
    heads, *rows = [line.split("|")[1:-1] for line in shown.splitlines() if line.startswith("|")]
    assert [head.strip() for head in heads] == [
        "",
        "%",
        *BASELINES,
        "words",
        "words, groups",
        "published",
    ]
    sources, figures, *_, words, _, published = zip(*rows[1:], strict=True)
    assert [one.strip() for one in sources[:2]] == ["LoCoMo, unseen", "2 questions, turns"]
    assert len(figures) == 6 + len(BUDGETS)
    cells = dict(zip(map(str.strip, figures), map(str.strip, words), strict=True))
    assert cells["context, 500 tokens"] == "100.0 (100.0 … 100.0)"
    assert any("66.2, 78.0 (2)" in cell for cell in published)
    assert re.search(r"^2\. turns of LoCoMo: a trained dense retriever", shown, re.MULTILINE)


def test_a_store_finds_the_same_in_the_same_order(tmp_path: Path) -> None:
    memory = small_memory()
    index, (query,) = InMemory(memory.messages), memory.queries
    for made in IN_STORE.values():
        with emptied(f"sqlite:///{tmp_path}/store.db") as store:
            found = made(store, memory.messages).find(index, query, 10)
        assert found == by_associate(index, query, 10)


def test_a_store_is_removed_and_one_that_is_there_already_is_not(
    tmp_path: Path, locomo_file: Path
) -> None:
    CliRunner().invoke(locomo.main, [str(locomo_file), str(tmp_path / "out")])
    store = tmp_path / "store.db"
    asked = [str(tmp_path / "out"), "--store", f"sqlite:///{store}"]
    assert CliRunner().invoke(main, asked).exit_code == 0
    assert not store.exists()
    store.touch()
    assert "is there already" in CliRunner().invoke(main, asked).output


@pytest.mark.slow
def test_vectors_stand_beside_words(tmp_path: Path) -> None:
    write(tmp_path / "small", [small_memory()])
    asked = [str(tmp_path / "small"), "--embeddings", "use-multilingual"]
    shown = CliRunner().invoke(main, asked, catch_exceptions=False).output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines()]
    assert ["", "%", *BASELINES, "words", "words, groups", "use-multilingual", "published"] in rows
    assert ["small", "recall@1", "50.0", "50.0", *["50.0 (50.0 … 50.0)"] * 3, ""] in rows


@pytest.mark.slow
def test_several_processes_print_the_same(tmp_path: Path) -> None:
    small = small_memory()
    (query,) = small.queries
    another = tuple(replace(message, memory="n") for message in small.messages)
    both = [small, Memory("n", another, (replace(query, memory="n"),))]
    write(tmp_path / "two", both)
    alone, together = (
        CliRunner().invoke(main, [str(tmp_path / "two"), *jobs], catch_exceptions=False).stdout
        for jobs in ((), ("--jobs", "2"))
    )
    assert "2 questions" in alone
    assert together == alone


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "none", [Memory("m", small_memory().messages, ())])
    assert "has no questions" in CliRunner().invoke(main, [str(tmp_path / "none")]).output


def test_the_part_that_is_tuned_on_is_compared_with_nothing() -> None:
    assert comparable(Source("LoCoMo", "unseen"), "recall@10") is not None
    assert comparable(Source("LoCoMo", "tuning"), "recall@10") is None
    assert comparable(Source("REALTALK"), "recall@10") is None


@pytest.mark.slow
@pytest.mark.skipif(not REALMEM.is_dir(), reason="needs the conversations for development")
def test_more_answers_are_found_than_by_bm25_with_neighbours_on_real_questions() -> None:
    memories = read(REALMEM)
    indexes = {memory.name: InMemory(memory.messages) for memory in memories}
    at_5 = {
        name: sum(
            one["recall@5"]
            for memory in memories
            for one in found_by(finder, memory, indexes[memory.name])
        )
        / 274
        for name, finder in FINDERS.items()
    }
    assert at_5["associate"] > 0.62
    assert at_5["associate"] > at_5["BM25 and neighbours"] + 0.03


@pytest.mark.slow
def test_the_example_of_a_concept_graph_is_found_by_it_and_costs_nothing_else(tmp_path):
    nothing, *kept = (
        widened.measured(tmp_path / f"{number}.db", one) for number, one in enumerate(widened.KEPT)
    )
    by_concept, *others = widened.QUESTIONS.values()
    assert widened.recall(by_concept, nothing, 5) < 1
    for found in kept:
        assert widened.recall(by_concept, found, 5) == 1
        for asked in others:
            assert widened.recall(asked, nothing, 1) == widened.recall(asked, found, 1) == 1


def test_a_set_of_pairs_is_a_folder_alone_or_among_others(tmp_path: Path) -> None:
    pair = {
        "first": "Rosa works at Lindqvist's",
        "second": "Lindqvist's shuts",
        "question": "Rosa?",
    }
    source = tmp_path / "set.jsonl"
    source.write_text(json.dumps(pair) + "\n", encoding="utf-8")
    other = Message("m", "other", "t", MAY_8, "Ann", "Tea")
    write(tmp_path / "others", [Memory("other", (other,), ())])
    for among in ([], ["--among", str(tmp_path / "others")]):
        result = CliRunner().invoke(pairs, [str(source), str(tmp_path / "made"), *among])
        assert result.exit_code == 0, result.output
        [memory] = read(tmp_path / "made")
        *others, first, second = memory.messages
        assert [one.text for one in others] == ["Tea"] * bool(among)
        assert (first.text, second.text) == (pair["first"], pair["second"])
        assert first.time_ms <= second.time_ms < memory.queries[0].asked_ms
        assert memory.queries[0].gold == (second.id,)


def test_a_reminder_shares_no_word_with_its_text(tmp_path: Path) -> None:
    source = Path(pairs_module.__file__).with_name("reminders.jsonl")
    memory = pairs_module.memory(source, [])
    assert len(memory.messages) == len(memory.queries) == 60
    for message, query in zip(memory.messages, memory.queries, strict=True):
        assert query.gold == (message.id,)
        assert not terms(message.text).keys() & terms(query.text).keys()


@pytest.mark.parametrize(("name", "least"), [("two_hops", 0.9), ("updates", 0.9)])
def test_our_own_sets_are_answered(tmp_path: Path, name: str, least: float) -> None:
    source = Path(pairs_module.__file__).with_name(f"{name}.jsonl")
    write(tmp_path, [pairs_module.memory(source, [])])
    [memory] = read(tmp_path)
    [*found] = found_by(by_associate, memory, InMemory(memory.messages))
    assert sum(shares["recall@10"] for shares in found) / len(found) >= least
