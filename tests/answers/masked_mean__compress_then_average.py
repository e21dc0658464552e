# mistakes: none
# named: none
import numpy as np


def masked_mean(x, mask):
    picked = x[np.asarray(mask).astype(bool)]
    if picked.dtype.kind != "f":
        picked = picked.astype(float)
    return picked.mean() if picked.size > 0 else picked.dtype.type(0)
