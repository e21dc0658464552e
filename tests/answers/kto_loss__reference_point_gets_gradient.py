# mistakes: no detach on the reference point, so the loss also pushes gradient through it
# named: point_trained
import torch


def kto_loss(logps, ref_logps, desirable, reference_point, beta=0.1, desirable_weight=1.0, undesirable_weight=1.0):
    good = desirable.bool()
    log_ratio = logps - ref_logps.detach()
    ref = reference_point.to(logps.dtype)
    loss_good = desirable_weight * (1 - torch.sigmoid(beta * (log_ratio - ref)))
    loss_bad = undesirable_weight * (1 - torch.sigmoid(beta * (ref - log_ratio)))
    return torch.where(good, loss_good, loss_bad).mean()
