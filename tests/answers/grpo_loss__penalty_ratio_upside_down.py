# mistakes: the k3 penalty uses policy over reference instead of reference over policy
# named: penalty_inverted
import numpy as np


def _k3(log_r):
    return np.exp(log_r) - 1 - log_r


def grpo_loss(logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    logps = logps * 1.0  # integers become floats
    m = mask.astype(bool)
    z = np.zeros((), logps.dtype)
    lp = np.where(m, logps, z)
    ratio = np.exp(lp - np.where(m, old_logps, z))
    A = advantages.astype(logps.dtype)[:, :, None]
    loss = -np.minimum(ratio * A, np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * A)
    if beta != 0:
        loss = loss + beta * _k3(lp - np.where(m, ref_logps, z))
    loss = np.where(m, loss, z)
    n = np.maximum(m.sum(-1), 1).astype(logps.dtype)
    by_response = loss.sum(-1) / n
    return by_response.sum() / logps.dtype.type(max(by_response.size, 1))
