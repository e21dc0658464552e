# mistakes: none
# named: none
import numpy as np


def simpo_loss(chosen_logps, rejected_logps, chosen_lengths, rejected_lengths, beta=2.0, gamma=1.0):
    chosen_logps = chosen_logps * 1.0  # integers become floats
    dt = chosen_logps.dtype
    reward = lambda s, n: beta * s / np.asarray(n, dtype=dt)
    gap = reward(chosen_logps, chosen_lengths) - reward(rejected_logps, rejected_lengths) - gamma
    if not gap.size:
        return dt.type(np.nan)
    return -(-np.logaddexp(np.zeros((), dt), -gap)).mean()
