# mistakes: none
# named: none
import torch


def sequence_mean(x, mask):
    keep = mask.to(torch.bool)
    xf = x if x.is_floating_point() else x.float()
    total = torch.where(keep, xf, torch.zeros_like(xf)).sum(-1)
    per_seq = total / keep.sum(-1).clamp_min(1).to(xf.dtype)
    return per_seq.sum() / max(per_seq.numel(), 1)
