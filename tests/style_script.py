"""A reader of Memgraph Lab's Graph Style Script, by its documented grammar, for what we ship."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Of the functions, names and properties that Memgraph documents, those that we use.
FUNCTIONS = {
    "Add", "AsText", "Darker", "Define", "Div", "Equals", "Exp", "Format", "Function", "Greater",
    "HSL", "HasLabel", "HasProperty", "If", "Less", "Lighter", "Map", "Max", "Mul", "NodeCount",
    "Nodes", "Property", "Slice", "Sub", "Type",
}  # fmt: skip
NAMES = {"node", "edge", "graph", "white"}
_COMMON = {"color", "color-hover", "color-selected", "font-size", "label"}
PROPERTIES = {
    "@ViewStyle": {"background-color", "force-link-distance"},
    "@NodeStyle": _COMMON | {"border-color", "border-width", "shape", "size"},
    "@EdgeStyle": _COMMON | {"arrow-size", "width"},
}
SHAPES = {"dot", "square", "diamond", "triangle", "triangleDown", "star"}

_TOKEN = re.compile(
    r'(?P<blank>\s+|//.*)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<color>#[0-9a-fA-F]{6}\b)'
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<word>@?[A-Za-z][\w-]*)|(?P<sign>[(){},:])"
)


class NotStyleScript(Exception):
    """The text is not Graph Style Script, or uses what is not documented."""


@dataclass(frozen=True)
class Directive:
    """A directive: its name and, for each property, the texts in its expression."""

    name: str
    properties: dict[str, list[str]] = field(default_factory=dict)


class Script:
    """A script as read: its directives, and all texts in it. Raises NotStyleScript."""

    def __init__(self, source: str) -> None:
        self.directives: list[Directive] = []
        self.texts: list[str] = []
        self._tokens = [*_split(source), ("end", "")]
        self._at = 0
        self._known = set(NAMES)
        while self._next != "":
            if self._next.startswith("@"):
                self.directives.append(self._directive())
            else:
                self._expression()

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, expected: str | None = None) -> str:
        text = self._next
        if text == "" or expected not in (None, text):
            raise NotStyleScript(f"{text!r} where {expected or 'more'} should be")
        self._at += 1
        return text

    def _directive(self) -> Directive:
        directive = Directive(self._take())
        if directive.name not in PROPERTIES:
            raise NotStyleScript(f"{directive.name} is no directive")
        if self._next != "{":
            self._expression()
        self._take("{")
        while self._next != "}":
            if self._tokens[self._at + 1 : self._at + 2] == [("sign", "(")]:
                self._expression()
                continue
            name = self._take()
            if name not in PROPERTIES[directive.name]:
                raise NotStyleScript(f"{directive.name} has no property {name}")
            self._take(":")
            before = len(self.texts)
            self._expression()
            directive.properties[name] = self.texts[before:]
        self._take("}")
        return directive

    def _expression(self) -> None:
        kind, text = self._tokens[self._at]
        self._take()
        if kind == "sign":
            raise NotStyleScript(f"{text!r} where an expression should be")
        if kind == "text":
            self.texts.append(json.loads(text))
        elif kind == "word" and self._next == "(":
            self._application(text)
        elif kind == "word" and text not in self._known:
            raise NotStyleScript(f"{text} is not defined")

    def _application(self, function: str) -> None:
        if function not in FUNCTIONS | self._known:
            raise NotStyleScript(f"{function} is no function")
        self._take("(")
        if function in ("Define", "Function"):
            # These take names as they are, up to the expression that comes last.
            while self._tokens[self._at + 1] == ("sign", ","):
                self._known.add(self._take())
                self._take(",")
        while self._next != ")":
            self._expression()
            if self._next != ")":
                self._take(",")
        self._take(")")


def _split(source: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise NotStyleScript(f"{source[at : at + 40]!r}")
        at = match.end()
        if match.lastgroup != "blank":
            yield str(match.lastgroup), match[0]
