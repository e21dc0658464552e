# mistakes: draws the margin to 1/beta, the factor 2 in the target is missing
# named: goal_of_one_over_beta
import numpy as np


def ipo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    margin = (chosen_logps - ref_chosen_logps) - (rejected_logps - ref_rejected_logps)
    loss = (margin - 1 / beta) ** 2
    return loss.mean() if loss.size else loss.dtype.type("nan")
