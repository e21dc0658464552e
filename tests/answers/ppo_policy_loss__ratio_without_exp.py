# mistakes: the ratio is the plain difference of log-probabilities, the exponential is missing
# named: exp_missing
import torch


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    m = mask != 0
    zeros = torch.zeros_like(logps)
    ratio = torch.where(m, logps - old_logps.detach(), zeros)
    adv = torch.where(m, advantages.detach().to(logps.dtype), zeros)
    clipped = torch.clamp(ratio, 1.0 - clip_eps, 1.0 + clip_eps)
    losses = torch.maximum(-adv * ratio, -adv * clipped)
    return torch.where(m, losses, zeros).sum() / m.sum().clamp(min=1).to(losses.dtype)
