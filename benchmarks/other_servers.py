"""The reference memory server and its forks beside ours: the same texts, the same questions.

    npm install @modelcontextprotocol/server-memory
    python -m benchmarks.other_servers \\
        node_modules/@modelcontextprotocol/server-memory/dist/index.js

Kept are the episodes of the demo's flight among notes that have nothing to do with it. Each is
asked about in a whole question, and by the one word that a model might choose for it.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import click

from .stdio import Server

NOTES = 1_000
FIRST = 5
# A question, the one word, and words that are in the episode that answers it and in no other.
QUESTIONS = (
    ("why was the crew changed just before the launch?", "measles", "near German measles"),
    ("who had forgotten his income tax?", "tax", "income tax"),
    ("what was shown of the two ships on television?", "television", "little tape recorder"),
    ("what did they see leaking out into space?", "venting", "a gas of some sort"),
    ("where did the idea of a lifeboat come from?", "lifeboat", "as a lifeboat"),
    ("why could they not steer by the stars?", "stars", "thousand false ones"),
    ("what made the air hard to breathe?", "breathe", "lithium hydroxide canisters"),
    ("how was the mailbox built?", "mailbox", "slip a plastic bag"),
    ("how cold was it in Odyssey?", "cold", "They call Odyssey the refrigerator"),
    ("who wrote down the checklist for the entry?", "checklist", "The long entry checklist"),
    ("what did the service module look like when it was cast off?", "panel", "whole panel"),
    ("where did they come down, and how far from the ship?", "splashdown", "about a mile from"),
)


class Figures(NamedTuple):
    """The figures of one server: ms a text and a question, answers found, median bytes a word."""

    name: str
    keep_ms: float
    ask_ms: float
    of_questions: int
    of_words: int
    answer_bytes: int


class Ours:
    """Our server, with memories, over a new store."""

    name = "concept-graph-mcp, memory"

    def __init__(self, folder: Path) -> None:
        path = f"--embedded={folder / 'memory.db'}"
        command = [sys.executable, "-m", "concept_graph_mcp", path, "--toolsets", "memory"]
        self.server = Server(command, folder / "cache")

    def keep(self, text: str) -> None:
        self.server.call("memory_node_create", content=text)

    def find(self, query: str) -> tuple[list[str], Any]:
        found = self.server.call("memory_node_search", query=query, limit=FIRST)
        return [row["text"] for row in found["memories"]], found


class Reference:
    """A server with the tools of the reference memory server: an entity with an observation."""

    def __init__(self, folder: Path, script: str) -> None:
        self.name = Path(script).resolve().parents[1].name
        file = folder / "memory.jsonl"
        command = ["node", script, "--memory-path", str(file)]
        self.server = Server(command, folder / "cache", {"MEMORY_FILE_PATH": str(file)})
        self._kept = 0

    def keep(self, text: str) -> None:
        self._kept += 1
        entity = {"name": f"note {self._kept}", "entityType": "note", "observations": [text]}
        self.server.call_plain("create_entities", entities=[entity])

    def find(self, query: str) -> tuple[list[str], Any]:
        found = json.loads(self.server.call_plain("search_nodes", query=query))
        return [" ".join(one["observations"]) for one in found["entities"]], found


def texts() -> list[str]:
    """Return what is kept: the flight's episodes, spread among notes about something else."""
    file = Path(__file__).parents[1] / "tests/fixtures/apollo13.jsonl"
    steps = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    told = [step["summary"] for step in steps if step["kind"] == "episode"]
    notes = [f"Note {n}: the plumber of house {n} comes on weekday {n % 7}." for n in range(NOTES)]
    apart = NOTES // len(told)
    for number, summary in enumerate(told):
        notes.insert(number * (apart + 1), summary)
    return notes


def measured(one: Ours | Reference) -> Figures:
    """Return what *one* does with the texts and the questions."""
    with one.server as server:
        server.initialize()
        keeping = [_timed(lambda text=text: one.keep(text))[0] for text in texts()]
        asking, sizes, right = [], [], [0, 0]
        for question, word, answer in QUESTIONS:
            for kind, query in enumerate((question, word)):
                taken, (found, whole) = _timed(lambda query=query: one.find(query))
                asking.append(taken)
                if query == word:
                    sizes.append(len(json.dumps(whole)))
                right[kind] += any(answer in text for text in found[:FIRST])
    whole_questions, words = right
    times = median(keeping), median(asking)
    return Figures(one.name, *times, whole_questions, words, int(median(sizes)))


def _timed(work: Any) -> tuple[float, Any]:
    start = perf_counter()
    made = work()
    return (perf_counter() - start) * 1_000, made


def main(scripts: Sequence[str]) -> None:
    titles = f"{'ms a text':>9} {'ms asked':>9} {'questions':>9} {'words':>6} {'bytes':>8}"
    click.echo(f"{'server':32} {titles}")
    with tempfile.TemporaryDirectory(prefix="concept-graph-bench-") as folder:
        for number, script in enumerate(("", *scripts)):
            own = Path(folder) / str(number)
            own.mkdir()
            row = measured(Reference(own, script) if script else Ours(own))
            of = len(QUESTIONS)
            click.echo(
                f"{row.name:32} {row.keep_ms:9.2f} {row.ask_ms:9.2f} {row.of_questions:6}/{of}"
                f" {row.of_words:3}/{of} {row.answer_bytes:8,}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
