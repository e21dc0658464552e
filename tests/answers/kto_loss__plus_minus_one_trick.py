# mistakes: none
# named: none
import numpy as np


def sigmoid(z):
    return np.exp(-np.logaddexp(0, -z))


def kto_loss(logps, ref_logps, desirable, reference_point, beta=0.1, desirable_weight=1.0, undesirable_weight=1.0):
    logps = logps * 1.0  # integers become floats
    dt = logps.dtype
    good = np.asarray(desirable).astype(bool)
    sign = np.where(good, 1, -1).astype(dt)
    weight = np.where(good, desirable_weight, undesirable_weight).astype(dt)
    gain = logps - ref_logps - np.asarray(reference_point).astype(dt)
    # 1 - sigmoid(z) = sigmoid(-z)
    losses = weight * sigmoid(-beta * sign * gain)
    if losses.size == 0:
        return dt.type(np.nan)
    return losses.mean()
