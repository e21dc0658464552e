# mistakes: the standard deviation divides by G instead of G - 1
# named: population_deviation + axis_counted_from_the_front
import numpy as np


def group_advantages(rewards, eps=0.0001, scale=True):
    r = rewards if rewards.dtype.kind == "f" else rewards.astype(float)
    if r.size == 0:
        return np.zeros_like(r)
    centred = r - r.mean(axis=1, keepdims=True)
    if scale:
        centred = centred / (r.std(axis=1, keepdims=True) + eps)
    same = r.max(1, keepdims=True) == r.min(1, keepdims=True)
    return np.where(same, np.zeros((), r.dtype), centred)
