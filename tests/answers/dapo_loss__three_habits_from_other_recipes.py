# mistakes: advantages are divided by the response length; the two clip widths are exchanged; takes the maximum of the two gains instead of the minimum
# named: ?
import torch


def dapo_loss(logps, old_logps, advantages, mask, clip_low=0.2, clip_high=0.28):
    m = mask.bool()
    n_resp = m.sum(-1, keepdim=True).clamp(min=1).to(logps.dtype)
    adv = advantages.detach().to(logps.dtype).unsqueeze(-1) / n_resp
    ratio = (logps - old_logps.detach()).masked_fill(~m, 0).exp()
    gain = torch.maximum(ratio * adv, ratio.clamp(1 - clip_high, 1 + clip_low) * adv)
    return -gain.masked_fill(~m, 0).sum() / m.sum().clamp(min=1).to(logps.dtype)
