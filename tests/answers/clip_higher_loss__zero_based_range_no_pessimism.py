# mistakes: the ratio is clipped to -clip_low..clip_high, the 1 is missing; only the clipped term is used, without the minimum with the unclipped one
# named: bounds_are_ratios + clipped_alone
import torch


def clip_higher_loss(logps, old_logps, advantages, clip_low=0.2, clip_high=0.28):
    ratio = torch.exp(logps - old_logps.detach())
    return -ratio.clamp(-clip_low, clip_high) * advantages.detach().to(logps.dtype)
