"""Turn a message history into a graph, chunk by chunk, with a model's help (`backfill`).

Move the working store's graph into the configured store.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import anyio
import click

from .. import calls
from ..backfill import history, report, steps, working_store
from ..backfill.history import Survey
from ..backfill.report import Screen, total
from ..backfill.run import Job, run
from ..backfill.steps import BackfillError, WorkingStoreError
from ..errors import StoreError
from ..session import Session
from ..settings import Settings
from .common import FILE, Failure, Number, configured
from .notes import note
from .terminal import notes, out

if TYPE_CHECKING:
    from ..backfill.model import OpenAIModel


async def move(source: Session, target: Session) -> Counter[str]:
    """Import everything of *source* into *target*; return the counts of `import_rows`.

    Raises WorkingStoreError, which says how much was moved.
    """
    totals: Counter[str] = Counter()
    moved = 0
    async for records in source.store.stream():
        try:
            totals.update((await target.run(calls.transfer.import_rows(records)))[0])
        except StoreError as error:
            raise WorkingStoreError(
                f"{error}; {moved:,} records were moved; the whole result is in"
                f" {source.store.location}, from where export and import bring it over"
            ) from None
        moved += len(records)
    return totals


_NOT_IDEMPOTENT = (
    "Backfilling is not idempotent: what is read twice is remembered twice and felt twice."
)
_WHOLE = click.IntRange(min=1)


@click.command()
@click.option("--user-id", required=True, metavar="ID", help="The user whose memory is built.")
@click.option(
    "--days-per-chunk", required=True, type=_WHOLE, metavar="N", help="Local days in a chunk."
)
@click.option(
    "--max-chunks", type=_WHOLE, metavar="N", help="At most this many chunks with messages."
)
@click.option("--since-chunk", type=_WHOLE, default=1, metavar="N", help="Begin with this chunk.")
@click.option(
    "--store",
    type=FILE,
    default=Path("backfill.db"),
    show_default=True,
    help="The file that collects the chunks; nothing else may use it meanwhile.",
)
@click.option("--into-target", is_flag=True, help="Move the result over into the configured store.")
@click.option("--force", is_flag=True, help="Add to a store that is not empty.")
@click.option("--dry-run", is_flag=True, help="Show what would be read; call and write nothing.")
@click.option(
    "--prompts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory with prompts of your own; steps without a file there keep ours.",
)
@click.option("--report", type=FILE, help="Add a JSON line a chunk to this file.")
@click.option(
    "--chars-per-call",
    type=click.IntRange(min=1_000),
    default=24_000,
    show_default=True,
    help="Characters of a transcript for one model call.",
)
@click.option(
    "--max-rounds",
    type=_WHOLE,
    default=50,
    show_default=True,
    help="Rounds of tool calls that a step may have.",
)
@click.option(
    "--timeout",
    type=Number(min=0, min_open=True),
    default=180.0,
    show_default=True,
    help="Seconds that a model call may take.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Retries of a call after rate limits, time-outs and server errors.",
)
@click.argument("messages", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def backfill(embedded: str | None, /, messages: Path, user_id: str, **options: Any) -> None:
    """Turn MESSAGES, a history of conversations, into a graph, with a model's help.

    MESSAGES has a JSON object a line, in time order: role, text, created_at (unix ms or ISO 8601),
    thread, user_id. All threads count in which the user speaks.

    \b
    The model is any that can call tools, behind any OpenAI-compatible endpoint:
      OPENAI_MODEL       what it is called
      OPENAI_BASE_URL    where it is, default https://api.openai.com/v1
      OPENAI_API_KEY     the key, where one is needed
    """
    with _told():
        chosen = configured(embedded)
        surveyed = _survey(messages, chosen, user_id, options["days_per_chunk"])
        wanted = _wanted(surveyed, options["since_chunk"], options["max_chunks"])
        prompts = steps.prompts(options["prompts"])
        if options["dry_run"]:
            out.print(report.plan(surveyed, wanted))
            return
        make_model = _model_maker(options["timeout"], options["retries"])
        store = options["store"].absolute()
        sizes = options["chars_per_call"], options["max_rounds"]
        job = Job(store, chosen, prompts, user_id, *sizes)
        notes.print(_NOT_IDEMPOTENT, style="yellow", soft_wrap=True)
        with working_store.lock_store(store):
            _check(job, options["since_chunk"], options["into_target"], options["force"])
            _work(job, make_model, surveyed, wanted, options["report"])
            if options["into_target"]:
                _move(job, options["force"])


@contextmanager
def _told() -> Iterator[None]:
    """Turn the errors that stop a backfill into a Failure."""
    try:
        yield
    except (BackfillError, StoreError) as error:
        raise Failure(str(error)) from None


def _survey(messages: Path, chosen: Settings, user_id: str, days: int) -> Survey:
    if not messages.is_file():
        raise Failure(f"{messages}: must be a file; it is read twice")
    with notes.status("reading the history") if notes.is_terminal else nullcontext():
        surveyed = history.survey(messages, chosen.zone, user_id, days)
    if surveyed.left_out:
        note(
            f"{surveyed.left_out:,} messages are left out: in other threads, or from before"
            f" {surveyed.calendar.first}, the first day of {user_id}."
        )
    return surveyed


def _wanted(surveyed: Survey, since: int, most: int | None) -> list[int]:
    """Return the numbers of the chunks to process: those that have messages."""
    numbers = [number for number in surveyed.chunks if number >= since]
    if not numbers:
        raise Failure(f"--since-chunk {since}: the last chunk is {max(surveyed.chunks)}")
    return numbers[:most]


def _model_maker(timeout_s: float, retries: int) -> "Callable[[], OpenAIModel]":
    try:
        from ..backfill import model
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "concept_graph_mcp":
            raise
        raise Failure("backfill needs the openai package: pip install 'openai>=1.66,<4'") from None
    endpoint = model.endpoint(os.environ)
    return lambda: model.OpenAIModel(endpoint, timeout_s, retries)


def _check(job: Job, since: int, into_target: bool, force: bool) -> None:
    """Undo the unfinished chunk of a killed run; refuse stores that are not empty."""
    target = job.settings.embedded
    if target is not None and target.absolute() == job.store:
        raise Failure(f"{job.store}: is the configured store; the working store must be another")
    undone = working_store.put_back(job.store)
    if undone is not None:
        notes.print(
            f"The last run ended within chunk {undone}; its part of it was taken back.",
            style="yellow",
        )
    if not (force or since > 1 or anyio.run(_is_empty, job.working_settings)):
        go_on = f"--since-chunk {undone}" if undone is not None else "--since-chunk"
        raise Failure(
            f"{job.store}: is not empty; continue with {go_on}, or name another with --store"
            " (--force adds to it)"
        )
    if into_target and not (force or anyio.run(_is_empty, job.settings)):
        raise Failure("the configured store is not empty; --force adds to it")


async def _is_empty(settings: Settings) -> bool:
    async with working_store.open_session(settings) as session:
        return not any((await working_store.counts(session)).values())


def _work(
    job: Job,
    make_model: "Callable[[], OpenAIModel]",
    surveyed: Survey,
    wanted: list[int],
    report: Path | None,
) -> None:
    """Process the *wanted* chunks; undo a chunk that was not completed. Raises Failure."""

    async def work(watcher: Screen) -> str | None:
        model = make_model()
        try:
            found = history.chunks(surveyed, frozenset(wanted))
            return await run(job, model, found, watcher)
        finally:
            await model.close()

    with ExitStack() as stack:
        file = stack.enter_context(_appended(report)) if report else None
        watcher = stack.enter_context(Screen(out, notes, len(wanted), file))
        try:
            stopped = anyio.run(work, watcher)
        except KeyboardInterrupt:
            stopped = "interrupted"
        finally:
            working_store.put_back(job.store)
    if watcher.reports:
        out.print(total(watcher.reports), soft_wrap=True)
    _tell_the_next(stopped, len(watcher.reports), surveyed, wanted)


def _tell_the_next(stopped: str | None, done: int, surveyed: Survey, wanted: list[int]) -> None:
    """Print the chunk to continue from. Raises Failure unless all the *wanted* ones are done."""
    if stopped is None and done < len(wanted):
        stopped = "the history was changed while it was read"
    if stopped is not None:
        number = wanted[done]
        raise Failure(
            f"chunk {number}: {stopped}; nothing of it was kept, all chunks before it were;"
            f" continue with --since-chunk {number}"
        )
    left = [number for number in surveyed.chunks if number > wanted[-1]]
    if left:
        notes.print(f"Chunks left: {len(left):,}; continue with --since-chunk {left[0]}.")


def _appended(file: Path) -> IO[str]:
    try:
        return file.open("a", encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror or error}") from None


def _move(job: Job, force: bool) -> None:
    """Move the result into the configured store, unless another program has filled it meanwhile."""

    async def work() -> tuple[str, Counter[str]]:
        async with (
            working_store.open_session(job.working_settings) as source,
            working_store.open_session(job.settings) as target,
        ):
            if not force and any((await working_store.counts(target)).values()):
                raise WorkingStoreError(
                    f"{target.store.location}: is not empty any more; the result is in {job.store}"
                )
            return target.store.location, await move(source, target)

    location, totals = anyio.run(work)
    counted = ", ".join(f"{key.replace('_', ' ')}: {value:,}" for key, value in totals.items())
    notes.print(f"moved over into {location}: {counted}", soft_wrap=True)
