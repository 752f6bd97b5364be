"""Live a year with the hooks, and print what they keep and what they cost a session.

    python -m benchmarks.capture MESSAGES.jsonl

MESSAGES has lines of id, thread, time_ms, speaker and text: `python -m benchmarks.retrieval`
converts RealMem to it. The times are stretched to a year.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import click
from click.testing import CliRunner

from concept_graph_mcp.__main__ import main as program
from concept_graph_mcp.hooks.hosts import END, PROMPT, START, STOP

from .year import Year, kept, sessions

_DAYS = 365
_TIMES = 15


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--only", type=int, help="So many sessions.")
def main(file: Path, only: int | None) -> None:
    """Live the conversations of FILE with the hooks of a coding agent."""
    lines = file.read_text(encoding="utf-8").splitlines()
    lived = sessions(map(json.loads, lines), _DAYS)[:only]
    with tempfile.TemporaryDirectory(prefix="concept-graph-capture-") as folder:
        os.environ.update(XDG_DATA_HOME=folder, HOME=folder, TZ="UTC")
        data = Path(folder) / "concept-graph-mcp"
        data.mkdir()
        (data / "hooks.toml").write_text("prompt_seconds = 60\nstart_seconds = 60\n")
        year = Year(Path(folder))
        year.live(lived)
        by_hooks = _ran("--embedded", "export", "-")
        whole = f"--embedded={folder}/whole.db"
        _ran(whole, "ingest", str(year.transcripts))
        _report(year, kept(by_hooks) == kept(_ran(whole, "export", "-")), by_hooks.count("\n") - 1)


def _report(year: Year, same: bool, records: int) -> None:
    def say(what: str, value: str) -> None:
        click.echo(f"{what:58} {value}")

    told = [one for one in year.prompts if one]
    say("sessions, prompts, records kept", f"{_n(year.sessions)}, {_n(year.prompts)}, {records:,}")
    say("as ingest of the whole makes it", "yes" if same else "NO")
    say("tokens at a start: median, p95", _spread(year.starts))
    say("prompts that get anything", f"{len(told) / max(1, len(year.prompts)):.0%}")
    say("tokens with these: median, p95", _spread(told))
    say("tokens a session: median, p95", _spread(year.sessions))
    taken = {event: _process(year, event) for event in (START, PROMPT, STOP, END)}
    for event, (wall, cpu) in taken.items():
        say(f"{event}, as a process: median, of it CPU", f"{wall:.2f} s, {cpu:.2f} s")


def _process(year: Year, event: str) -> tuple[float, float]:
    """Return the median seconds of a hook, by the clock and by the processor."""
    fields = {"prompt": "What did we say about the plan?", "source": "startup"}
    walls, cpus = [], []
    for number in range(_TIMES):
        stdin = year.sent(event, f"measured-{number}", **fields)
        before, start = _cpu(), perf_counter()
        command = [sys.executable, "-m", "concept_graph_mcp", "hook", event]
        subprocess.run(command, input=stdin.encode(), check=True, capture_output=True)
        walls.append(perf_counter() - start)
        cpus.append(_cpu() - before)
    return median(walls), median(cpus)


def _cpu() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


def _ran(*arguments: str) -> str:
    result = CliRunner().invoke(program, arguments, catch_exceptions=False)
    if result.exit_code:
        raise click.ClickException(result.output)
    return result.stdout


def _n(values: Sequence[int]) -> str:
    return f"{len(values):,}"


def _spread(values: Sequence[int]) -> str:
    if len(values) < 2:
        return "-"
    return f"{median(values):,.0f}, {quantiles(values, n=20)[-1]:,.0f}"


if __name__ == "__main__":
    main()
