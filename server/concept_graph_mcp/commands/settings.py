"""Print each setting and where it comes from (`settings`)."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import click
from rich.table import Table

from conceptgraph_core.words import languages

from .. import settings_file
from ..settings import EMBEDDED_VARIABLE, NO_EMBEDDINGS, STORE_VARIABLES, Settings, given, location
from .common import AS_JSON
from .terminal import out, print_json, say, wide

# Variables that the settings file has no name for, printed only where they are set.
_FURTHER = (
    "MEMGRAPH_READ_URI",
    "MEMGRAPH_USER",
    "MEMGRAPH_PASSWORD",
    "AROUSAL_TAU_MS",
    "CONCEPT_GRAPH_TOOLSETS",
    "CONCEPT_GRAPH_DECAY",
    "CONCEPT_GRAPH_DECAY_USERS",
    "CONCEPT_GRAPH_RETENTION_DAYS",
    "CONCEPT_GRAPH_REDACT",
    "CONCEPT_GRAPH_TOKENS",
)
_SECRET = ("MEMGRAPH_PASSWORD",)


class Setting(NamedTuple):
    """A setting, its value for people, and its source."""

    name: str
    value: str
    source: str


@click.command()
@AS_JSON
@click.pass_obj
def settings(embedded: str | None, as_json: bool) -> None:
    """Print each setting, and where it comes from: option, environment, settings file, default.

    An option stands above the environment, and that above the file. setup writes the file; any
    editor can change it. A password is never printed.
    """
    file = settings_file.find_file()
    found = list(_list_settings(embedded))
    if as_json:
        rows = [{"name": one.name, "value": one.value, "from": one.source} for one in found]
        print_json({"file": str(file), "exists": file.exists(), "settings": rows})
        return
    table = Table("setting", wide("value"), "from")
    for one in found:
        table.add_row(*one)
    out.print(table)
    say(f"The settings file is {file}." if file.exists() else f"There is no settings file {file}.")


def _list_settings(embedded: str | None) -> Iterator[Setting]:
    """Iterate over the settings. Raises SettingsError."""
    filed, environment = settings_file.read_file() or {}, given(os.environ)
    if filed.get(EMBEDDED_VARIABLE) == settings_file.USUAL:
        del filed[EMBEDDED_VARIABLE]
    chosen = settings_file.read_settings(embedded)
    source = "option" if embedded is not None else _find_source(STORE_VARIABLES, filed, environment)
    yield Setting(settings_file.STORE, _name_store(chosen), source)
    # On Memgraph the everyday verbs have their user's own, unless something says otherwise.
    of_verbs = settings_file.read_settings(embedded, "everyday").concepts
    concepts = chosen.concepts
    values = {
        "user": chosen.user_id,
        "concepts": concepts if of_verbs == concepts else f"{of_verbs}; concept …: {concepts}",
        "time_zone": chosen.zone.key,
        "languages": ", ".join(languages.read_configured(os.environ)),
        "embedding": chosen.embeddings or NO_EMBEDDINGS,
    }
    for name, variable in settings_file.VARIABLES.items():
        yield Setting(name, values[name], _find_source((variable,), filed, environment))
    for variable in _FURTHER:
        if variable in environment:
            value = "(set)" if variable in _SECRET else environment[variable]
            yield Setting(variable, value, "environment")


def _find_source(
    variables: tuple[str, ...], filed: dict[str, str], environment: dict[str, str]
) -> str:
    """Return which source sets one of *variables*, the first of which stands above the others."""
    for name in variables:
        if name in environment:
            return f"environment: {name}"
    return "settings file" if any(name in filed for name in variables) else "default"


def _name_store(chosen: Settings) -> str:
    if chosen.per_user is not None:
        return f"{chosen.per_user}{os.sep}"
    return location(chosen.uri) if chosen.embedded is None else str(chosen.embedded)
