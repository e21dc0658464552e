# mistakes: none
# named: none
import torch


def entropy(logits):
    z = logits - logits.detach().amax(dim=-1, keepdim=True)
    logz = torch.logsumexp(z, dim=-1)
    p = torch.exp(z - logz.unsqueeze(-1))
    finite = torch.where(torch.isneginf(z), torch.zeros_like(z), z)
    return logz - (p * finite).sum(dim=-1)
