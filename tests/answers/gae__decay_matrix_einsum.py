# mistakes: none
# named: none
import numpy as np


def gae(rew, val, done, g=0.99, lmbda=0.95):
    """All advantages at once: A = W @ delta with W[t, k] = (g*lmbda)^(k-t) inside one episode."""
    if done.shape != rew.shape or val.shape != (*rew.shape[:-1], rew.shape[-1] + 1):
        raise ValueError(f"bad shapes {rew.shape} {val.shape} {done.shape}")
    dt = val.dtype if np.issubdtype(val.dtype, np.floating) else np.float64
    val = val.astype(dt)
    alive = 1 - done.astype(dt)
    delta = rew.astype(dt) + g * alive * val[..., 1:] - val[..., :-1]
    steps = np.arange(rew.shape[-1])
    # number of the episode that a step belongs to (a done step still belongs to the old one)
    episode = np.cumsum(done.astype(int), axis=-1) - done.astype(int)
    same = episode[..., :, None] == episode[..., None, :]
    lag = steps[None, :] - steps[:, None]
    power = np.where(lag >= 0, (g * lmbda) ** np.maximum(lag, 0), 0.0)
    W = (same * power).astype(dt)
    adv = np.einsum("...tk,...k->...t", W, delta)
    return adv, adv + val[..., :-1]
