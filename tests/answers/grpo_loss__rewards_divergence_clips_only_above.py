# mistakes: the KL penalty is subtracted from the loss, which rewards drifting away; the ratio is clipped only from above
# named: ?
import numpy as np


def grpo_loss(logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    logps = logps * 1.0  # integers become floats
    m = mask.astype(bool)
    dt = logps.dtype
    lp = np.where(m, logps, dt.type(0))
    ratio = np.exp(lp - np.where(m, old_logps, dt.type(0)))
    adv = advantages[..., None].astype(dt)
    loss = -np.minimum(ratio * adv, np.minimum(ratio, 1 + clip_eps) * adv)
    if beta:
        x = np.where(m, ref_logps, dt.type(0)) - lp
        loss = loss - beta * (np.exp(x) - x - 1)
    loss = np.where(m, loss, dt.type(0)).sum(-1) / np.maximum(m.sum(-1), 1).astype(dt)
    return loss.mean() if loss.size else dt.type(0)
