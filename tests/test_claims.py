"""Every claim holds for both twins, and so does every replay of its calls."""

import ast
import inspect
import re
from dataclasses import replace

from drill.calls import SIDES, run_claim
from drill.twins import ROOT, about, claims, functions, twin
from drill.verdicts import (
    apart,
    calls_of,
    noise,
    outcome_of,
    proven,
    replayed,
)


def test_the_claim_holds(page, claim, side):
    calls, error = run_claim(claims(page)[claim], twin(page, side).subjects())
    if error:
        raise error
    assert calls, "the claim calls nothing"


def test_the_claim_counts(page, claim):
    """A claim that no pitfall fails proves nothing."""
    assert proven(page, claim), f"no pitfall of either twin fails {claim}"


def test_the_claim_is_stated_in_both_languages(page, claim):
    made = claims(page)[claim]
    parts = inspect.getdoc(made).split("\n\n")
    assert len(parts) == 2, f"{claim}: one English and one Chinese paragraph"
    english, chinese = (" ".join(part.split()) for part in parts)
    assert re.fullmatch(r"[^\u4e00-\u9fff]+\.", english), english
    assert re.search(r"[\u4e00-\u9fff]", chinese), chinese
    assert chinese.endswith("。"), chinese


def test_the_claim_is_about_functions_of_its_page(page, claim):
    assert set(about(claims(page)[claim])) <= set(functions(page))


def test_claims_import_only_numpy(page):
    file = ROOT / "drill" / "claims" / f"{page}.py"
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert [each.name for each in node.names] == ["numpy"]
        if isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] == "numpy"


def test_each_function_has_a_claim_that_begins_small(page, claim):
    """The first call is the witness a reader sees: at most 8 numbers each."""
    calls, _ = run_claim(claims(page)[claim], twin(page, "numpy").subjects())
    first, _ = calls[0]
    small = all(value.size <= 10 for value in first.arrays().values())
    assert small, f"{claim} begins with a large input"


def assert_same(name, call, before, after, dtype="float64"):
    """Two outcomes of a call agree, but that float64 became `dtype`."""
    assert type(before.error) is type(after.error), f"{name}: {after.error!r}"
    for old, new in zip(before.parts, after.parts, strict=True):
        wanted = dtype if old.dtype == "float64" else old.dtype
        assert new.dtype == wanted, f"{name}: {new.dtype}"
        assert new.value.shape == old.value.shape, name
        if new.device != "meta":
            far = apart(old.value, new.value, noise(call, old))
            assert not far.any(), f"{name}: {old.value} {new.value}"


def any_floats(call):
    return any(value.dtype.kind == "f" for value in call.arrays().values())


def test_any_dtype(page, function, side):
    """Results keep the dtype of the arguments; flags come in any kind."""
    replays = replayed(page, side, function, "any_dtype")
    assert replays
    for name, call, before in replays:
        after = outcome_of(None, page, side, call)
        here = f"{name}, {call.dtype}, flags as {call.flags}"
        dtype = call.dtype if any_floats(call) else "float64"
        assert_same(here, call, before, after, dtype)


def test_any_device(page, function, device):
    calls = calls_of(page, "torch", function)
    if device != "cpu":
        replays = replayed(page, "torch", function, "any_device")
        calls = [each for each in replays if each[1].device == device]
    assert calls
    for name, call, before in calls:
        after = outcome_of(None, page, "torch", call)
        assert_same(name, call, before, after)
        for part in after.parts:
            assert part.device in (device, "host"), name


def test_compiles(page, function):
    replays = replayed(page, "torch", function, "compiles")
    assert replays
    for name, call, before in replays:
        after = outcome_of(None, page, "torch", call)
        assert_same(name, call, before, after)


def test_twins_agree(page, claim):
    """Pairwise; what a claim says of torch alone comes at its end."""
    (numpy, _), (torch, _) = (
        run_claim(claims(page)[claim], twin(page, side).subjects())
        for side in SIDES
    )
    assert len(numpy) <= len(torch)
    for (call, here), (other, there) in zip(numpy, torch, strict=False):
        assert (call.kind, call.wrt) == (other.kind, other.wrt)
        if any_floats(call):
            assert_same(claim, call, here, there)
        else:  # integers alone give each library's default float
            single = replace(call, dtype="float32")
            assert_same(claim, single, here, there, "float32")


def test_inputs_untouched(page, function, side):
    for name, _, outcome in calls_of(page, side, function):
        assert not outcome.touched, name
