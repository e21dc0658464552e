# mistakes: a truncated step gets no bootstrap value, as if the episode had really ended there
# named: done_is_either
import numpy as np


def gae_truncated(rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95):
    if not (rewards.shape == values.shape == next_values.shape == terminated.shape == truncated.shape):
        raise ValueError("shapes differ")
    dtype = values.dtype if values.dtype.kind == "f" else np.float64
    done = terminated.astype(bool) | truncated.astype(bool)
    v = values.astype(dtype)
    nv = np.where(done, 0, next_values).astype(dtype)
    deltas = rewards.astype(dtype) + gamma * nv - v
    adv = np.zeros_like(deltas)
    running = np.zeros(deltas.shape[:-1], dtype=dtype)
    for t in reversed(range(deltas.shape[-1])):
        running = deltas[..., t] + gamma * lam * np.where(done[..., t], 0, running)
        adv[..., t] = running
    return adv, adv + v
