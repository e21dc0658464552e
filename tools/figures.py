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


def axes(width=4.6, height=2.9, rows=1):
    figure = Figure((width, height), layout="constrained")
    return figure, figure.subplots(rows, sharex=True)


def alone(loss, *values, **settings):
    """The loss of each token, or response, as a batch of its own."""
    batches = np.stack(np.broadcast_arrays(*values), -1)[..., None]
    return np.array([loss(*batch, **settings) for batch in batches])


def policy_loss(ratios, advantage, name="ppo_policy_loss", **settings):
    """A policy loss of one token, against its probability ratio."""
    loss = twin("ppo_gae", "numpy").function(name)
    with np.errstate(divide="ignore"):  # the log of a ratio of 0
        return alone(loss, np.log(ratios), 0.0, advantage, 1.0, **settings)


def compare(ax, x, bounded, free, labels, note="", above=0):
    """A bounded loss over the free one; where it is flat, bars with a note.

    Returns whether it is flat, for each step of x.
    """
    flat = np.abs(np.diff(bounded)) < 1e-9
    butt = {"solid_capstyle": "butt"}  # or it would end beyond its ends
    ax.plot(x, free, "--", color=TEXT, linewidth=1.3, label=labels[0])
    ax.plot(x, bounded, color=LINES[2], linewidth=3, label=labels[1], **butt)
    turns = np.flatnonzero(np.diff(flat, prepend=False, append=False))
    for ends in turns.reshape(-1, 2):
        ax.plot(x[ends], bounded[ends], color=LINES[1], linewidth=6, **butt)
        ax.annotate(
            note,
            (x[ends].mean(), bounded[ends[0]]),
            (0, above),
            textcoords="offset points",
            color=LINES[1],
            ha="center",
            va="center",
        )
    return flat


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


def kl_estimators(language):
    words = {
        "en": (
            "log(π / π_ref) of the sampled token",
            "estimate",
            "Three KL estimates from one token that the policy sampled, "
            "against the log-ratio of policy and reference. k1 is a straight "
            "line and negative where the reference finds the token more "
            "likely. k2 and k3 are never negative, are 0 where both models "
            "agree and nearly the same around it. Left of 0, k3 shoots up "
            "and leaves k2 far below. Right of 0, k3 stays below k1.",
        ),
        "zh": (
            "采样 token 的 log(π / π_ref)",
            "估计值",
            "从策略采样一个 token，三种 KL 估计随策略与参考策略的对数概率之差"
            "变化的曲线。k1 是一条直线，参考策略给出的概率更高时为负。"
            "k2 和 k3 从不为负，两个模型概率相等时都为 0，在该点附近几乎重合。"
            "往左，k3 急剧上升，远高于 k2；往右，k3 始终低于 k1。",
        ),
    }
    log_ratio, estimate, told = words[language]
    logps = np.linspace(-2.5, 2.5, 101)
    figure, ax = axes()
    for name, colour, dashes in zip(
        ("k1", "k2", "k3"), LINES[1:], ("-.", "--", "-"), strict=True
    ):
        kl = twin("sft_kl", "numpy").function(f"kl_{name}")(logps, 0.0)
        ax.plot(logps, kl, dashes, color=colour, label=name)
    ax.set(xlabel=log_ratio, ylabel=estimate, xticks=range(-2, 3))
    ax.legend(loc="upper right", frameon=False)
    return figure, told


def ppo_policy_loss(language):
    words = {
        "en": (
            "probability ratio",
            "loss if A = {:+d}",
            ("unclipped", "clipped"),
            {True: "no gradient", False: "full gradient"},
            "The clipped and the unclipped loss of one token against its "
            "probability ratio. clip_eps is 0.2, the range 0.8 to 1.2 is "
            "grey. Advantage +1, above: both fall together up to ratio 1.2; "
            "beyond it the clipped loss is flat. Advantage -1, below: the "
            "clipped loss is flat up to ratio 0.8; beyond it both rise "
            "together. So of four ways out of the range, two have no "
            "gradient: 2 (A = +1, above 1.2) and 3 (A = -1, below 0.8). The "
            "other two, 1 and 4, keep the full gradient.",
        ),
        "zh": (
            "概率比",
            "A = {:+d} 时的损失",
            ("未裁剪", "裁剪后"),
            {True: "无梯度", False: "梯度完整"},
            "单个 token 裁剪前后的损失随概率比变化的曲线，clip_eps 为 0.2，"
            "灰色是 0.8 到 1.2 的区间。上图优势为 +1："
            "概率比不超过 1.2 时，两条线重合下降，超过 1.2 后裁剪损失变平。"
            "下图优势为 -1：概率比低于 0.8 时裁剪损失是平的，"
            "之后两条线重合上升。越界共四种情形，"
            "没有梯度的只有两种：2（A = +1，高于 1.2）和 3（A = -1，"
            "低于 0.8）；另外两种 1 和 4 梯度完整。",
        ),
    }
    ratio, loss, labels, gradient, told = words[language]
    ratios = np.linspace(0.0, 2.0, 201)
    between = (ratios[1:] + ratios[:-1]) / 2
    figure, panels = axes(height=4.8, rows=2)
    for ax, advantage, numbers in zip(
        panels, (1, -1), ((1, 2), (3, 4)), strict=True
    ):
        clipped = policy_loss(ratios, advantage, clip_eps=0.2)
        free = policy_loss(ratios, advantage, clip_eps=np.inf)
        flat = compare(ax, ratios, clipped, free, labels)
        ax.axvspan(0.8, 1.2, color=GRID, linewidth=0)
        for number, centre, outside in zip(
            numbers, (0.4, 1.6), (between < 0.8, between > 1.2), strict=True
        ):
            (none,) = np.unique(flat[outside])
            ax.text(
                centre,
                1.03,
                f"{number} {gradient[none]}",
                color=LINES[1 if none else 2],
                ha="center",
                transform=ax.get_xaxis_transform(),
            )
        ax.set(ylabel=loss.format(advantage), xticks=(0, 0.8, 1, 1.2, 2))
    panels[0].legend(loc=(0.6, 0.6), frameon=False)
    panels[1].set(xlabel=ratio)
    figure.align_ylabels()
    return figure, told


def dual_clip_policy_loss(language):
    words = {
        "en": (
            "probability ratio",
            "loss if A = -1",
            ("without dual clip", "dual clip, c = 3"),
            "no gradient",
            "The clipped loss of one token with advantage -1 against its "
            "probability ratio, without dual clip and with c = 3. Both are "
            "flat up to ratio 0.8 and then rise together up to ratio 3. From "
            "there on the loss without dual clip keeps rising; with it the "
            "loss stays at 3 and has no gradient.",
        ),
        "zh": (
            "概率比",
            "A = -1 时的损失",
            ("不加双重裁剪", "双重裁剪，c = 3"),
            "无梯度",
            "优势为 -1 的单个 token，裁剪损失随概率比变化的曲线，"
            "一条不加双重裁剪（dual clip），一条取 c = 3。概率比低于 0.8 时"
            "两条线都是平的，然后重合上升，直到概率比为 3。再往右，"
            "不加双重裁剪的损失继续上升；加了之后损失停在 3，没有梯度。",
        ),
    }
    ratio, loss, labels, none, told = words[language]
    ratios = np.linspace(0.0, 5.0, 501)
    bounded = policy_loss(
        ratios, -1, "dual_clip_policy_loss", clip_eps=0.2, dual_clip=3.0
    )
    figure, ax = axes()
    clipped = policy_loss(ratios, -1, clip_eps=0.2)
    compare(ax, ratios, bounded, clipped, labels, none, above=-12)
    ax.set(xlabel=ratio, ylabel=loss, xticks=(0, 0.8, 2, 3, 4, 5))
    ax.set(ylim=(-0.2, 5.2))
    ax.legend(loc="upper left", frameon=False)
    return figure, told


def ppo_value_loss(language):
    words = {
        "en": (
            "new value",
            "loss",
            ("unclipped", "clipped"),
            "no gradient",
            "The critic's clipped and unclipped loss against the new value; "
            "the old value is 0, the return 1, clip_eps 0.2, the range -0.2 "
            "to 0.2 grey. The unclipped loss is a parabola that is 0 at the "
            "return. The clipped loss follows it until value 0.2 and is "
            "flat from there to 1.8: no gradient, even at 0.3, still far "
            "from the return. Beyond 1.8 both rise together.",
        ),
        "zh": (
            "新价值",
            "损失",
            ("未裁剪", "裁剪后"),
            "无梯度",
            "Critic 裁剪前后的损失随新价值变化的曲线；旧价值为 0，回报为 1，"
            "clip_eps 为 0.2，灰色是 -0.2 到 0.2 的区间。"
            "未裁剪的损失是抛物线，在回报处为 0。"
            "裁剪后的损失先沿抛物线下降，新价值到 0.2 后变平，直到 1.8："
            "这一段没有梯度，哪怕新价值才 0.3，离回报还远。"
            "超过 1.8 后，两条线重合上升。",
        ),
    }
    value, loss, labels, none, told = words[language]
    function = twin("ppo_gae", "numpy").function("ppo_value_loss")
    values = np.linspace(-1.0, 2.5, 351)
    clipped, free = (
        alone(function, values, 0.0, 1.0, 1.0, clip_eps=eps)
        for eps in (0.2, np.inf)
    )
    figure, ax = axes()
    compare(ax, values, clipped, free, labels, none, above=11)
    ax.axvspan(-0.2, 0.2, color=GRID, linewidth=0)
    ax.set(xlabel=value, ylabel=loss, xticks=(-1, -0.2, 0.2, 1, 1.8))
    ax.legend(loc=(0.4, 0.65), frameon=False)
    return figure, told


def dpo_family(language):
    words = {
        "en": (
            "margin (KTO: log-ratio)",
            "loss",
            "gradient",
            "Four losses, above, and their gradients by the chosen "
            "log-probability, below, against the margin from -6 to 10; for "
            "KTO, against the log-ratio of one good response. beta is 1 for "
            "DPO, KTO and SimPO and 0.25 for IPO, gamma is 1, lengths are 1. "
            "DPO falls almost straight at first, then flattens out towards "
            "0; its gradient goes from -1 to 0. SimPO is the same curve, "
            "shifted right by 1. IPO is a parabola that is 0 at its goal, 2; "
            "its gradient is a straight line that turns positive there. KTO "
            "falls from 1 to 0; its gradient is largest in size at the "
            "reference point, -0.25 at 0, and fades on both sides.",
        ),
        "zh": (
            "间隔（KTO：对数概率之差）",
            "损失",
            "梯度",
            "上图是四种损失，下图是它们对 chosen 对数概率的梯度，横轴是间隔，"
            "从 -6 到 10；KTO 的横轴是单个好回答与参考策略的对数概率之差。"
            "DPO、KTO、SimPO 的 beta 为 1，IPO 的 beta 为 0.25，"
            "gamma 为 1，长度都为 1。DPO 先近乎直线下降，再渐渐变平，"
            "趋于 0，梯度从 -1 升到 0。SimPO 是同一条曲线右移 1。"
            "IPO 是抛物线，在目标 2 处为 0；梯度是一条直线，在这里由负变正。"
            "KTO 从 1 降到 0，梯度在参考点 0 处绝对值最大，为 -0.25，"
            "往两边都趋于 0。",
        ),
    }
    margin, loss, gradient, told = words[language]
    margins = np.linspace(-6.0, 10.0, 161)
    figure, panels = axes(height=4.6, rows=2)
    for (name, others, settings), colour, dashes in zip(
        (
            ("DPO", (0.0, 0.0, 0.0), {"beta": 1.0}),
            ("IPO", (0.0, 0.0, 0.0), {"beta": 0.25}),
            ("KTO", (0.0, 1.0, 0.0), {"beta": 1.0}),  # good, no KL
            ("SimPO", (0.0, 1.0, 1.0), {"beta": 1.0, "gamma": 1.0}),
        ),
        LINES,
        ("-", "--", "-.", ":"),
        strict=True,
    ):
        function = twin("dpo_family", "numpy").function(f"{name.lower()}_loss")
        losses = alone(function, margins, *others, **settings)
        slopes = np.gradient(losses, margins)
        for ax, values in zip(panels, (losses, slopes), strict=True):
            ax.plot(margins, values, dashes, color=colour, label=name)
    panels[0].set(ylabel=loss, ylim=(-0.3, 6))
    panels[1].set(xlabel=margin, ylabel=gradient, ylim=(-3, 1.5))
    panels[1].set(xticks=range(-6, 11, 2))
    panels[0].legend(loc=(0.7, 0.22), frameon=False)
    figure.align_ylabels()
    return figure, told


def group_advantages(language):
    words = {
        "en": (
            "right answers out of 8",
            "advantage",
            ("right, scaled", "wrong, scaled"),
            ("right, unscaled", "wrong, unscaled"),
            "The advantage of a right and of a wrong answer against how many "
            "of 8 answers are right; rewards are 1 and 0. Unscaled, both "
            "fall in straight lines: a right answer from 0.875, as the only "
            "one, to 0 when all are right; a wrong one from 0 to -0.875. "
            "Scaling stretches most where one answer stands alone: the only "
            "right one rises from 0.875 to 2.47, the only wrong one falls to "
            "-2.47. At 4 of 8, 0.5 becomes 0.94. If none or all are right, "
            "every advantage is exactly 0.",
        ),
        "zh": (
            "8 个回答中答对的个数",
            "优势",
            ("答对，缩放", "答错，缩放"),
            ("答对，不缩放", "答错，不缩放"),
            "答对与答错的回答各自的优势，随 8 个回答中答对的个数变化的曲线，"
            "奖励为 1 和 0。不缩放时，两条都是下降的直线：答对的优势从"
            "只有 1 个答对时的 0.875 降到全对时的 0，答错的从 0 降到 -0.875。"
            "只有一个回答与众不同时，缩放放大得最多：唯一答对的从 0.875 "
            "升到 2.47，唯一答错的降到 -2.47；对错各 4 个时，0.5 变成 0.94。"
            "全错或全对时，优势都恰好是 0。",
        ),
    }
    count, advantage, scaled, unscaled, told = words[language]
    function = twin("grpo_rlvr", "numpy").function("group_advantages")
    counts = np.arange(9)
    rewards = 1.0 * (np.arange(8) < counts[:, None])
    figure, ax = axes(height=3.8)
    for scale, labels, dashes in (
        (True, scaled, "o-"),
        (False, unscaled, "o--"),
    ):
        advantages = function(rewards, scale=scale)
        for reward, label, colour in zip(
            (1, 0), labels, (LINES[2], LINES[1]), strict=True
        ):
            of = rewards == reward
            some = of.any(-1)  # without any there is no advantage to draw
            each = advantages[some, of.argmax(-1)[some]]
            ax.plot(
                counts[some],
                each,
                dashes,
                color=colour,
                markersize=4,
                label=label,
            )
    ax.set(xlabel=count, ylabel=advantage, xticks=counts, ylim=(-2.8, 3.6))
    ax.legend(loc="upper right", frameon=False, handlelength=2.8)
    return figure, told


def clip_higher_loss(language):
    words = {
        "en": (
            "probability ratio",
            "loss if A = {:+d}",
            ("clip at 0.8 and 1.2", "clip higher: 0.8 and 1.28"),
            "no gradient",
            "The loss of one token against its probability ratio, from 0.6 "
            "to 1.5, with PPO's bounds 0.8 and 1.2 and with clip-higher's "
            "0.8 and 1.28. Advantage +1, above: PPO's loss is flat from "
            "1.2 on, clip-higher's falls on until 1.28 and is flat from "
            "there. Advantage -1, below: the two are one curve, flat up to "
            "0.8 and rising from there.",
        ),
        "zh": (
            "概率比",
            "A = {:+d} 时的损失",
            ("裁剪到 0.8 与 1.2", "调高上界：0.8 与 1.28"),
            "无梯度",
            "单个 token 的损失随概率比变化的曲线，概率比从 0.6 到 1.5；"
            "一条用 PPO 的 0.8 与 1.2，一条用 Clip-Higher 的 0.8 与 1.28。"
            "上图优势为 +1：PPO 的损失从 1.2 起变平，Clip-Higher "
            "继续下降到 1.28 才变平。下图优势为 -1：两条完全重合，"
            "0.8 以下是平的，之后上升。",
        ),
    }
    ratio, loss, labels, none, told = words[language]
    function = twin("dapo", "numpy").function("clip_higher_loss")
    ratios = np.linspace(0.6, 1.5, 181)
    figure, panels = axes(height=4.8, rows=2)
    for ax, advantage in zip(panels, (1, -1), strict=True):
        higher, symmetric = (
            function(np.log(ratios), 0.0, advantage, 0.2, high)
            for high in (0.28, 0.2)
        )
        compare(ax, ratios, higher, symmetric, labels, none, above=-12)
        ax.set(ylabel=loss.format(advantage), xticks=(0.6, 0.8, 1, 1.2, 1.5))
        ax.margins(y=0.25)
    panels[0].legend(loc="upper right", frameon=False)
    panels[1].set(xlabel=ratio)
    figure.align_ylabels()
    return figure, told


def loss_means(language):
    words = {
        "en": (
            ("sequence mean", "token mean"),
            ("4 tokens", "12 tokens"),
            "share of the loss",
            "How much each token of two responses weighs, as the width of "
            "its cell; the whole bar is 1. Token mean, above: 16 cells of "
            "the same width, so the short response of 4 tokens has a "
            "quarter of the bar and the long one of 12 has three. Sequence "
            "mean, below: each response has half of the bar, so a token of "
            "the long one is a third as wide as one of the short one.",
        ),
        "zh": (
            ("序列平均", "token 平均"),
            ("4 个 token", "12 个 token"),
            "占损失的份额",
            "两个回答中每个 token 的权重，用格子的宽度表示，整条为 1。"
            "上面是 token 平均：16 个格子一样宽，短回答占四分之一，"
            "长回答占四分之三。下面是序列平均：两个回答各占一半，"
            "因此长回答里的 token 只有短回答里的三分之一宽。",
        ),
    }
    names, labels, share, told = words[language]
    lengths = np.array([4, 12])
    mask = np.arange(12) < lengths[:, None]
    places = np.argwhere(mask)
    figure, ax = axes(height=2.6)
    for row, name in enumerate(("sequence_mean", "token_mean")):
        mean = twin("dapo", "numpy").function(name)
        start = 0.0
        for response, place in places:
            one = np.zeros(mask.shape)
            one[response, place] = 1.0
            weight = mean(one, mask)
            ax.barh(
                row,
                weight,
                0.6,
                start,
                color=LINES[(2, 1)[response]],
                edgecolor=TEXT,
                linewidth=0.8,
                label=None if row or place else labels[response],
            )
            start += weight
    ax.set(xlabel=share, yticks=(0, 1), yticklabels=names, ylim=(-0.5, 2.1))
    ax.set(xlim=(0, 1), xticks=(0, 0.25, 0.5, 0.75, 1))
    ax.grid(visible=False)
    ax.legend(loc="upper center", frameon=False, ncols=2)
    return figure, told


def soft_overlong_penalty(language):
    words = {
        "en": (
            "tokens in the response",
            "added to the reward",
            "buffer",
            "The penalty against the length of a response, for a max_length "
            "of 20480 and a buffer of 4096: 0 up to 16384 tokens, then a "
            "straight line through -0.5 at 18432, then -1 from 20480 on. The "
            "buffer, between 16384 and 20480, is grey.",
        ),
        "zh": (
            "回答的 token 数",
            "加到奖励上的值",
            "缓冲区",
            "惩罚随回答长度变化的曲线，max_length 为 20480，buffer 为 4096："
            "16384 个 token 以内为 0，之后直线下降，18432 处为 -0.5，"
            "20480 起恒为 -1。灰色部分是 16384 到 20480 的缓冲区。",
        ),
    }
    tokens, added, buffer, told = words[language]
    function = twin("dapo", "numpy").function("soft_overlong_penalty")
    lengths = np.arange(14336, 22529, 64)
    marks = np.array([16384, 18432, 20480])
    figure, ax = axes()
    ax.axvspan(marks[0], marks[-1], color=GRID, linewidth=0)
    ax.plot(lengths, function(lengths, 20480, 4096), color=LINES[2])
    ax.plot(marks, function(marks, 20480, 4096), "o", color=LINES[2])
    ax.text(marks[1], 0.06, buffer, color=MUTED, ha="center")
    ax.set(xlabel=tokens, ylabel=added, xticks=marks, ylim=(-1.15, 0.2))
    return figure, told


FIGURES = {
    "gae": gae,
    "kl_estimators": kl_estimators,
    "ppo_policy_loss": ppo_policy_loss,
    "dual_clip_policy_loss": dual_clip_policy_loss,
    "ppo_value_loss": ppo_value_loss,
    "dpo_family": dpo_family,
    "group_advantages": group_advantages,
    "clip_higher_loss": clip_higher_loss,
    "loss_means": loss_means,
    "soft_overlong_penalty": soft_overlong_penalty,
}


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
