# mistakes: none
# named: none
import torch


def _surrogate(log_ratio, adv, low, high):
    r = torch.exp(log_ratio)
    return torch.minimum(r * adv, torch.clamp(r, low, high) * adv)


def _average(x, valid):
    return x.masked_fill(~valid, 0).sum() / valid.sum().clamp(min=1).to(x.dtype)


def dapo_loss(logps, old_logps, advantages, mask, clip_low=0.2, clip_high=0.28):
    valid = mask.bool()
    log_ratio = (logps - old_logps.detach()).masked_fill(~valid, 0)
    adv = advantages.detach().unsqueeze(-1).to(logps.dtype)
    gain = _surrogate(log_ratio, adv, 1 - clip_low, 1 + clip_high)
    return -_average(gain, valid)
