# mistakes: none
# named: none
import numpy as np


def grpo_loss(logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    logps = logps * 1.0  # integers become floats
    P, G, _ = logps.shape
    total = 0.0
    for p in range(P):
        for g in range(G):
            sel = mask[p, g] > 0
            if not sel.any():
                continue
            lp = logps[p, g][sel]
            A = advantages[p, g]
            rho = np.exp(lp - old_logps[p, g][sel])
            per_tok = -np.minimum(rho * A, rho.clip(1 - clip_eps, 1 + clip_eps) * A)
            if beta != 0:
                d = ref_logps[p, g][sel] - lp
                per_tok = per_tok + beta * (np.exp(d) - d - 1)
            total += float(per_tok.mean())
    return logps.dtype.type(total / max(P * G, 1))
