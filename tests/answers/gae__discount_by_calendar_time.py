# mistakes: rewards and values in delta are also weighted with gamma to the power of the absolute time step t
# named: ?
import numpy as np


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    T = rewards.shape[-1]
    if dones.shape != rewards.shape or values.shape != rewards.shape[:-1] + (T + 1,):
        raise ValueError("shape mismatch")
    dt = values.dtype if values.dtype.kind == "f" else np.dtype(float)
    v = values.astype(dt)
    alive = 1 - dones.astype(dt)
    clock = (gamma ** np.arange(T)).astype(dt)
    delta = clock * (rewards.astype(dt) + gamma * alive * v[..., 1:] - v[..., :-1])
    adv = np.zeros_like(delta)
    acc = np.zeros(delta.shape[:-1], dt)
    for t in reversed(range(T)):
        acc = delta[..., t] + gamma * lam * alive[..., t] * acc
        adv[..., t] = acc
    return adv, adv + v[..., :-1]
