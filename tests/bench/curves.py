"""Draw the curves of alpha and of k from the figures that `quality.py --variants main,curves --json FILE` wrote.

    python tests/bench/curves.py tests/bench/figures/quality.json tests/bench/figures/curves.svg

One panel for alpha of convex fusion, one for k of the textbook formula; a line for each set, its name at the end. The
ring on a line is the default, whose alpha follows the kind of the chunk. Colours suit light and dark pages.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 900, 400
TOP, BOTTOM = 40, 350
LOWEST = 0.3  # the score at the bottom
PANELS = ((50, 330), (510, 790))
NAMES = {"chroma-chunking": "chroma", "anthropic-codebase-chunks": "anthropic", "cosqa-dev": "cosqa"}
LEFT_OUT = frozenset({"mean", "limit-small", "limit-regen"})
"""The LIMIT sets fall to nothing where the dense arm has a say: they are in the data, not in the picture."""
DEFAULT_ALPHAS = {"code": 0.4}
PROSE_ALPHA = 0.2
LABEL_HEIGHT = 13
COLOURS = ("#0b7285", "#c2255c", "#5f3dc4", "#2b8a3e", "#d9480f", "#1864ab", "#846100")
DARK = ("#3bc9db", "#f783ac", "#b197fc", "#69db7c", "#ffa94d", "#74c0fc", "#ffd43b")
STYLE = """text { font: 12px system-ui, sans-serif; fill: #333 } .grid { stroke: #ddd } 
.line { fill: none; stroke-width: 2 } .title { font-weight: 600 } .page { fill: #fff }"""
STYLE_DARK = "text { fill: #ccc } .grid { stroke: #444 } .page { fill: #0d1117 }"


@dataclass(frozen=True, slots=True)
class Panel:
    """An area of the picture: `left` to `right` in pixels, `place` maps a value to 0..1, `ticks` are values."""

    title: str
    left: int
    right: int
    ticks: Sequence[float]
    place: Callable[[float], float]

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * self.place(value)


def y(score: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * (score - LOWEST) / (1 - LOWEST)


def curves(figures: Mapping[str, Mapping[str, Mapping[str, float]]], word: str) -> dict[str, list[tuple[float, float]]]:
    """Return the points (value, score) of every set, from the variants called `word` and a number."""
    found: dict[str, list[tuple[float, float]]] = {}
    for kind, own in (("code", {"all": "code"}), ("text", {})):
        for variant, scores in figures[kind].items():
            name, _, number = variant.partition(" ")
            if name == word:
                chosen = own or {each: NAMES.get(each, each) for each in scores if each not in LEFT_OUT}
                for each, label in chosen.items():
                    found.setdefault(label, []).append((float(number), scores[each]))
    return found


def spread(heights: Sequence[float]) -> list[float]:
    """Return the heights of labels, moved down as far as they would touch."""
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    found = list(heights)
    for above, at in pairwise(order):
        found[at] = max(found[at], found[above] + LABEL_HEIGHT)
    return found


def draw(panel: Panel, lines: Mapping[str, list[tuple[float, float]]], rings: Mapping[str, tuple[float, float]]) -> str:
    parts = [f'<text class="title" x="{panel.left}" y="22">{escape(panel.title)}</text>']
    for score in (0.4, 0.6, 0.8, 1):
        height = y(score)
        parts.append(f'<line class="grid" x1="{panel.left}" x2="{panel.right}" y1="{height:.1f}" y2="{height:.1f}"/>')
        parts.append(f'<text x="{panel.left - 8}" y="{height + 4:.1f}" text-anchor="end">{score:g}</text>')
    parts += [f'<text x="{panel.x(at):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{at:g}</text>' for at in panel.ticks]
    labels = spread([y(points[-1][1]) for points in lines.values()])
    for number, ((name, points), label) in enumerate(zip(lines.items(), labels, strict=True)):
        path = " ".join(f"{panel.x(at):.1f},{y(score):.1f}" for at, score in points)
        parts.append(f'<polyline class="line s{number}" points="{path}"/>')
        if name in rings:
            at, score = rings[name]
            parts.append(f'<circle class="line s{number}" cx="{panel.x(at):.1f}" cy="{y(score):.1f}" r="4"/>')
        parts.append(f'<text class="n{number}" x="{panel.right + 8}" y="{label + 4:.1f}">{escape(name)}</text>')
    return "\n".join(parts)


def colours(values: Sequence[str]) -> str:
    return "\n".join(
        f".s{number} {{ stroke: {value} }} .n{number} {{ fill: {value} }}" for number, value in enumerate(values)
    )


def picture(figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    alphas, ks = curves(figures, "alpha"), curves(figures, "k")
    defaults = {"code": figures["code"]["default"]["all"]}
    defaults |= {NAMES.get(name, name): score for name, score in figures["text"]["default"].items()}
    rings = {name: (DEFAULT_ALPHAS.get(name, PROSE_ALPHA), defaults[name]) for name in alphas}
    most = math.log(200)
    left = Panel("nDCG@10 by --alpha", *PANELS[0], (0, 0.2, 0.4, 0.6, 0.8, 1), lambda value: value)
    right = Panel(
        "nDCG@10 by --rrf-k, --fusion rrf --no-boosts",
        *PANELS[1],
        (1, 10, 60, 200),
        lambda value: math.log(value) / most,
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">
<title>nDCG@10 of each set by alpha, and by the constant of reciprocal rank fusion</title>
<style>
{STYLE}
{colours(COLOURS)}
@media (prefers-color-scheme: dark) {{
{STYLE_DARK}
{colours(DARK)}
}}
</style>
<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>
{draw(left, alphas, rings)}
{draw(right, ks, {})}
</svg>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("picture", type=Path)
    given = parser.parse_args()
    given.picture.write_text(picture(json.loads(given.figures.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
