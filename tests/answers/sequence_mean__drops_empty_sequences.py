# mistakes: sequences without valid tokens are left out of the outer mean instead of counting as 0
# named: empty_not_counted
import numpy as np


def sequence_mean(x, mask):
    m = mask.astype(bool)
    xf = x if x.dtype.kind == "f" else x.astype(float)
    counts = m.sum(axis=-1)
    sums = np.where(m, xf, xf.dtype.type(0)).sum(axis=-1)
    means = sums / np.maximum(counts, 1).astype(xf.dtype)
    return means.sum() / np.maximum((counts > 0).sum(), 1).astype(xf.dtype)
