"""Write a portrait as SVG, alone or as the card of a year. No text of a memory is markup."""

from itertools import accumulate
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from ..printable import printable
from .layout import BASELINE, FONT, TITLE_FONT, Circle, Island, cut, measure
from .portrait import Name, Portrait

# Colours of groups that are told apart with every common kind of colour blindness, by their
# lightness too; the last is for names that stay alone.
COLOURS: Final = (
    "#0b6e99", "#c2570c", "#4f8a10", "#8b4789", "#b3850b", "#3f51b5", "#a83250", "#00796b",
)  # fmt: skip
_ALONE: Final = "#6b7480"
_INK, _QUIET, _GROUND = "#1f2328", "#57606a", "#ffffff"
_FAMILY: Final = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
_WIDTH, _HEIGHT, _EDGE = 1200, 900, 48
# The height of the card's head, with the sentence, and of its foot, with the figures.
_HEAD, _FOOT = 120, 132
_PADDING: Final = 8.0
# The sentence's font, the least scale of the card's picture, and how many names fewer it tries.
_LARGEST, _READABLE, _FEWER = 36.0, 1.0, 10
LEGEND: Final = "Full: people. Pale: other names. The larger, the more present now."
# The first step of a newcomer, on an empty page.
_FIRST_STEP: Final = " Talk to your agent in a new session, and open this page again at its end."


def draw_picture(portrait: Portrait, aspect: float, *, ids: bool = False) -> str:
    """Return the picture as SVG; with *ids* each name has its id and its group, for the page."""
    layout = portrait.place(aspect)
    width, height = layout.width + 2 * _PADDING, layout.height + 2 * _PADDING
    drawn = _draw_islands(portrait, layout.islands, ids=ids)
    body = f'<g transform="translate({_PADDING:g} {_PADDING:g})">{drawn}</g>'
    return _wrap(width, height, portrait.sentence(), body, is_whole=not ids)


def draw_card(portrait: Portrait, year: int | None, *, names: bool = True) -> str:
    """Return the card as SVG: the sentence, the picture and five figures.

    Without *names* it has the circles alone. The weakest names are left out while the letters
    would be too small to read.
    """
    wide, high = _WIDTH - 2 * _EDGE, _HEIGHT - _HEAD - _FOOT
    for most in range(len(portrait.names), -1, -_FEWER):
        shown = portrait.keep_strongest(most)
        layout = shown.place(wide / high, names=names)
        scale = min(wide / layout.width, high / layout.height, 2.5)
        if scale >= _READABLE:
            break
    x = (_WIDTH - layout.width * scale) / 2
    y = _HEAD + (high - layout.height * scale) / 2
    drawn = _draw_islands(shown, layout.islands, names=names)
    sentence = portrait.sentence(names=names)
    font = min(_LARGEST, wide / max(1.0, measure(sentence, 1.0)))
    parts = [
        _write(sentence, (_EDGE, 74), font, weight="600", anchor="start"),
        f'<g transform="translate({x:.1f} {y:.1f}) scale({scale:.4f})">{drawn}</g>',
        _draw_figures(portrait),
        _write(LEGEND, (_EDGE, _HEIGHT - 14), 13, _QUIET, anchor="start"),
        _write(_title(portrait, year), (_WIDTH - _EDGE, _HEIGHT - 14), 13, _QUIET, anchor="end"),
    ]
    return _wrap(_WIDTH, _HEIGHT, sentence, "".join(parts), is_whole=True)


def describe(portrait: Portrait, aspect: float) -> dict[str, Any]:
    """Return the opening of the page: `sentence`, `svg`, `months`, and `groups` of names.

    `grown` is the share of a name's mentions until the end of each month, from 0 to 1.
    """
    groups = [
        {
            "name": name_group(portrait, number),
            "names": [_tell(portrait.names[one]) for one in group],
        }
        for number, group in enumerate(portrait.groups)
    ]
    return {
        "sentence": portrait.sentence() + ("" if portrait.since else _FIRST_STEP),
        "svg": draw_picture(portrait, aspect, ids=True),
        "months": portrait.months,
        "groups": groups,
    }


def _tell(name: Name) -> dict[str, Any]:
    grown = list(accumulate(name.months))
    shares = [one / (grown[-1] or 1) for one in grown]
    return {"id": name.id, "label": name.label, "kind": name.kind, "grown": shares}


def colour_of(portrait: Portrait, group: int) -> str:
    """Return the colour of the group of that number."""
    is_grey = portrait.is_alone(group) and group > 0
    return _ALONE if is_grey else COLOURS[group % len(COLOURS)]


def name_group(portrait: Portrait, group: int) -> str:
    """Return what a group is called: by its strongest name."""
    if portrait.is_alone(group):
        return "others" if len(portrait.groups) > 1 else ""
    return f"around {cut(portrait.names[portrait.groups[group][0]].label)}"


def _draw_islands(
    portrait: Portrait, islands: tuple[Island, ...], *, names: bool = True, ids: bool = False
) -> str:
    drawn = []
    for number, island in enumerate(islands):
        colour, box = colour_of(portrait, number), island.box
        left, top = box.x - box.width / 2, box.y - box.height / 2
        parts = [
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
            f' rx="22" fill="{colour}" fill-opacity="0.1"/>'
        ]
        if names and (title := name_group(portrait, number)):
            parts.append(_write(title, (box.x, top + 22), TITLE_FONT, weight="600"))
        parts += [
            _draw_name(portrait.names[one.name], one, colour, names=names, ids=ids)
            for one in island.circles
        ]
        drawn.append(f'<g class="group">{"".join(parts)}</g>')
    return "".join(drawn)


def _draw_name(name: Name, at: Circle, colour: str, *, names: bool, ids: bool) -> str:
    known = f" data-id={quoteattr(name.id)}" if ids else ""
    opacity = "0.92" if name.is_person else "0.35"
    circle = (
        f'<circle cx="{at.x:.1f}" cy="{at.y:.1f}" r="{at.radius:.1f}" fill="{colour}"'
        f' fill-opacity="{opacity}" stroke="{colour}" stroke-width="1.5"/>'
    )
    if not names:
        return f'<g class="name">{circle}</g>'
    label = _write(cut(name.label), (at.x, at.y + at.radius + BASELINE), FONT)
    return f'<g class="name"{known}>{circle}{label}</g>'


def _draw_figures(portrait: Portrait) -> str:
    figures = portrait.figures()
    step = (_WIDTH - 2 * _EDGE) / max(1, len(figures))
    top, drawn = _HEIGHT - _FOOT, []
    for number, (figure, label) in enumerate(figures):
        x = _EDGE + step * (number + 0.5)
        drawn.append(_write(figure, (x, top + 58), 34, weight="700"))
        drawn.append(_write(label, (x, top + 84), 15, _QUIET))
    return "".join(drawn)


def _title(portrait: Portrait, year: int | None) -> str:
    until = f"as of {portrait.until.day} {portrait.until:%B %Y}" if year is None else str(year)
    return f"{until}, drawn by concept-graph-mcp"


def _write(
    text: str,
    at: tuple[float, float],
    size: float,
    colour: str = _INK,
    *,
    anchor: str = "middle",
    weight: str = "400",
) -> str:
    x, y = at
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-weight="{weight}"'
        f' text-anchor="{anchor}" fill="{colour}" unicode-bidi="plaintext">{_safe(text)}</text>'
    )


def _wrap(width: float, height: float, title: str, body: str, *, is_whole: bool) -> str:
    ground = f'<rect width="100%" height="100%" rx="24" fill="{_GROUND}"/>' if is_whole else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.1f} {height:.1f}" font-family="{_FAMILY}">'
        f"<title>{_safe(title)}</title>{ground}{body}</svg>\n"
    )


def _safe(text: str) -> str:
    """Return *text* for XML, with what no XML may hold, or turns the text around it, escaped."""
    return escape(printable(text))
