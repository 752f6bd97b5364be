"""Read the store and other settings from the environment and the options."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from conceptgraph_core.texts import text
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.texts.words import languages
from conceptgraph_core.verbs import decaying, limits
from conceptgraph_core.verbs.context import CHANCE_VARIABLES, DEFAULT_USER, OWN, WHOSE, read_chance
from conceptgraph_core.verbs.errors import ConceptGraphError

from . import user_files

P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_URI = "bolt://localhost:7687"
EMBEDDED_VARIABLE = "CONCEPT_GRAPH_EMBEDDED"
STORE_VARIABLES = (EMBEDDED_VARIABLE, "MEMGRAPH_URI", "MEMGRAPH_URL")
KNOWN_TOOLSETS = ("concept", "memory", "entity", "everyday", "chatgpt", "files")
DEFAULT_TOOLSETS = ("everyday",)
# A server that offers this alone has its graph in Memgraph where no store is named.
_OF_MEMGRAPH = {"concept"}
EMBEDDINGS_VARIABLE = "CONCEPT_GRAPH_EMBEDDINGS"
REDACT_VARIABLE = "CONCEPT_GRAPH_REDACT"
KEEP_VARIABLE = "CONCEPT_GRAPH_KEEP_QUESTIONS"
EMBEDDING_PROVIDERS = ("model2vec", "sentence-transformers", "openai")
# The model that is installed with the program, which is used unless another one is chosen.
MULTILINGUAL = "use-multilingual"
AUTOMATIC = "auto"
# The default model of earlier versions: the vectors of a store that has it are made anew.
EARLIER = "minilm"
NO_EMBEDDINGS = "none"
RETENTION_VARIABLE = decaying.RETENTION_VARIABLE
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_UNUSABLE_URI = f"must be like {DEFAULT_URI} or neo4j://host:7687"
# Names that users put into the query by mistake; a routing context never has them.
_SECRET = re.compile("user|pass|pwd|auth|token|secret", re.IGNORECASE)
_BLANK = re.compile(r"\s")
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("", "0", "false", "no", "off")


class SettingsError(Exception):
    """Settings are missing or wrong. Each of `problems` is one line and says what to do."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration. `embedded` is the path of a store file, or None for Memgraph over Bolt.

    It is the file of `user_id` if each user has a file in the directory `per_user`.
    """

    zone: ZoneInfo
    tau_ms: int
    uri: str
    user: str
    password: str = field(repr=False)
    embedded: Path | None
    user_id: str = DEFAULT_USER
    # The user's name; "": it is what the user has told.
    me: str = ""
    toolsets: tuple[str, ...] = DEFAULT_TOOLSETS
    decay: Mapping[str, float] = field(default_factory=dict)
    # PROVIDER:NAME, a model or auto; None: only words find texts.
    embeddings: str | None = AUTOMATIC
    # Users whose memories the worker recomputes; empty for all users.
    decay_users: tuple[str, ...] = ()
    # Milliseconds until deleted memories are removed; None: they never are, nor do memories expire.
    retention_ms: int | None = None
    # The replicas that answer what only reads; none: `uri` answers all.
    read_uris: tuple[str, ...] = ()
    # "shared" or "own": all users share concepts and episodes, or each user has their own.
    concepts: str = WHOSE[0]
    # The file with the access tokens of a server over HTTP, if one is named.
    tokens: Path | None = None
    per_user: Path | None = None
    # Whether secrets are left out of what agents store.
    redacts: bool = False
    # The chances from which a message asks, and a text answers; None: those of the weights.
    asks: float | None = None
    answers: float | None = None
    # Whether what recalls are asked is kept, to train on.
    keeps_questions: bool = False

    @property
    def expires(self) -> bool:
        """Return whether time can expire memories."""
        return self.retention_ms is not None


def read(
    environment: Mapping[str, str],
    embedded: str | None = None,
    toolsets: str | None = None,
    *,
    is_server: bool = False,
) -> Settings:
    """Return the settings of *environment*; see `settings_file` for those of a file below it.

    *embedded* and *toolsets* are the options, "" the default path. Where no store is named, it is
    the usual file, but for *is_server* that offers the toolset concept alone: Memgraph on
    localhost. Raises SettingsError, which lists all problems.
    """
    environment = given(environment)
    offered = environment.get("CONCEPT_GRAPH_TOOLSETS", "") if toolsets is None else toolsets
    if embedded is None and environment.keys().isdisjoint(STORE_VARIABLES):
        embedded = None if is_server and _names(offered) == _OF_MEMGRAPH else ""
    by_option = embedded is not None
    store = environment.get(EMBEDDED_VARIABLE, "") if embedded is None else embedded
    in_file = _names_file(store, by_option)
    uri = environment.get("MEMGRAPH_URI") or environment.get("MEMGRAPH_URL") or DEFAULT_URI
    whose = _names(offered) or ({*DEFAULT_TOOLSETS} if is_server else set())
    checked = _Checked()
    read_each = {one.field: checked(one.read, environment.get(one.variable, "")) for one in _PLAIN}
    chosen = Settings(
        **read_each,
        uri=checked(uri_of, uri),
        password=checked(_password, environment, in_file),
        embedded=checked(_embedded, store, by_option),
        toolsets=checked(_toolsets, offered),
        concepts=checked(_concepts, environment.get("CONCEPT_GRAPH_CONCEPTS", ""), in_file, whose),
    )
    # Not one of our settings, because the text index reads it itself.
    checked(_languages, environment.get("CONCEPT_GRAPH_LANGUAGES", ""))
    if checked.problems:
        raise SettingsError(*checked.problems)
    if chosen.embedded is not None and store.strip().endswith(user_files.MARK):
        file = user_files.file_of(chosen.embedded, chosen.user_id)
        return replace(chosen, per_user=chosen.embedded, embedded=file)
    return chosen


class _Checked:
    """Runs checks, and collects their errors until all have run."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def __call__(self, check: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of *check*, or a value that must not be used if it fails."""
        try:
            return check(*arguments, **named)
        except SettingsError as error:
            self.problems += error.problems
        except ConceptGraphError as error:
            self.problems.append(str(error))
        return cast(T, None)


def given(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of *environment* that are set; blank ones count as unset."""
    return {name: value for name, value in environment.items() if value.strip()}


def store_path(value: str) -> Path:
    """Return the store's path for *value*. Raises SettingsError."""
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        raise SettingsError(
            f"--embedded or {EMBEDDED_VARIABLE}: {value}: there is no such home directory"
        ) from None
    if str(path) == ":memory:":
        # SQLite's name for a private store that ends with its process.
        raise SettingsError(
            f"--embedded or {EMBEDDED_VARIABLE}: {value}: would keep nothing; name a file"
        )
    return path


def embeddings(value: str) -> str | None:
    """Return *value*: auto (also for ""), a model or PROVIDER:NAME; None for none.

    Raises SettingsError.
    """
    value = value.strip() or AUTOMATIC
    if value == NO_EMBEDDINGS:
        return None
    if value in {AUTOMATIC, EARLIER}:
        return AUTOMATIC
    if value == MULTILINGUAL:
        return value
    provider, _, name = value.partition(":")
    if provider not in EMBEDDING_PROVIDERS or not name.strip():
        named = [f"{one}:NAME" for one in EMBEDDING_PROVIDERS]
        known = ", ".join([MULTILINGUAL, *named, AUTOMATIC, NO_EMBEDDINGS])
        raise SettingsError(
            f"{EMBEDDINGS_VARIABLE} or embed --again: must be one of {known}; not {value!r}"
        )
    return value


def retention(value: str) -> int | None:
    """Return *value*, a number of days, in milliseconds; None for "". Raises SettingsError."""
    if not value.strip():
        return None
    try:
        days = float(value)
    except ValueError:
        days = math.nan
    if not 0 < days * DAY_MS <= limits.MAX_TIME_MS:
        raise SettingsError(
            f"{RETENTION_VARIABLE} or --retention: must be a number of days greater than 0, not"
            f" {value!r}"
        )
    return max(1, int(days * DAY_MS))


def default_path() -> Path:
    """Return the default path of the embedded store."""
    return data_directory() / "memory.db"


def demo_path() -> Path:
    """Return the path of the store that the latest demo left."""
    return data_directory() / "demo.db"


def data_directory() -> Path:
    """Return the platform's folder for the data of this program."""
    import platformdirs

    return Path(platformdirs.user_data_dir("concept-graph-mcp", appauthor=False))


def tokens_file(chosen: Settings) -> Path:
    """Return the file of the access tokens: with the store files, else in the data directory."""
    if chosen.tokens is not None:
        return chosen.tokens
    if chosen.per_user is not None:
        return chosen.per_user / "tokens"
    if chosen.embedded is not None:
        return Path(f"{chosen.embedded}.tokens")
    return data_directory() / "tokens.db"


def location(uri: str) -> str:
    """Return *uri* for printing: without the part after the host and the port."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}"


def machine_zone() -> str:
    """Return the name of the machine's time zone, or UTC if it cannot be found."""
    import tzlocal

    try:
        return ZoneInfo(tzlocal.get_localzone_name() or "UTC").key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # The system's files name several zones, or none that exists.
        return "UTC"


def _zone(value: str) -> ZoneInfo:
    name = value or machine_zone()
    try:
        return ZoneInfo(name.removeprefix(":"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"TZ: unknown time zone {name!r}; use a name such as Asia/Tokyo"
        ) from None


def _concepts(value: str, in_file: bool, toolsets: set[str]) -> str:
    """Return whose concepts; unset, a user's own in a file, and where a toolset takes their names.

    A file has one owner, who would otherwise look for the same concepts in two places.
    """
    value = value.strip()
    if not value:
        return OWN if in_file or toolsets & {"everyday", "chatgpt"} else WHOSE[0]
    if value not in WHOSE:
        raise SettingsError(
            f"CONCEPT_GRAPH_CONCEPTS: must be one of {', '.join(WHOSE)}, not {value!r}"
        )
    return value


def _switch(value: str, name: str) -> bool:
    word = value.strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise SettingsError(f"{name}: must be on or off, not {value!r}")
    return word in _TRUE


def _users(value: str) -> tuple[str, ...]:
    names = dict.fromkeys(name.strip() for name in value.split(",") if name.strip())
    return tuple(text.user(name, "CONCEPT_GRAPH_DECAY_USERS") for name in names)


def _names(value: str) -> set[str]:
    return {name.strip() for name in value.split(",") if name.strip()}


def _toolsets(value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    unknown = [name for name in names if name not in KNOWN_TOOLSETS]
    if unknown:
        raise SettingsError(
            f"--toolsets or CONCEPT_GRAPH_TOOLSETS: there is no toolset {unknown[0]!r}; known are"
            f" {', '.join(KNOWN_TOOLSETS)}"
        )
    if {"everyday", "chatgpt"} <= {*names}:
        raise SettingsError(
            "--toolsets or CONCEPT_GRAPH_TOOLSETS: everyday and chatgpt both have a tool search;"
            " offer one of them"
        )
    return names or DEFAULT_TOOLSETS


def _tau(value: str) -> int:
    try:
        tau = float(value or limits.DEFAULT_TAU_MS)
    except ValueError:
        tau = math.nan
    if not 1 <= tau <= limits.MAX_TIME_MS:
        raise SettingsError(
            f"AROUSAL_TAU_MS: must be a number of milliseconds from 1 to {limits.MAX_TIME_MS},"
            f" not {value!r}"
        )
    return int(tau)


def uris(value: str, name: str) -> tuple[str, ...]:
    """Return the bolt:// URIs in *value*, each once. Raises SettingsError, which names *name*."""
    found = tuple(uri_of(one.strip(), name) for one in value.split(",") if one.strip())
    if any(not one.startswith("bolt") for one in found):
        raise SettingsError(f"{name}: must be bolt:// URIs, each of one server")
    return tuple(dict.fromkeys(found))


def uri_of(value: str, name: str = "MEMGRAPH_URI") -> str:
    """Return *value*, the URI of a server without credentials. Raises SettingsError."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in _SCHEMES and bool(parts.hostname) and not _BLANK.search(value)
        credentials = parts.username is not None or parts.password is not None
        _ = parts.port
    except ValueError:
        raise SettingsError(f"{name}: {_UNUSABLE_URI}") from None
    if credentials or any(_SECRET.search(key) for key, _ in parse_qsl(parts.query)):
        raise SettingsError(
            f"{name}: must not hold credentials; use MEMGRAPH_USER and MEMGRAPH_PASSWORD"
        )
    if usable and parts.query and parts.scheme.startswith("bolt"):
        raise SettingsError(f"{name}: only neo4j:// URIs may have a query")
    if not usable:
        raise SettingsError(f"{name}: {_UNUSABLE_URI}")
    return value


def _password(environment: Mapping[str, str], in_file: bool) -> str:
    password = environment.get("MEMGRAPH_PASSWORD", "")
    if password and not environment.get("MEMGRAPH_USER") and not in_file:
        # A password without a user is ignored, and its owner relies on it.
        raise SettingsError(
            "MEMGRAPH_PASSWORD is set but MEMGRAPH_USER is not; set MEMGRAPH_USER too, or unset"
            " the password"
        )
    return password


def _names_file(value: str, by_option: bool) -> bool:
    """Return whether the store is a file; with the option it always is."""
    return by_option or value.strip().lower() not in _FALSE


def _embedded(value: str, by_option: bool) -> Path | None:
    if not _names_file(value, by_option):
        return None
    word = value.strip().lower()
    is_usual = not word if by_option else word in _TRUE
    return default_path() if is_usual else store_path(value)


def _languages(names: str) -> tuple[str, ...]:
    try:
        return languages.read_configured({languages.VARIABLE: names})
    except ConceptGraphError as error:
        raise SettingsError(f"{languages.VARIABLE}: {error}") from None


def _decay(numbers: str) -> dict[str, float]:
    try:
        return decaying.parse_rates(numbers)
    except ConceptGraphError as error:
        raise SettingsError(f"{decaying.DECAY_VARIABLE}: {error}") from None


class Setting(NamedTuple):
    """A variable, its meaning in a few words, and its name in the settings file, if it has one.

    `read` makes the value of `field` in `Settings`, unless that needs more than the variable.
    """

    variable: str
    meaning: str
    name: str = ""
    field: str = ""
    read: Callable[[str], Any] = str
    is_secret: bool = False


# In the order in which help and `settings` list them.
SETTINGS = (
    Setting("MEMGRAPH_URI", "a Memgraph, e.g. bolt://localhost:7687"),
    Setting("MEMGRAPH_READ_URI", "replicas that answer what only reads",
            "", "read_uris", partial(uris, name="MEMGRAPH_READ_URI")),
    Setting("MEMGRAPH_USER", "the user of Memgraph", "", "user"),
    Setting("MEMGRAPH_PASSWORD", "and the password", is_secret=True),
    Setting("AROUSAL_TAU_MS", "how fast arousal fades, default 86400000 (a day)",
            "", "tau_ms", _tau),
    Setting(EMBEDDED_VARIABLE, "like --embedded: 1, or the path of the file"),
    Setting("CONCEPT_GRAPH_TOOLSETS", "like --toolsets"),
    Setting("CONCEPT_GRAPH_USER", "whose memories and entities; default: default",
            "user", "user_id",
            lambda value: text.user(value or DEFAULT_USER, "CONCEPT_GRAPH_USER")),
    Setting("CONCEPT_GRAPH_ME", "your name", "me", "me"),
    Setting("CONCEPT_GRAPH_CONCEPTS", "whose concepts: shared, or the user's own", "concepts"),
    Setting("TZ", "your time zone; default: the machine's", "time_zone", "zone", _zone),
    Setting(languages.VARIABLE, "of what is written and asked; default: en", "languages"),
    Setting(EMBEDDINGS_VARIABLE, "finding by meaning: none, or the name of a model",
            "embedding", "embeddings", embeddings),
    Setting(CHANCE_VARIABLES[0], "the chance, 0 to 1, from which a message asks",
            "asks", "asks", partial(read_chance, name=CHANCE_VARIABLES[0])),
    Setting(CHANCE_VARIABLES[1], "the chance, 0 to 1, from which a text answers",
            "answers", "answers", partial(read_chance, name=CHANCE_VARIABLES[1])),
    Setting(decaying.DECAY_VARIABLE, "how memories fade, e.g. base_rate=0.02", "", "decay", _decay),
    Setting("CONCEPT_GRAPH_DECAY_USERS", "whose memories `worker` lets fade; default: all",
            "", "decay_users", _users),
    Setting(RETENTION_VARIABLE, "like `worker --retention`", "", "retention_ms", retention),
    Setting(REDACT_VARIABLE, "on: leave secrets out of what agents store",
            "", "redacts", partial(_switch, name=REDACT_VARIABLE)),
    Setting(KEEP_VARIABLE, "on: keep what `recall` is asked, to train on it",
            "keep_questions", "keeps_questions", partial(_switch, name=KEEP_VARIABLE)),
    Setting("CONCEPT_GRAPH_SETTINGS", "the settings file, if it is not the usual one"),
    Setting("CONCEPT_GRAPH_TOKENS", "the file of the tokens for `serve`",
            "", "tokens", lambda value: Path(value) if value else None),
)  # fmt: skip
_PLAIN = [one for one in SETTINGS if one.field]
