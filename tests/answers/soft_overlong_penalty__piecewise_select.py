# mistakes: none
# named: none
import numpy as np


def soft_overlong_penalty(lengths, max_length, buffer):
    n = np.asarray(lengths)
    n = n if n.dtype.kind == "f" else n.astype(float)
    free = max_length - buffer
    return np.where(n <= free, 0, np.where(n <= max_length, (free - n) / buffer, -1)).astype(n.dtype)
