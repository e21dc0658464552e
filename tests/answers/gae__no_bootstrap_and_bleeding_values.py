# mistakes: the value after the last step is taken as 0, so there is no bootstrap at the end of the rollout; delta uses the next value even where the episode is done
# named: ?
import torch


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    if rewards.shape != dones.shape or tuple(values.shape) != (*rewards.shape[:-1], rewards.shape[-1] + 1):
        raise ValueError("shapes do not match")
    dtype = values.dtype if values.is_floating_point() else torch.get_default_dtype()
    v = values.detach().to(dtype)
    r = rewards.to(dtype)
    keep = 1 - dones.to(dtype)
    T = r.shape[-1]
    adv = torch.zeros_like(r)
    acc = torch.zeros_like(v[..., 0])
    for t in range(T - 1, -1, -1):
        nxt = v[..., t + 1] if t < T - 1 else torch.zeros_like(acc)
        acc = r[..., t] + gamma * nxt - v[..., t] + gamma * lam * keep[..., t] * acc
        adv[..., t] = acc
    return adv, adv + v[..., :-1]
