"""Confidences over time as an SVG: a panel each, with what was true shaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 720, 120
_LEFT, _TOP, _GAP = 40, 34, 34
_STYLE = (
    "text{font:12px sans-serif;fill:#333}.small{font-size:10px;fill:#666}"
    ".frame{fill:none;stroke:#999}.half{stroke:#999;stroke-dasharray:4 3}"
    ".held{fill:#cfe8cf}.rejected{fill:#f3d3d0}.c{fill:none;stroke:#1f4e79;stroke-width:1.6}"
    ".for{fill:#2e7d32}.against{fill:#c62828}"
)


@dataclass(frozen=True, slots=True)
class Curve:
    """One confidence over time: `held` says from each day on if the statement is true.

    `said` are the days on which something was said for it (True) or against it.
    """

    title: str
    points: tuple[tuple[date, float], ...]
    held: tuple[tuple[date, bool], ...]
    said: tuple[tuple[date, bool], ...] = ()


def svg(curves: Sequence[Curve], first: date, last: date) -> str:
    """Return a picture of the curves below each other, on one axis of days."""
    height = _TOP + len(curves) * (_HEIGHT + _GAP)
    scale = _Scale(first, last)
    body = "\n".join(
        line for n, curve in enumerate(curves)
        for line in _panel(curve, _TOP + n * (_HEIGHT + _GAP), scale)
    )  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" '
        f'height="{height}">\n<style>{_STYLE}</style>\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    first: date
    last: date

    def x(self, day: date) -> float:
        share = (day - self.first).days / max(1, (self.last - self.first).days)
        return round(_LEFT + _WIDTH * min(1.0, max(0.0, share)), 1)


def _panel(curve: Curve, top: int, scale: _Scale) -> Iterator[str]:
    yield f'<text x="{_LEFT}" y="{top - 6}">{escape(curve.title)}</text>'
    ends = [day for day, _ in curve.held[1:]] + [scale.last]
    for (start, held), end in zip(curve.held, ends, strict=True):
        x = scale.x(start)
        yield (
            f'<rect class="{"held" if held else "rejected"}" x="{x}" y="{top}" '
            f'width="{round(scale.x(end) - x, 1)}" height="{_HEIGHT}"/>'
        )
    half = top + _HEIGHT / 2
    yield f'<line class="half" x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{half}" y2="{half}"/>'
    yield f'<rect class="frame" x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}"/>'
    for value in (0.0, 0.5, 1.0):
        y = top + _HEIGHT * (1 - value) + 4
        yield f'<text class="small" x="{_LEFT - 24}" y="{y}">{value}</text>'
    yield f'<polyline class="c" points="{_steps(curve, top, scale)}"/>'
    for day, speaks_for in curve.said:
        y, name = (top + 4, "for") if speaks_for else (top + _HEIGHT - 4, "against")
        yield f'<circle class="{name}" cx="{scale.x(day)}" cy="{y}" r="2.5"/>'
    for x, day in ((_LEFT, scale.first), (_LEFT + _WIDTH - 56, scale.last)):
        yield f'<text class="small" x="{x}" y="{top + _HEIGHT + 12}">{day}</text>'


def _steps(curve: Curve, top: int, scale: _Scale) -> str:
    """Return the curve as steps: a confidence stays until the next reflection."""
    corners: list[str] = []
    before: float | None = None
    for day, value in (*curve.points, (scale.last, curve.points[-1][1])):
        x, y = scale.x(day), round(top + _HEIGHT * (1 - value), 1)
        if before is not None:
            corners.append(f"{x},{before}")
        corners.append(f"{x},{y}")
        before = y
    return " ".join(corners)
