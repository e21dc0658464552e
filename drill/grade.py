"""Grade one attempt: runs the reader's file, in a process of its own.

`python -m drill.grade FILE` prints one JSON object. Whoever starts it sets
the time limit; where the file is stuck, the last line on stderr says so.
"""

import ast
import contextlib
import faulthandler
import inspect
import io
import json
import sys
import traceback
import types
from pathlib import Path

from drill import show
from drill.calls import SIDES, run
from drill.judge import Judge
from drill.twins import functions, pages, twin
from drill.verdicts import difference

MEMORY = 8 * 2**30  # bytes; torch alone reserves several
LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch"}


class Broken(Exception):
    """The attempt cannot be graded; the message names its line."""


def page_of(function):
    """The page on which a function stands."""
    for page in pages():
        if function in functions(page):
            return page
    raise Broken(f"no card is called {function}")


def side_of(source):
    """The library of an attempt: torch if it imports torch."""
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return "torch" if "torch" in imported else "numpy"


class Attempt:
    """A reader's file, loaded."""

    def __init__(self, file):
        self.file = str(file)
        self.name = Path(file).stem
        self.page = page_of(self.name)
        source = self.read(file)
        try:
            code = compile(source, self.file, "exec")
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            reason = getattr(error, "msg", error)
            raise Broken(f"{self.at(line)}: {reason}") from None
        self.side = side_of(source)
        module = types.ModuleType("attempt")
        sys.modules["attempt"] = module  # dataclasses look there
        self.calling(exec, code, module.__dict__)
        self.function = getattr(module, self.name, None)
        if not inspect.isfunction(self.function):
            raise Broken(f"{self.file}: defines no function {self.name}")
        self.compare_signatures()

    def read(self, file):
        try:
            return Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Broken(f"{self.file}: {error}") from None

    def at(self, line):
        return f"{self.file}:{line}" if line else self.file

    def line_of(self, error):
        """The last line of the reader's file that an error went through."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno for each in frames if each.filename == self.file]
        return lines[-1] if lines else None

    def calling(self, function, *arguments):
        try:
            return function(*arguments)
        except BaseException as error:
            raise Broken(self.told(error)) from None

    def told(self, error):
        first = str(error).strip().splitlines() or [""]
        text = f"{type(error).__name__}: {first[0]}".rstrip(": ")
        return f"{self.at(self.line_of(error))}: {text}"

    def compare_signatures(self):
        """The same number of parameters, in order; names are free."""
        ours = inspect.signature(twin(self.page, "numpy").function(self.name))
        theirs = inspect.signature(self.function)
        here = self.at(self.function.__code__.co_firstlineno)
        ours, theirs = (each.parameters for each in (ours, theirs))
        kinds = {each.kind for each in theirs.values()}
        if kinds - {inspect.Parameter.POSITIONAL_OR_KEYWORD}:
            raise Broken(f"{here}: takes plain parameters only")
        wanted = f"{self.name}({', '.join(ours)})"
        if len(theirs) != len(ours):
            raise Broken(
                f"{here}: takes {len(theirs)} parameters, not {len(ours)}: "
                f"{wanted}"
            )
        if set(theirs) == set(ours) and list(theirs) != list(ours):
            raise Broken(f"{here}: the order of parameters is {wanted}")
        for mine, name in zip(theirs.values(), ours, strict=True):
            default = ours[name].default
            if default is not inspect.Parameter.empty and (
                mine.default is inspect.Parameter.empty
                or mine.default != default
            ):
                raise Broken(
                    f"{here}: the default of {mine.name} is {default!r}"
                )


def steady(attempt, judge):
    """Refuse an answer that gives another result when called again."""
    for _, call, _ in judge.calls:
        once, again = (
            run(call, attempt.function, SIDES[attempt.side]) for _ in range(2)
        )
        what = difference(call, once, again)
        if what:
            raise Broken(
                f"{attempt.file}: two equal calls give different results: "
                f"{show.call_text(call)}"
            )


def report(file):
    """The grade of an attempt, as plain data."""
    attempt = Attempt(file)
    judge = Judge(attempt.page, attempt.side, attempt.name)
    attempt.calling(steady, attempt, judge)
    verdict = attempt.calling(judge.verdict, attempt.function)
    parts = []
    names = show.result_names(
        twin(attempt.page, attempt.side).function(attempt.name)
    )
    for sets, departure in verdict.parts():
        right, wrong = show.outcome_texts(departure, names)
        error = departure.wrong.error
        parts.append(
            {
                "sets": [
                    [[entry.function, entry.name] for entry in group]
                    for group in sets
                ],
                "what": departure.what,
                "call": show.call_text(departure.call),
                "right": right,
                "wrong": wrong,
                "where": attempt.told(error) if error else "",
            }
        )
    return {
        "page": attempt.page,
        "function": attempt.name,
        "side": attempt.side,
        "passes": verdict.passes,
        "parts": parts,
        "claims": [] if verdict.named else verdict.claims,
    }


def limit_memory():
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main(file, seconds):
    limit_memory()
    faulthandler.dump_traceback_later(float(seconds), exit=True)
    with contextlib.redirect_stdout(io.StringIO()):  # what the answer prints
        try:
            found = report(file)
        except Broken as error:
            found = {"broken": str(error)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
