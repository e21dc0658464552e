"""What math-verify gives is what the page says it gives."""

import tomllib

import pytest

from snippets.grpo_rlvr.verifiers import math_reward
from tools.record import MATH_VERIFY

ROWS = tomllib.loads(MATH_VERIFY.read_text("utf-8"))["rows"]


@pytest.mark.peers
@pytest.mark.parametrize(("box", "answer", "reward"), ROWS)
def test_math_verify_gives_what_is_recorded(box, answer, reward):
    library = pytest.importorskip("math_verify")
    wanted, given = (
        library.parse(rf"\boxed{{{each}}}") for each in (answer, box)
    )
    assert library.verify(wanted, given) == bool(reward)


@pytest.mark.parametrize(("box", "answer", "reward"), ROWS)
def test_each_row_is_a_difference(box, answer, reward):
    assert math_reward(rf"\boxed{{{box}}}", answer) != reward
