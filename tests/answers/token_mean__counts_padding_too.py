# mistakes: divides by the number of all positions, padding included
# named: divided_by_all_positions
import torch


def token_mean(x, mask):
    xf = x if x.is_floating_point() else x.float()
    total = xf.masked_fill(~mask.bool(), 0).sum()
    return total / max(xf.numel(), 1)
