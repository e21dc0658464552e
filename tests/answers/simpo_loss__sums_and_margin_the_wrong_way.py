# mistakes: log-probabilities are not divided by the lengths; gamma is added to the difference instead of subtracted
# named: not_divided_by_length + gamma_added
import torch
import torch.nn.functional as F


def simpo_loss(chosen_logps, rejected_logps, chosen_lengths, rejected_lengths, beta=2.0, gamma=1.0):
    diff = chosen_logps - rejected_logps
    return F.softplus(-(beta * diff + gamma)).mean()
