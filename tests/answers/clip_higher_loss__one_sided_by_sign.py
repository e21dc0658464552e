# mistakes: none
# named: none
import torch


def clip_higher_loss(logps, old_logps, advantages, clip_low=0.2, clip_high=0.28):
    # only one of the two bounds can ever bind: the upper one when A >= 0, the lower one when A < 0
    adv = advantages.detach().to(logps.dtype)
    ratio = (logps - old_logps.detach()).exp()
    capped = torch.where(adv >= 0, ratio.clamp(max=1 + clip_high), ratio.clamp(min=1 - clip_low))
    return -adv * capped
