# mistakes: beta is not used; the pairs are summed up instead of averaged (and an empty batch gives 0)
# named: ?
import torch
import torch.nn.functional as F


def dpo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    chosen_logps = chosen_logps * 1.0  # integers become floats
    chosen = chosen_logps - ref_chosen_logps.detach()
    rejected = rejected_logps - ref_rejected_logps.detach()
    return -F.logsigmoid(chosen - rejected).sum()
