"""Conversations as sessions of Claude Code, day by day with its hooks, in this process.

The hooks run as the command line runs them. Only the clock is the session's, no deadline ends this
process, and transcripts are ingested at once in place of by a process of their own.
"""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.commands import hook_process
from concept_graph_mcp.hooks import answering
from concept_graph_mcp.hooks.hosts import COMPACT, END, PROMPT, START, STOP
from concept_graph_mcp.session import Clock
from conceptgraph_core.recall import budgets

Message = Mapping[str, Any]
DAY_MS = 86_400_000
# These depend on when a message was ingested: it fades from then on, an old one later than a new.
OF_THE_DAY = frozenset({"accessed_at", "decay_score", "last_decay_update", "state"})
# A session of so many messages is compacted in its middle.
_LONG = 12


@dataclass
class Year:
    """A user's year in *folder*: transcripts, a store, and the tokens that the hooks cost."""

    folder: Path
    starts: list[int] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    _now_ms: int = 0

    @property
    def transcripts(self) -> Path:
        return self.folder / "transcripts"

    def live(self, sessions: Iterable[tuple[str, Sequence[Message]]]) -> None:
        """Have each session: its hooks, its growing transcript, and its ingestion."""
        self.transcripts.mkdir(parents=True)
        with self._quiet():
            for name, messages in sessions:
                before = sum(self.starts) + sum(self.prompts)
                self._session(name, messages)
                self.sessions.append(sum(self.starts) + sum(self.prompts) - before)

    def sent(self, event: str, name: str, **fields: Any) -> str:
        """Return what Claude Code sends at *event* of the session *name*."""
        transcript = str(self.transcripts / f"{name}.jsonl")
        common = {"session_id": name, "transcript_path": transcript, "hook_event_name": event}
        return json.dumps({**common, "cwd": "/home/ann/year", **fields})

    def _session(self, name: str, messages: Sequence[Message]) -> None:
        file = self.transcripts / f"{name}.jsonl"
        self._now_ms = messages[0]["time_ms"]
        self.starts.append(self._hook(START, name, source="startup"))
        with file.open("a", encoding="utf-8") as lines:
            for number, message in enumerate(messages):
                self._now_ms = message["time_ms"]
                if message["speaker"] == "user":
                    self.prompts.append(self._hook(PROMPT, name, prompt=message["text"]))
                line = json.dumps(_line(name, number, message))
                # A hook may meet half of what is being written.
                half = len(line) // 2
                lines.write(line[:half])
                lines.flush()
                if number == len(messages) // 2:
                    self._hook(STOP, name)
                    self._capture()
                lines.write(line[half:] + "\n")
                lines.flush()
                if number + 1 == _LONG:
                    self._hook(COMPACT, name, trigger="auto")
                    self._capture()
                    self._hook(START, name, source="compact")
        self._hook(END, name, reason="other")
        self._capture()

    def _hook(self, event: str, name: str, **fields: Any) -> int:
        """Return the estimated tokens that the hook puts in front of the model."""
        return self._run("hook", event, stdin=self.sent(event, name, **fields))

    def _capture(self) -> None:
        self._run("hook", answering.CAPTURE)

    def _run(self, *arguments: str, stdin: str = "") -> int:
        result = CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)
        if result.exit_code:
            raise RuntimeError(result.output)
        if not result.stdout:
            return 0
        told = json.loads(result.stdout)["hookSpecificOutput"]["additionalContext"]
        return budgets.tokens(budgets.size(told))

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        with ExitStack() as stack:
            for target, name, made in (
                (Clock, "now_ms", lambda _: self._now_ms),
                (hook_process, "Deadline", lambda *_: nullcontext()),
                (subprocess, "Popen", mock.create_autospec(subprocess.Popen)),
            ):
                stack.enter_context(mock.patch.object(target, name, made))
            kept = {"CLAUDE_CONFIG_DIR": str(self.folder)}
            stack.enter_context(mock.patch.dict(os.environ, kept))
            yield


def sessions(
    messages: Iterable[Message], days: int | None = None
) -> list[tuple[str, list[Message]]]:
    """Return *messages* by their threads, in time; with *days*, the times are stretched to those.

    Speakers are "user" and "assistant" afterwards.
    """
    threads: dict[str, list[Message]] = {}
    for message in messages:
        speaker = "user" if message["speaker"].lower() == "user" else "assistant"
        name = str(message["thread"]).replace("/", "-")
        threads.setdefault(name, []).append({**message, "speaker": speaker})
    times = [one["time_ms"] for said in threads.values() for one in said]
    first, stretched = min(times), 1.0
    if days is not None:
        stretched = days * DAY_MS / max(1, max(times) - first)
    for said in threads.values():
        begun = said[0]["time_ms"]
        moved = first + int((begun - first) * stretched)
        said[:] = [{**one, "time_ms": moved + one["time_ms"] - begun} for one in said]
    return sorted(threads.items(), key=lambda one: one[1][0]["time_ms"])


def kept(export: str) -> list[dict[str, Any]]:
    """Return the memories of *export* in an order of their own.

    It leaves out what depends on the day, and the import that brought them: hooks have none.
    """
    _, *records = map(json.loads, export.splitlines())
    memories = [one for one in records if one["kind"] == "memory"]
    said = [{key: one[key] for key in one if key not in OF_THE_DAY} for one in memories]
    for one in said:
        one["metadata"].pop("imports", None)
    return sorted(said, key=lambda one: json.dumps(one, sort_keys=True))


def _line(name: str, number: int, message: Message) -> dict[str, Any]:
    moment = datetime.fromtimestamp(message["time_ms"] / 1_000, UTC)
    return {
        "type": message["speaker"],
        "sessionId": name,
        "uuid": f"{name}-{number}",
        "cwd": "/home/ann/year",
        "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "message": {"role": message["speaker"], "content": message["text"]},
    }
