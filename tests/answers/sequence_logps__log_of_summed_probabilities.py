# mistakes: sums the tokens' probabilities and takes the logarithm of that sum, so probabilities are added instead of multiplied
# named: ?
import torch


def sequence_logps(logps, mask):
    m = mask.bool()
    x = logps.masked_fill(~m, -1e9 if logps.dtype != torch.float16 else -6e4)
    total = torch.logsumexp(x, dim=-1)
    return total.masked_fill(~m.any(-1), 0)
