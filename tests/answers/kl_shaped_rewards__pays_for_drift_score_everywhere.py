# mistakes: the KL term is added with a plus sign, as a bonus; the score is given to every valid token instead of the last one
# named: score_at_every_token + bonus_for_leaving
import torch


def kl_shaped_rewards(scores, logps, ref_logps, mask, beta=0.05):
    with torch.no_grad():
        m = mask.bool()
        kl = logps - ref_logps
        shaped = scores.to(logps.dtype).unsqueeze(1) + beta * kl
        return torch.where(m, shaped, torch.zeros_like(shaped))
