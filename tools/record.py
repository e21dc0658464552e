"""Regenerate docs/recorded/: everything that running the code produces.

`python -m tools.record` writes the files; `tests/test_recorded.py` computes
them again and compares, so a page cannot say what the code no longer does.
"""

import difflib
import json
import platform
import sys
import textwrap
import tomllib
from functools import cache
from importlib.metadata import version

from drill import show
from drill.calls import REPLAYS, SIDES
from drill.twins import (
    LANGUAGES,
    ROOT,
    SourceError,
    about,
    claims,
    entries,
    functions,
    pages,
    statements,
    twin,
)
from drill.verdicts import (
    calls_of,
    proven,
    replay_problem,
    replayed,
    twins_problem,
    witness,
)
from snippets.grpo_rlvr.verifiers import math_reward
from tools.figures import FIGURES, svg
from tools.pages import PageError, page, route, slugs
from tools.progress import progress

NOTATION = ROOT / "tools" / "names.toml"
MATH_VERIFY = ROOT / "tools" / "math_verify.toml"
RECORDED = ROOT / "docs" / "recorded"
NAMES = {"numpy": "NumPy", "torch": "PyTorch"}
WORDS = {
    "en": {
        "right": "right",
        "wrong": "wrong",
        "ours": "ours",
        "theirs": "theirs",
        "caught": "Caught by",
        "only": " ({} only)",
        "ticked": " (ticked for {} only)",
        "space": " ",
        "comma": ", ",
        "colon": ":",
        "libraries": "Used by",
        "page": "Page",
        "cards": "How often asked, and what",
        "notation": (
            "Code",
            "Symbol",
            "Shape",
            "TRL 0.29.1",
            "verl 0.9.1",
        ),
        "verifiers": ("In the box", "Answer", "Ours", "Theirs"),
        "stars": "{} of 5",
        "replays": (
            "The claims on this page make {calls} calls, both twins together. "
            "These were made again, and the results held:"
        ),
        "any_dtype": (
            "in float32 and, in PyTorch, bfloat16; with flags as booleans, "
            "integers and floats ({n} calls, gradients left out)"
        ),
        "any_device": (
            "on PyTorch's meta device, comparing shapes, dtypes and errors: a "
            "hidden wait for the host fails there, and so does a CPU tensor "
            "with at least one dimension ({n} calls)"
        ),
        "compiles": (
            "under torch.compile with fullgraph=True and the eager backend "
            "(the largest call of each way to call a function)"
        ),
        "twins_agree": (
            "by the NumPy and the PyTorch twin alike, what is said of "
            "PyTorch alone aside"
        ),
        "inputs_untouched": "without changing an input array",
        "cuda": "Nothing on this page was run on CUDA yet.",
    },
    "zh": {
        "right": "正确",
        "wrong": "错误",
        "ours": "本站实现",
        "theirs": "库的实现",
        "caught": "抓出它的检查：",
        "only": "（仅 {}）",
        "ticked": "（仅在 {} 版本上打勾）",
        "space": "",
        "comma": "、",
        "colon": "：",
        "libraries": "采用此约定的库：",
        "page": "页面",
        "cards": "常考程度与卡片",
        "notation": (
            "代码",
            "符号",
            "形状",
            "TRL 0.29.1",
            "verl 0.9.1",
        ),
        "verifiers": ("方框中", "答案", "本站", "math-verify"),
        "stars": "{}/5",
        "replays": (
            "本页的已验证结论在两个版本上共产生 {calls} 次调用。"
            "以下重放均与原结果一致："
        ),
        "any_dtype": (
            "求值调用改用 float32（PyTorch 还有 bfloat16），"
            "标志位改用布尔、整数和浮点数（{n} 次调用）"
        ),
        "any_device": (
            "在 PyTorch 的 meta 设备上运行，只比较形状、数据类型和报错；"
            "隐式的主机同步，或误建在 CPU 上的张量（0 维除外），"
            "都会报错（{n} 次调用）"
        ),
        "compiles": (
            "在 torch.compile（fullgraph=True，eager 后端）下运行"
            "（每种调用方式取输入最大的一次）"
        ),
        "twins_agree": (
            "NumPy 与 PyTorch 两个版本结果一致（只针对 PyTorch 的结论除外）"
        ),
        "inputs_untouched": "不改动任何传入的数组",
        "cuda": "本页尚未在 CUDA 上运行过。",
    },
}


def _claims(name, folder, language):
    lines = []
    for claim_name, claim in claims(folder).items():
        sides = name in about(claim) and proven(folder, claim_name, name)
        if not sides:
            continue
        words = WORDS[language]
        line = f"- **✓** {statements(claim)[language]}"
        line += f"{words['space']}`{claim_name}`"
        if len(sides) == 1:
            line += words["ticked"].format(NAMES[sides[0]])
        lines.append(line)
    return _ticked(lines)


def _ticked(lines):
    return "\n".join(
        ['<div class="ticked" markdown>', "", *lines, "", "</div>", ""]
    )


def _diff(entry, side):
    """The edit as a diff: what is wrong goes, what is right comes."""
    right, wrong = (text.splitlines() for text in entry.region(side))
    lines = list(difflib.unified_diff(wrong, right, lineterm="", n=1))[2:]
    lines = [line for line in lines if not line.startswith("@@")]
    margin = min(
        len(line[1:]) - len(line[1:].lstrip()) for line in lines if line[1:]
    )
    return "\n".join((line[0] + line[1 + margin :]).rstrip() for line in lines)


def _fence(kind, text):
    return f"```{kind}\n{text}\n```"


def _witness(entry, side, language):
    words = WORDS[language]
    seen = witness(entry, side)
    if not seen:
        shower = entry.caught_by or "no claim"
        raise SourceError(f"{entry.where}: {shower} does not show it ({side})")
    names = show.result_names(twin(entry.page, side).function(entry.function))
    keys = ("right", "wrong") if entry.caught_by else ("ours", "theirs")
    text = show.call_text(seen.call)
    for key, shown in zip(keys, show.outcome_texts(seen, names), strict=True):
        text += f"\n{words[key]}{words['colon']}\n"
        text += textwrap.indent(shown, "  ")
    return _fence("text", text)


def _evidence(entry, side, language):
    return f"{_fence('diff', _diff(entry, side))}\n\n" + _witness(
        entry, side, language
    )


def _entry(entry, language):
    words = WORDS[language]
    sides = list(entry.edits)
    kind = "pitfall" if entry.caught_by else "convention"
    shown = {side: _evidence(entry, side, language) for side in sides}
    plain = {shown[side].replace(SIDES[side].prefix, "") for side in sides}
    title = entry.title[language]
    if len(sides) == 1:
        title += words["only"].format(NAMES[sides[0]])
    space = words["space"]
    parts = [
        f"//// {kind} | {title}\n"
        f"    attrs: {{id: {entry.function}-{entry.name}}}",
        f"{entry.cause[language]}{space}{entry.consequence[language]}",
    ]
    if len(plain) == 1:  # the same but for np. and torch.
        parts.append(shown[sides[-1]])
    else:
        for side, text in shown.items():
            parts.append(f"/// tab | {NAMES[side]}\n\n{text}\n\n///")
    if entry.caught_by:
        parts.append(f"{words['caught']}{space}`{entry.caught_by}`")
    else:
        parts.append(
            f"{words['libraries']}{space}{words['comma'].join(entry.libraries)}"
        )
    return "\n\n".join([*parts, "////"])


def _entries(name, folder, language, conventions):
    shown = [
        _entry(entry, language)
        for entry in entries(folder)
        if entry.function == name and bool(entry.libraries) == conventions
    ]
    return "\n\n".join(shown) + "\n" if shown else ""


@cache  # once for both languages
def _replayed(folder):
    """How many calls a page's claims make, and how many each replay makes."""
    made = dict.fromkeys(REPLAYS, 0)
    problems = [twins_problem(folder, claim) for claim in claims(folder)]
    for replay in REPLAYS:
        for name in functions(folder):
            for side in SIDES:
                again = replayed(folder, side, name, replay)
                # A record is the same on a machine with a GPU.
                made[replay] += sum(each[1].device != "cuda" for each in again)
                problems.append(replay_problem(folder, side, name, replay))
    for problem in filter(None, problems):
        raise SourceError(problem)
    calls = sum(
        len(calls_of(folder, side, name))
        for name in functions(folder)
        for side in SIDES
    )
    return calls, made


def _replays(folder, language):
    words = WORDS[language]
    calls, made = _replayed(folder)
    lines = [
        f"- **✓** {words[replay].format(n=made[replay])} `{replay}`"
        for replay in REPLAYS
    ]
    opening = words["replays"].format(calls=calls)
    return f"{opening}\n\n{_ticked(lines)}\n{words['cuda']}\n"


def _table(*rows):
    """A Markdown table; the first row is the head."""
    rows = [list(rows[0]), ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cards(language):
    """The table of pages: how often each card is asked, and where it is."""
    words = WORDS[language]
    rows = [(words["page"], words["cards"])]
    for slug in route(language):
        this = page(language, slug)
        link, cards = f"cheatsheets/{slug}.md", []
        for card in this.cards:
            stars = this.asked[card.function]
            label = words["stars"].format(stars)
            cards.append(
                f'<span role="img" aria-label="{label}">'
                f"{'★' * stars}{'☆' * (5 - stars)}</span> "
                f"[{card.title}]({link}#{card.function})"
            )
        rows.append((f"[{this.title}]({link})", "<br>".join(cards)))
    return _table(*rows)


def _notation(language):
    """One row for each name in the code: symbols, shapes, other names."""
    words, found = WORDS[language], {}
    for slug in route(language):
        for card in page(language, slug).cards:
            for each in card.symbols:
                link = f"cheatsheets/{slug}.md#{card.function}"
                row = found.setdefault(each.name, (link, {}, {}))
                # Dictionaries keep each symbol and shape once, in order.
                row[1][each.symbol] = row[2][each.shape] = None
    found.pop("", None)
    names = tomllib.loads(NOTATION.read_text("utf-8"))
    for name in names.keys() - found:
        raise SourceError(f"{NOTATION.name}: no table of symbols has '{name}'")
    rows = [words["notation"]]
    for name, (link, symbols, shapes) in sorted(found.items()):
        theirs = [
            ", ".join(f"`{each}`" for each in text.split(", "))
            if text
            else "-"
            for text in (
                names.get(name, {}).get(key, "") for key in ("trl", "verl")
            )
        ]
        symbols.pop("-", None)
        rows.append(
            (
                f"[`{name}`]({link})",
                ", ".join(symbols) or "-",
                ", ".join(shapes),
                *theirs,
            )
        )
    return _table(*rows)


def _math_verify(language):
    """Where our verifier and a library part."""
    rows = [WORDS[language]["verifiers"]]
    for box, answer, theirs in tomllib.loads(MATH_VERIFY.read_text("utf-8"))[
        "rows"
    ]:
        ours = math_reward(rf"\boxed{{{box}}}", answer)
        rows.append((f"`{box}`", f"`{answer}`", f"{ours:g}", f"{theirs:g}"))
    return _table(*rows)


def environment():
    """What the records were made with."""
    return {
        "machine": f"{platform.system()} {platform.machine()}",
        "matplotlib": version("matplotlib"),
        "numpy": version("numpy"),
        "torch": version("torch").split("+")[0],
    }


def page_records(folder):
    """(path in docs/recorded, text) of what running one page's code says."""
    for language in LANGUAGES:
        slug = folder.replace("_", "-")
        yield f"replays/{slug}.{language}.md", _replays(folder, language)
        for name in functions(folder):
            file = f"{name}.{language}.md"
            yield f"claims/{file}", _claims(name, folder, language)
            yield (
                f"pitfalls/{file}",
                _entries(name, folder, language, conventions=False),
            )
            text = _entries(name, folder, language, conventions=True)
            if text:
                yield f"conventions/{file}", text


def shared_records():
    """The same of what stands on no one page."""
    yield "environment.json", json.dumps(environment(), indent=2) + "\n"
    for language in LANGUAGES:
        for name in FIGURES:
            yield f"figures/{name}.{language}.svg", svg(name, language)
        if slugs(language):
            yield f"cards.{language}.md", _cards(language)
            yield f"notation.{language}.md", _notation(language)
        yield f"math_verify.{language}.md", _math_verify(language)


def records():
    """(path in docs/recorded, text) of every exact record, one at a time."""
    for folder in pages():
        yield from page_records(folder)
    # Last: the reader of pages wants all that a page includes.
    yield from shared_records()


def main():
    """Compute every record, then write what changed."""
    fresh = {}
    try:
        for name, text in records():
            fresh[RECORDED / name] = text
            progress(f"{len(fresh)} records computed")
    except (PageError, SourceError) as error:
        return str(error)
    finally:
        progress("")
    for file, text in fresh.items():
        old = file.read_text("utf-8") if file.exists() else None
        if old != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            print(f"{'changed' if old else 'new'}: {file.relative_to(ROOT)}")
    for file in sorted(RECORDED.rglob("*")):
        if file.is_file() and file not in fresh:
            file.unlink()
            print(f"removed: {file.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
