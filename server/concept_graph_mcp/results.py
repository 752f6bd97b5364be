"""Types of what the everyday verbs return, to tools and to Python.

Fields that are `NotRequired` are absent where there is nothing to say; no value is None.
"""

from typing import Any, Literal, NotRequired

# The schemas of tools are made of these, and pydantic needs this one before Python 3.12.
from typing_extensions import TypedDict


class Source(TypedDict):
    n: int
    kind: str
    id: str


class Recalled(TypedDict):
    text: str
    sources: NotRequired[list[Source]]
    tokens: NotRequired[int]
    nothing: NotRequired[bool]
    advice: NotRequired[str]


class Similar(TypedDict):
    id: str
    text: str
    together: NotRequired[int]
    ended: NotRequired[bool]


class Remembered(TypedDict):
    id: str
    existing: NotRequired[bool]
    similar: NotRequired[list[Similar]]
    advice: NotRequired[str]


class Found(TypedDict):
    kind: str
    id: str
    text: str
    date: str
    who: NotRequired[str]
    matched: list[str]
    until: NotRequired[str]


class AllFound(TypedDict):
    found: list[Found]
    total: int
    advice: NotRequired[str]


class Fact(TypedDict):
    id: str
    predicate: str
    value: str
    since: NotRequired[str]
    until: NotRequired[str]
    who: str


class Saying(TypedDict):
    id: str
    text: str
    date: str
    who: str
    until: NotRequired[str]


class About(TypedDict):
    id: NotRequired[str]
    name: str
    nothing: NotRequired[bool]
    kind: NotRequired[str]
    also: list[str]
    facts: list[Fact]
    doubts: list[str]
    feeling: NotRequired[float]
    relations: list[str]
    said: list[Saying]
    more: NotRequired[dict[str, int]]
    # The profile, if it is about "me", with the sources of its lines.
    text: NotRequired[str]
    sources: NotRequired[list[dict[str, int | str]]]
    advice: NotRequired[str]


class Profile(TypedDict):
    text: str
    sources: list[Source]
    tokens: int


class Forgotten(TypedDict):
    id: NotRequired[str]
    forgotten_at: NotRequired[str]
    # Texts that stay, being about others too: each with id, text, and their names in about.
    others: NotRequired[list[dict[str, Any]]]
    # Nothing was forgotten: these may be meant, each with kind, id and text.
    candidates: NotRequired[list[dict[str, str]]]


Related = TypedDict("Related", {"from": str, "to": str, "type": str})


class Identified(TypedDict):
    verdict: Literal["same", "different", "asked"]
    undo: NotRequired[str]
