# mistakes: the reference model's log-ratio is added to the policy's instead of subtracted
# named: reference_added
import numpy as np


def dpo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    pi = chosen_logps - rejected_logps
    ref = ref_chosen_logps - ref_rejected_logps
    x = beta * (pi + ref)
    losses = np.logaddexp(np.zeros_like(x), -x)
    if losses.size == 0:
        return losses.dtype.type(np.nan)
    return losses.mean()
