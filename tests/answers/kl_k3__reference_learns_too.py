# mistakes: the reference log-probabilities are not detached, so gradient flows into the reference model
# named: exp_minus_one + reference_trained; ?
import torch


def kl_k3(logps, ref_logps):
    diff = ref_logps - logps
    return diff.exp() - diff - 1
