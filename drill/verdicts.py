"""Verdicts: two outcomes compared, wrong variants caught, claims counted."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from drill.calls import (
    REPLAYS,
    SIDES,
    TOLERANCES,
    Call,
    Outcome,
    run,
    run_claim,
)
from drill.twins import about, claims, edited, entries, twin

# NumPy gradients are differences, hence the wider bound.
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
    """What rounding may make of a result beside the largest number there."""
    scale = max([largest(part.value), *map(largest, call.arrays().values())])
    return tolerance(call) * (scale or 1.0)


def seen(call, right, wrong):
    """Where two results visibly part: by one percent of the largest number.

    An exact 0 is a promise: there anything beyond rounding counts.
    """
    small = noise(call, right)
    bound = max(small, VISIBLE * largest(right.value))
    exact = (right.value == 0) & apart(right.value, wrong.value, small)
    return apart(right.value, wrong.value, bound) | exact


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
    if (right.several, len(right.parts)) != (wrong.several, len(wrong.parts)):
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
    if replay == "compiles":  # slow, so only the richest call of each manner
        # torch.compile dresses an exception up: what raises is left out.
        made = [each for each in made if not each[2].error]
        rich = {}
        for each in sorted(made, key=lambda each: each[1].size()):
            rich[each[1].manner()] = each
        made = list(rich.values())
    return made


@cache
def outcome_of(maker, page, side, call):
    """The outcome of a call on the right twin (None) or on an entry's."""
    made = edited(maker, side) if maker else twin(page, side)
    return run(call, made.function(call.function), made.side)


def told(entry, side, call, visible=False):
    """What tells the entry's twin from the right one on one call."""
    right = outcome_of(None, entry.page, side, call)
    wrong = outcome_of(entry, entry.page, side, call)
    return difference(call, right, wrong, visible)


def shown_by(entry, side, catcher, visible=False):
    """(call, what differs) for the calls on which the catcher shows the entry.

    A replay shows only what the plain call hides: where that differs already,
    a claim has to be named. No catcher (a convention) means every claim.
    """
    page = entry.page
    if catcher in REPLAYS:
        made = replayed(page, side, entry.function, catcher)
    else:
        made = [
            each
            for each in calls_of(page, side, entry.function)
            if catcher in (None, each[0])
        ]
    for _, call, _ in made:
        what = told(entry, side, call, visible)
        if (
            not what
            or (catcher == "inputs_untouched" and what != "inputs")
            or (call.origin and told(entry, side, call.origin))
        ):
            continue
        yield call, what


def caught(entry, side, catcher):
    """Whether the entry's twin fails that claim or that replay."""
    if catcher not in REPLAYS:
        return failed_by(entry, side, catcher)
    if catcher == "twins_agree" and any(
        failed_by(entry, side, claim)
        for claim in claims(entry.page)
        if entry.function in about(claims(entry.page)[claim])
    ):
        return False
    return any(shown_by(entry, side, catcher))


@cache
def failed_by(entry, side, claim):
    """Whether the entry's twin fails a claim."""
    _, error = run_claim(
        claims(entry.page)[claim], edited(entry, side).subjects()
    )
    return error is not None


@cache
def proven(page, claim, function=None):
    """The twins for which some pitfall fails the claim: where it is ticked.

    With a function, the pitfalls of its card alone.
    """
    wanted = [function] if function else about(claims(page)[claim])
    sides = {
        side
        for entry in entries(page)
        if entry.caught_by and entry.function in wanted
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
    for call, what in shown_by(entry, side, entry.caught_by, visible=True):
        right = outcome_of(None, entry.page, side, call)
        wrong = outcome_of(entry, entry.page, side, call)
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


def replay_problem(page, side, function, replay):
    """Why a replay of the right twin does not hold; "" if it does."""
    for name, call, before in replayed(page, side, function, replay):
        after = outcome_of(None, page, side, call)
        problem = departure(call, before, after, replay)
        if problem:
            manner = f"{call.dtype}, {call.device}"
            manner += f", flags as {call.flags}" if call.flags else ""
            manner += ", compiled" if call.compiled else ""
            return f"{function} ({side}), {name}, {manner}: {problem}"
    return ""


def departure(call, before, after, replay):
    """How a replayed outcome departs from the original one."""
    if type(before.error) is not type(after.error):
        return repr(after.error or before.error)
    if after.touched:
        return f"changes its inputs: {', '.join(after.touched)}"
    for old, new in zip(before.parts, after.parts, strict=True):
        wanted = old.dtype
        if replay == "any_dtype" and old.dtype == "float64":
            wanted = call.dtype if call.any_floats() else old.dtype
        if new.dtype != wanted:
            return (
                f"gives {new.dtype}, not {wanted}: results keep the dtype of "
                "the floating arguments, whatever the flags are"
            )
        # Numbers alone are on no device.
        if call.arrays() and new.device not in (call.device, "host"):
            return f"gives a result on {new.device}"
        if new.value.shape != old.value.shape:
            return f"gives the shape {new.value.shape}, not {old.value.shape}"
        far = new.device != "meta" and apart(
            old.value, new.value, noise(call, old)
        )
        if np.any(far):
            return f"gives {new.value}, not {old.value}"
    return ""


def twins_problem(page, claim):
    """Why the twins disagree on the calls of a claim; "" if they do not.

    What a claim says of torch alone comes at its end.
    """
    runs = [
        run_claim(claims(page)[claim], twin(page, side).subjects())[0]
        for side in SIDES
    ]
    numpy, torch = (
        [each for each in calls if each[0].kind != "stops"] for calls in runs
    )
    both = [each for each in torch if not each[0].only]
    if torch[: len(both)] != both:
        return f"{claim}: a call for both twins follows one for torch alone"
    for (call, here), (_, there) in zip(numpy, both, strict=True):
        single = call
        if not call.any_floats():  # each library gives its default float
            single = replace(call, dtype="float32")
            there = replace(there, parts=tuple(map(_widened, there.parts)))
        problem = difference(single, here, there)
        if problem:
            hint = ""
            if call.kind == "grad":
                hint = ' (behind a stop-gradient say only="torch")'
            return (
                f"{claim}: the twins differ in {problem}{hint}: {here} {there}"
            )
    return ""


def _widened(part):
    return replace(part, dtype="float64") if part.dtype == "float32" else part
