"""The settings file: `config.toml` in the platform's folder for settings, which `setup` writes.

Its settings are a few of those of the environment, under plain names. A variable of the environment
stands above the file, and an option of the command line above both.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from conceptgraph_core.texts.words import languages

from . import settings
from .settings import STORE_VARIABLES, Settings, SettingsError

FILE: Final = "config.toml"
VARIABLE: Final = "CONCEPT_GRAPH_SETTINGS"
# Variables of a shell by which the folders for settings and data are other ones.
_MOVING: Final = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
STORE: Final = "store"
# The value of the store's variable that means the usual file.
USUAL: Final = "1"
# Each other setting of the file with its variable.
VARIABLES: Final = {one.name: one.variable for one in settings.SETTINGS if one.name}
NAMES: Final = (STORE, *VARIABLES)
# They may stand without quotes.
_NUMBERS: Final = ("asks", "answers")
_SWITCHES: Final = ("keep_questions",)


def find_file() -> Path:
    """Return the path of the settings file, which need not exist; a variable may name another."""
    if named := os.environ.get(VARIABLE, "").strip():
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("concept-graph-mcp", appauthor=False)) / FILE


def name_unusual() -> dict[str, str]:
    """Return the variable that names the settings file, if without it another one is meant.

    A program that a desktop starts has none of the variables of a shell.
    """
    is_moved = any(os.environ.get(name, "").strip() for name in (VARIABLE, *_MOVING))
    return {VARIABLE: str(find_file().absolute())} if is_moved else {}


def read_file(file: Path | None = None) -> dict[str, str] | None:
    """Return the variables that the settings file stands for; None if there is no file.

    A file that names no store means the usual store file. Raises SettingsError.
    """
    file = file or find_file()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: cannot be read: {error}") from None
    return _parse_text(file, text)


def merge_environment(
    environment: Mapping[str, str] = os.environ, file: Path | None = None
) -> dict[str, str]:
    """Return the variables that are set in *environment* or, below it, by the settings file.

    A store that the environment names takes the place of the file's. Raises SettingsError.
    """
    given = settings.given(environment)
    filed = read_file(file) or {}
    if any(name in given for name in STORE_VARIABLES):
        filed = {name: value for name, value in filed.items() if name not in STORE_VARIABLES}
    return {**filed, **given}


def read_settings(
    embedded: str | None = None,
    toolsets: str | None = None,
    *,
    is_server: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """Return the settings of the options, of *environment* and of the settings file.

    The arguments are those of `settings.read`. The languages of the file become those of this
    process. Raises SettingsError.
    """
    merged = merge_environment(environment)
    set_languages(merged)
    return settings.read(merged, embedded, toolsets, is_server=is_server)


def set_languages(variables: Mapping[str, str]) -> None:
    """Make the languages in *variables*, if any are named, those of this process.

    Its environment is the one source of them for all that reads and writes texts.
    """
    if languages.VARIABLE in variables:
        os.environ[languages.VARIABLE] = variables[languages.VARIABLE]


def read_embeddings() -> str | None:
    """Return the embedding that is configured, as `settings.embeddings` does."""
    return settings.embeddings(merge_environment().get(settings.EMBEDDINGS_VARIABLE, ""))


def edit_text(text: str, values: Mapping[str, str | None], file: Path | None = None) -> str:
    """Return *text*, that of the settings file, with *values*; None removes a setting.

    The names are NAMES. Comments and all other settings stay. `store` is an absolute path or a URI
    of Memgraph, `languages` are codes with commas between them. Raises SettingsError.
    """
    import tomlkit

    file = file or find_file()
    _parse_text(file, text)
    document = tomlkit.parse(text)
    for name, value in values.items():
        wanted: str | list[str] | None = value
        if value is not None and name == "languages":
            wanted = [one.strip() for one in value.split(",") if one.strip()]
        if wanted is None:
            document.pop(name, None)
        elif document.get(name) != wanted:
            document[name] = wanted
    changed: str = tomlkit.dumps(document)
    _parse_text(file, changed)
    return changed


def _parse_text(file: Path, text: str) -> dict[str, str]:
    """Return the variables that *text* of *file* stands for. Raises SettingsError."""
    # Imported on demand, because many servers have no such file.
    import tomllib

    try:
        found = tomllib.loads(text)
    except ValueError as error:
        raise SettingsError(f"{file}: {error}; correct it") from None
    variables = dict(_name_store(file, found.pop(STORE, "")))
    for name, value in found.items():
        if name not in VARIABLES:
            raise SettingsError(f"{file}: {name}: is none of {', '.join(NAMES)}")
        is_list = name == "languages" and isinstance(value, list)
        said = ",".join(map(str, value)) if is_list else value
        if name in _NUMBERS and type(value) in {int, float}:
            said = str(value)
        if name in _SWITCHES and type(value) is bool:
            said = str(value)
        variables[VARIABLES[name]] = _check_text(file, name, said)
    variables = settings.given(variables)
    try:
        settings.read({"TZ": "UTC", **variables})
    except SettingsError as error:
        raise SettingsError(*(f"{file}: {one}" for one in error.problems)) from None
    return variables


def _name_store(file: Path, value: Any) -> tuple[tuple[str, str], ...]:
    """Return the variable of the store *value*, by default the usual file."""
    store = _check_text(file, STORE, value)
    if "://" in store:
        return (("MEMGRAPH_URI", store),)
    if store and not Path(store).expanduser().is_absolute():
        raise SettingsError(f"{file}: {STORE}: must be an absolute path or a URI, not {store!r}")
    return ((settings.EMBEDDED_VARIABLE, store or USUAL),)


def _check_text(file: Path, name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{file}: {name}: must be a string, not {value!r}")
    return value.strip()
