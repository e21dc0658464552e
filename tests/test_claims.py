"""Every claim holds for both twins, and so does every replay of its calls."""

import ast
import inspect
import re

from drill.calls import run_claim
from drill.twins import ROOT, claims, statements, twin
from drill.verdicts import (
    calls_of,
    departure,
    outcome_of,
    proven,
    replay_problem,
    replayed,
    twins_problem,
)


def test_the_claim_holds(page, claim, side):
    calls, error = run_claim(claims(page)[claim], twin(page, side).subjects())
    if error:
        raise error
    assert calls or side == "numpy", "the claim calls nothing"


def test_the_claim_counts(page, claim):
    """A claim that no pitfall fails proves nothing."""
    assert proven(page, claim), f"no pitfall of either twin fails {claim}"


def test_the_claim_is_stated_in_both_languages(page, claim):
    english, chinese = statements(claims(page)[claim]).values()
    assert re.fullmatch(r"[^\u4e00-\u9fff]+\.", english), english
    assert re.search(r"[\u4e00-\u9fff]", chinese), chinese
    assert chinese.endswith("。"), chinese


def test_claims_import_only_numpy(page):
    file = ROOT / "drill" / "claims" / f"{page}.py"
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert [each.name for each in node.names] == ["numpy"]
        if isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] == "numpy"


def test_the_claim_begins_small(page, claim):
    """Its first call is the witness that a reader sees."""
    calls, _ = run_claim(claims(page)[claim], twin(page, "torch").subjects())
    for name, value in calls[0][0].arrays().items():
        assert value.size <= 8, f"{claim}: {name} has more than 8 numbers"


def test_the_function_has_a_rich_call(page, function):
    """Somewhere two rows meet with every parameter given."""
    made = twin(page, "numpy").function(function)
    parameters = inspect.signature(made).parameters
    shapes = re.findall(r"\[[\w.]+(,?)", made.__doc__)  # none: plain numbers
    axes = 1 + ("," in shapes) if shapes else 0
    assert any(
        call.bound.arguments.keys() == parameters.keys()
        and (
            not axes
            or any(
                each.ndim >= axes and len(each) > 1
                for each in call.arrays().values()
                if each.ndim
            )
        )
        for _, call, _ in calls_of(page, "numpy", function)
    ), f"no call of {function} gives all parameters and two rows"


def test_any_dtype(page, function, side):
    """Results keep the dtype of the arguments; flags come in any kind."""
    assert not replay_problem(page, side, function, "any_dtype")


def test_any_device(page, function, device):
    replays = replayed(page, "torch", function, "any_device")
    if device == "cpu":  # the same again: nothing is left behind by a call
        replays = calls_of(page, "torch", function)
    for name, call, before in replays:
        if call.device == device:
            after = outcome_of(None, page, "torch", call)
            problem = departure(call, before, after, "any_device")
            assert not problem, f"{name}: {problem}"
    assert any(call.device == device for _, call, _ in replays)


def test_compiles(page, function):
    assert replayed(page, "torch", function, "compiles")
    assert not replay_problem(page, "torch", function, "compiles")


def test_twins_agree(page, claim):
    assert not twins_problem(page, claim)


def test_inputs_untouched(page, function, side):
    assert not replay_problem(page, side, function, "inputs_untouched")
