# mistakes: sign turned, the log-ratio is reference minus policy
# named: turned_round
import numpy as np


def kl_k1(logps, ref_logps):
    return 1.0 * (ref_logps - logps)
