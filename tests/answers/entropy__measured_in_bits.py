# mistakes: uses the logarithm to base 2, so the entropy is in bits
# named: ?
import numpy as np


def entropy(logits):
    z = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=-1, keepdims=True)
    safe_p = np.where(p > 0, p, 1).astype(p.dtype)
    return -(p * np.log2(safe_p)).sum(axis=-1)
