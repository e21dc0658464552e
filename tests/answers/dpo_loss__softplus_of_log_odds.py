# mistakes: none
# named: none
import torch
import torch.nn.functional as F


def dpo_loss(chosen_logps, rejected_logps, ref_chosen_logps, ref_rejected_logps, beta=0.1):
    policy_odds = chosen_logps - rejected_logps
    with torch.no_grad():
        reference_odds = ref_chosen_logps - ref_rejected_logps
    return F.softplus(-beta * (policy_odds - reference_odds)).mean()
