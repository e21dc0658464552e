"""Calls and outcomes as text, for pages and for the drill."""

import re
import textwrap

import numpy as np

WIDTH = 66  # columns of a block that still reads on a small screen
RETURNS = re.compile(r"Returns \(?(?P<names>\w+(?:, \w+)*)\)?")


def result_names(function):
    """What a public function returns, by its docstring."""
    match = RETURNS.search(function.__doc__ or "")
    if not match:
        raise ValueError(f"{function.__name__}: no 'Returns' in its docstring")
    return match["names"].split(", ")


def number(value):
    """One number in four digits; a float keeps its point."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(value)
    text = f"{value:.4g}"
    return text if re.search(r"[.en]", text) else text + ".0"


def array(value):
    """An array as nested lists."""
    if value.ndim == 0:
        return number(value[()])
    return "[" + ", ".join(array(each) for each in value) + "]"


def arguments(call):
    """Each argument of a call as text, named from the first keyword on."""
    bound = call.bound
    named = {
        name: array(value) if isinstance(value, np.ndarray) else repr(value)
        for name, value in bound.arguments.items()
    }
    # Hyper-parameters are named even where the claim passed them by place.
    return [
        text
        if isinstance(bound.arguments[name], np.ndarray)
        else f"{name}={text}"
        for name, text in named.items()
    ]


def call_text(call):
    """A call as Python would write it, wrapped where it is long."""
    inside = arguments(call)
    line = f"{call.function}({', '.join(inside)})"
    if len(line) > WIDTH:
        body = ",\n".join(inside)
        line = f"{call.function}(\n{textwrap.indent(body, '    ')},\n)"
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
        return "\n".join(f"{name} = {array(inputs[name])}" for name in changed)
    if call.kind == "stops":
        state = "no" if outcome.parts[0].value else "a"
        return f"{state} gradient reaches {call.wrt}"
    if call.kind == "grad":
        result = names[call.of[0] if call.of else 0]
        result += "".join(f"[{step}]" for step in call.of[1:])
        slopes = array(outcome.parts[0].value)
        return f"d {result} / d {call.wrt} = {slopes}"
    lines = []
    for name, part in zip(names, outcome.parts, strict=False):
        value = array(part.value)
        if part.device == "meta":
            value = f"shape {list(part.value.shape)}"
        if what in ("dtype", "device"):
            value += f"  # {part.dtype} on {part.device}"
        lines.append(f"{name} = {value}")
    return "\n".join(lines)
