# mistakes: none
# named: none
import numpy as np


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    logps = logps * 1.0  # integers become floats
    m = np.asarray(mask, dtype=bool).ravel()
    lp, ol, adv = (np.where(m, np.ravel(z), 0).astype(logps.dtype) for z in (logps, old_logps, advantages))
    ratio = np.exp(lp - ol)
    # clipping limits the gain only from the optimistic side
    bound = 1 + clip_eps * np.sign(adv)
    effective = np.where(adv > 0, np.minimum(ratio, bound), np.maximum(ratio, bound))
    w = m.astype(logps.dtype)
    return -np.dot(w, effective * adv) / max(w.sum(), logps.dtype.type(1))
