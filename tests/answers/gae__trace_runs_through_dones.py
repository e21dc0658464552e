# mistakes: the accumulated advantage is carried across episode ends (the done flag only cuts the bootstrap in delta)
# named: advantage_leaks_through_done
import numpy as np


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    if rewards.shape != dones.shape or values.shape != rewards.shape[:-1] + (rewards.shape[-1] + 1,):
        raise ValueError("shapes do not fit")
    dtype = values.dtype if values.dtype.kind == "f" else np.float64
    values = values.astype(dtype)
    rewards = rewards.astype(dtype)
    not_done = 1 - dones.astype(dtype)
    advantages = np.zeros_like(rewards)
    last = np.zeros(rewards.shape[:-1], dtype=dtype)
    for t in reversed(range(rewards.shape[-1])):
        delta = rewards[..., t] + gamma * values[..., t + 1] * not_done[..., t] - values[..., t]
        last = delta + gamma * lam * last
        advantages[..., t] = last
    return advantages, advantages + values[..., :-1]
