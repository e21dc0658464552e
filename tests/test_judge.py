"""The judgement names what it is given, and nothing that it is not."""

from itertools import combinations

import numpy as np
import pytest

from drill.judge import Judge, variant
from drill.twins import entries, functions, pages, twin

FAST = ("dapo", "sft_kl")  # the other pages take minutes


def names(verdict):
    """The named sets, each thing that is wrong by itself."""
    return [
        [tuple(entry.name for entry in group) for group in sets]
        for sets, _ in verdict.parts()
    ]


def single(entry, side):
    made = variant((entry,), side)
    judge = Judge(entry.page, side, entry.function)
    return judge.verdict(made.function(entry.function))


def of_a_side(side):
    return [
        pytest.param(
            entry,
            id=f"{entry.function}.{entry.name}",
            marks=[] if page in FAST and side == "numpy" else pytest.mark.slow,
        )
        for page in pages()
        for entry in entries(page)
        if side in entry.edits
    ]


@pytest.mark.parametrize("mistake", of_a_side("numpy"))
def test_a_numpy_mistake_is_named(mistake):
    verdict = single(mistake, "numpy")
    assert names(verdict) == [[(mistake.name,)]]
    assert verdict.passes == bool(mistake.libraries)


@pytest.mark.parametrize("mistake", of_a_side("torch"))
def test_a_torch_mistake_is_named(mistake):
    verdict = single(mistake, "torch")
    assert names(verdict) == [[(mistake.name,)]]
    assert verdict.passes == bool(mistake.libraries)


def test_a_right_answer_passes(page):
    for function in functions(page):
        answer = twin(page, "numpy").function(function)
        verdict = Judge(page, "numpy", function).verdict(answer)
        assert verdict.passes and not verdict.parts()


@pytest.mark.parametrize("card", ["masked_mean", "kl_k3"])
def test_two_mistakes_are_named_together(card):
    """Or the one of them that hides the other."""
    judge = Judge("sft_kl", "numpy", card)
    for group in combinations(judge.entries, 2):
        made = variant(group, "numpy")
        if made is None:  # both change the same place
            continue
        verdict = judge.verdict(made.function(card))
        named = [set(each) for sets in names(verdict) for each in sets]
        both = {entry.name for entry in group}
        assert set().union(*named) == both or any(
            each < both for each in named
        ), (both, named)


def test_what_is_no_known_mistake_is_not_named():
    right = twin("sft_kl", "numpy").function("masked_mean")
    judge = Judge("sft_kl", "numpy", "masked_mean")
    verdict = judge.verdict(lambda x, mask: 2.0 * right(x, mask))
    assert not verdict.passes and not verdict.named
    assert verdict.first.what == "value"
    assert "an_empty_mask_means_zero" not in verdict.claims
    assert "masked_mean_ignores_what_is_masked" in verdict.claims


def test_another_style_of_the_same_mistake_is_named():
    """Where only rounding shows, the rounding may be another."""

    def answer(logps, ref_logps):
        ratio = np.exp(ref_logps) / np.exp(logps)
        return ratio - 1 - (ref_logps - logps)

    verdict = Judge("sft_kl", "numpy", "kl_k3").verdict(answer)
    assert ("exp_minus_one",) in names(verdict)[0]
