# mistakes: none
# named: none
import numpy as np


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    r = np.asarray(rewards)
    v = np.asarray(values)
    d = np.asarray(dones)
    if r.shape != d.shape or r.ndim < 1 or v.shape != r.shape[:-1] + (r.shape[-1] + 1,):
        raise ValueError("rewards and dones must be [..., T], values [..., T+1]")
    ftype = v.dtype if v.dtype.kind == "f" else np.dtype(float)
    T = r.shape[-1]
    n_rows = int(np.prod(r.shape[:-1], dtype=int))
    r2 = r.reshape(n_rows, T).astype(ftype)
    v2 = v.reshape(n_rows, T + 1).astype(ftype)
    d2 = d.reshape(n_rows, T).astype(bool)
    adv = np.zeros((n_rows, T), dtype=ftype)
    for i in range(n_rows):
        running = 0.0
        for t in range(T - 1, -1, -1):
            if d2[i, t]:
                # nothing after the end of an episode matters
                running = r2[i, t] - v2[i, t]
            else:
                td = r2[i, t] + gamma * v2[i, t + 1] - v2[i, t]
                running = td + gamma * lam * running
            adv[i, t] = running
    adv = adv.reshape(r.shape)
    return adv, adv + v[..., :-1].astype(ftype)
