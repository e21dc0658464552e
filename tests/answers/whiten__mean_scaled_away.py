# mistakes: with shift_mean=False the mean is divided by the deviation instead of being kept
# named: ?
import torch


def whiten(x, mask, shift_mean=True):
    m = mask.bool()
    xf = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    z = xf.masked_fill(~m, 0)
    n = m.sum().to(xf.dtype)
    mean = z.sum() / n.clamp(min=1)
    var = (z - mean).masked_fill(~m, 0).square().sum() / (n - 1).clamp(min=1)
    inv = torch.rsqrt(var + 1e-8)
    out = (z - mean) * inv if shift_mean else z * inv
    return out.masked_fill(~m, 0)
