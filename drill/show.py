"""Calls and outcomes as text, for pages and for the drill."""

import re
import textwrap

import numpy as np

WIDTH = 40  # columns that a phone shows without scrolling
RETURNS = re.compile(r"Returns (?:\((?P<names>\w+(?:, \w+)*)\)|(?P<name>\w+))")


def result_names(function):
    """What a public function returns, by its docstring."""
    match = RETURNS.search(function.__doc__ or "")
    names = (match["names"] or match["name"]).split(", ") if match else []
    if not names or {"a", "an", "the"} & set(names):
        raise ValueError(
            f"{function.__name__}: the docstring says 'Returns name' or "
            "'Returns (name, name)'"
        )
    return names


def number(value):
    """One number in four digits; a float keeps its point."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(value)
    text = f"{value:.4g}"
    return text if re.search(r"[.en]", text) else text + ".0"


def array(value, indent=0):
    """An array as nested lists; where it is long, one line for each row."""
    if value.ndim == 0:
        return number(value[()])
    rows = [array(each, indent + 1) for each in value]
    line = f"[{', '.join(rows)}]"
    if value.ndim == 1 or indent + len(line) <= WIDTH:
        return line
    return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"


def assigned(name, value):
    """`name = value`."""
    return f"{name} = {array(value, len(name) + 3)}"


def call_text(call):
    """A call as Python would write it, every argument named."""
    inside = {}
    for name, value in call.bound.arguments.items():
        shown = repr(value)
        if isinstance(value, np.ndarray):
            shown = array(value, 4 + len(name) + 1)
        inside[name] = f"{name}={shown}"
    line = f"{call.function}({', '.join(inside.values())})"
    if len(line) > WIDTH:
        body = ",\n    ".join(inside.values())
        line = f"{call.function}(\n    {body},\n)"
    settings = []
    if call.dtype != "float64":
        settings.append(call.dtype)
    if call.flags:
        settings.append(f"flags as {call.flags}")
    if call.device != "cpu":
        settings.append(f"on device {call.device}")
    if call.compiled:
        settings.append("under torch.compile(fullgraph=True)")
    return line + (f"  # {', '.join(settings)}" if settings else "")


def outcome_texts(seen, names):
    """The right and the wrong outcome of a witness, told in one manner.

    `names` are the function's results. Only what the difference needs is
    shown: dtypes where they differ, an input only where it was changed.
    """
    return [_outcome(seen, each, names) for each in (seen.right, seen.wrong)]


def _outcome(seen, outcome, names):
    call, what = seen.call, seen.what
    if outcome.error:
        first = str(outcome.error).strip().splitlines() or [""]
        text = f"{type(outcome.error).__name__}: {first[0]}"
        return textwrap.shorten(text, 2 * WIDTH, placeholder=" ...")
    if what == "inputs":
        changed = [*seen.right.touched, *seen.wrong.touched]
        inputs = {**call.arrays(), **outcome.touched}
        return "\n".join(assigned(name, inputs[name]) for name in changed)
    if call.kind == "stops":
        state = "no" if outcome.parts[0].value else "a"
        return f"{state} gradient reaches {call.wrt}"
    if call.kind == "grad":
        result = names[call.of[0] if call.of else 0]
        result += "".join(f"[{step}]" for step in call.of[1:])
        slopes = outcome.parts[0].value
        return assigned(f"d {result} / d {call.wrt}", slopes)
    lines = []
    for name, part in zip(names, outcome.parts, strict=False):
        if part.device == "meta":
            line = f"{name}: shape {list(part.value.shape)}"
        else:
            line = assigned(name, part.value)
        if what in ("dtype", "device"):
            line += f"  # {part.dtype} on {part.device}"
        lines.append(line)
    return "\n".join(lines)
