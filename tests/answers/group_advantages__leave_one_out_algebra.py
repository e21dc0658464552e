# mistakes: one prompt without the axis of prompts is not accepted
# named: ?
import torch


def group_advantages(rewards, eps=1e-4, scale=True):
    r = rewards if rewards.is_floating_point() else rewards.to(torch.get_default_dtype())
    n = r.shape[1]
    if n < 2:
        return torch.zeros_like(r)
    # r_i - mean = (G-1)/G * (r_i - mean of the others)
    others = (r.sum(1, keepdim=True) - r) / (n - 1)
    adv = (r - others) * ((n - 1) / n)
    if scale:
        adv = adv / (r.std(dim=1, keepdim=True) + eps)
    flat = r.amax(1, keepdim=True) == r.amin(1, keepdim=True)
    return torch.where(flat, torch.zeros_like(adv), adv)
