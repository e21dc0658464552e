# mistakes: takes the smaller of the two squared errors instead of the larger
# named: minimum
import numpy as np


def ppo_value_loss(values, old_values, returns, mask, clip_eps=0.2):
    values = values * 1.0  # integers become floats
    m = np.asarray(mask).astype(bool)
    v, o, r = values[m], old_values[m], returns[m].astype(values.dtype)
    v_clip = np.clip(v, o - clip_eps, o + clip_eps)
    err = np.minimum((v - r) ** 2, (v_clip - r) ** 2)
    return values.dtype.type(0.5 * err.mean()) if err.size else values.dtype.type(0)
