"""The demo's half year in a store, seen on one day: what the screenshots of the docs show."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any
from zoneinfo import ZoneInfo

import uvicorn
from click.testing import CliRunner

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build, listening

DAY = datetime(2026, 9, 1, 12, tzinfo=UTC)


def live(file: Path) -> Path:
    """Play the demo into *file*."""
    result = CliRunner().invoke(main, [f"--embedded={file}", "demo", "--no-open"])
    assert result.exit_code == 0, result.output
    return file


@contextmanager
def shown(portal: Any, file: Path | None, tmp_path: Path, **given: Any) -> Iterator[str]:
    """Serve a copy of *file* (None: an empty store) on that day; yield the page's address."""
    copy = tmp_path / "rosa.db"
    if file is not None:
        shutil.copy(file, copy)
    store = EmbeddedStore(copy)
    portal.call(store.open)
    clock = Clock(round(DAY.timestamp() * 1000))
    session = Session(store, 86_400_000, ZoneInfo("Europe/London"), clock, **given)
    with listening("127.0.0.1", 0) as opened:
        port = opened.getsockname()[1]
        app = build(session, None, "a-token", port)
        config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None)
        server = uvicorn.Server(config)
        thread = Thread(target=portal.call, args=(server.serve, [opened]))
        thread.start()
        yield f"http://127.0.0.1:{port}/a-token/"
        server.should_exit = True
        thread.join()
    portal.call(store.close)
