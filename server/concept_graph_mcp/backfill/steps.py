"""Define the five steps of a chunk: their order, tools and prompts.

Define the errors of a backfill, each with a one-line message for the user.
"""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template


class BackfillError(Exception):
    """Base of the failures that stop a backfill."""


class HistoryError(BackfillError):
    """The message history cannot be read; the message begins with the line's number."""


class PromptError(BackfillError):
    """The prompts cannot be read."""


class ModelError(BackfillError):
    """The model is not configured, cannot be reached, or gave a useless answer."""


class StepError(BackfillError):
    """A step cannot go on."""


class WorkingStoreError(BackfillError):
    """The working store or its server cannot be used."""


Prompts = dict[str, Template]


@dataclass(frozen=True, slots=True)
class Step:
    """A step, named like its prompt's file, and the tools that it may use."""

    name: str
    tools: tuple[str, ...]


ORGANISE = Step("organise", ())
SEARCH = Step("search", ("concept_search", "recall_query"))
CONCEPTS = Step("concepts", ("concept_search", "concept_upsert", "relation_add"))
EPISODES = Step("episodes", ("episode_add",))
AFFECT = Step("affect", ("update_affect",))
STEPS = (ORGANISE, SEARCH, CONCEPTS, EPISODES, AFFECT)


def prompts(directory: Path | None) -> Prompts:
    """Return each step's prompt: from its file in *directory* if there is one, else ours.

    `$user_id`, `$first_day` and `$last_day` in a prompt stand for the chunk's. Raises PromptError.
    """
    if directory is not None and not list_replaced_prompts(directory):
        names = ", ".join(f"{step.name}.md" for step in STEPS)
        raise PromptError(f"{directory}: has none of {names}")
    return {step.name: _prompt(step, directory) for step in STEPS}


def list_replaced_prompts(directory: Path) -> list[str]:
    """Return the names of the steps whose prompt is in *directory*."""
    return [step.name for step in STEPS if (directory / f"{step.name}.md").is_file()]


def _prompt(step: Step, directory: Path | None) -> Template:
    file = f"{step.name}.md"
    if directory is None or step.name not in list_replaced_prompts(directory):
        ours = resources.files(__package__) / "prompts" / file
        return Template(ours.read_text(encoding="utf-8"))
    try:
        return Template((directory / file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{directory / file}: cannot be read: {error}") from None
