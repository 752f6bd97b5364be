"""Start the program; a hook starts without the command line, and imports little.

As a file of its own this is the command of a hook, for Python without its packages (`-S`): finding
these takes a third of the time.
"""

import os
import sys

if not __package__:
    # The folder of the package in place of the file's own, whose modules have names of others.
    sys.path[0] = sys.path[0].rpartition(os.sep)[0]
    __package__ = "concept_graph_mcp"

# New objects between two collections of garbage. Imports make many that stay, and with Python's own
# number collections take a sixth of the time of a start.
_COLLECTED_AFTER = 100_000


def main() -> None:
    """Answer a hook as `setup` writes it; do everything else with the command line."""
    if "hook" in sys.argv[1:4] and _answer_hook(sys.argv[1:]):
        return
    _find_packages()
    _collect_rarely()
    from .__main__ import run

    try:
        sys.exit(run())
    finally:
        _leave_uncollected()


def _find_packages() -> None:
    """Find the packages, if Python was started without them."""
    if sys.flags.no_site:
        import site

        site.main()


def _collect_rarely() -> None:
    # Imported here, because a hook that a server answers imports nothing.
    import gc

    gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])


def _leave_uncollected() -> None:
    """Let Python's end leave alone what ends anyway: a fifth of the time of a short command."""
    import gc

    gc.freeze()


def _answer_hook(called: list[str]) -> bool:
    """Answer the hook that *called* names, by a running server if there is one.

    Return whether it is in the form that `setup` writes.
    """
    from .hooks import asking

    parsed = asking.parse_call(called)
    if parsed is None:
        return False
    store, event, client = parsed
    try:
        if asking.answer_by_server(called):
            return True
    except asking.Late as late:
        if not late.is_taken:
            from .hooks import journal

            journal.log_result(client, event, f"{journal.LATE}: a server hangs")
        return True
    _find_packages()
    _collect_rarely()
    from .commands import hook_process

    hook_process.answer_hook(store.partition("=")[2] if store else None, event, client)
    # Python would take a quarter of the time of the answer to free what ends anyway.
    os._exit(0)


if __name__ == "__main__":
    main()
