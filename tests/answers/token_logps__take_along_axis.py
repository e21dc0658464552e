# mistakes: none
# named: none
import numpy as np


def token_logps(logits, labels, ignore_index=-100):
    logits = logits * 1.0  # integers become floats
    targets = labels[:, 1:]
    mask = targets != ignore_index
    rows = np.where(mask[..., None], logits[:, :-1], np.zeros((), logits.dtype))
    peak = rows.max(axis=-1, keepdims=True)
    logz = peak + np.log(np.exp(rows - peak).sum(axis=-1, keepdims=True))
    safe = np.where(mask, targets, 0)[..., None]
    chosen = np.take_along_axis(rows, safe, axis=-1) - logz
    return np.where(mask, chosen[..., 0], np.zeros((), logits.dtype)), mask
