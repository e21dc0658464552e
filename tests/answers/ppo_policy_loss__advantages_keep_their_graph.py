# mistakes: advantages are not detached, so the policy loss sends gradient into the critic
# named: advantages_trained
import torch


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    mask = mask.bool()
    ratio = torch.exp((logps - old_logps.detach()).masked_fill(~mask, 0.0))
    adv = advantages.masked_fill(~mask, 0).to(logps.dtype)
    surr1 = ratio * adv
    surr2 = ratio.clamp(1 - clip_eps, 1 + clip_eps) * adv
    total = torch.min(surr1, surr2).masked_fill(~mask, 0.0).sum()
    return -total / mask.sum().clamp(min=1).to(logps.dtype)
