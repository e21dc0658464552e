# mistakes: the ratio is old over new; no minus sign in front; divides by the number of rows instead of valid tokens
# named: ?
import torch


def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    m = mask.bool()
    d = (old_logps.detach() - logps).masked_fill(~m, 0)
    adv = advantages.detach().to(logps.dtype).masked_fill(~m, 0)
    ratio = d.exp()
    obj = torch.minimum(ratio * adv, ratio.clamp(1 - clip_eps, 1 + clip_eps) * adv)
    rows = logps[..., :1].numel()
    return obj.sum() / max(rows, 1)
