"""Answers in other styles, written without a look at the pitfall files.

Each says in its first line what is wrong with it, in plain words, and in its
second what the drill names: entries, or ? where it names none.
"""

from pathlib import Path

import pytest

from drill.calls import SIDES
from drill.grade import Attempt, side_of
from drill.judge import Judge

FOLDER = Path(__file__).parent / "answers"
FILES = sorted(FOLDER.glob("*.py"))


def head(file):
    """What is wrong, and what is named."""
    wrong, named = file.read_text("utf-8").split("\n")[:2]
    return wrong.removeprefix("# mistakes: "), named.removeprefix("# named: ")


def named(file, tmp_path):
    """What the drill names: parts by ;, sets by or, entries by +."""
    attempt_file = tmp_path / f"{file.stem.split('__')[0]}.py"
    attempt_file.write_text(file.read_text("utf-8"), "utf-8")
    attempt = Attempt(attempt_file)
    judge = Judge(attempt.page, attempt.side, attempt.name)
    parts = [
        " or ".join(" + ".join(each.name for each in group) for group in sets)
        for sets, _ in judge.verdict(attempt.function).parts()
    ]
    return "; ".join(part or "?" for part in parts) or "none"


def marked(file):
    side = side_of(file.read_text("utf-8"))
    assert side in SIDES
    marks = pytest.mark.slow if side == "torch" else ()
    return pytest.param(file, id=file.stem, marks=marks)


@pytest.mark.parametrize("file", [marked(file) for file in FILES])
def test_an_answer_is_judged_as_it_says(file, tmp_path):
    assert named(file, tmp_path) == head(file)[1]


def test_every_right_answer_passes_and_no_other():
    right = [file for file in FILES if head(file)[0] == "none"]
    assert [file for file in FILES if head(file)[1] == "none"] == right


def test_there_are_enough_answers():
    assert len(FILES) >= 60
