"""Combine a store with the clock, the time constant and the zone of its calls."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, cast
from zoneinfo import ZoneInfo

from conceptgraph_core.everyday.asking import read_time_alone, read_time_beside
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.retrieval.periods import find_periods
from conceptgraph_core.retrieval.question import MOST_WORDS, shorten
from conceptgraph_core.texts import dates
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.context import DEFAULT_USER, OWN, WHOSE
from conceptgraph_core.verbs.errors import EmbeddingMismatch

from . import calls
from .calls.call import Call, Embed, Neighbour, spoken
from .calls.verb import Also, Verb, read_also
from .embedding import Later, Unfinished
from .errors import Refused, Unwritable
from .hosts.store import Rows, Store
from .settings import Settings

if TYPE_CHECKING:
    from .embedding.base import Embedding, Vector

T = TypeVar("T")
logger = logging.getLogger(__name__)
# Warnings are of the call in progress, and each call of a tool has a context of its own.
_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


_TOLD_BY_WORDS = "found by words alone, for there is no vector: {}"


@dataclass
class Clock:
    """This process's clock, which can be stopped at a time (unix ms)."""

    frozen_ms: int | None = None

    def now_ms(self) -> int:
        return time_ns() // 1_000_000 if self.frozen_ms is None else self.frozen_ms

    def set(self, now_ms: int) -> None:
        """Stop the clock at *now_ms*; 0 or less lets it run again. Raises Refused beyond 9999."""
        if now_ms > limits.MAX_TIME_MS:
            raise Refused(f"now_ms: must be at most {limits.MAX_TIME_MS}, not {now_ms}")
        self.frozen_ms = now_ms if now_ms > 0 else None


@dataclass
class Adoption:
    """Whether the shared concepts of a file stay shared because it cannot be written."""

    has_failed: bool = False


class Asked(NamedTuple):
    """A query's vector with the name of its embedding, or nothing.

    `neighbours` has terms near those of the query, if the embedding has a vector for each word.
    `advice` says why an expected vector is missing: words alone find memories too, so an
    unreachable model must not block a search. `embed` makes the vector of the query as it was
    meant, without names.
    """

    embedded: "tuple[str, Vector] | None" = None
    advice: str | None = None
    neighbours: Sequence[Neighbour] = ()
    embed: Embed | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The context in which a toolset or a command calls procedures.

    With `until_ms` (unix ms) it only looks back: calls do not see later events.
    """

    store: Store
    tau_ms: int
    zone: ZoneInfo
    clock: Clock
    user_id: str = DEFAULT_USER
    until_ms: int | None = None
    embedding: "Later | None" = None
    decay: Mapping[str, float] = field(default_factory=dict)
    expires: bool = False
    concepts: str = WHOSE[0]
    # Whether the caller runs the server too, and is told what its owner has to do.
    is_owner: bool = True
    # Why it can change nothing, for people; None if it can.
    unwritable: str | None = None
    # Whether secrets are left out of what agents store.
    redacts: bool = False
    # Those of `Settings`, in this order: asks and answers.
    chances: tuple[float | None, float | None] = (None, None)
    # Whether what recalls are asked is kept.
    keeps_questions: bool = False
    # The project in which its user works; None: all projects are one.
    project: str | None = None
    # The import that its calls belong to, by which it can be taken back.
    import_id: str | None = None
    # Seconds for which a question waits while its model loads; None: until it is loaded.
    patience_s: float | None = None
    # Told each call that may have kept a text without a vector: its session and its time.
    on_kept: "list[Callable[[Session, int], None]]" = field(default_factory=list)
    # Told each call that may have changed what is stored, other than accesses.
    on_written: "list[Callable[[], None]]" = field(default_factory=list)
    # The texts whose vectors this process is making.
    unfinished: Unfinished = field(default_factory=Unfinished)
    # Set when the store is opened, by `sharing.adopt_shared`.
    adoption: Adoption = field(default_factory=Adoption)

    @property
    def concept_scope(self) -> str:
        """Return the scope of concepts and episodes for its calls: SHARED, or the user's."""
        is_own = self.concepts == OWN and not self.adoption.has_failed
        return self.user_id if is_own else SHARED

    @classmethod
    def of(
        cls,
        store: Store,
        settings: Settings,
        clock: Clock | None = None,
        until_ms: int | None = None,
    ) -> Self:
        """Return a session on *store* with *settings*; the clock runs unless one is given.

        *store* is the store of the settings, open or not.
        """
        made = store, settings.tau_ms, settings.zone, clock or Clock(), settings.user_id
        embedding = Later(settings.embeddings) if settings.embeddings else None
        given = settings.decay, settings.expires, settings.concepts
        chances = settings.asks, settings.answers
        rest = until_ms, embedding, *given
        session = cls(*made, *rest, redacts=settings.redacts, chances=chances)
        return replace(session, keeps_questions=settings.keeps_questions)

    async def question(self, text: str, is_statement: bool = False) -> Asked:
        """Return *text* as a query, or as a statement, with its vector if there is an embedding.

        A text without any word that the embedding knows has no vector, and words serve until the
        model is loaded. Raises StoreError.
        """
        if self.embedding is None:
            return Asked()
        from .embedding import readiness, vocabulary
        from .embedding.base import EmbeddingError

        try:
            embedding, advice = await readiness.ready(self, is_statement)
            if embedding is None:
                return Asked(advice=advice)
            if is_statement:
                [vector] = await embedding.vectors([text])
                return Asked((embedding.name, vector) if any(vector) else None)
            vector = (await _embed(embedding, text))["vector"]
            near = await vocabulary.neighbours(embedding, text) if vector else ()
        except EmbeddingError as error:
            return Asked(advice=_TOLD_BY_WORDS.format(error))

        async def embed(said: str) -> Mapping[str, Any]:
            try:
                return await _embed(embedding, said)
            except EmbeddingError as error:
                _advise(_TOLD_BY_WORDS.format(error))
                return {"vector": []}

        return Asked((embedding.name, vector), None, near, embed)

    async def answered(
        self,
        text: str,
        by: Callable[..., Call],
        is_statement: bool = False,
        question: Asked | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Run the call that *by* makes of `embedded`, the vector of *text* or None.

        *question* is *text* as a query, if the caller has made it.

        Returns its rows and, if only words were searched, the reason. The store's vectors may be of
        another embedding; then words must find the memories until the owner embeds them again.
        Raises StoreError.
        """
        told = None
        if question is None:
            question = await self.question(text, is_statement)
        try:
            call = by(embedded=question.embedded)
            given: dict[str, Any] = {}
            if question.neighbours:
                given["neighbours"] = [list(one) for one in question.neighbours]
            if question.embed is not None:
                given["embeds"] = True
            if given:
                call = call._replace(context={**call.context, **given}, embed=question.embed)
            rows, advice = await self.accessed(call)
            told = question.advice
        except Refused as error:
            if question.embedded is None or not issubclass(error.kind, EmbeddingMismatch):
                raise
            from .embedding import readiness

            readiness.forget(self)
            rows, advice = await self.accessed(by(embedded=None))
            told = f"found by words alone; {error}"
        return rows, join_advice(told, advice)

    def for_nothing(self, advice: str | None) -> str | None:
        """Return *advice* on an answer without results, with what may be missing in it."""
        unfinished = self.unfinished.advice(self.user_id)
        return join_advice(advice, unfinished)

    async def wordings(self, given: Sequence[str]) -> Also:
        """Return *given*, other wordings of a query, with one vector if there is an embedding.

        Raises StoreError.
        """
        also = read_also(given)
        if not also.wordings:
            return also
        question = await self.question(also.text)
        if question.embedded is None or not len(question.embedded[1]):
            return also
        return also._replace(vector=tuple(question.embedded[1]))

    def read_times(self, message: str, asked_at: int | None = None) -> dict[str, Any]:
        """Return the times of *message* that a recall takes: see `asking`."""
        until_ms = self.clock.now_ms() if self.until_ms is None else self.until_ms
        at = until_ms if asked_at is None else asked_at
        said = find_periods(message, at, self.zone)
        then = read_time_alone(message, at, self.zone, spoken(), said)
        around = read_time_beside(message, at, self.zone, said) if then is None else None
        return {"told_in": then, "told_around": around}

    def redacted(self, given: T) -> T:
        """Return the texts *given* without secrets, if so configured; a warning says of what kinds.

        It must be done before anything is made of them: a vector may be computed elsewhere.
        """
        if not self.redacts:
            return given
        # Imported on demand: by default nobody needs it.
        from .histories.secrets import redact_all

        made, told = redact_all(given)
        if told is not None:
            _advise(told)
        return cast(T, made)

    async def accessed(self, call: Call) -> tuple[list[dict[str, Any]], str | None]:
        """Run *call*, whose results count as accessed if the store can be written.

        A full or read-only store, or a replica, still answers. Returns the rows and, if no access
        was counted, the reason. Raises StoreError.
        """
        try:
            return await self.run(call), None
        except Unwritable as error:
            peek = call.procedure.peek()
            if peek.writes:
                raise
            return await self.run(call._replace(procedure=peek)), f"no access was counted: {error}"

    def call(self, verb: Verb[Any], **given: Any) -> Call:
        """Return the call of *verb* with the arguments *given*, for this user. Raises Refused."""
        own: dict[str, Any] = {"scope": self.user_id, "user_id": self.user_id}
        own |= {"concept_scope": self.concept_scope, "tau_ms": self.tau_ms}
        return verb.make_call(**{one: own[one] for one in verb.own}, **given)

    async def run(self, call: Call) -> list[dict[str, Any]]:
        """Run *call* at the clock's time. Raises StoreError."""
        return await self._run(call, self.clock.now_ms())

    def date(self, now_ms: int) -> str:
        """Return the local date "YYYYMMDD" at *now_ms*."""
        return f"{self.local(now_ms):%Y%m%d}"

    def show_minute(self, time_ms: int) -> str:
        """Return *time_ms* as people read it in the session's zone, to the minute."""
        return dates.minute(time_ms, self.zone)

    def show_day(self, time_ms: int) -> str:
        """Return the day of *time_ms* as people read it in the session's zone."""
        return dates.day(time_ms, self.zone)

    def local(self, time_ms: int) -> datetime:
        """Return the local time at *time_ms*."""
        return dates.moment(time_ms, self.zone)

    async def _run(self, call: Call, now_ms: int) -> list[dict[str, Any]]:
        context = {
            "now_ms": now_ms,
            "tau_ms": self.tau_ms,
            "date": self.date(now_ms),
            "user_id": self.user_id,
            "decay": dict(self.decay),
            "expires": self.expires,
            "concepts": WHOSE[0] if self.adoption.has_failed else self.concepts,
        }
        if "languages" in call.context:
            # The days that a question names are days of this zone.
            asked_at = self.local(call.context.get("asked_at", now_ms))
            offset = asked_at.utcoffset() or timedelta()
            context["offset_minutes"] = offset // timedelta(minutes=1)
        if self.chances != (None, None):
            context["chances"] = list(self.chances)
        if self.import_id is not None:
            context["import_id"] = self.import_id
        if self.until_ms is not None:
            context |= {"until_ms": self.until_ms, "until_date": self.date(self.until_ms)}
        rows = await self.store.call(call, context)
        if isinstance(rows, Rows) and rows.advice is not None:
            _advise(rows.advice)
        if call.procedure.writes and not call.procedure.counts:
            for note_written in self.on_written:
                note_written()
        if call.procedure.name in calls.embedding.KEEPING:
            for tell in self.on_kept:
                tell(self, now_ms)
        return rows


async def _embed(embedding: "Embedding", text: str) -> dict[str, Any]:
    """Return the vector of *text*, empty without a known word. Raises EmbeddingError."""
    [vector] = await embedding.vectors([text])
    return {"vector": list(vector) if any(vector) else []}


def cut_question(text: str) -> tuple[str, str | None]:
    """Return the question *text*, shortened if it is long, and the advice that says so."""
    cut = shorten(text)
    if cut == text:
        return text, None
    return cut, f"only the beginning and the end were read, {MOST_WORDS} different words of them"


def join_advice(*advice: str | None) -> str | None:
    """Return the *advice* that there is as one line; None if there is none."""
    return "; ".join(filter(None, advice)) or None


@contextmanager
def advised() -> Iterator[list[str]]:
    """Collect the warnings of the calls made in this block; elsewhere they are logged."""
    heard: list[str] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def _advise(advice: str) -> None:
    heard = _heard.get()
    if heard is None:
        logger.warning("%s", advice)
    elif advice not in heard:
        heard.append(advice)
