"""Write messages as text for a model: by thread, in time order, in parts of bounded size."""

from collections.abc import Iterator, Sequence

from .history import Message

_MOST_OF_A_NAME = 100


def line(message: Message) -> str:
    """Return *message* as one paragraph with its time and speaker."""
    text = message.text.strip().replace("\n", "\n    ")
    return f"[{message.at:%Y-%m-%d %H:%M}] {message.speaker}: {text}\n"


def parts(messages: Sequence[Message], most: int) -> list[str]:
    """Return the transcript of *messages* in parts of at most *most* characters."""
    made: list[str] = []
    part = ""
    for thread, lines in _threads(messages):
        header = f"# Thread {thread[:_MOST_OF_A_NAME]}\n\n"
        part += f"\n{header}" if part else header
        for piece in _pieces(lines, most - len(header)):
            if len(part) + len(piece) > most:
                # A part with only this thread's header ends before the header.
                made.append(part.removesuffix(header).rstrip("\n"))
                part = header
            part += piece
    made.append(part.rstrip("\n"))
    return [part for part in made if part]


def split(text: str, most: int) -> list[str]:
    """Return *text* in parts of at most *most* characters, cut between lines where possible."""
    made = [""]
    for piece in _pieces(text.splitlines(keepends=True), most):
        if len(made[-1]) + len(piece) > most:
            made.append("")
        made[-1] += piece
    return [part for part in made if part.strip()]


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of *text*: four ASCII characters count as one, any other as one."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return -(-ascii_characters // 4) + len(text) - ascii_characters


def _threads(messages: Sequence[Message]) -> Iterator[tuple[str, list[str]]]:
    threads: dict[str, list[str]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(line(message))
    yield from threads.items()


def _pieces(lines: Sequence[str], most: int) -> Iterator[str]:
    for text in lines:
        for start in range(0, len(text), most):
            yield text[start : start + most]
