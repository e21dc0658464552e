# mistakes: averages over all tokens instead of response by response; the penalty is the plain log-ratio instead of k3; the ratio is not clipped at all
# named: ?
import numpy as np


def grpo_loss(logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    logps = logps * 1.0  # integers become floats
    sel = mask.astype(bool)
    dt = logps.dtype
    if not sel.any():
        return dt.type(0)
    lp = logps[sel]
    A = np.repeat(advantages[..., None], logps.shape[-1], axis=-1)[sel].astype(dt)
    tok = -np.exp(lp - old_logps[sel]) * A
    if ref_logps is not None:
        tok = tok + beta * (lp - ref_logps[sel])
    return tok.mean()
