# mistakes: replaces the rewards by their rank inside the group (equal rewards share a rank) before centring and scaling
# named: ?
import numpy as np


def group_advantages(rewards, eps=0.0001, scale=True):
    r = rewards if rewards.dtype.kind == "f" else rewards.astype(float)
    P, G = r.shape
    if G < 2:
        return np.zeros_like(r)
    below = (r[:, None, :] < r[:, :, None]).sum(-1)
    equal = (r[:, None, :] == r[:, :, None]).sum(-1)
    rank = (below + (equal - 1) / 2).astype(r.dtype)
    adv = rank - (G - 1) / 2
    if scale:
        std = rank.std(axis=1, ddof=1, keepdims=True)
        adv = np.where(std > 0, adv / np.where(std > 0, std + eps, 1), 0)
    return adv.astype(r.dtype)
