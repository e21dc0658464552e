# mistakes: the weights of desirable and undesirable examples are exchanged; uses minus log sigmoid where one minus sigmoid belongs
# named: minus_log_sigmoid + weights_swapped
import numpy as np


def kto_loss(logps, ref_logps, desirable, reference_point, beta=0.1, desirable_weight=1.0, undesirable_weight=1.0):
    logps = logps * 1.0  # integers become floats
    dt = logps.dtype
    good = np.asarray(desirable).astype(bool)
    h = beta * (logps - ref_logps - np.asarray(reference_point).astype(dt))
    pos = undesirable_weight * np.logaddexp(dt.type(0), -h)
    neg = desirable_weight * np.logaddexp(dt.type(0), h)
    out = np.where(good, pos, neg)
    return out.mean() if out.size else dt.type(np.nan)
