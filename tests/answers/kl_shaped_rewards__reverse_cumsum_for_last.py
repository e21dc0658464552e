# mistakes: none
# named: none
import torch


@torch.no_grad()
def kl_shaped_rewards(scores, logps, ref_logps, mask, beta=0.05):
    m = mask.bool()
    penalty = (beta * (ref_logps - logps)).masked_fill(~m, 0.0)
    tokens_left = m.long().flip(-1).cumsum(-1).flip(-1)
    is_last = m & (tokens_left == 1)
    bonus = scores[:, None].to(logps.dtype).expand_as(logps).masked_fill(~is_last, 0.0)
    return penalty + bonus
