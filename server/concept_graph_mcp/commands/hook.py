"""Answer a hook of a coding agent (`hook`)."""

import click

from . import hook_process


# A wrong option must not exit with 2: that blocks the prompt.
@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", default="")
@click.option("--client", metavar="NAME", default="unknown", help="The agent, for doctor.")
@click.pass_obj
def hook(embedded: str | None, event: str, client: str) -> None:
    """Answer the hook EVENT of a coding agent, whose JSON is read from stdin.

    \b
    EVENT is
      session-start       put in front of the model: who the user is, what was
                          said last in the project, and elsewhere in the last
                          days
      user-prompt-submit  put in front of the model: what belongs to the prompt
      pre-compact, stop, session-end
                          ingest the transcript, behind the answer

    It is for the configuration of an agent, which setup writes. It always exits with 0, and
    answers nothing if it cannot answer in time. Failures are in hooks/hooks.log of the data
    directory.
    """
    hook_process.answer_hook(embedded, event, client)
