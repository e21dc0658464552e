# mistakes: the shift goes the wrong way, position t of the logits is scored against the label of token t-1; divides by all shifted positions instead of the labelled ones
# named: ?
import numpy as np


def sft_loss(logits, labels, ignore_index=-100, num_items=None):
    logits = logits * 1.0  # integers become floats
    dt = logits.dtype
    target = labels[:, :-1]
    use = target != ignore_index
    z = np.where(use[..., None], logits[:, 1:], dt.type(0))
    z = z - z.max(axis=-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    nll = -np.take_along_axis(logp, np.where(use, target, 0)[..., None], axis=-1)[..., 0]
    n = max(target.size, 1) if num_items is None else num_items
    return np.where(use, nll, dt.type(0)).sum() / dt.type(n)
