# mistakes: none
# named: none
import numpy as np


def gae_truncated(rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95):
    shapes = {np.shape(a) for a in (rewards, values, next_values, terminated, truncated)}
    if len(shapes) != 1:
        raise ValueError("all five arrays need the same shape")
    dtype = values.dtype if values.dtype.kind == 'f' else float
    term = terminated.astype(bool)
    stop = term | truncated.astype(bool)

    v = values.astype(dtype)
    bootstrap = np.where(term, 0, gamma * next_values.astype(dtype))
    delta = rewards.astype(dtype) + bootstrap - v
    advantages = np.empty_like(delta)
    carry = np.zeros(delta.shape[:-1], dtype=dtype)
    for t in reversed(range(delta.shape[-1])):
        carry = delta[..., t] + gamma * lam * np.where(stop[..., t], 0, carry)
        advantages[..., t] = carry
    return advantages, advantages + v
