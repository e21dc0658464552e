# mistakes: the baseline is the mean of the whole batch instead of the prompt's own group; eps is not added to the deviation
# named: ?
import numpy as np


def group_advantages(rewards, eps=0.0001, scale=True):
    r = rewards if rewards.dtype.kind == "f" else rewards.astype(np.float64)
    if r.size == 0 or r.shape[1] == 1:
        return np.zeros_like(r)
    adv = r - r.mean()
    constant = (r == r[:, :1]).all(axis=1, keepdims=True)
    if scale:
        std = r.std(axis=1, ddof=1, keepdims=True)
        adv = adv / np.where(constant, r.dtype.type(1), std)
    return np.where(constant, r.dtype.type(0), adv)
