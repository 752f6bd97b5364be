"""Measure how well a model, or the built-in extractor, tells what messages mention."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import click
from rich.console import Console
from rich.table import Table

from concept_graph_mcp.extras.chat_model import Model, ModelError, OpenAIModel, find_endpoint
from concept_graph_mcp.observing.extraction import Said, extract_observations
from concept_graph_mcp.observing.sessions import Candidate
from conceptgraph_core.entities import rule_extractor

from .measures import Row, scored

SET = Path(__file__).parent / "messages.jsonl"
_LANGUAGES = ("english", "german")


def read() -> list[Row]:
    return [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]


def built_in(row: Row) -> list[dict[str, Any]]:
    """Return what is told of a message without a model."""
    return rule_extractor.observations(row["text"], _LANGUAGES, row["speaker"])


async def by_model(model: Model, row: Row) -> list[dict[str, Any]]:
    """Return what *model* tells of a message, as `observe --model` asks it."""
    known = [Candidate(one["id"], one["label"], one["kind"], one["line"]) for one in row["known"]]
    made = await extract_observations(model, (), Said(row["speaker"], row["text"]), known)
    return [] if made is None else made.observations


async def _asked(name: str, rows: list[Row]) -> list[list[dict[str, Any]]]:
    model = OpenAIModel(find_endpoint(os.environ, name))
    try:
        return [await by_model(model, row) for row in rows]
    finally:
        await model.close()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--model", metavar="NAME", help="A model at OPENAI_BASE_URL; default: built-in.")
def main(model: str | None) -> None:
    """Measure precision and recall of entities, identities and facts, on 20 messages."""
    rows = read()
    try:
        told = [built_in(row) for row in rows] if model is None else anyio.run(_asked, model, rows)
    except ModelError as error:
        raise click.ClickException(str(error)) from None
    table = Table("measure", "told", "right", "of", "precision", "recall")
    for name, score in scored(zip(told, rows, strict=True)).items():
        counts = map(str, (score.told, score.right, score.wanted))
        table.add_row(name, *counts, f"{score.precision:.2f}", f"{score.recall:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
