# mistakes: one prompt without the axis of prompts is not accepted
# named: ?
import numpy as np


def group_advantages(rewards, eps=0.0001, scale=True):
    R = np.asarray(rewards)
    if not np.issubdtype(R.dtype, np.floating):
        R = R.astype(np.float64)
    out = np.zeros_like(R)
    P, G = R.shape
    if G < 2:
        return out
    for p in range(P):
        group = R[p]
        if (group == group[0]).all():
            continue
        centred = group - group.mean()
        if scale:
            centred = centred / (np.sqrt((centred ** 2).sum() / (G - 1)) + eps)
        out[p] = centred
    return out
