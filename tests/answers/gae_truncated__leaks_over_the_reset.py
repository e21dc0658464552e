# mistakes: after a truncation the trace is not cut, so advantages of the next episode flow into the one before
# named: recursion_not_cut
import numpy as np


def gae_truncated(rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95):
    for other in (values, next_values, terminated, truncated):
        if other.shape != rewards.shape:
            raise ValueError(f"expected {rewards.shape}, got {other.shape}")
    dtype = values.dtype if values.dtype.kind == "f" else np.float64
    v = values.astype(dtype)
    ended = terminated.astype(bool)
    adv = np.zeros(rewards.shape, dtype)
    tail = np.zeros(rewards.shape[:-1], dtype)
    for t in range(rewards.shape[-1])[::-1]:
        e = ended[..., t]
        delta = rewards[..., t].astype(dtype) - v[..., t] + np.where(e, 0, gamma * next_values[..., t].astype(dtype))
        tail = delta + np.where(e, 0, gamma * lam * tail)
        adv[..., t] = tail
    return adv, v + adv
