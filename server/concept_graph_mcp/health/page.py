"""Answer the page of `view`: sizes, growth, jobs, findings, and a check of everything.

A user who does not run the server gets the counts of their own alone: no other user's, no path and
no setting. Everybody's counts are those of their own scope.
"""

import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby
from typing import Any

import anyio
from starlette.exceptions import HTTPException

from conceptgraph_core import __version__, limits

from .. import calls, overdue
from ..clients.changes import states
from ..errors import StoreError
from ..hosts.store import Keeper
from ..session import Clock, Session
from ..settings import Settings
from ..view import entities
from ..worker import registry
from ..worker.job import Job
from ..worker.lease_runner import is_due
from . import findings
from .findings import COMMAND, Finding

Row = dict[str, Any]
Answer = Callable[[Session], Awaitable[Row]]

# A check of everything reads the whole store; the page waits so long for it.
PATIENCE_S = 60.0
_MONTHS = 24
_RUN = "run "


def answers(chosen: Settings, keeper: Keeper) -> Mapping[str, Answer]:
    """Return the answers to the page, by path, of the store of *keeper* with these settings."""

    def asked(session: Session) -> _Page:
        return _OwnersPage(session, chosen, keeper) if session.is_owner else _Page(session)

    return _answers(asked)


def _answers(page: Callable[[Session], "_Page"]) -> Mapping[str, Answer]:
    def today(session: Session) -> _Page:
        # Looking back, too, it is of today: nobody mends what has been.
        return page(replace(session, clock=Clock(), until_ms=None))

    async def health(session: Session) -> Row:
        return await today(session).health()

    async def check(session: Session) -> Row:
        return await today(session).check()

    return {"health": health, "check": check}


class _Page:
    """One request of the page, for a user who does not run the server."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._failed: list[Finding] = []

    async def health(self) -> Row:
        """Return the user's own counts."""
        return {"is_owner": False, **await self._count_nodes()}

    async def check(self) -> Row:
        """Refuse: a check is of the whole store."""
        raise HTTPException(403, "only the owner of the server may check it")

    async def _count_nodes(self) -> Row:
        return {"version": __version__, "sizes": await self._try_work("sizes", self._sizes)}

    async def _try_work(self, what: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """Return what *work* does; a store too damaged for it is a finding."""
        try:
            return await work()
        except StoreError as error:
            told = str(error) if self._session.is_owner else "cannot be read"
            self._failed.append(Finding(what, told, True, f"{COMMAND} check"))
            return None

    async def _sizes(self) -> Row:
        """Return the user's own counts; memories and mentions before each of some months too."""
        session = self._session
        months = entities.months(session, _MONTHS)
        call = calls.everyday.sizes(
            session.user_id, [0, *months, limits.MAX_TIME_MS], concept_scope=session.concept_scope
        )
        [row] = await session.run(call)
        growth = {name: row.pop(name) for name in ("memories", "mentions")}
        totals = {name: sum(counts) for name, counts in growth.items()}
        # The first count is of all before the first month.
        return {"totals": {**totals, **row}, "months": months, "growth": growth}


class _OwnersPage(_Page):
    """One request of the page, for whoever runs it."""

    def __init__(self, session: Session, chosen: Settings, keeper: Keeper) -> None:
        super().__init__(session)
        self._chosen = chosen
        self._keeper = keeper

    async def health(self) -> Row:
        """Return all that is read quickly: counts by index, jobs, the embedding, the backup."""
        shown = await self._count_nodes()
        size = await self._try_work("size", self._keeper.size)
        jobs = await self._try_work("jobs", self._jobs)
        found = [
            await self._try_work("last backup", partial(findings.backup, self._session)),
            await self._try_work("embedding", partial(findings.embedding, self._session)),
        ]
        return {
            "is_owner": True,
            **shown,
            "store": {"location": self._keeper.location, "size": size},
            "jobs": jobs,
            "findings": [self._show_finding(one) for one in (*filter(None, found), *self._failed)],
        }

    async def check(self) -> Row:
        """Return what `doctor` and `check` find, within a minute."""
        found: list[Finding] = []
        texts = None
        with anyio.move_on_after(PATIENCE_S) as scope:
            found += findings.configuration(self._chosen)
            found += [Finding(one.client, one.state, one.wrong) for one in states()]
            found += await findings.replicas(self._chosen)
            found += await self._problems()
            texts = await self._try_work("embedding", self._texts)
        if scope.cancelled_caught:
            told = f"takes longer than {PATIENCE_S:.0f} seconds here"
            found.append(Finding("check", told, mend=f"{COMMAND} check"))
        return {
            "findings": [self._show_finding(one) for one in (*found, *self._failed)],
            "texts": texts,
        }

    async def _jobs(self) -> Row:
        session = self._session
        [status] = await session.run(calls.memory_admin.worker_status())
        then = session.clock.now_ms() - overdue.OVERDUE_MS
        known = {row["job"]: row for row in status["jobs"]}
        configured = registry.choose_configured(self._chosen)
        # A job that never ran is late where it has had something to do for as long.
        had_work = any(job.name not in known for job in configured) and await self._is_older(then)
        jobs = []
        for job in configured:
            row = known.get(job.name)
            # `is_due` takes a run that began a day after *then* for one of a wrong clock.
            is_late = had_work if row is None else (row["started_at"] or 0) <= then
            is_late = is_late and is_due(job, status, then, session.zone)
            jobs.append(self._job(job, row or {}, is_late))
        advice = wrong = await overdue.advice(session)
        mend = f"{COMMAND} worker" if advice else None
        if had_work and not known:
            # One command runs them all.
            jobs = [{**job, "mend": None} for job in jobs]
            if wrong is None:
                advice, mend = "no job has ever run on this store", f"{COMMAND} worker --once"
        told = {"advice": advice, "wrong": wrong is not None, "mend": self._command(mend)}
        return {"jobs": jobs, "paused": status["paused"], **told}

    async def _is_older(self, then: int) -> bool:
        """Tell whether the user has a memory or a mention from before *then*."""
        call = calls.everyday.sizes(self._session.user_id, [0, then])
        [row] = await self._session.run(call)
        return any((*row["memories"], *row["mentions"]))

    def _job(self, job: Job, done: Mapping[str, Any], is_late: bool) -> Row:
        error = done.get("last_error")
        at = done.get("finished_at")
        state = "failed" if error else "never ran" if not at else "overdue" if is_late else "done"
        mend = f"{COMMAND} worker --once {job.name}" if error or is_late else None
        return {
            "job": job.name,
            "when": job.in_words,
            "does": job.does,
            "at": at,
            "took_ms": done.get("duration_ms"),
            "state": state,
            "error": error,
            "mend": self._command(mend),
        }

    async def _problems(self) -> list[Finding]:
        """Return a finding for each kind of problem.

        The nodes are counted, not named, because another user may own them.
        """
        try:
            rows = await findings.problems(self._session)
        except StoreError as error:
            return [Finding("unusable", f"{error}: {findings.REPAIR}", True, _RESTORE)]
        rows.sort(key=_kind)
        return [_of_kind(*kind, len(list(some))) for kind, some in groupby(rows, _kind)]

    async def _texts(self) -> Row | None:
        """Return how many texts there are and lack a vector, if any has one; `more`: or more."""
        if not await self._session.run(calls.embedding.chosen()):
            return None
        total = await findings.texts(self._session)
        lacking, has_more = await findings.lacking(self._session, findings.MOST_REPORTED)
        return {"total": total, "lacking": lacking, "more": has_more}

    def _show_finding(self, finding: Finding) -> Row:
        return asdict(finding) | {"mend": self._command(finding.mend)}

    def _command(self, mend: str | None) -> str | None:
        """Return *mend* as it is typed for this very store."""
        file = self._chosen.embedded
        if mend is None or file is None:
            return mend
        return mend.replace(f"{COMMAND} ", f"{COMMAND} --embedded={shlex.quote(str(file))} ", 1)


# The answers for users who do not run the server.
FOR_USERS = _answers(_Page)
_RESTORE = f"{COMMAND} restore latest"


def _kind(row: Row) -> tuple[str, str]:
    return row["problem"], row["advice"]


def _of_kind(problem: str, advice: str, count: int) -> Finding:
    mend = _RESTORE if advice == findings.REPAIR else f"{COMMAND} check"
    if advice.startswith(_RUN):
        mend = advice.removeprefix(_RUN)
    return Finding(problem, f"{count:,} found: {advice}", True, mend)
