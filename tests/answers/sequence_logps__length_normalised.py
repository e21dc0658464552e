# mistakes: divides by the number of response tokens, which gives a mean instead of a sum
# named: mean_of_tokens
import numpy as np


def sequence_logps(logps, mask):
    logps = logps * 1.0  # integers become floats
    m = mask.astype(bool)
    total = np.where(m, logps, logps.dtype.type(0)).sum(axis=-1)
    return total / np.maximum(m.sum(axis=-1), 1).astype(logps.dtype)
