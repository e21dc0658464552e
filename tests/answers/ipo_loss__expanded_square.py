# mistakes: none
# named: none
import numpy as np


def ipo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    h = (chosen_logps - rejected_logps) - (ref_chosen_logps - ref_rejected_logps)
    # (h - c)^2 = h^2 - h / beta + c^2 with c = 1 / (2 beta)
    sq = h * h - h / beta + 1.0 / (4.0 * beta ** 2)
    n = sq.shape[0]
    return sq.mean() if n else sq.dtype.type(np.nan)
