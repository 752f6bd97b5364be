"""Write the poster of a year as SVG. No text of a memory is markup."""

from typing import Final
from xml.sax.saxutils import escape

from ..printable import printable
from .portrait import BASELINE, FONT, TITLE_FONT, Circle, Island, Name, Portrait, cut, measure

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
# The sentence's font, the least scale of the card's picture, and how many names fewer it tries.
_LARGEST, _READABLE, _FEWER = 36.0, 1.0, 10
LEGEND: Final = "Full: people. Pale: other names. The larger, the more present now."


def draw_card(portrait: Portrait, year: int | None, *, names: bool = True) -> str:
    """Return the card as SVG: the sentence, the picture and three figures.

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
    day = f"as of {portrait.until.day} {portrait.until:%B %Y}" if year is None else str(year)
    title = f"{day}, drawn by concept-graph-mcp"
    font = min(_LARGEST, wide / max(1.0, measure(sentence, 1.0)))
    parts = [
        _write(sentence, (_EDGE, 74), font, weight="600", anchor="start"),
        f'<g transform="translate({x:.1f} {y:.1f}) scale({scale:.4f})">{drawn}</g>',
        _draw_figures(portrait),
        _write(LEGEND, (_EDGE, _HEIGHT - 14), 13, _QUIET, anchor="start"),
        _write(title, (_WIDTH - _EDGE, _HEIGHT - 14), 13, _QUIET, anchor="end"),
    ]
    return _wrap(_WIDTH, _HEIGHT, sentence, "".join(parts))


def _draw_islands(portrait: Portrait, islands: tuple[Island, ...], *, names: bool = True) -> str:
    drawn = []
    for number, island in enumerate(islands):
        is_alone, box = portrait.is_alone(number), island.box
        colour = _ALONE if is_alone and number else COLOURS[number % len(COLOURS)]
        strongest = cut(portrait.names[island.circles[0].name].label)
        title = f"around {strongest}" if not is_alone else "others" if number else ""
        left, top = box.x - box.width / 2, box.y - box.height / 2
        parts = [
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
            f' rx="22" fill="{colour}" fill-opacity="0.1"/>'
        ]
        if names and title:
            parts.append(_write(title, (box.x, top + 22), TITLE_FONT, weight="600"))
        parts += [
            _draw_name(portrait.names[one.name], one, colour, names=names) for one in island.circles
        ]
        drawn.append(f'<g class="group">{"".join(parts)}</g>')
    return "".join(drawn)


def _draw_name(name: Name, at: Circle, colour: str, *, names: bool) -> str:
    opacity = "0.92" if name.is_person else "0.35"
    circle = (
        f'<circle cx="{at.x:.1f}" cy="{at.y:.1f}" r="{at.radius:.1f}" fill="{colour}"'
        f' fill-opacity="{opacity}" stroke="{colour}" stroke-width="1.5"/>'
    )
    if not names:
        return f'<g class="name">{circle}</g>'
    label = _write(cut(name.label), (at.x, at.y + at.radius + BASELINE), FONT)
    return f'<g class="name">{circle}{label}</g>'


def _draw_figures(portrait: Portrait) -> str:
    figures = portrait.figures()
    step = (_WIDTH - 2 * _EDGE) / max(1, len(figures))
    top, drawn = _HEIGHT - _FOOT, []
    for number, (figure, label) in enumerate(figures):
        x = _EDGE + step * (number + 0.5)
        drawn.append(_write(figure, (x, top + 58), 34, weight="700"))
        drawn.append(_write(label, (x, top + 84), 15, _QUIET))
    return "".join(drawn)


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


def _wrap(width: float, height: float, title: str, body: str) -> str:
    ground = f'<rect width="100%" height="100%" rx="24" fill="{_GROUND}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.1f} {height:.1f}" font-family="{_FAMILY}">'
        f"<title>{_safe(title)}</title>{ground}{body}</svg>\n"
    )


def _safe(text: str) -> str:
    """Return *text* for XML, with what no XML may hold, or turns the text around it, escaped."""
    return escape(printable(text))
