# mistakes: the two clip widths are exchanged, so there is more room below 1 than above
# named: bounds_swapped
import numpy as np


def clip_higher_loss(logps, old_logps, advantages, clip_low=0.2, clip_high=0.28):
    adv = np.asarray(advantages).astype(logps.dtype)
    ratio = np.exp(logps - old_logps)
    clipped = np.clip(ratio, 1.0 - clip_high, 1.0 + clip_low)
    return -np.minimum(ratio * adv, clipped * adv)
