"""Verdicts: two outcomes compared, wrong variants caught, claims counted."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from drill.calls import REPLAYS, SIDES, Call, Outcome, run, run_claim
from drill.twins import about, claims, edited, entries, twin

# How far an outcome may lie from the right one, relative to the largest
# number in sight. NumPy gradients are differences, hence the wider bound.
TOLERANCES = {"float64": 1e-10, "float32": 1e-5, "bfloat16": 2e-2}
GRADIENT_TOLERANCE = 1e-6
VISIBLE = 1e-2  # a reader sees a difference of one percent


def tolerance(call):
    if call.kind == "grad" and call.dtype == "float64":
        return GRADIENT_TOLERANCE
    return TOLERANCES[call.dtype]


def largest(array):
    """The largest finite magnitude of a floating array, else 0."""
    if array.dtype.kind != "f":
        return 0.0
    return np.abs(array[np.isfinite(array)]).max(initial=0.0)


def apart(right, wrong, bound):
    """Where two arrays of one shape differ by more than an absolute bound.

    What is infinite or not a number agrees only with itself.
    """
    if right.dtype == bool or wrong.dtype == bool:
        return right != wrong
    right, wrong = right.astype(float), wrong.astype(float)
    with np.errstate(invalid="ignore"):
        far = ~(np.abs(right - wrong) <= bound)
    same = (right == wrong) | (np.isnan(right) & np.isnan(wrong))
    return far & ~same


def noise(call, part):
    """What rounding may make of one result, inputs and results considered."""
    scale = max([1.0, largest(part.value)])
    scale = max([scale, *map(largest, call.arrays().values())])
    return tolerance(call) * scale


def seen(call, right, wrong):
    """Where two results visibly part: by one percent of the largest number.

    An exact 0 is a promise: there any difference counts, but for the noise
    of a gradient taken by differences.
    """
    exact = noise(call, right) if call.kind == "grad" else 0.0
    bound = max(VISIBLE, tolerance(call)) * largest(right.value)
    far = apart(right.value, wrong.value, max(bound, exact))
    broken = apart(right.value, wrong.value, exact)
    return far | (broken & (right.value == 0))


def difference(call, right, wrong, visible=False):
    """What tells two outcomes of one call apart, in words; "" if nothing.

    Rounding noise is not a difference; with `visible`, neither is anything
    that a reader would not see in four digits.
    """
    if right.error or wrong.error:
        same = type(right.error) is type(wrong.error)
        return "" if same else "exception"
    if right.touched.keys() != wrong.touched.keys():
        return "inputs"
    if len(right.parts) != len(wrong.parts):
        return "number of results"
    for mine, other in zip(right.parts, wrong.parts, strict=True):
        if mine.value.shape != other.value.shape:
            return "shape"
        if mine.dtype != other.dtype:
            return "dtype"
        if mine.device != other.device:
            return "device"
        if mine.device == "meta":
            continue
        if visible:
            far = seen(call, mine, other)
        else:
            far = apart(mine.value, other.value, noise(call, mine))
        if far.any():
            return "value"
    return ""


@cache
def record(page, side):
    """(claim name, call, outcome) of every call the right twin's claims made.

    Raises the AssertionError of a claim that the right twin fails.
    """
    made = []
    for name, claim in claims(page).items():
        calls, error = run_claim(claim, twin(page, side).subjects())
        if error:
            raise error
        made += [(name, call, outcome) for call, outcome in calls]
    return made


def calls_of(page, side, function):
    return [
        each for each in record(page, side) if each[1].function == function
    ]


def replayed(page, side, function, replay):
    """(claim name, call, original outcome) for every call a replay makes."""
    made = [
        (name, again, outcome)
        for name, call, outcome in calls_of(page, side, function)
        for again in call.replays(replay, SIDES[side])
    ]
    if replay == "compiles":  # slow, so only the richest call
        made = sorted(made, key=lambda each: -each[1].size())[:1]
    return made


@cache
def outcome_of(maker, page, side, call):
    """The outcome of a call on the right twin (None) or on an entry's."""
    made = edited(maker, side) if maker else twin(page, side)
    return run(call, made.function(call.function), made.side)


def caught(entry, side, catcher):
    """Whether the entry's twin fails that claim or that replay."""
    page = entry.page
    if catcher in REPLAYS:
        return any(
            difference(
                call,
                outcome_of(None, page, side, call),
                outcome_of(entry, page, side, call),
            )
            for _, call, _ in replayed(page, side, entry.function, catcher)
        )
    return failed_by(entry, side, catcher)


@cache
def failed_by(entry, side, claim):
    """Whether the entry's twin fails a claim."""
    _, error = run_claim(
        claims(entry.page)[claim], edited(entry, side).subjects()
    )
    return error is not None


@cache
def proven(page, claim):
    """The twins for which some pitfall fails the claim: where it is ticked."""
    sides = {
        side
        for entry in entries(page)
        if entry.caught_by and entry.function in about(claims(page)[claim])
        for side in entry.edits
        if failed_by(entry, side, claim)
    }
    return sorted(sides)


@dataclass(frozen=True, eq=False)
class Witness:
    """One call on which right and wrong visibly part."""

    call: Call
    right: Outcome
    wrong: Outcome
    what: str  # what differs


def witness(entry, side):
    """The first call of the named claim or replay that shows the mistake.

    A convention names no claim: the first call of any claim that shows it.
    """
    page = entry.page
    if entry.caught_by in REPLAYS:
        made = replayed(page, side, entry.function, entry.caught_by)
    else:
        made = [
            each
            for each in calls_of(page, side, entry.function)
            if entry.caught_by in (None, each[0])
        ]
    for _, call, _ in made:
        right = outcome_of(None, page, side, call)
        wrong = outcome_of(entry, page, side, call)
        what = difference(call, right, wrong, visible=True)
        if what:
            return Witness(call, right, wrong, what)
    return None


def same_everywhere(entry, other, side):
    """Whether nothing tells an entry from another, or from ours (None)."""
    page, function = entry.page, entry.function
    made = list(calls_of(page, side, function))
    for replay in ("any_dtype", "any_device", "compiles"):
        made += replayed(page, side, function, replay)
    return not any(
        difference(
            call,
            outcome_of(other, page, side, call),
            outcome_of(entry, page, side, call),
        )
        for _, call, _ in made
    )
