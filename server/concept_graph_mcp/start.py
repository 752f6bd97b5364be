"""Start the program; a hook that a running server answers ends before the imports."""

import sys


def main() -> None:
    """Answer a hook through a running server; do everything else with the command line."""
    if "hook" in sys.argv[1:4]:
        from .hooks import asking

        try:
            if asking.answer_by_server(sys.argv[1:]):
                return
        except asking.Late as late:
            if late.is_taken:
                return
            from .hooks import journal

            _, event, client = asking.parse_call(sys.argv[1:]) or ("", "", "")
            journal.log_result(client, event, f"{journal.LATE}: a server hangs")
            return
    from .__main__ import run

    sys.exit(run())


if __name__ == "__main__":
    main()
