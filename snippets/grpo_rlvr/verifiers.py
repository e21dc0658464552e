"""Rewards that a program gives: for mathematics and for code."""

# --8<-- [start:math_reward_imports]
import re
from fractions import Fraction
# --8<-- [end:math_reward_imports]

# --8<-- [start:code_reward_imports]
import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
# --8<-- [end:code_reward_imports]


# --8<-- [start:math_reward]
DECIMAL = r"(?:(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)"
NUMBER = re.compile(
    rf"([+-]?)(?:({DECIMAL})(?:/({DECIMAL}))?"
    rf"|\\frac\{{([+-]?{DECIMAL})\}}\{{([+-]?{DECIMAL})\}})(\\?%)?"
)


def math_reward(response, answer):
    """1.0 if the last box of a response holds the answer, else 0.0.

    response, answer: text, the answer without a box. Numbers are compared
    exactly, other answers as text without LaTeX's layout. Returns reward;
    what is malformed, or no text, gets 0.0. Nothing is evaluated.
    Source: the definition.
    """
    if not (isinstance(response, str) and isinstance(answer, str)):
        return 0.0
    given, wanted = _value(_last_box(response)), _value(answer)
    return float(given is not None and given == wanted)


def _last_box(text):
    """What stands in the last box; "" if there is none, or it is open."""
    _, box, inside = text.rpartition(r"\boxed{")
    depth = 1
    # Escapes are passed over: \{ is a character, not a brace.
    for match in re.finditer(r"\\.|[{}]", inside, re.DOTALL) if box else ():
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return inside[: match.start()]
    return ""


def _value(text):
    """A number as a Fraction, else the text; None for nothing or 1/0."""
    text = text.replace("\u2212", "-").replace("{,}", ",")
    text = re.sub(r"\\(?:text|textbf|mathrm|mbox) ?{([^{}]*)}", r" \1 ", text)
    text = re.sub(r"\\(?:left|right)(?![A-Za-z])|(?<!\\)\\!", "", text)
    text = re.sub(r"(?<!\\)\\[,;: $]|[~$]", " ", text)
    # Words and digits stay apart: 1 1/2 is not 11/2, nor 1, 234 one number.
    text = " ".join(text.split())
    text = re.sub(r"(?<![0-9A-Za-z,.]) | (?![0-9A-Za-z.])", "", text)
    text = re.sub(r"\\[dt]frac(?![A-Za-z])", r"\\frac", text)
    part = r" ?(?:([0-9])|{([^{}]*)})"
    text = re.sub(rf"\\frac{part}{part}", r"\\frac{\1\2}{\3\4}", text)
    text = re.sub(r"(?<![ .]) ?\.$", "", text)  # but 0.3... goes on
    # Longer numbers are text: converting their digits takes quadratic time.
    match = NUMBER.fullmatch(text) if len(text) < 200 else None
    if not match or sum(map(str.isdigit, text)) > 100:
        return text.replace(", ", ",") or None
    sign, *parts, percent = match.groups()
    parts = [Fraction(part.replace(",", "")) for part in parts if part]
    above, below = parts if len(parts) == 2 else (parts[0], 1)
    if below == 0:
        return None
    value = above / below / (100 if percent else 1)
    return -value if sign == "-" else value
    # --8<-- [end:math_reward]


# --8<-- [start:code_reward]
# Each thread reserves memory, and the limit counts what is reserved.
THRIFTY = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
RUNNER = """
import contextlib, json, resource, sys

pipe, seconds = int(sys.argv[1]), int(sys.argv[2])
for what, most in (
    (resource.RLIMIT_CPU, seconds),
    (resource.RLIMIT_AS, 2**30),
    (resource.RLIMIT_FSIZE, 2**20),
    (resource.RLIMIT_CORE, 0),
):
    with contextlib.suppress(OSError, ValueError):  # not every system has all
        resource.setrlimit(what, (most, most))
program, expressions = json.load(sys.stdin)
module = type(sys)("program")
sys.modules["program"] = module  # dataclasses look there
out, dumps, value_of = open(pipe, "w"), json.dumps, eval
exec(compile(program, "program.py", "exec"), vars(module))
for number, expression in enumerate(expressions):
    try:
        value = value_of(expression, vars(module))
        line = dumps([number, value], default=lambda array: array.tolist())
    except BaseException:  # this test fails, the next may pass
        continue
    out.write(line + "\\n")
    out.flush()
"""


def code_reward(program, tests, timeout=2.0):
    """The share of tests that a program passes, from 0.0 to 1.0.

    program: Python source; tests: pairs (expression, expected), expected
    plain data, compared as JSON; timeout in seconds for everything together.
    Returns reward, 0.0 without tests. Raises NotImplementedError where there
    is no POSIX. No sandbox for hostile code.
    Source: the definition.
    """
    if os.name != "posix":
        raise NotImplementedError("code_reward: needs POSIX process groups")
    tests = list(tests)
    expressions = [expression for expression, _ in tests]
    # The expected values never reach the program; they are compared here.
    text = json.dumps([value for _, value in tests])
    expected, most = json.loads(text), 2 * len(text) + 2**20
    folder = tempfile.mkdtemp()
    try:
        given = _answers(program, expressions, folder, timeout, most)
    finally:
        _remove(folder)
    passed = [
        number in given and _same(given[number], value)
        for number, value in enumerate(expected)
    ]
    return sum(passed) / max(len(passed), 1)


def _answers(program, expressions, folder, timeout, most):
    """The value of each expression that had one, by its number."""
    deadline = time.monotonic() + timeout
    # Of all processors together, should we die first.
    seconds = (math.ceil(timeout) + 1) * (os.cpu_count() or 1)
    read, write = os.pipe()
    with (
        open(read, "rb", 0) as pipe,
        open(write, "wb", 0) as theirs,
        tempfile.TemporaryFile("w+") as job,
    ):
        json.dump([program, expressions], job)
        job.seek(0)
        command = [sys.executable, "-I", "-c", RUNNER, str(write)]
        process = subprocess.Popen(
            [*command, str(seconds)],
            stdin=job,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"TMPDIR": folder, **THRIFTY},
            pass_fds=[write],
            start_new_session=True,
        )
        theirs.close()
        given = {}
        try:
            for line in _lines(pipe, deadline, most):
                with contextlib.suppress(
                    ValueError, TypeError, RecursionError
                ):
                    number, value = json.loads(line)
                    given.setdefault(number, value)  # the first one counts
                if len(given) == len(expressions):
                    break
        finally:
            _end(process)
    return given


def _lines(pipe, deadline, most):
    """Lines as they come, until the end, the deadline or too much."""
    size, rest = 0, b""
    with selectors.DefaultSelector() as ready:
        ready.register(pipe, selectors.EVENT_READ)
        while size < most:
            left = deadline - time.monotonic()
            if left <= 0 or not ready.select(left):
                break
            chunk = pipe.read(2**16)
            if not chunk:
                break
            size += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines


def _end(process):
    """Kill a process and its group, and wait until nothing is left of it."""
    # First kill, then wait: until then nobody else can have the number.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        for _ in range(50):
            os.killpg(process.pid, 0)  # kills nothing, asks who is there
            time.sleep(0.01)


def _same(given, expected):
    """Equality of JSON: True is not 1, and 1 is 1.0."""
    if isinstance(given, list) and isinstance(expected, list):
        return len(given) == len(expected) and all(map(_same, given, expected))
    if isinstance(given, dict) and isinstance(expected, dict):
        return given.keys() == expected.keys() and all(
            _same(given[key], expected[key]) for key in expected
        )
    if isinstance(given, bool) or isinstance(expected, bool):
        return given is expected
    return given == expected


def _remove(folder):
    """Remove a folder, whatever a program has made of it."""
    for _ in range(2):
        # Not rmtree: a deep tree ends its recursion.
        subprocess.run(["rm", "-rf", folder], stderr=subprocess.DEVNULL)
        if not os.path.lexists(folder):
            return
        if not os.path.islink(folder):  # it may be one to anywhere
            open_up = ["chmod", "-R", "u+rwx", folder]
            subprocess.run(open_up, stderr=subprocess.DEVNULL)
    # --8<-- [end:code_reward]
