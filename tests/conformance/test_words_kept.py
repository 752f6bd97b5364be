"""The index of words is what the texts say, whatever was done to them."""

import random
import re
import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DAY_MS, NOW_MS, Memory
from tests.server.server_processes import server_environment

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused

# Words that are their own stems, and no language's stop words.
WORDS = ("kilo", "tango", "delta", "zulu", "bravo", "lima", "ann")
SPEAKERS = ("Ann Lee", "Ann Wu", "Bob", "Carol Danvers")
TODAY = NOW_MS // DAY_MS * DAY_MS
Record = dict[str, Any]
Index = dict[str, Any]


def said_by(records: dict[str, Record]) -> Index:
    """Return what the index of those texts is to be, by what can be told from the texts alone."""
    texts = list(records.values())
    spoken = [(one["speaker"], one["name"]) for one in texts if "speaker" in one]
    names: dict[str, set[str]] = {}
    for speaker, _ in spoken:
        names.setdefault(speaker.split()[0].lower(), set()).add(speaker)
    mentions = {
        (one["name"], word): count
        for one in texts
        for word, count in Counter(one["summary"].split()).items()
    }
    return {
        "texts": {
            one["name"]: (
                len(one["summary"].split()),
                one.get("thread"),
                one.get("position"),
                one.get("speaker"),
                one.get("said_at"),
            )
            for one in texts
        },
        "terms": {
            name: sorted(names.get(name, ())) for name in {*names, *(word for _, word in mentions)}
        },
        "mentions": mentions,
        "said": sorted(spoken),
        "names": sorted((name, whole) for name, wholes in names.items() for whole in wholes),
        "next": sorted(following(texts)),
        "corpus": (len(texts), sum(len(one["summary"].split()) for one in texts)),
    }


def following(texts: list[Record]) -> list[tuple[str, str]]:
    pairs = []
    for thread in {one["thread"] for one in texts if "thread" in one}:
        told = (one for one in texts if one.get("thread") == thread)
        places = sorted((one["position"], one["name"]) for one in told)
        for (before, one), (after, other) in pairwise(places):
            if after - before <= 3:
                pairs.append((one, other))
    return pairs


def kept(hands: Any) -> Index:
    """Return the index that is in the graph."""
    nodes, edges = hands.everything()
    labelled = {
        label: {node["id"]: node for node in nodes if label in node["labels"]}
        for label in ("Episode", "Text", "Term", "Speaker", "Corpus")
    }
    texts, terms, speakers = (labelled[label] for label in ("Text", "Term", "Speaker"))
    key = {id_: text["key"] for id_, text in texts.items()}
    name = {id_: node["name"] for id_, node in {**terms, **speakers}.items()}
    for text in texts.values():
        assert labelled["Episode"][text["node"]]["name"] == text["key"]
    told = ("length", "thread", "position", "speaker", "said_at")
    of_type = {
        kind: [edge for edge in edges if edge["type"] == kind]
        for kind in ("MENTIONS", "NEXT", "SAID", "NAMES")
    }
    mentions = {(key[e["from"]], name[e["to"]]): e["count"] for e in of_type["MENTIONS"]}
    assert len(mentions) == len(of_type["MENTIONS"])
    assert {name[id_] for id_ in speakers} == {name[edge["from"]] for edge in of_type["SAID"]}
    corpus = labelled["Corpus"].values()
    return {
        "texts": {text["key"]: tuple(text.get(one) for one in told) for text in texts.values()},
        "terms": {term["name"]: list(term.get("speakers") or ()) for term in terms.values()},
        "mentions": mentions,
        "said": sorted((name[edge["from"]], key[edge["to"]]) for edge in of_type["SAID"]),
        "names": sorted((name[edge["from"]], name[edge["to"]]) for edge in of_type["NAMES"]),
        "next": sorted((key[edge["from"]], key[edge["to"]]) for edge in of_type["NEXT"]),
        "corpus": (sum(c["texts"] for c in corpus), sum(c["length"] for c in corpus)),
    }


class Life:
    """Random deeds on a graph, and beside it the episodes that there should be."""

    def __init__(self, memory: Memory, hands: Any, portal: Any, folder: Path, seed: int) -> None:
        self.memory, self.hands, self.portal, self.folder = memory, hands, portal, folder
        self.chance = random.Random(seed)
        self.records: dict[str, Record] = {}
        self.backups: list[tuple[Path, dict[str, Record]]] = []
        self.made = 0

    def step(self) -> None:
        often = (self.bring, self.change, self.remove)
        kept = (self.back_up, self.restore, self.move)
        other = (self.add, self.rename, self.by_hand, self.delete)
        self.chance.choice((*often, *often, *kept, *other))()

    def words(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 5)))

    def told(self) -> Record:
        told: Record = {}
        if self.chance.random() < 0.7:
            told["speaker"] = self.chance.choice(SPEAKERS)
        if self.chance.random() < 0.8:
            taken = {(one.get("thread"), one.get("position")) for one in self.records.values()}
            places = [(t, p) for t in "xy" for p in range(14) if (t, p) not in taken]
            told["thread"], told["position"] = self.chance.choice(places)
        if self.chance.random() < 0.5:
            told["said_at"] = NOW_MS - self.chance.randrange(100) * DAY_MS
        return told

    def bring(self) -> None:
        self.made += 1
        record = {"kind": "episode", "name": f"{self.made:03}", "summary": self.words()}
        record |= self.told()
        self.memory.import_rows([record, {"kind": "concept", "name": "kilo"}])
        self.records[record["name"]] = record

    def change(self) -> None:
        if self.records:
            name = self.chance.choice(sorted(self.records))
            change = self.told()
            if self.chance.random() < 0.5:
                change["summary"] = self.words()
            self.memory.import_rows([{"kind": "episode", "name": name, **change}])
            self.records[name] = self.records[name] | change

    def remove(self) -> None:
        if self.records:
            name = self.chance.choice(sorted(self.records))
            self.memory.run(calls.concepts.remove(name, dry_run=self.chance.random() < 0.2))
            if name not in {record.get("name") for record in self.memory.records()}:
                del self.records[name]

    def add(self) -> None:
        summary = self.words()
        name = self.memory.episode_add(summary, ["kilo"])["episode_id"]
        self.records[name] = {"kind": "episode", "name": name, "summary": summary, "said_at": TODAY}

    def rename(self) -> None:
        self.memory.concept_upsert("tango")
        self.made += 1
        self.memory.run(calls.concepts.rename("tango", f"tango {self.made}", dry_run=False))

    def by_hand(self) -> None:
        self.made += 1
        record = {"name": f"{self.made:03}", "summary": self.words()} | self.told()
        felt = {"valence": 0.0, "arousal_level": 0.5, "accessed_at": NOW_MS}
        self.hands.node("Episode", user_id="", **record, **felt)
        record["kind"] = "episode"
        assert self.memory.run(calls.transfer.index([record], again=False)) == [{"indexed": 1}]
        self.records[record["name"]] = record

    def delete(self) -> None:
        if self.records:
            name = self.chance.choice(sorted(self.records))
            self.hands.delete(name)
            del self.records[name]
            self.memory.run(calls.transfer.index_rest())

    def back_up(self) -> None:
        file = self.folder / f"{len(self.backups)}.backup"
        file.touch()
        self.portal.call(self.memory.store.backup, file)
        self.backups.append((file, dict(self.records)))

    def restore(self) -> None:
        if self.backups:
            file, self.records = self.chance.choice(self.backups)
            self.records = dict(self.records)
            self.portal.call(self.memory.store.restore, file)

    def move(self) -> None:
        """Into an empty store, by way of an export."""
        records = self.memory.records()
        self.portal.call(self.memory.store.restore, None)
        self.memory.import_rows(records)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_done_the_index_is_what_the_texts_say(
    memory: Memory, hands: Any, portal: Any, tmp_path: Path, seed: int
) -> None:
    life = Life(memory, hands, portal, tmp_path, seed)
    for _ in range(40):
        life.step()
        assert kept(hands) == said_by(life.records)
    assert memory.run(calls.transfer.check()) == []


def unindexed(count: int) -> list[Record]:
    chance = random.Random(count)
    felt = {"valence": 0.0, "arousal_level": 0.5, "accessed_at": NOW_MS}
    return [
        {
            "name": f"{number:05}",
            "summary": " ".join(chance.choices(WORDS, k=6)),
            "thread": f"thread {number // 40}",
            "position": number % 40,
            "speaker": chance.choice(SPEAKERS),
            **felt,
        }
        for number in range(count)
    ]


def left(memory: Memory) -> int:
    """Return how many episodes are not indexed."""
    [row] = memory.run(calls.concepts.unindexed())
    return int(row["episodes"])


def test_one_transaction_may_index_no_more_than_a_limit(memory: Memory, hands: Any) -> None:
    made = unindexed(5)
    hands.nodes("Episode", made)
    hands.nodes("Concept", [{"name": "apple", "accessed_at": NOW_MS}])

    def indexed() -> int:
        [row] = memory.run(calls.transfer.index_rest(2))
        return int(row["indexed"])

    assert [indexed() for _ in range(4)] == [2, 2, 2, 0]
    assert kept(hands) == said_by({one["name"]: one for one in made})
    for one in made:
        hands.delete(one["name"])
    assert [indexed() for _ in range(4)] == [2, 2, 1, 0]
    assert kept(hands) == said_by({})


@pytest.mark.parametrize("limit", [-1])
def test_a_limit_below_nothing_is_refused(memory: Memory, limit: int) -> None:
    with pytest.raises(Refused, match=r"^limit: must be"):
        memory.run(calls.transfer.index_rest(limit))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals that kill")
def test_indexing_that_was_killed_is_completed_by_the_same_command(
    memory: Memory, hands: Any
) -> None:
    made = unindexed(2_500)
    hands.nodes("Episode", made)
    there = memory.store.location
    where = [] if "://" in there else [f"--embedded={there}"]
    environment = server_environment(
        {"TZ": "UTC", "CONCEPT_GRAPH_CONCEPTS": "shared"}
        | ({} if where else {"MEMGRAPH_URI": there})
    )
    command = [sys.executable, "-m", "concept_graph_mcp", *where, "index"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as killed:
        while left(memory) == len(made) and killed.poll() is None:
            pass
        killed.kill()
    assert killed.returncode == -signal.SIGKILL
    assert 0 < left(memory) < len(made)
    assert left(memory) % 500 == 0
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"indexed: [\d,]+", again.stderr.splitlines()[-1])
    assert left(memory) == 0
    assert kept(hands) == said_by({one["name"]: one for one in made})


def test_who_said_nothing_that_is_left_is_named_by_no_question(memory: Memory, hands: Any) -> None:
    told = [("1", "Ann Lee"), ("2", "Ann Wu"), ("3", "Ann Wu")]
    rows = [{"kind": "episode", "name": n, "summary": "kilo", "speaker": s} for n, s in told]
    memory.import_rows(rows)

    def named() -> list[str]:
        return kept(hands)["terms"].get("ann", [])

    assert named() == ["Ann Lee", "Ann Wu"]
    memory.run(calls.concepts.remove("1", dry_run=False))
    assert named() == ["Ann Wu"]
    memory.import_rows([{"kind": "episode", "name": "2", "speaker": "Bob"}])
    assert named() == ["Ann Wu"]
    memory.run(calls.concepts.remove("3", dry_run=False))
    assert "ann" not in kept(hands)["terms"]
