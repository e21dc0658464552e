# mistakes: divides the log-ratio by beta instead of multiplying
# named: ?
import numpy as np


def implicit_reward(logps, ref_logps, beta=0.1):
    return np.subtract(logps, ref_logps) / beta
