"""Turn a message history into a graph, chunk by chunk, with a model's help (`backfill`)."""

import os
from pathlib import Path

import click

from ..extras.chat_model import ModelError, OpenAIModel, find_endpoint
from ..session import Session
from .common import Failure, configured, with_session
from .notes import note

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
@click.argument("messages", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def backfill(
    embedded: str | None,
    /,
    *,
    messages: Path,
    user_id: str,
    days_per_chunk: int,
    max_chunks: int | None,
    since_chunk: int,
) -> None:
    """Turn MESSAGES, a history of conversations, into concepts and episodes, with a model's help.

    MESSAGES has a JSON object a line, in time order: role, text, created_at (unix ms or ISO 8601),
    thread, user_id. All threads count in which the user speaks.

    It is not idempotent: a chunk that is read twice is remembered twice. Begin with `reset`, or in
    a store of its own.

    \b
    The model is any that can call tools, behind any OpenAI-compatible endpoint;
    the extra backfill has its client:
      OPENAI_MODEL       what it is called
      OPENAI_BASE_URL    where it is, default https://api.openai.com/v1
      OPENAI_API_KEY     the key, where one is needed
    """
    # Imported only here, because an MCP client takes a second to import; --help needs none.
    from mcp.client.client import Client

    from ..extras.backfill import BackfillError, chunks, live_through
    from ..serving import build

    try:
        zone = configured(embedded).zone
        found, left_out = chunks(messages, zone, user_id, days_per_chunk)
        model = OpenAIModel(find_endpoint(os.environ))
    except (BackfillError, ModelError) as error:
        raise Failure(str(error)) from None
    wanted = [one for one in found if one.number >= since_chunk]
    if not wanted:
        raise Failure(f"--since-chunk {since_chunk}: the last chunk is {found[-1].number}")
    if left_out:
        note(f"{left_out:,} messages are left out: in other threads, or before the first day.")
    at = since_chunk

    async def work(session: Session) -> None:
        nonlocal at
        failed = ""
        # The server closes the store at its end, so all chunks have one.
        server = build(session, with_set_time=True, toolsets=("concept",))
        async with Client(server) as client:
            try:
                for chunk in wanted[:max_chunks]:
                    at = chunk.number
                    spent = await live_through(client, model, user_id, chunk)
                    note(
                        f"chunk {at}, {chunk.first_day} to {chunk.last_day}:"
                        f" {len(chunk.messages):,} messages, {spent.calls:,} calls,"
                        f" {spent.tokens_in:,} + {spent.tokens_out:,} tokens"
                    )
            except (BackfillError, ModelError) as error:
                # Raised out there, because the client would wrap it in a group.
                failed = str(error)
            finally:
                await model.close()
        if failed:
            raise Failure(f"chunk {at}: {failed}; {_continue(at)}")
        if left := [one.number for one in wanted[max_chunks:]] if max_chunks else []:
            note(f"{len(left):,} chunks are left; continue with --since-chunk {left[0]}.")

    try:
        with_session(embedded, work, creates=True)
    except KeyboardInterrupt:
        raise Failure(f"chunk {at}: interrupted; {_continue(at)}") from None


def _continue(number: int) -> str:
    return (
        f"the chunks before it are whole, and it may be in part: restore a backup, or repeat it"
        f" with --since-chunk {number}"
    )
