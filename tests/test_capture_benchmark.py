"""Captured day by day, with half lines and compactions, a store is as an ingest of the whole."""

import json
from pathlib import Path

import pytest
from benchmarks.capture.year import Year, kept, sessions
from benchmarks.life.histories import ms
from tests.markdown import ROOT
from tests.server.command_line import ok

MESSAGES = ROOT / "benchmarks/life/family/messages.jsonl"
_MESSAGES = 40


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    for name in ("MEMGRAPH_URI", "MEMGRAPH_URL", "CONCEPT_GRAPH_EMBEDDED", "CONCEPT_GRAPH_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path


@pytest.mark.slow
def test_a_year_captured_day_by_day_is_as_an_ingest_of_the_whole(home):
    told = [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    messages = [{**one, "time_ms": ms(one["at"])} for one in told[:_MESSAGES]]
    lived = sessions(messages, 365)
    year = Year(home)
    year.live(lived)
    whole = f"--embedded={home / 'whole.db'}"
    ok(whole, "ingest", str(year.transcripts))
    by_hooks = kept(ok("--embedded", "export", "-").stdout)
    assert by_hooks == kept(ok(whole, "export", "-").stdout)
    assert len(by_hooks) == len(messages)
    # The hooks said something, or the rest could not differ by them.
    assert len(year.starts) == len(year.sessions) == len(lived)
    assert sum(map(bool, year.prompts)) > 0
    assert sum(map(bool, year.starts)) > len(lived) / 2
