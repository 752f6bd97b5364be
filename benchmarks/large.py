"""One Memgraph with a million memories of a thousand users: import, tools, night, backup.

    MEMGRAPH_URI=bolt://… python -m benchmarks.large fill
    MEMGRAPH_URI=bolt://… python -m benchmarks.large tools --base bolt://…
    MEMGRAPH_URI=bolt://… python -m benchmarks.large beside worker decay daily --once
    MEMGRAPH_URI=bolt://… python -m benchmarks.large beside backup FILE

`fill` takes an empty server, the other commands a filled one. `tools --base` empties and fills
another server with 1,000 memories of one user. `beside` measures calls of agents while a command
of `concept-graph-mcp` runs.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Final
from urllib.parse import urlsplit

import click
import neo4j

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from concept_graph_mcp.file_formats import native
from conceptgraph_core import __version__

from . import large_records as made
from .harness import machine
from .large_records import BASE, Size
from .memories import text
from .stores import NOW_MS, Bolt, batches, empty_memgraph

_COMMAND: Final = (sys.executable, "-m", "concept_graph_mcp")
# The calls of agents beside a long command, and how long they are measured before and after.
_ALONE_S: Final = 30.0
# The threads of a Memgraph whose work belongs to no call.
_HOUSEKEEPING: Final = ("Storage GC", "Snapshot", "Python GC", "Memory check", "sched_mon")
_INTERVAL: Final = "storage.snapshot.interval"
_unused = count()

Operations = Mapping[str, Callable[[], Call]]


@click.group(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--memories", default=1_000_000, show_default=True)
@click.option("--concepts", default=1_000_000, show_default=True)
@click.option("--entities", default=100_000, show_default=True)
@click.option("--users", default=1_000, show_default=True)
@click.pass_context
def main(context: click.Context, /, **given: int) -> None:
    context.obj = Size(**given)


@main.command()
@click.pass_obj
def fill(size: Size) -> None:
    """Import all records by `concept-graph-mcp import`."""
    uri = os.environ["MEMGRAPH_URI"]
    Bolt(uri).close()  # makes the constraints and indexes
    before = _bytes(uri)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(json.dumps(native.header(__version__)) + "\n")
        records = 0
        for record in made.records(size):
            file.write(json.dumps(record) + "\n")
            records += 1
        file.flush()
        start = perf_counter()
        subprocess.run([*_COMMAND, "import", file.name], check=True)
        seconds = perf_counter() - start
    taken = _bytes(uri) - before
    click.echo(f"{records:,} records in {seconds:,.0f} s: {records / seconds:,.0f} a second")
    click.echo(f"{taken / 1e9:.2f} GB: {taken / records:,.0f} bytes a record; {machine(False)}")


@main.command()
@click.option("--base", required=True, help="The URI of a server that is emptied.")
@click.option("--times", default=21, show_default=True)
@click.option("--only", multiple=True, metavar="TOOL")
@click.pass_obj
def tools(size: Size, base: str, times: int, only: Sequence[str]) -> None:
    """Call every tool at 1,000 memories, as a small user, and as the largest, in turn.

    Prints the processor time of the servers, which must run on this machine (Linux): other
    programs, the garbage collector and snapshots are not in it.
    """
    uri = os.environ["MEMGRAPH_URI"]
    empty_memgraph(base)
    small, large = Bolt(base), Bolt(uri)
    for rows in batches(made.records(BASE), 1_000):
        small.run(calls.transfer.import_rows(rows))
    like = min(range(size.users), key=lambda one: abs(size.of_user(one)[0] - BASE.memories))
    at_base, at_large = server_of(base), server_of(uri)
    sides = [
        (at_base, small, made.user(0), _operations(BASE, 0)),
        (at_large, large, made.user(like), _operations(size, like)),
        (at_large, large, made.user(0), _operations(size, 0)),
    ]
    numbers = [BASE.memories, size.of_user(like)[0], size.of_user(0)[0]]
    click.echo(
        f"{'ms; memories of the user:':30}" + "".join(f"{one:9,}        " for one in numbers)
    )
    with ExitStack() as stack:
        for one in (base, uri):
            stack.enter_context(_without_snapshots(one))
        for name in only or sides[0][3]:
            taken: list[list[float]] = [[] for _ in sides]
            for turn in range(times + 2):
                for spent, (server, store, user, operations) in zip(taken, sides, strict=True):
                    before = worked_ms(server)
                    _timed(store, user, operations[name])
                    if turn > 1:
                        spent.append(worked_ms(server) - before)
            base_ms, *others = map(median, taken)
            ratios = "".join(f"{one:9.1f} ({one / base_ms:5.2f})" for one in others)
            click.echo(f"{name:30}{base_ms:9.1f}        {ratios}")
    click.echo(machine(False))
    small.close()
    large.close()


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_obj
def beside(size: Size, command: Sequence[str]) -> None:
    """Measure calls before, while and after `concept-graph-mcp COMMAND` runs."""
    user = size.users // 2
    with tempfile.TemporaryFile() as output:
        _foreground(size, user, "before", _for_a_while())
        start = monotonic()
        process = subprocess.Popen([*_COMMAND, *command], stdout=output, stderr=output)
        _foreground(size, user, "beside", lambda: process.poll() is None)
        click.echo(f"{' '.join(command)}: {monotonic() - start:,.0f} s, exit {process.poll()}")
        _foreground(size, user, "after", _for_a_while())
        output.seek(0)
        click.echo(output.read().decode()[-400:])
    click.echo(machine(False))


def _for_a_while() -> Callable[[], bool]:
    until = monotonic() + _ALONE_S
    return lambda: monotonic() < until


def _foreground(size: Size, user: int, when: str, goes_on: Callable[[], bool]) -> None:
    """Call what agents call most, until *goes_on* says no; print the percentiles."""
    store, operations = Bolt(os.environ["MEMGRAPH_URI"]), _operations(size, user)
    wanted = [operations[name] for name in ("recall", "memory_node_get", "memory_node_create")]
    taken = []
    while goes_on():
        taken += [_timed(store, made.user(user), one) for one in wanted]
    store.close()
    taken.sort()
    p50, p95 = median(taken), taken[int(len(taken) * 0.95)]
    click.echo(f"{when}: {len(taken)} calls, p50 {p50:.1f}, p95 {p95:.1f}, {taken[-1]:.0f} ms most")


def _timed(store: Bolt, user: str, make: Callable[[], Call]) -> float:
    call = make()
    call = call._replace(context={**call.context, "user_id": user})
    start = perf_counter()
    store.run(call, NOW_MS + next(_unused))
    return (perf_counter() - start) * 1e3


def _operations(size: Size, owner: int) -> Operations:
    """Return a call of each tool, with names that the user *owner* of a store of *size* has."""
    chance, user = random.Random(owner), made.user(owner)
    memories, entities = size.of_user(owner)

    def concept() -> str:
        return made.concept(chance.randrange(size.concepts))

    def memory() -> str:
        return made.memory_id(owner, chance.randrange(memories))

    def name() -> str:
        return made.entity(owner, chance.randrange(entities))

    def entity() -> str:
        return made.entity_id(owner, chance.randrange(entities))

    def said(words: int = 12) -> str:
        return text(chance, words)

    def new() -> str:
        return f"{said()} n{next(_unused)}"

    concepts, entity_calls, everyday = calls.concepts, calls.entities, calls.everyday
    nodes, links, search = calls.memories, calls.memories, calls.memories
    return {
        "recall": lambda: everyday.recall(user, f"{said(3)} {name()}?", concept_scope=""),
        "remember": lambda: everyday.remember(user, new(), [name()], concept_scope=""),
        "search": lambda: everyday.search(user, said(4), concept_scope=""),
        "about": lambda: everyday.about(user, name(), concept_scope=""),
        "relate": lambda: everyday.relate("", concept(), concept(), "evokes"),
        "concept_upsert": lambda: concepts.concept_upsert(concept()),
        "concept_upsert, new": lambda: concepts.concept_upsert(new()),
        "update_affect": lambda: concepts.update_affect(concept(), 0.1),
        "episode_add": lambda: concepts.episode_add(new(), [concept()]),
        "relation_add": lambda: concepts.relation_add(concept(), concept(), "is-a"),
        "concept_search": lambda: concepts.concept_search([concept()]),
        "concept_search, nothing": lambda: concepts.concept_search(["zzqx"]),
        "recall_query": lambda: concepts.recall_query([concept()]),
        "recall_query, unknown": lambda: concepts.recall_query(["w17"]),
        "associate": lambda: concepts.associate(said(4)),
        "memory_node_create": lambda: nodes.create(user, new()),
        "memory_node_get": lambda: nodes.get(memory()),
        "memory_node_update": lambda: nodes.update(user, memory(), content=new()),
        "memory_recent": lambda: nodes.recent(user),
        "memory_node_search": lambda: search.search(user, said(4)),
        "memory_context": lambda: search.context(user, said(4)),
        "memory_decay_status": lambda: nodes.decay_status(memory()),
        "memory_link": lambda: links.link(*_two(memory), "relates_to"),
        "memory_connected": lambda: links.connected(memory()),
        "memory_explore": lambda: links.explore(memory()),
        "memory_graph_stats": lambda: links.stats(user),
        "entity_observe": lambda: _observed(f"{name()} met {name()}."),
        "entity_search": lambda: entity_calls.search(name(), user_id=user),
        "entity_get": lambda: entity_calls.get(entity()),
        "entity_context": lambda: entity_calls.context(f"How is {name()}?", user_id=user),
        "entity_stats": entity_calls.stats,
    }


def server_of(uri: str) -> Path:
    """Return the directory in /proc of the process that listens at *uri*."""
    port = urlsplit(uri).port or 7687
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {
        f"socket:[{inode}]"
        for _, local, _, state, *_, inode in (fields[:10] for fields in listening)
        if state == "0A" and int(local.rpartition(":")[2], 16) == port
    }
    for file in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(file.readlink()) in sockets:
                return file.parent.parent
        except OSError:
            continue  # closed since
    raise click.ClickException(f"{uri}: no process of this machine listens there")


def worked_ms(server: Path) -> float:
    """Return the processor time of all calls of a *server* so far, in ms."""
    total = 0
    for thread in (server / "task").iterdir():
        try:
            if (thread / "comm").read_text().strip() not in _HOUSEKEEPING:
                total += int((thread / "schedstat").read_text().split()[0])
        except OSError:
            continue  # ended since
    return total / 1e6


@contextmanager
def _without_snapshots(uri: str) -> Iterator[None]:
    """Have a server make no snapshots for a day; one of a million memories takes minutes."""
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        [[before]] = session.run(f"SHOW DATABASE SETTING '{_INTERVAL}'").values()
        session.run(f"SET DATABASE SETTING '{_INTERVAL}' TO '86400'").consume()
        try:
            yield
        finally:
            session.run(f"SET DATABASE SETTING '{_INTERVAL}' TO '{before}'").consume()


def _two(make: Callable[[], str]) -> tuple[str, str]:
    one = make()
    return one, next(other for other in iter(make, "") if other != one)


def _observed(message: str) -> Call:
    number = next(_unused)
    return calls.entities.observe(f"s{number // 10}", f"m{number}", "user", message)


def _bytes(uri: str) -> float:
    with neo4j.GraphDatabase.driver(uri) as driver, driver.session() as session:
        session.run("FREE MEMORY").consume()
        rows = session.run("SHOW STORAGE INFO")
        return made.storage({row["storage info"]: row["value"] for row in rows})


if __name__ == "__main__":
    main()
