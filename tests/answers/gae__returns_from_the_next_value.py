# mistakes: the returns add the value of the following state instead of that of the same state
# named: returns_off_by_one
import numpy as np


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    T = rewards.shape[-1]
    if dones.shape != rewards.shape or values.shape[:-1] != rewards.shape[:-1] or values.shape[-1] != T + 1:
        raise ValueError("gae: shape mismatch")
    ft = values.dtype if np.issubdtype(values.dtype, np.floating) else np.dtype(np.float64)
    v, r = values.astype(ft), rewards.astype(ft)
    cont = np.logical_not(dones.astype(bool))
    adv = np.zeros_like(r)
    acc = np.zeros(r.shape[:-1], ft)
    for t in range(T - 1, -1, -1):
        nxt = np.where(cont[..., t], v[..., t + 1], 0)
        acc = r[..., t] + gamma * nxt - v[..., t] + gamma * lam * np.where(cont[..., t], acc, 0)
        adv[..., t] = acc
    returns = adv + v[..., 1:]
    return adv, returns
