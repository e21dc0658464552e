# mistakes: the target margin gamma is multiplied by beta as well
# named: gamma_inside_the_bracket
import numpy as np


def simpo_loss(chosen_logps, rejected_logps, chosen_lengths, rejected_lengths, beta=2.0, gamma=1.0):
    chosen_logps = chosen_logps * 1.0  # integers become floats
    t = chosen_logps.dtype
    avg_w = chosen_logps / chosen_lengths.astype(t)
    avg_l = rejected_logps / rejected_lengths.astype(t)
    x = beta * (avg_w - avg_l - gamma)
    loss = np.logaddexp(t.type(0), -x)
    return loss.mean() if loss.size > 0 else t.type("nan")
