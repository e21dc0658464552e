# mistakes: returns probabilities, the logarithm is missing; masked positions hold -100 instead of 0
# named: ?
import numpy as np


def token_logps(logits, labels, ignore_index=-100):
    logits = logits * 1.0  # integers become floats
    nxt = labels[:, 1:]
    mask = nxt != ignore_index
    z = np.where(mask[..., None], logits[:, :-1], logits.dtype.type(0))
    e = np.exp(z - z.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    picked = np.take_along_axis(p, np.where(mask, nxt, 0)[..., None], axis=-1).squeeze(-1)
    return np.where(mask, picked, logits.dtype.type(-100)), mask
