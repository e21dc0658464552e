# mistakes: the minus sign is missing, so the objective is returned where a loss is wanted; averages over all positions, padding included
# named: ?
import numpy as np


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    logps = logps * 1.0  # integers become floats
    m = np.asarray(mask).astype(bool)
    zero = np.zeros((), logps.dtype)
    ratio = np.exp(np.where(m, logps, zero) - np.where(m, old_logps, zero))
    adv = np.where(m, advantages, zero).astype(logps.dtype)
    obj = np.minimum(ratio * adv, np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * adv)
    return obj.sum() / logps.dtype.type(max(obj.size, 1))
