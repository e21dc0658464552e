# mistakes: takes the larger instead of the smaller of the clipped and unclipped objective
# named: maximum_of_the_objectives
import numpy as np


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    logps = logps * 1.0  # integers become floats
    keep = np.asarray(mask).astype(bool)
    if not keep.any():
        return logps.dtype.type(0)
    ratio = np.exp(logps[keep] - old_logps[keep])
    a = advantages[keep].astype(logps.dtype)
    objective = np.maximum(ratio * a, np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * a)
    return -objective.mean()
