# mistakes: the factor one half is missing
# named: half_missing
import torch


def kl_k2(logps, ref_logps):
    return (logps - ref_logps.detach()).square()
