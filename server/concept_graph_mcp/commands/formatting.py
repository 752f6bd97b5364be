"""Format scores and arousal, which decay towards zero but never reach it."""

from typing import Any

from conceptgraph_core.concepts import schema

Row = dict[str, Any]

# Smaller values only say that they are small, and an exponent of three digits is too wide for a
# column.
_NEXT_TO_NOTHING = 1e-99
_SMALL = 0.0001


def figure(value: float) -> str:
    """Return *value*, at least 0, with its significant digits: 0.220728, 3.6e-05, ~0."""
    if 0 < value < _NEXT_TO_NOTHING:
        return "~0"
    if 0 < value < _SMALL:
        return f"{value:.1e}"
    return f"{value:.6f}" if value else "0"


def percent(share: float) -> str:
    """Return a share of the strongest, 0 to 1, as a percentage: 63 %, 0.27 %, <0.01 %."""
    if 0 < share < _SMALL:
        return "<0.01 %"
    return f"{100 * share:.0f} %" if share >= 0.1 or not share else f"{100 * share:.2g} %"


def score(row: Row) -> str:
    """Return the exact score of a row of `recall` or `peek`, whose own is rounded."""
    return figure(row["arousal"] * _hop(row) * _direction(row) * row["weight"])


def parts(row: Row) -> str:
    """Return the factors of the score of *row*; `hop` halves it with every step of distance."""
    arousal = row["arousal"]
    shown = "~0" if 0 < arousal < _NEXT_TO_NOTHING else f"{arousal:.4g}"
    return (
        f"= arousal {shown} × hop {_hop(row):g} × direction {_direction(row):g}"
        f" × weight {row['weight']:.4g}"
    )


def _hop(row: Row) -> float:
    factor: float = schema.HOP_DECAY ** (row["hop"] - 1)
    return factor


def _direction(row: Row) -> float:
    return schema.REVERSE_PENALTY if row["reverse"] else 1.0
