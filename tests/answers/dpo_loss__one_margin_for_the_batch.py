# mistakes: the margins are averaged over the batch before the log sigmoid, not the losses after it
# named: margin_averaged_first
import numpy as np


def dpo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    margins = beta * ((chosen_logps - rejected_logps) - (ref_chosen_logps - ref_rejected_logps))
    if margins.size == 0:
        return margins.dtype.type(np.nan)
    m = margins.mean()
    return np.logaddexp(m.dtype.type(0), -m)
