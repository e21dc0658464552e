# mistakes: none
# named: none
import numpy as np


def sft_loss(logits, labels, ignore_index=-100, num_items=None):
    logits = logits * 1.0  # integers become floats
    pred = logits[:, :-1]
    tgt = labels[:, 1:]
    keep = tgt != ignore_index
    z = pred[keep]  # [N, V]
    y = tgt[keep]
    n = max(1, y.size) if num_items is None else num_items
    if y.size == 0:
        return logits.dtype.type(0)
    top = z.max(axis=1)
    lse = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top
    nll = lse - z[np.arange(y.size), y]
    return nll.sum() / logits.dtype.type(n)
