# mistakes: the factor one half is missing; the value is clipped around the returns instead of the old values
# named: half_missing + unclipped
import numpy as np


def ppo_value_loss(values, old_values, returns, mask, clip_eps=0.2):
    values = values * 1.0  # integers become floats
    m = np.asarray(mask) != 0
    dt = values.dtype
    v = np.where(m, values, dt.type(0))
    ret = np.where(m, returns, dt.type(0)).astype(dt)
    clipped = np.minimum(np.maximum(v, ret - clip_eps), ret + clip_eps)
    sq = np.maximum((v - ret) ** 2, (clipped - ret) ** 2)
    return np.where(m, sq, dt.type(0)).sum() / dt.type(max(int(m.sum()), 1))
