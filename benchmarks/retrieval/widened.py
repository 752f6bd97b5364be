"""Measure how a concept graph, or entities, help a search for memories: an example written by hand.

    python -m benchmarks.retrieval.widened

The agent has kept concepts and their relations, as it does in conversations; the memories of four
weeks speak of Max, Ruth or the Golf and say neither "dog" nor "sister" nor "car". Another agent has
kept the same as kinds of entities and facts of the user. Asked are
questions by the concept, questions that have the memory's own words, and such whose concept also
leads astray. Each question has one memory that answers it; recall@k is the share of questions whose
memory is among the first k.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.stores import Embedded
from concept_graph_mcp import calls
from conceptgraph_core.entities import schema as entities
from conceptgraph_core.verbs.context import DEFAULT_USER

DEPTHS = (1, 5)

# How often each was stated.
RELATIONS = (
    ("dog", "Max", "evokes", 3), ("dog", "walk", "evokes", 2), ("poodle", "dog", "is-a", 1),
    ("sister", "Ruth", "evokes", 2), ("Ruth", "Lisbon", "evokes", 1), ("car", "Golf", "evokes", 2),
    ("Golf", "Volkswagen", "is-a", 1), ("doctor", "Weber", "evokes", 2),
    ("pill", "Ramipril", "evokes", 1), ("tea", "kettle", "evokes", 4),
    ("tea", "morning", "evokes", 3), ("job", "Siemens", "evokes", 2),
    ("holiday", "Corsica", "evokes", 1), ("instrument", "cello", "evokes", 1),
    ("cello", "instrument", "is-a", 2), ("allergy", "hazelnut", "evokes", 2),
    ("bike", "Gazelle", "evokes", 1),
)  # fmt: skip

# The same as kinds of entities, and as facts of the user.
KINDS = {
    "Max": "dog", "Ruth": "sister", "Golf": "car", "Weber": "doctor", "cello": "instrument",
    "Gazelle": "bike",
}  # fmt: skip
FACTS = {"pill": "Ramipril", "job": "Siemens", "holiday": "Corsica", "allergy": "hazelnut"}

MEMORIES = {
    "slipper": "Max chewed the left blue slipper on Sunday",
    "vet": "Max gets his rabies shot at the clinic on 3 July",
    "birthday": "Ruth turns forty on the ninth of August",
    "move": "Ruth is moving to Lisbon after the summer",
    "brakes": "The brakes of the Golf were replaced, 480 euros",
    "parking": "The Golf must not stand in Elm Street on Tuesdays",
    "pressure": "Weber wants to see the blood pressure diary in a month",
    "dose": "Ramipril was raised to 5 mg, taken after breakfast",
    "offer": "Siemens offers a contract for three years, in Erlangen",
    "ferry": "The ferry to Corsica leaves Livorno at eight",
    "strings": "New strings for the cello cost more than thought",
    "cake": "The cake for the office must be free of hazelnut",
    "lock": "The lock of the Gazelle has the code 4711",
    "kettle": "The kettle leaks and should be descaled",
    "assam": "Green tea in the evening, Assam at breakfast",
    "swim": "Swims a kilometre on Mondays before work",
    "rent": "The rent rises by 60 euros from October on",
    "tax": "The tax letter is in the second drawer",
    "garden": "Tomatoes need water every day in July",
    "book": "Reads a novel set in Trieste, slowly",
    "film": "The film on Friday begins at half past seven",
    "meeting": "The morning meeting was moved to ten",
    "walk": "A long walk around the lake helps against headaches",
    "golf": "Uncle Piet plays golf in Zandvoort every spring",
    "ruthless": "The review in the paper was ruthless",
    "piano": "The piano upstairs is out of tune",
    "coffee": "Drinks no coffee after noon",
    "train": "The train to Nuremberg was cancelled twice",
    "wifi": "The password of the router is on its back",
    "shoes": "Running shoes last about 700 kilometres",
}

QUESTIONS = {
    "by a concept": (
        ("What did the dog destroy?", "slipper"),
        ("When is the dog due for a vaccination?", "vet"),
        ("When is my sister's birthday?", "birthday"),
        ("Where does my sister want to live?", "move"),
        ("What did the car repair cost?", "brakes"),
        ("Where may I not leave the car?", "parking"),
        ("What does the doctor expect of me?", "pressure"),
        ("How many of the pills do I take?", "dose"),
        ("Where would the new job be?", "offer"),
        ("How do we get to our holiday?", "ferry"),
        ("What did I buy for my instrument?", "strings"),
        ("Which allergy must I think of when baking?", "cake"),
        ("What opens my bike?", "lock"),
    ),
    "by its own words": (
        ("What did Max chew?", "slipper"),
        ("When was the morning meeting moved to?", "meeting"),
        ("What tea is there at breakfast?", "assam"),
        ("What helps against headaches?", "walk"),
        ("Who plays golf?", "golf"),
        ("What does the rent rise by?", "rent"),
        ("Which shoes last long?", "shoes"),
    ),
    "its concept leads astray": (
        ("What tea do I drink in the evening?", "assam"),
        ("Is there a good walk around here for the dog?", "walk"),
        ("Is the piano or another instrument out of tune?", "piano"),
        ("Where was the train for the job cancelled?", "train"),
    ),
}  # fmt: skip


def main() -> None:
    """Print the recall of each kind of question, with nothing, relations, or kinds and facts."""
    with tempfile.TemporaryDirectory() as folder:
        found = {
            kept: measured(Path(folder) / f"{number}.db", kept) for number, kept in enumerate(KEPT)
        }
    title = f"{len(MEMORIES)} memories, {len(RELATIONS)} relations; recall in %"
    heads = [f"@{depth}, {kept}" for depth in DEPTHS for kept in KEPT]
    table = Table("asked", "questions", *heads, title=title)
    for kind, asked in QUESTIONS.items():
        shares = [
            f"{100 * recall(asked, found[kept], depth):.0f}" for depth in DEPTHS for kept in KEPT
        ]
        table.add_row(kind, str(len(asked)), *shares)
    console = Console()
    console.width = max(console.width, 100)
    console.print(table)


def measured(file: Path, kept: str) -> dict[str, list[str]]:
    """Return the memories that each question finds, in a new store with what is *kept*."""
    store = Embedded(file)
    try:
        now_ms = 1_750_000_000_000
        made = [
            {"kind": "memory", "id": key, "user_id": DEFAULT_USER, "content": text,
             "created_at": now_ms - number * 86_400_000, "accessed_at": now_ms}
            for number, (key, text) in enumerate(MEMORIES.items(), 1)
        ]  # fmt: skip
        store.run(calls.transfer.import_rows(made))
        keep = KEPT[kept]
        if keep is not None:
            keep(store)
        return {
            question: [
                row["memory_id"] for row in store.run(calls.memories.search(DEFAULT_USER, question))
            ]
            for asked in QUESTIONS.values()
            for question, _ in asked
        }
    finally:
        store.close()


def _relate(store: Embedded) -> None:
    for source, target, kind, times in RELATIONS:
        for _ in range(times):
            store.run(calls.concepts.relation_add(source, target, kind))


def _observe(store: Embedded) -> None:
    seen = [{"label": name, "type": "entity", "kind": kind} for name, kind in KINDS.items()]
    user = {"label": entities.SELF, "type": "entity"}
    said = "; ".join(f"{name} is a {kind}" for name, kind in KINDS.items())
    [row] = store.run(calls.entities.observe("first", "1", "user", said, [*seen, user]))
    [own] = [one["entity_id"] for one in row["entities"] if one["label"] == entities.SELF]
    for predicate, value in FACTS.items():
        store.run(calls.entities.fact(own, predicate, value))


KEPT: dict[str, Callable[[Embedded], None] | None] = {
    "nothing": None,
    "relations": _relate,
    "kinds, facts": _observe,
}


def recall(asked: Sequence[tuple[str, str]], found: dict[str, list[str]], depth: int) -> float:
    """Return the share of *asked* whose memory is among the first *depth* that were found."""
    return sum(answer in found[question][:depth] for question, answer in asked) / len(asked)


if __name__ == "__main__":
    main()
