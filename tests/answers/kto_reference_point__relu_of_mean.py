# mistakes: none
# named: none
import torch


def kto_reference_point(kl_logps, ref_kl_logps):
    kl_logps = kl_logps * 1.0  # integers become floats
    log_ratio = (kl_logps - ref_kl_logps).detach()
    return torch.relu(log_ratio.mean())
