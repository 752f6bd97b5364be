"""Read PrecisionMemBench's beliefs and cases from a copy of its folder `fixtures`.

A belief is stored as an agent would store it: its content is the text, its names are `about`, and
it replaces the belief it supersedes. As in the benchmark's own harness, beliefs pinned in a case's
scope are not counted, and a returned relation adds its participants. Cases with an empty query or
a budget of no beliefs are left out.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..family.__main__ import unix_ms
from .sets import Case, Part

Row = Mapping[str, Any]
_USER = "test-user"


def beliefs(fixtures: Path) -> list[Part]:
    """Return a part for each user."""
    told = _read(fixtures / "beliefs.seed.json")
    cases = [one for one in _read(fixtures / "retrieval.cases.json") if _asks(one)]
    users = dict.fromkeys(one["user_id"] for one in told)
    return [_part([b for b in told if b["user_id"] == user], user, cases) for user in users]


def _read(path: Path) -> list[Row]:
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _asks(case: Row) -> bool:
    return bool(case["query"].strip()) and case.get("budget", {}).get("maxBeliefs", 1) > 0


def _part(told: Sequence[Row], user: str, cases: Sequence[Row]) -> Part:
    own = [_case(one, told) for one in cases if one.get("userId", _USER) == user]
    replaced = {one["superseded_by"]: one["_id"] for one in told if one.get("superseded_by")}
    lived = [
        {"at": one["created_at"][:19], "said": None, "keeps": [_kept(one, replaced)]}
        for one in sorted(told, key=lambda one: (not one.get("superseded_by"), one["created_at"]))
    ]
    return Part(user, unix_ms(max(one["updated_at"][:19] for one in told)), own, lived)


def _kept(belief: Row, replaced: Mapping[str, str]) -> Row:
    names = belief["canonical_name"], *belief["aliases"]
    return {
        "key": belief["_id"],
        "text": belief["content"],
        "about": [name.replace("_", " ") for name in names],
        "keep": "normal",
        "replaces": replaced.get(belief["_id"], ""),
    }


def _case(case: Row, told: Sequence[Row]) -> Case:
    scoped = [one for one in told if not set(one["scope"]).isdisjoint(case["scope"])]
    in_scope = [one["_id"] for one in scoped]
    pinned = {one["_id"] for one in told if one["pinned"]}
    expected = case["expect"].get("relevantBeliefs", {})
    wanted = expected.get("shouldOnlyInclude")
    if wanted is None:
        wanted = [one for one in expected.get("mustInclude", ()) if one not in pinned]
    return Case(
        case["query"],
        frozenset(wanted),
        ignored=frozenset(_pinned(scoped)),
        brings=tuple(
            (one["_id"], frozenset(one.get("participants", ())).intersection(in_scope))
            for one in told
            if one["type"] == "relation"
        ),
    )


def _pinned(scoped: Sequence[Row]) -> list[str]:
    """Return the keys that the harness adds to every answer in this scope."""
    return [
        one["_id"]
        for one in scoped
        if one["pinned"]
        and one["type"] != "open_question"
        and not one.get("superseded_by")
        and not one.get("resolved_at")
    ]
