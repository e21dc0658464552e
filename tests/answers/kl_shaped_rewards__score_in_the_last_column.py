# mistakes: the score is put into the last column of the array instead of at each response's last valid token
# named: score_at_the_padding
import numpy as np


def kl_shaped_rewards(scores, logps, ref_logps, mask, beta=0.05):
    m = mask.astype(bool)
    kl = np.where(m, logps, 0) - np.where(m, ref_logps, 0)
    rewards = (-beta * kl).astype(logps.dtype if logps.dtype.kind == "f" else float)
    if rewards.shape[1] > 0:
        rewards[:, -1] += np.where(m[:, -1], scores, 0)
    return rewards
