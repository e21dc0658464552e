# mistakes: the reference log-probabilities are ignored; a squared hinge is used, so margins above the target cost nothing; the target is beta / 2 instead of 1 / (2 beta)
# named: ?
import numpy as np


def ipo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    h = chosen_logps - rejected_logps
    short = np.maximum(beta / 2 - h, 0)
    loss = short * short
    return loss.mean() if loss.size else loss.dtype.type(np.nan)
