# mistakes: the second bound is applied where advantages are positive, not where they are negative
# named: wrong_sign
import torch


def dual_clip_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2, dual_clip=3.0):
    m = mask.bool()
    adv = advantages.detach().to(logps.dtype).masked_fill(~m, 0)
    log_ratio = (logps - old_logps.detach()).masked_fill(~m, 0)
    ratio = log_ratio.exp()
    gain = torch.min(ratio * adv, ratio.clamp(1 - clip_eps, 1 + clip_eps) * adv)
    gain = torch.where(adv > 0, torch.max(gain, dual_clip * adv), gain)
    return -(gain * m.to(gain.dtype)).sum() / m.sum().clamp(min=1).to(gain.dtype)
