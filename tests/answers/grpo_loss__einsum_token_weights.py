# mistakes: none
# named: none
import torch


def grpo_loss(logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    logps = logps * 1.0  # integers become floats
    m = mask.bool()
    zero = torch.zeros((), dtype=logps.dtype, device=logps.device)
    cur = torch.where(m, logps, zero)
    old = torch.where(m, old_logps.detach(), zero)
    A = advantages.detach()[..., None].to(logps.dtype)
    ratio = torch.exp(cur - old)
    tok = torch.maximum(-A * ratio, -A * ratio.clamp(1 - clip_eps, 1 + clip_eps))
    if beta != 0.0:
        x = torch.where(m, ref_logps.detach(), zero) - cur
        tok = tok + beta * (torch.expm1(x) - x)
    lengths = m.sum(-1, keepdim=True).clamp(min=1)
    weights = m.to(logps.dtype) / lengths
    n_responses = max(1, logps.shape[0] * logps.shape[1])
    return torch.einsum("pgt,pgt->", tok, weights) / n_responses
