"""Figures: drawn from what the code computes, as SVG that follows the theme.

Each figure is a function of a language that returns (Matplotlib figure, text
alternative). Colours are names of the page's CSS variables.
"""

import io
import re
import warnings

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from drill.twins import twin

# What Matplotlib draws in, and what the page shows instead.
COLOURS = {
    "#010101": "var(--md-default-fg-color)",
    "#020202": "var(--md-default-fg-color--light)",
    "#030303": "var(--md-default-fg-color--lightest)",
    "#110000": "var(--figure-1)",
    "#220000": "var(--figure-2)",
    "#330000": "var(--figure-3)",
    "#440000": "var(--figure-4)",
}
TEXT, MUTED, GRID, *LINES = COLOURS
STYLE = {
    "svg.fonttype": "none",  # text stays text, in the page's font
    "font.size": 12,
    "text.color": TEXT,
    "axes.labelcolor": TEXT,
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": True,
    "grid.color": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "lines.linewidth": 2,
    "figure.facecolor": "none",
}


def axes(width=4.6, height=2.9):
    figure = Figure((width, height), layout="constrained")
    return figure, figure.subplots()


def gae(language):
    words = {
        "en": (
            "step",
            "advantage",
            "One reward of 1 at step 19, a critic that says 0.5 at every "
            "step, gamma 1. With lam 0 only the last step gets an advantage "
            "of 0.5. The larger lam is, the further back the advantage "
            "reaches; with lam 1 every step gets the same 0.5.",
        ),
        "zh": (
            "时间步",
            "优势",
            "第 19 步得到奖励 1，Critic 对每一步的估计都是 0.5，gamma 为 1。"
            "lam 为 0 时只有最后一步的优势是 0.5；lam 越大，优势往前传得越远；"
            "lam 为 1 时每一步都是 0.5。",
        ),
    }
    step, advantage, told = words[language]
    rewards, dones = np.zeros(20), np.zeros(20)
    rewards[-1] = dones[-1] = 1.0
    figure, ax = axes()
    for lam, colour, dashes in zip(
        (0.0, 0.7, 0.95, 1.0), LINES, (":", "-.", "--", "-"), strict=True
    ):
        advantages, _ = twin("ppo_gae", "numpy").function("gae")(
            rewards, np.full(21, 0.5), dones, gamma=1.0, lam=lam
        )
        ax.plot(advantages, dashes, color=colour, label=f"lam = {lam:g}")
    ax.set(xlabel=step, ylabel=advantage, xticks=range(0, 20, 3))
    ax.legend(loc=(0.02, 0.5), frameon=False)
    return figure, told


FIGURES = {"gae": gae}


def svg(name, language):
    """One figure as inline SVG: no size, no date, colours as variables."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # Chinese is set by the reader's font, not by Matplotlib's.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcParams["svg.hashsalt"] = name
        figure, told = FIGURES[name](language)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    view = re.search(r'viewBox="[^"]+"', text)[0]
    # Inside a page, a style or an id of the figure would reach beyond it.
    text = re.sub(r"<(metadata|style).*?</\1>", "", text, flags=re.S)
    text = re.sub(r' id="(?!m\w{10}"|p\w{10}")[^"]*"', "", text)
    text = re.sub(r"font-family: [^;\"]*;", "", text)
    text = text.replace("xlink:href", "href")
    for drawn, shown in COLOURS.items():
        text = text.replace(drawn, shown)
    body = text[text.index(">", text.index("<svg")) + 1 :]
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {view} role="img" '
        f'stroke-linejoin="round"><title>{told}</title>'
    )
    return " ".join((opening + body).split()) + "\n"
