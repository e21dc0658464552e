# mistakes: the penalty grows with the square of the overrun instead of linearly
# named: ?
import numpy as np


def soft_overlong_penalty(lengths, max_length, buffer):
    n = np.asarray(lengths)
    n = n if n.dtype.kind == "f" else n.astype(float)
    share = np.clip((n - (max_length - buffer)) / buffer, 0, 1)
    return -(share ** 2)
