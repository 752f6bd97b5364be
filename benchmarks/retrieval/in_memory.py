"""The texts of a memory and their terms in plain dictionaries: `associate` without any store."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from conceptgraph_core.retrieval.groups import Neighbour
from conceptgraph_core.retrieval.index import Corpus, Mentions, Told
from conceptgraph_core.retrieval.question import speaker_terms
from conceptgraph_core.texts.words import terms
from conceptgraph_core.texts.words.languages import DEFAULT

from .folder import Message

_NONE: Mentions[int] = Mentions((), (), (), (), (), ())


class InMemory:
    """An `Index` whose texts are the numbers of its messages."""

    def __init__(self, messages: Sequence[Message], languages: Sequence[str] = DEFAULT) -> None:
        self.messages = messages
        self.languages = languages
        self.terms_of: list[Mapping[str, int]] = [
            terms(message.text, languages) for message in messages
        ]
        self.lengths = [sum(counts.values()) for counts in self.terms_of]
        self.threads: dict[str, list[int]] = {}
        self.positions: list[int] = []
        self._mentions: dict[str, Mentions[int]] = {}
        self.speakers: dict[str, set[str]] = {}
        for text, message in enumerate(messages):
            self._add(text, message)
        self.corpus = Corpus(len(messages), sum(self.lengths) / len(messages))

    def _add(self, text: int, message: Message) -> None:
        thread = self.threads.setdefault(message.thread, [])
        self.positions.append(len(thread))
        thread.append(text)
        for term, count in self.terms_of[text].items():
            mention = (
                *(text, count, self.lengths[text]),
                *(message.thread, self.positions[text], message.time_ms),
            )
            columns: Any = self._mentions.setdefault(term, Mentions(*([] for _ in mention)))
            for column, value in zip(columns, mention, strict=True):
                column.append(value)
        for term in speaker_terms(message.speaker, self.languages):
            self.speakers.setdefault(term, set()).add(message.speaker)

    def count(self, cue: str) -> int:
        """Return how many texts mention *cue*."""
        return len(self._mentions[cue].texts) if cue in self._mentions else 0

    def counts(self, cues: Collection[str], most: int) -> dict[str, int]:
        """Return how many texts mention each of *cues*."""
        return {cue: self.count(cue) for cue in cues}

    def expect_mentions(self, cues: Collection[str]) -> None:
        """Do nothing: all are at hand."""

    def near(self, cue: str) -> Sequence[Neighbour]:
        """Return nothing: no word has neighbours here."""
        return ()

    def mentions(self, cue: str) -> Mentions[int]:
        """Return the texts that mention *cue*."""
        return self._mentions.get(cue, _NONE)

    def about(self, texts: Sequence[int]) -> Mentions[int]:
        """Return what a mention tells of each of *texts*, counted once."""
        told = [(self.messages[text], self.positions[text]) for text in texts]
        rows = [
            (text, 1, self.lengths[text], message.thread, position, message.time_ms)
            for text, (message, position) in zip(texts, told, strict=True)
        ]
        return Mentions(*zip(*rows, strict=True))

    def terms(self, texts: Sequence[int]) -> list[list[str]]:
        """Return the terms that each of *texts* mentions, without first names of speakers."""
        every = map(self.terms_of.__getitem__, texts)
        return [[term for term in some if term not in self.speakers] for some in every]

    def beside(self, text: int, offset: int) -> int | None:
        """Return the text *offset* further along the thread."""
        thread, position = self.threads[self.messages[text].thread], self.positions[text] + offset
        return thread[position] if 0 <= position < len(thread) else None

    def expect(self, texts: Sequence[tuple[int, int]]) -> None:
        """Do nothing: all is at hand."""

    def expect_nodes(self, texts: Sequence[int]) -> None:
        """Do nothing: none are kept elsewhere."""

    def tell(self, text: int) -> Told:
        """Return what the text is, who said it and when."""
        message = self.messages[text]
        return Told(message.id, message.speaker, message.time_ms)
