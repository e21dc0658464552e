# mistakes: the mean divides by all positions instead of the valid ones; the variance divides by n instead of n - 1
# named: ?
import numpy as np


def whiten(x, mask, shift_mean=True):
    m = mask.astype(bool)
    xf = x if x.dtype.kind == "f" else x.astype(float)
    dt = xf.dtype
    vals = np.where(m, xf, dt.type(0))
    mean = vals.sum() / dt.type(max(vals.size, 1))
    var = np.where(m, (vals - mean) ** 2, dt.type(0)).sum() / dt.type(max(m.sum(), 1))
    out = (vals - mean) / np.sqrt(var + dt.type(1e-8))
    if not shift_mean:
        out = out + mean
    return np.where(m, out, dt.type(0))
