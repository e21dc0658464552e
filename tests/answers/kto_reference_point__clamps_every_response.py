# mistakes: each response's log-ratio is clamped at 0 before averaging, instead of clamping the mean
# named: clamped_one_by_one
import numpy as np


def kto_reference_point(kl_logps, ref_kl_logps):
    kl_logps = kl_logps * 1.0  # integers become floats
    d = np.maximum(kl_logps - ref_kl_logps, 0)
    if d.size == 0:
        return d.dtype.type(np.nan)
    return d.mean()
