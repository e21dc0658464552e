# mistakes: averages within each response first and then over responses, instead of over all tokens at once
# named: sequence_mean
import numpy as np


def dapo_loss(logps, old_logps, advantages, mask, clip_low=0.2, clip_high=0.28):
    logps = logps * 1.0  # integers become floats
    m = mask.astype(bool)
    d = np.where(m, logps, 0) - np.where(m, old_logps, 0)
    ratio = np.exp(d.astype(logps.dtype))
    A = advantages.astype(logps.dtype)[..., None]
    tok = -np.minimum(ratio * A, np.clip(ratio, 1 - clip_low, 1 + clip_high) * A)
    tok = np.where(m, tok, 0)
    per_response = tok.sum(-1) / np.maximum(m.sum(-1), 1).astype(logps.dtype)
    if per_response.size == 0:
        return logps.dtype.type(0)
    return per_response.mean()
