# mistakes: logits and labels of the same position are compared, there is no shift by one
# named: ?
import torch


def sft_loss(logits, labels, ignore_index=-100, num_items=None):
    logits = logits * 1.0  # integers become floats
    keep = labels != ignore_index
    clean = torch.where(keep.unsqueeze(-1), logits, torch.zeros_like(logits))
    logp = torch.log_softmax(clean, dim=-1)
    target = torch.where(keep, labels, torch.zeros_like(labels))
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    nll = nll.masked_fill(~keep, 0.0)
    denom = keep.sum().clamp(min=1).to(logits.dtype) if num_items is None else num_items
    return nll.sum() / denom
