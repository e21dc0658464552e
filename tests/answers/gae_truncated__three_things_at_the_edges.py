# mistakes: bootstraps at terminated steps as well; lam is left out of the trace, which decays by gamma only; the returns are the bare advantages, without the values
# named: ?
import numpy as np


def gae_truncated(rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95):
    if len({a.shape for a in (rewards, values, next_values, terminated, truncated)}) > 1:
        raise ValueError("all arrays must have one shape")
    dt = values.dtype if values.dtype.kind == "f" else np.dtype(float)
    go_on = ~(terminated.astype(bool) | truncated.astype(bool))
    delta = rewards.astype(dt) + gamma * next_values.astype(dt) - values.astype(dt)
    adv = np.zeros_like(delta)
    s = np.zeros(delta.shape[:-1], dt)
    for t in reversed(range(delta.shape[-1])):
        s = delta[..., t] + gamma * np.where(go_on[..., t], s, 0)
        adv[..., t] = s
    return adv, adv.copy()
