# mistakes: none
# named: none
import numpy as np


def kl_shaped_rewards(scores, logps, ref_logps, mask, beta=0.05):
    out = np.zeros(logps.shape, dtype=logps.dtype if logps.dtype.kind == "f" else float)
    for b, row in enumerate(mask):
        idx = np.flatnonzero(row)
        if idx.size == 0:
            continue
        out[b, idx] = -beta * (logps[b, idx] - ref_logps[b, idx])
        out[b, idx[-1]] += scores[b]
    return out
