# mistakes: the mask is taken from the label at the same position, not from the one that is predicted
# named: ?
import numpy as np


def token_logps(logits, labels, ignore_index=-100):
    logits = logits * 1.0  # integers become floats
    mask = (labels != ignore_index)[:, :-1]
    nxt = labels[:, 1:]
    V = logits.shape[-1]
    z = np.where(mask[..., None], logits[:, :-1], logits.dtype.type(0))
    z = z - z.max(-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    idx = np.where((nxt >= 0) & (nxt < V), nxt, 0)
    picked = np.take_along_axis(logp, idx[..., None], -1)[..., 0]
    return np.where(mask, picked, logits.dtype.type(0)), mask
