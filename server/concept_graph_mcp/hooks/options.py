"""The settings of the hooks: `hooks.toml` in the data directory, which `setup` writes.

Hosts give their hooks the environment of the user, so that the variables of the server, such as
the place of the store, stand in this file too. A variable of the environment goes first.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .. import settings, settings_file
from . import asking
from .hosts import PROMPT, START, HookError

FILE = "hooks.toml"
# A file of this name switches the hooks off for its folder, and for those below.
OFF = ".concept-graph-off"
# Left for the answer to arrive.
_MARGIN_S = 0.3
_NUMBERS: Mapping[str, tuple[type[int] | type[float], ...]] = {
    **dict.fromkeys(
        ("prompt_seconds", "start_seconds", "note_seconds", "idle_seconds"), (int, float)
    ),
    **dict.fromkeys(("prompt_tokens", "start_tokens", "days"), (int,)),
}


@dataclass(frozen=True, slots=True)
class Options:
    """The settings; `off` names folders in which hooks do nothing, nor in those below.

    `env` has variables as in the reference of settings.
    """

    prompt_seconds: float = 1.0
    prompt_tokens: int = 600
    start_seconds: float = 5.0
    note_seconds: float = 5.0
    idle_seconds: float = 900.0
    start_tokens: int = 1_000
    days: int = 7
    off: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def is_off(self, folder: Path) -> bool:
        """Return whether *folder*, or one above it, is switched off."""
        folder = folder.expanduser().absolute()
        off = {Path(one).expanduser() for one in self.off}
        return any(one in off or (one / OFF).exists() for one in (folder, *folder.parents))

    def seconds_for(self, event: str) -> float:
        """Return how long the host waits for the hook of *event*: longer on a busy machine.

        A process that gets a tenth of a processor needs ten times as long for the same.
        """
        if event not in (START, PROMPT):
            return self.note_seconds
        usual_s, most_s = self.prompt_seconds, asking.MOST_S
        if event == START:
            usual_s, most_s = self.start_seconds, asking.MOST_START_S
        return max(usual_s, min(most_s - _MARGIN_S, usual_s * _measure_load()))

    def settings(
        self, embedded: str | None, environment: Mapping[str, str] | None = None
    ) -> settings.Settings:
        """Return the settings of the store in *environment*, by default that of this process.

        Raises SettingsError.
        """
        if environment is None:
            # Those of this process: its texts get their languages too.
            environment = {**self.env, **settings.given(os.environ)}
            return settings_file.read_settings(embedded, "everyday", environment=environment)
        merged = settings_file.merge_environment({**self.env, **settings.given(environment)})
        return settings.read(merged, embedded, "everyday")


def _measure_load() -> float:
    """Return how many processes there are for each processor, by the last minute."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (OSError, AttributeError):
        return 1.0


def read_options(folder: Path | None = None) -> Options:
    """Return the options in the file in *folder*, by default the data directory.

    Raises HookError: a file that cannot be read may name folders that are off.
    """
    file = (folder or settings.data_directory()) / FILE
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Options()
    except (OSError, ValueError) as error:
        raise HookError(f"{file}: {error}") from None
    return Options(**dict(_check_options(file, found)))


def _check_options(file: Path, found: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    known = {one.name for one in fields(Options)}
    for name, value in found.items():
        if name not in known:
            raise HookError(f"{file}: {name}: is none of {', '.join(sorted(known))}")
        if name == "off" and isinstance(value, list):
            yield name, tuple(map(str, value))
        elif name == "env" and isinstance(value, dict):
            yield name, {key: str(one) for key, one in value.items()}
        elif isinstance(value, _NUMBERS.get(name, ())) and value > 0:
            yield name, value
        else:
            raise HookError(f"{file}: {name}: must not be {value!r}")
