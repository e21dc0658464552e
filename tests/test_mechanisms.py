"""The mechanisms on toys: gradients, stop-gradients, dtypes, witnesses."""

import inspect
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from drill import show, verdicts
from drill.calls import SIDES, Call, Outcome, Part, Subject, run, run_claim
from drill.verdicts import Witness, apart, departure, difference, noise


def cube(x, weights=None, scale=1.0):
    """Returns (cubes, scaled)."""
    cubes = x * x * x
    return cubes, cubes * scale


def stopping(x, anchor):
    """Returns loss."""
    detached = anchor.detach() if hasattr(anchor, "detach") else anchor
    return (x * detached).sum()


def subject(function, side):
    name = function.__name__
    return Subject(name, function, inspect.signature(function), SIDES[side])


def test_a_subject_takes_lists_and_gives_arrays(side):
    made = subject(cube, side)
    cubes, scaled = made([1.0, 2.0], scale=0.5)
    assert_allclose(cubes, [1.0, 8.0])
    assert_allclose(scaled, [0.5, 4.0])
    assert isinstance(cubes, np.ndarray)
    assert len(made.calls) == 1


def test_grad_differentiates_the_result_that_is_meant(side):
    made = subject(cube, side)
    x = [1.0, -2.0]
    slopes = made.grad("x", x, scale=0.5, of=(0,))
    assert_allclose(slopes, [3.0, 12.0], rtol=1e-7)
    slopes = made.grad("x", x, scale=0.5, of=(1, 1))
    assert_allclose(slopes, [0.0, 6.0], rtol=1e-7, atol=1e-9)


def test_only_torch_ends_a_numpy_claim(side):
    reached = []

    def claim(stopping):
        assert stopping.stops("anchor", [1.0, 2.0], [3.0, 4.0])
        assert_allclose(stopping([1.0], [3.0]), 3.0)
        reached.append("values")
        slopes = stopping.grad("x", [1.0], [3.0], only="torch")
        assert_allclose(slopes, [3.0])
        reached.append("gradients")
        stopping.at("bfloat16")([1.0], [3.0])

    calls, error = run_claim(claim, {"stopping": subject(stopping, side)})
    assert error is None
    torch = side == "torch"
    assert reached == (["values", "gradients"] if torch else ["values"])
    assert len(calls) == (4 if torch else 1)


def test_stops_sees_a_gradient_that_flows():
    made = subject(stopping, "torch")
    assert made.stops("anchor", [1.0, 2.0], [3.0, 4.0])
    assert not made.stops("x", [1.0, 2.0], [3.0, 4.0])


def test_a_gradient_needs_a_floating_array(side):
    made = subject(cube, side)
    for wrong in ([1, 2], 1.0):
        with pytest.raises(TypeError, match="x is no floating array"):
            made.grad("x", wrong, of=(0,))
    with pytest.raises(ValueError, match="float16 is none of float64"):
        made.at("float16")
    with pytest.raises(TypeError, match="several results"):
        made.grad("x", [1.0])
    with pytest.raises(ValueError, match="only: 'numpy' is not 'torch'"):
        made.grad("x", [1.0], of=(0,), only="numpy")


def test_a_gradient_beside_minus_infinity_is_a_number(side):
    def masked_sum(x):
        return (x * (x > -1e9)).sum() if side == "torch" else x[x > -9].sum()

    made = subject(masked_sum, side)
    slopes = made.grad("x", [1.0, -np.inf][: 2 if side == "numpy" else 1])
    assert_allclose(slopes[0], 1.0, rtol=1e-7)
    assert side == "torch" or slopes[1] == 0.0


def test_a_default_fills_the_gap_before_a_named_argument(side):
    def theirs(a, b=None, factor=1.0):
        return a * factor, a

    made = Subject("cube", theirs, inspect.signature(cube), SIDES[side])
    first, _ = made([2.0], scale=0.5)
    assert_allclose(first, [1.0])


def test_at_changes_the_dtype_of_floats_alone(side):
    def kinds(x, mask):
        """Returns (x, mask)."""
        return x, mask

    made = subject(kinds, side).at("float32")
    x, mask = made([1.0], [True])
    assert (x.dtype, mask.dtype) == (np.float32, np.bool_)


def test_arguments_go_by_our_names_to_a_function_with_others(side):
    def renamed(a, b=None, factor=1.0):
        return a * factor, a

    made = Subject("cube", renamed, inspect.signature(cube), SIDES[side])
    first, _ = made(x=[2.0])
    assert_allclose(first, [2.0])
    slopes = made.grad("x", [2.0], of=(0,))
    assert_allclose(slopes, [1.0], rtol=1e-7)


def test_an_exception_is_recorded_and_raised(side):
    def refuses(x):
        raise ValueError("refuses: no")

    made = subject(refuses, side)
    with pytest.raises(ValueError, match="refuses: no"):
        made([1.0])
    (_, outcome), *_ = made.calls
    assert isinstance(outcome.error, ValueError)


def test_a_changed_input_is_noticed(side):
    def spoils(x):
        x[..., 0] = 7.0
        return x * 1.0

    made = subject(spoils, side)
    made([1.0, 2.0])
    (_, outcome), *_ = made.calls
    assert_allclose(outcome.touched["x"], [7.0, 2.0])


def call_of(function, *args, **kwargs):
    bound = inspect.signature(function).bind(*args, **kwargs)
    return Call(function.__name__, bound)


def test_meta_refuses_a_hidden_wait_for_the_host():
    def waits(x):
        return x * x.sum().item()

    call = call_of(waits, np.ones(2))
    torch = SIDES["torch"]
    assert not run(call, waits, torch).error
    (again,) = [
        each
        for each in call.replays("any_device", torch)
        if each.device == "meta"
    ]
    assert run(again, waits, torch).error


def test_numbers_alone_are_on_no_device():
    here, there = outcome([1.0]), outcome([1.0], device="cpu")
    for x, problem in ((2.0, ""), (np.ones(1), "gives a result on cpu")):
        call = replace(call_of(cube, x), device="meta")
        assert departure(call, here, there, "any_device") == problem


def test_only_noughts_and_ones_are_replayed_as_flags(side):
    def counts(mask):
        return (mask > 0).sum()

    for mask, plain in (([1.0, 0.0], True), ([1.0, -1.0], False)):
        call = call_of(counts, np.array(mask))
        again = call.replays("any_dtype", SIDES[side])
        assert len(again) == len(SIDES[side].dtypes)
        assert {bool(each.flags) for each in again} == {plain}


def test_compiling_refuses_a_break_in_the_graph():
    def branches(x):
        return x if x.sum() > 0 else -x

    call = call_of(branches, np.ones(2))
    torch = SIDES["torch"]
    assert not run(call, branches, torch).error
    (again,) = call.replays("compiles", torch)
    assert run(again, branches, torch).error


def outcome(*values, device="cpu", error=None):
    parts = [np.asarray(value) for value in values]
    made = tuple(Part(each, each.dtype.name, device) for each in parts)
    return Outcome(made, error, several=len(made) > 1)


@pytest.mark.parametrize(
    ("right", "wrong", "plain", "visible"),
    [
        (outcome([1.0, 2.0]), outcome([1.0, 2.0]), "", ""),
        (outcome([1.0, 2.0]), outcome([1.0, 2.001]), "value", ""),
        (outcome([1.0, 2.0]), outcome([1.0, 2.1]), "value", "value"),
        (outcome([0.0, 2.0]), outcome([1e-6, 2.0]), "value", "value"),
        (outcome([0.0, 2.0]), outcome([1e-17, 2.0]), "", ""),
        (outcome([4e-16]), outcome([2e-16]), "", ""),
        (outcome([1.0]), outcome([np.nan]), "value", "value"),
        (outcome([np.nan]), outcome([np.nan]), "", ""),
        (outcome([1.0]), outcome([1]), "dtype", "dtype"),
        (outcome([1.0]), outcome(1.0), "shape", "shape"),
        (outcome([1.0]), outcome([1.0], device="cuda"), "device", "device"),
        (outcome([1.0]), outcome([1.0], [1.0]), "number of results", None),
        (outcome([1.0]), outcome(error=ValueError("x")), "exception", None),
        (
            outcome(error=ValueError("x")),
            outcome(error=ValueError("y")),
            "",
            None,
        ),
        (
            outcome(error=ValueError("x")),
            outcome(error=TypeError("x")),
            "exception",
            None,
        ),
        (outcome([True]), outcome([False]), "value", "value"),
    ],
)
def test_a_difference_is_named(right, wrong, plain, visible):
    call = call_of(cube, np.array([1.0]))
    assert difference(call, right, wrong) == plain
    if visible is not None:
        assert difference(call, right, wrong, visible=True) == visible


def test_apart_sees_what_lies_beyond_the_bound():
    right = np.array([1.0, 0.0, np.nan, np.inf, -np.inf])
    assert not apart(right, right, 0.1).any()
    assert not apart(right, right + 0.09, 0.1).any()
    assert apart(right, right + 0.11, 0.1).tolist() == [True, True] + 3 * [
        False
    ]
    assert apart(right, np.zeros(5), 0.1).tolist() == [
        *(True, False, True, True, True)
    ]
    assert apart(np.array([True, True]), np.array([1, 0]), 9.0).tolist() == [
        *(False, True)
    ]


def test_noise_grows_with_finite_floating_numbers_alone():
    x = np.array([-300.0, np.inf, np.nan])
    call = call_of(cube, x, np.array([10**6]), 1e9)
    small, large = outcome([0.5]).parts[0], outcome([-1000.0]).parts[0]
    assert_allclose(noise(call, small), 300 * 1e-10)
    assert_allclose(noise(call, large), 1000 * 1e-10)
    rough = replace(call, dtype="bfloat16")
    assert_allclose(noise(rough, small), 300 * 2e-2)
    nothing = call_of(cube, np.ones(0))
    assert_allclose(noise(nothing, small), 0.5 * 1e-10)
    assert_allclose(noise(nothing, outcome([0.0]).parts[0]), 1e-10)


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        ({}, ""),
        ({"value": np.array([1.0, 3.0])}, "gives [1. 3.], not [1. 2.]"),
        ({"value": np.array([[1.0, 2.0]])}, "gives the shape (1, 2)"),
        ({"dtype": "float32"}, "gives float32, not float64"),
        ({"device": "meta"}, "gives a result on meta"),
    ],
)
def test_a_departure_is_told(after, problem):
    call = call_of(cube, np.array([1.0]))
    part = Part(np.array([1.0, 2.0]), "float64", "cpu")
    found = departure(
        call, Outcome((part,)), Outcome((replace(part, **after),)), "compiles"
    )
    assert found.startswith(problem) and bool(found) == bool(problem)


def test_a_departure_sees_errors_and_inputs():
    call = call_of(cube, np.array([1.0]))
    fine, broken = outcome([1.0]), Outcome(error=ValueError("no"))
    touched = replace(fine, touched={"x": np.array([2.0])})
    assert "ValueError" in departure(call, fine, broken, "compiles")
    assert "ValueError" in departure(call, broken, fine, "compiles")
    assert "inputs: x" in departure(call, fine, touched, "compiles")


def test_twins_that_differ_are_told(monkeypatch):
    made = {
        side: SimpleNamespace(
            subjects=lambda side=side: {"cube": subject(cube, side)}
        )
        for side in SIDES
    }
    monkeypatch.setattr(verdicts, "twin", lambda page, side: made[side])
    monkeypatch.setattr(
        verdicts, "claims", lambda page: {"c": lambda cube: cube([1.0])}
    )
    assert not verdicts.twins_problem("toy", "c")
    made["torch"].subjects = lambda: {
        "cube": Subject(
            "cube",
            lambda x, weights=None, scale=1.0: (x, x),
            inspect.signature(cube),
            SIDES["torch"],
        )
    }
    monkeypatch.setattr(
        verdicts, "claims", lambda page: {"c": lambda cube: cube([2.0])}
    )
    assert "differ in value" in verdicts.twins_problem("toy", "c")


def test_a_gradient_by_differences_is_no_exact_zero():
    call = replace(call_of(cube, np.array([1.0])), kind="grad", wrt="x")
    nearly = outcome([1e-9])
    assert not difference(call, outcome([0.0]), nearly, visible=True)
    assert difference(call, outcome([0.0]), outcome([1e-3]), visible=True)


@pytest.mark.parametrize("result", [None, "text", [None, 1.0], ()])
def test_what_is_no_number_is_an_exception(result, side):
    made = subject(cube, side)
    made.function = lambda *_, **__: result
    with pytest.raises(TypeError, match="returned"):
        made([1.0])


def test_a_scalar_is_an_array_unless_it_has_a_default(side):
    kinds = []

    def look(x, scale=1.0):
        kinds.append((type(x), type(scale)))
        return x * scale

    made = subject(look, side)
    assert made(np.float64(2.0), 3.0) == 6.0
    assert made(np.float64(2.0), np.float64(3.0)) == 6.0
    (of_x, of_scale), (_, of_numpy_scale) = kinds
    assert of_x.__module__ == side
    assert (of_scale, of_numpy_scale) == (float, float)


def test_a_tuple_of_one_is_no_array():
    call = call_of(cube, np.array([1.0]))
    one = outcome([1.0])
    assert difference(call, one, replace(one, several=True))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (-0.125, "-0.125"),
        (12345.678, "1.235e+04"),
        (1e-17, "1e-17"),
        (3, "3"),
        (np.int64(3), "3"),
        (True, "True"),
        (np.bool_(False), "False"),
        (np.nan, "nan"),
        (-np.inf, "-inf"),
    ],
)
def test_numbers_read_as_python_writes_them(value, text):
    assert show.number(value) == text


def test_a_call_is_shown_with_names_and_wrapped():
    short = call_of(cube, np.array([1.0, 2.0]), scale=0.5)
    assert show.call_text(short) == "cube(x=[1.0, 2.0], scale=0.5)"
    rows = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    call = replace(call_of(cube, rows, None, 0.5), dtype="float32")
    assert show.call_text(call).splitlines() == [
        "cube(",
        "    x=[[1.0, 2.0, 3.0, 4.0],",
        "       [5.0, 6.0, 7.0, 8.0]],",
        "    weights=None,",
        "    scale=0.5,",
        ")  # float32",
    ]


def test_outcomes_are_shown_as_far_as_they_differ():
    call = call_of(cube, np.array([1.0]))
    seen = Witness(call, outcome([1.0], 2.0), outcome([3.0], 4.0), "value")
    assert show.outcome_texts(seen, ["cubes", "scaled"]) == [
        "cubes = [1.0]\nscaled = 2.0",
        "cubes = [3.0]\nscaled = 4.0",
    ]
    seen = Witness(
        call,
        outcome([1.0], 2.0),
        outcome(error=ValueError("no\nmore")),
        "exception",
    )
    assert show.outcome_texts(seen, ["a", "b"])[1] == "ValueError: no"


def test_results_are_named_by_the_docstring():
    assert show.result_names(cube) == ["cubes", "scaled"]
    assert show.result_names(stopping) == ["loss"]
    shaped = SimpleNamespace(__doc__="Returns flag, of shape [..., T].")
    assert show.result_names(shaped) == ["flag"]
    for text in ("Nothing.", "Returns the mean."):
        nameless = SimpleNamespace(__name__="nameless", __doc__=text)
        with pytest.raises(ValueError, match="nameless: the docstring says"):
            show.result_names(nameless)


def test_a_call_that_raises_is_not_compiled(monkeypatch):
    def refuses(x, cap=1.0):
        if cap <= 0:
            raise ValueError("refuses: cap")
        return x * cap

    made = subject(refuses, "torch")
    made([1.0], 2.0)
    with pytest.raises(ValueError, match="cap"):
        made([1.0, 2.0], 0.0)
    recorded = [("claim", *each) for each in made.calls]
    monkeypatch.setattr(verdicts, "record", lambda page, side: recorded)
    again = verdicts.replayed("page", "torch", "refuses", "compiles")
    assert [call.bound.arguments["cap"] for _, call, _ in again] == [2.0]
