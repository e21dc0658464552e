# mistakes: none
# named: none
import numpy as np


def ppo_value_loss(values, old_values, returns, mask, clip_eps=0.2):
    values = values * 1.0  # integers become floats
    valid = np.asarray(mask) > 0
    v, v_old, ret = [np.where(valid, a, np.zeros((), dtype=values.dtype)) for a in (values, old_values, returns)]
    step = np.clip(v - v_old, -clip_eps, clip_eps)
    err_free = np.abs(v - ret)
    err_clipped = np.abs(v_old + step - ret)
    worst = np.maximum(err_free, err_clipped)
    count = max(1, int(valid.sum()))
    return (0.5 * np.square(worst).sum() / count).astype(values.dtype)
