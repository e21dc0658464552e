# mistakes: none
# named: none
import numpy as np


def kl_k3(logps, ref_logps):
    log_r = ref_logps - logps
    return np.expm1(log_r) - log_r
