# mistakes: the ramp starts at max_length and ends at max_length + buffer, instead of ending at max_length
# named: starts_at_the_limit
import numpy as np


def soft_overlong_penalty(lengths, max_length, buffer):
    n = np.asarray(lengths)
    if n.dtype.kind != "f":
        n = n.astype(np.float64)
    return np.clip((max_length - n) / buffer, -1.0, 0.0)
