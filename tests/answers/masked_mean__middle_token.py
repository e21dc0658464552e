# mistakes: returns the median of the valid tokens instead of their mean
# named: ?
import numpy as np


def masked_mean(x, mask):
    vals = np.sort(x[np.asarray(mask).astype(bool)])
    if vals.dtype.kind != "f":
        vals = vals.astype(float)
    n = vals.size
    if n == 0:
        return vals.dtype.type(0)
    return (vals[(n - 1) // 2] + vals[n // 2]) / vals.dtype.type(2)
