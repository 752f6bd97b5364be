"""The command line on one store that holds a small graph, with its backups in a folder."""

import json
from pathlib import Path

from click.testing import Result
from command_line import ok, run

from concept_graph_mcp.hosts import backup_files

GRAPH = [
    {"kind": "concept", "name": "apple", "valence": 0.7, "arousal_level": 0.5, "accessed_at": 1},
    {"kind": "concept", "name": "果物", "valence": -1.0, "arousal_level": 0.0, "accessed_at": 2},
    {
        "kind": "episode",
        "name": "20250615/apple",
        "summary": "Bought apples",
        "valence": 0.0,
        "arousal_level": 1.0,
        "accessed_at": 1_750_000_000_000,
    },
    {"kind": "relation", "from": "apple", "to": "果物", "type": "is-a", "weight": 0.4},
    {"kind": "relation", "from": "apple", "to": "20250615/apple", "type": "evokes", "weight": 0.25},
]
HELD = "2 concepts, 1 episodes, 2 relations, newest 2025-06-15 15:06:40 UTC"


class Shell:
    """The command line on one store, with its backups in a folder of its own."""

    def __init__(self, store: list[str], folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.suffix = ".db" if store else ".jsonl.gz"

    def run(self, *arguments: str, stdin: str | None = None) -> Result:
        return run(*self.store, *arguments, stdin=stdin)

    def ok(self, *arguments: str, stdin: str | None = None) -> str:
        return ok(*self.store, *arguments, stdin=stdin).stdout

    def keep(self, command: str, *arguments: str) -> str:
        return self.ok(command, *arguments, "--dir", str(self.folder))

    def fill(self) -> None:
        self.ok("import", "-", stdin="\n".join(json.dumps(record) for record in GRAPH))

    def graph(self) -> list[str]:
        return sorted(self.ok("export", "-").splitlines())

    def files(self) -> list[Path]:
        """All files in the folder: first those that are no backups, then these, oldest first."""
        return self._in(self.folder)

    def apart(self) -> list[Path]:
        """What was kept of what was replaced, oldest first."""
        return self._in(self.folder / "replaced")

    def _in(self, folder: Path) -> list[Path]:
        found = [one.file for one in backup_files.listing(folder, self.suffix).backups]
        files = {file for file in folder.iterdir() if file.is_file()} if folder.exists() else set()
        return [*sorted(files - set(found)), *found]
