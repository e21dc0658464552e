# mistakes: none
# named: none
import numpy as np


def dual_clip_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2, dual_clip=3.0):
    logps = logps * 1.0  # integers become floats
    ok = mask != 0
    lr = np.subtract(logps, old_logps, where=ok, out=np.zeros_like(logps))
    a = np.where(ok, advantages, 0).astype(logps.dtype)
    ratio = np.exp(lr)
    loss = np.maximum(-ratio * a, -np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * a)
    # with a >= 0 the loss is never positive, so the cap only acts on a < 0
    loss = np.minimum(loss, dual_clip * np.abs(a))
    return loss.sum() / logps.dtype.type(max(ok.sum(), 1))
