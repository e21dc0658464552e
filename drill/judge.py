"""The judgement: which known mistakes an answer behaves like.

An answer is replayed on the calls that the claims make of the right twin.
Where it differs, the smallest set of entries that does the same on all of
them is named. When none fits, none is: a nearest guess misleads.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, permutations

import numpy as np

from drill.calls import SIDES, Call, Outcome, run
from drill.twins import entries, load, path, regions, twin
from drill.verdicts import calls_of, difference, noise, replayed

MOST = 3  # entries in one explanation
NOISE = 1e-6  # as near to the truth as this, only rounding shows
APART = ("any_dtype", "any_device", "compiles", "inputs_untouched")


@dataclass(frozen=True, eq=False)
class Departure:
    """One call on which an answer departs from what is right."""

    call: Call
    right: Outcome
    wrong: Outcome
    what: str  # what differs


@dataclass
class Verdict:
    """What the judgement of an answer is."""

    first: Departure | None = None  # None: right on every plain call
    named: list[tuple] = field(default_factory=list)  # sets that do the same
    claims: list[str] = field(default_factory=list)  # on which it departs
    # By replay: the sets that do the same, and the first departure.
    apart: dict[str, tuple] = field(default_factory=dict)

    def parts(self):
        """Each thing that departs: the sets that name it, the departure."""
        plain = [(self.named, self.first)] if self.first else []
        return plain + list(self.apart.values())

    @property
    def passes(self):
        """Right, or other than ours only as a library is, or in its dtype."""
        return all(
            any(all(entry.libraries for entry in each) for each in sets)
            or (not sets and departure.what == "dtype")
            for sets, departure in self.parts()
        )


@cache
def variant(group, side):
    """The twin with the edits of some entries; None where they clash."""
    page, function = group[0].page, group[0].function
    source = twin(page, side).source
    right = regions(source, path(page, side))[function]
    for order in permutations(group):
        wrong = right
        for old, new in (
            edit for entry in order for edit in entry.edits[side]
        ):
            old = old.replace("xp.", SIDES[side].prefix)
            if wrong.count(old) != 1:
                break
            wrong = wrong.replace(old, new.replace("xp.", SIDES[side].prefix))
        else:
            name = "+".join(entry.name for entry in order)
            text = source.replace(right, wrong)
            return load(page, side, text, f"<{function}.{name} {side}>")
    return None


@cache
def outcome(group, page, side, call):
    """What the right twin, or one with edits, makes of a call."""
    made = variant(group, side) if group else twin(page, side)
    return run(call, made.function(call.function), SIDES[side])


class Judge:
    """Judges answers to one card, on one side."""

    def __init__(self, page, side, function):
        self.page, self.side, self.function = page, side, function
        self.entries = [
            entry
            for entry in entries(page)
            if entry.function == function and side in entry.edits
        ]
        self.calls = calls_of(page, side, function)
        # Without our check an answer may fail there in any manner.
        self.refused = [each for each in self.calls if each[2].error]
        self.plain = [each for each in self.calls if not each[2].error]

    def departures(self, answer, calls, group=()):
        """(claim, departure) on each call where the answer is another."""
        for claim, call, _ in calls:
            right = outcome(group, self.page, self.side, call)
            wrong = run(call, answer, SIDES[self.side])
            what = difference(call, right, wrong)
            if what:
                yield claim, Departure(call, right, wrong, what)

    def verdict(self, answer):
        """The verdict on a function."""
        made = Verdict()
        found = list(self.departures(answer, self.calls))
        if found:
            made.first = found[0][1]
            made.claims = list(dict.fromkeys(claim for claim, _ in found))
            wrong = {each.call: each.wrong for _, each in found}
            made.named = self.explanations(wrong)
            if not made.named:
                return made
        # Sets alike on every plain call may part in a replay.
        bases = made.named or [()]
        apart = [self.judge_apart(answer, base) for base in bases]
        fewest = min(map(len, apart))
        made.apart = next(each for each in apart if len(each) == fewest)
        made.named = [
            base
            for base, each in zip(bases, apart, strict=True)
            if base and len(each) == fewest
        ]
        return made

    def judge_apart(self, answer, base):
        """By replay, what it shows beyond a set that was named already."""
        made = {}
        for replay in APART:
            calls = [
                each
                for each in replayed(
                    self.page, self.side, self.function, replay
                )
                if not each[2].error
            ]
            found = [each for _, each in self.departures(answer, calls, base)]
            if not found:
                continue
            wrong = {each.call: each.wrong for each in found}
            made[replay] = (self.additions(base, calls, wrong), found[0])
        return made

    def additions(self, base, calls, wrong):
        """The single entries that, added to a set, do the same."""
        return [
            (entry,)
            for entry in self.entries
            if entry not in base
            and variant((*base, entry), self.side)
            and self.alike((*base, entry), calls, wrong)
        ]

    def explanations(self, wrong):
        """The smallest sets of entries that do the same on every call."""
        for size in range(1, MOST + 1):
            found = [
                group
                for group in combinations(self.entries, size)
                if self.may_explain(group, wrong)
                and variant(group, self.side)
                and self.alike(group, self.plain, wrong)
                and self.accepts(group) == self.some_refused(wrong)
            ]
            if found:
                return found
        return []

    def may_explain(self, group, wrong):
        """Of three, only those whose members depart where the answer does."""
        if len(group) < MOST:
            return True
        plain = {call for _, call, _ in self.plain}
        return set().union(*map(self.touched, group)) == plain & set(wrong)

    def some_refused(self, wrong):
        """Whether an answer did not refuse a call as it should."""
        return any(call in wrong for _, call, _ in self.refused)

    def accepts(self, group):
        """Whether a set of entries does not refuse a call as it should."""
        return any(
            difference(call, right, outcome(group, self.page, self.side, call))
            for _, call, right in self.refused
        )

    @cache  # noqa: B019 - a judge lives as long as the process
    def touched(self, entry):
        """The calls on which an entry by itself departs."""
        return {
            call
            for _, call, right in self.plain
            if difference(
                call, right, outcome((entry,), self.page, self.side, call)
            )
        }

    def alike(self, group, calls, wrong):
        """Whether a set does what the answer did, on each of some calls."""
        for _, call, _ in calls:
            right = outcome((), self.page, self.side, call)
            theirs = outcome(group, self.page, self.side, call)
            mine = wrong.get(call, right)
            if difference(call, theirs, mine) and not (
                call in wrong and rounding(call, right, theirs)
            ):
                return False
        return True


def rounding(call, right, wrong):
    """Whether what parts two outcomes is rounding, made visible."""
    if difference(call, right, wrong) != "value":
        return False
    return all(
        np.all(
            np.abs(mine.value.astype(float) - other.value.astype(float))
            <= NOISE / 1e-10 * noise(call, mine)
        )
        for mine, other in zip(right.parts, wrong.parts, strict=True)
    )
