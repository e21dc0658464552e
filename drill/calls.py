"""Calls: what a claim run produces, and what everything else replays.

A claim is handed a `Subject` for each of its parameters. The subject accepts
lists and NumPy arrays, runs the function under test on its own side, records
the call with its outcome, and gives NumPy arrays back.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

# How far rounding may carry a result, relative to the largest number around.
TOLERANCES = {"float64": 1e-10, "float32": 1e-5, "bfloat16": 2e-2}
# Arguments that are yes or no: the replays hand them over in every dtype.
FLAGS = {"mask", "dones", "terminated", "truncated", "desirable", "correct"}
REPLAYS = (
    "any_dtype",
    "any_device",
    "compiles",
    "twins_agree",
    "inputs_untouched",
)


_REQUIRED = inspect.Parameter.empty


class OnlyTorch(Exception):
    """The rest of the claim speaks about PyTorch alone."""


@dataclass(frozen=True, eq=False)
class Call:
    function: str
    bound: inspect.BoundArguments  # by our signature: the subject may rename
    kind: str = "value"  # or "grad", or "stops"
    wrt: str = ""  # the argument of the gradient
    of: tuple = ()  # the path to the result that is differentiated
    dtype: str = "float64"  # of every floating argument
    flags: str = ""  # dtype of the yes-or-no arguments; "" leaves them
    device: str = "cpu"
    compiled: bool = False
    origin: "Call | None" = None  # of a replay: the call it makes again
    only: str = ""  # the one side that a claim means this call for

    def arrays(self):
        return {
            name: value
            for name, value in self.bound.arguments.items()
            if isinstance(value, np.ndarray)
        }

    def size(self):
        return sum(value.size for value in self.arrays().values())

    def any_floats(self):
        """Whether a floating argument sets the dtype of the results."""
        return any(
            value.dtype.kind == "f" and name not in FLAGS
            for name, value in self.arrays().items()
        )

    def manner(self):
        """What else is given, and how: calls alike in it compile alike."""
        return tuple(
            (name, value if isinstance(value, bool) else type(value))
            for name, value in self.bound.arguments.items()
        )

    def positional(self, given):
        """The arguments by place: the subject may name its own anew."""
        parameters = self.bound.signature.parameters
        wanted = [name for name in parameters if name in given]
        last = list(parameters).index(wanted[-1])
        return [
            given.get(name, parameters[name].default)
            for name in list(parameters)[: last + 1]
        ]

    def dtype_of(self, name):
        given = self.bound.arguments[name].dtype
        if self.flags and name in FLAGS:
            return self.flags
        return self.dtype if given.kind == "f" else given.name

    def replays(self, replay, side):
        """The calls that a replay makes of this one, on that side."""
        if replay == "any_device":
            return [
                replace(self, device=name, origin=self)
                for name in side.devices()[1:]
            ]
        if replay == "compiles":
            again = side.name == "torch" and self.kind == "value"
            return [replace(self, compiled=True, origin=self)] if again else []
        if replay == "any_dtype":
            if self.kind != "value" or self.dtype != "float64":
                return []
            # A sign of -1 would become True.
            plain = all(
                np.isin(value, (0, 1)).all()
                for name, value in self.arrays().items()
                if name in FLAGS
            )
            return [
                replace(
                    self,
                    dtype=dtype,
                    flags=flags if plain else "",
                    origin=self,
                )
                for dtype, flags in side.dtypes
            ]
        return [self]


@dataclass(frozen=True, eq=False)
class Part:
    """One returned array: its numbers (on `meta`, only its shape)."""

    value: np.ndarray
    dtype: str
    device: str


@dataclass(frozen=True, eq=False)
class Outcome:
    parts: tuple[Part, ...] = ()
    error: Exception | None = None
    touched: dict = field(default_factory=dict)  # inputs changed in place
    several: bool = False  # a tuple came back

    def result(self):
        """What the claim receives: arrays and numbers, or the exception."""
        if self.error:
            raise self.error
        values = tuple(part.value[()] for part in self.parts)
        return values if self.several else values[0]


class NumPy:
    name = "numpy"
    prefix = "np."
    # Gradients here are central differences, good to about 1e-9.
    dtypes = (
        ("float64", "bool"),
        ("float32", "int64"),
        ("float32", "float32"),
    )

    def devices(self):
        return ["cpu"]

    def array(self, value, dtype, device):
        return np.array(value, dtype=dtype)

    def part(self, value):
        numbers = np.array(value)
        if numbers.dtype.kind not in "biuf":
            raise TypeError(f"returned {type(value).__name__}, no number")
        plain = type(value) in (bool, int, float)
        return Part(numbers, numbers.dtype.name, "host" if plain else "cpu")

    def gradient(self, apply, value):
        """Central differences of the scalar function `apply` at `value`.

        An infinite entry has slope 0: nothing near it can be tried.
        """
        value = value.astype(np.float64)
        slopes = np.zeros(value.shape)
        for at in np.ndindex(value.shape):
            if not np.isfinite(value[at]):
                continue
            step = 1e-5 * max(1.0, abs(value[at]))
            up, down = value.copy(), value.copy()
            up[at] += step
            down[at] -= step
            slopes[at] = (apply(up) - apply(down)) / (up[at] - down[at])
        return slopes


class Torch:
    name = "torch"
    prefix = "torch."
    dtypes = (
        ("float64", "bool"),
        ("float32", "int64"),
        ("bfloat16", "float32"),
    )

    def devices(self):
        import torch

        cuda = ["cuda"] if torch.cuda.is_available() else []
        return ["cpu", "meta", *cuda]

    def array(self, value, dtype, device):
        import torch

        made = torch.tensor(value, dtype=getattr(torch, dtype))
        return made.to(device)

    def part(self, value):
        import torch

        if not isinstance(value, torch.Tensor):
            return NumPy().part(value)
        plain = value.detach()
        if plain.is_meta:
            numbers = np.empty(plain.shape)
        else:
            wide = plain.float() if plain.dtype == torch.bfloat16 else plain
            numbers = np.array(wide.cpu().numpy())
        dtype = str(value.dtype).removeprefix("torch.")
        return Part(numbers, dtype, value.device.type)

    def compiled(self, function):
        import torch

        torch.compiler.reset()
        return torch.compile(function, fullgraph=True, backend="eager")

    def gradient(self, apply, value):
        """Autograd; None where no gradient reaches the argument."""
        import torch

        value.requires_grad_()
        result = apply(value)
        if not result.requires_grad:
            return None
        return torch.autograd.grad(result, value, allow_unused=True)[0]


SIDES = {"numpy": NumPy(), "torch": Torch()}


def run(call, function, side):
    """Make one call of one function; an exception is an outcome too."""
    given = {
        name: side.array(value, call.dtype_of(name), call.device)
        for name, value in call.arrays().items()
    }
    before = {
        name: np.array(side.part(value).value) for name, value in given.items()
    }
    arguments = {**call.bound.arguments, **given}

    def apply(value):
        result = function(*call.positional({**arguments, call.wrt: value}))
        for step in call.of:
            result = result[step]
        if isinstance(result, tuple | list):
            raise TypeError("several results: say which one, with of=(0,)")
        return result.sum()

    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if call.compiled:
                function = side.compiled(function)
            if call.kind == "value":
                result = function(*call.positional(arguments))
            else:
                result = side.gradient(apply, given[call.wrt])
                if call.kind == "stops":
                    result = result is None
                elif result is None:
                    result = 0.0 * given[call.wrt]
        several = isinstance(result, tuple | list)
        results = result if several else (result,)
        if not results:
            raise TypeError("returned nothing")
        parts = tuple(side.part(each) for each in results)
    except Exception as error:  # the outcome of a wrong variant
        return Outcome(error=error)
    touched = {}
    for name, old in before.items() if call.device != "meta" else ():
        now = side.part(given[name]).value
        if not np.array_equal(now, old, equal_nan=True):
            touched[name] = now
    return Outcome(parts, touched=touched, several=several)


@dataclass
class Subject:
    """One function of one twin, as a claim sees it."""

    name: str
    function: Callable
    signature: inspect.Signature  # ours; the function may name things anew
    side: NumPy | Torch
    calls: list = field(default_factory=list)
    dtype: str = "float64"
    only: str = ""

    def __call__(self, *args, **kwargs):
        """Call it; lists become arrays, Python numbers stay numbers."""
        return self._make(args, kwargs)

    def grad(self, name, /, *args, of=(), only=None, **kwargs):
        """The gradient of the summed result with respect to argument `name`.

        `of` is the path to the result meant, where there are several:
        `of=(0, 2)` differentiates `result[0][2]`. `only="torch"` ends the
        claim here on NumPy, where differences see through a stop-gradient.
        """
        return self._make(
            args, kwargs, kind="grad", wrt=name, of=of, only=only
        )

    def stops(self, name, /, *args, of=(), **kwargs):
        """Whether no gradient reaches argument `name`; on NumPy, always."""
        if self.side.name == "numpy":
            return True
        return bool(
            self._make(args, kwargs, kind="stops", wrt=name, of=of, only="")
        )

    def at(self, dtype):
        """The same function, its floating arguments in another dtype.

        NumPy has no bfloat16: there the claim ends at the first such call.
        """
        if dtype not in TOLERANCES:
            raise ValueError(f"at: {dtype} is none of {', '.join(TOLERANCES)}")
        only = "torch" if dtype == "bfloat16" else self.only
        return replace(self, dtype=dtype, only=only)

    def _make(self, args, kwargs, only=None, **what):
        if only not in (None, "", "torch"):
            raise ValueError(f"only: '{only}' is not 'torch'")
        only = only or self.only
        if only == "torch" and self.side.name != "torch":
            raise OnlyTorch
        bound = self.signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            # What has a default is a hyper-parameter: a number stays one.
            required = bound.signature.parameters[name].default is _REQUIRED
            if isinstance(value, np.generic) and not required:
                bound.arguments[name] = value.item()
            elif isinstance(value, list | tuple | np.ndarray | np.generic):
                bound.arguments[name] = np.array(value)
        call = Call(self.name, bound, dtype=self.dtype, only=only, **what)
        if call.wrt and (
            call.wrt not in call.arrays()
            or call.dtype_of(call.wrt) not in TOLERANCES
        ):
            raise TypeError(f"{call.wrt} is no floating array: no gradient")
        outcome = run(call, self.function, self.side)
        self.calls.append((call, outcome))
        return outcome.result()


def run_claim(claim, subjects):
    """Run a claim; what it called, and the exception it failed with."""
    wanted = [subjects[name] for name in inspect.signature(claim).parameters]
    calls = []
    for subject in wanted:
        subject.calls = calls
    try:
        claim(*wanted)
    except OnlyTorch:
        pass
    except Exception as error:
        return calls, error
    return calls, None
