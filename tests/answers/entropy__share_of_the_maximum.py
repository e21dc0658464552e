# mistakes: divides by the logarithm of the vocabulary size, which gives a share of the largest possible entropy
# named: ?
import math
import torch


def entropy(logits):
    logits = logits * 1.0  # integers become floats
    logp = torch.log_softmax(logits, dim=-1)
    p = logp.exp()
    h = -(p * logp.masked_fill(torch.isneginf(logp), 0.0)).sum(-1)
    return h / max(math.log(max(logits.shape[-1], 2)), 1e-12)
