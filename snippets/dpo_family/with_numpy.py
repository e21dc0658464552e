# --8<-- [start:imports]
import numpy as np
# --8<-- [end:imports]


# --8<-- [start:sequence_logps]
def sequence_logps(logps, mask):
    """Log-probability of each whole response: the sum over its tokens.

    logps, mask [..., T], mask 1 at response tokens.
    Returns sums, [...]; 0 for a row without response tokens.
    Source: the chain rule of probability.
    """
    return np.where(mask > 0, logps, 0.0).sum(-1)
    # --8<-- [end:sequence_logps]


# --8<-- [start:implicit_reward]
def implicit_reward(logps, ref_logps, beta=0.1):
    """The reward that a policy stands for, up to a constant of the prompt.

    logps, ref_logps [...], sums over whole responses.
    Returns rewards, [...], in the unit of the reward.
    Rafailov et al., arXiv:2305.18290.
    """
    return beta * (logps - ref_logps)
    # --8<-- [end:implicit_reward]


# --8<-- [start:dpo_loss]
def dpo_loss(
    chosen_logps,
    rejected_logps,
    ref_chosen_logps,
    ref_rejected_logps,
    beta=0.1,
):
    """Direct preference optimisation: minus log sigmoid of the margin.

    All arrays [B], log-probabilities summed over whole responses.
    Returns loss, a scalar, the mean over pairs, nan without one.
    Rafailov et al., arXiv:2305.18290, Eq. 7.
    """
    chosen = chosen_logps - ref_chosen_logps
    rejected = rejected_logps - ref_rejected_logps
    margin = beta * (chosen - rejected)
    return np.logaddexp(0.0, -margin).mean()
    # --8<-- [end:dpo_loss]


# --8<-- [start:ipo_loss]
def ipo_loss(
    chosen_logps,
    rejected_logps,
    ref_chosen_logps,
    ref_rejected_logps,
    beta=0.1,
):
    """Identity preference optimisation: the margin is drawn to 1 / (2 beta).

    All arrays [B], log-probabilities of whole responses: sums, or means over
    their tokens, but all alike. beta is the paper's tau.
    Returns loss, a scalar, the mean over pairs, nan without one.
    Azar et al., arXiv:2310.12036, Eq. 17.
    """
    chosen = chosen_logps - ref_chosen_logps
    rejected = rejected_logps - ref_rejected_logps
    return ((chosen - rejected - 1 / (2 * beta)) ** 2).mean()
    # --8<-- [end:ipo_loss]


# --8<-- [start:kto_reference_point]
def kto_reference_point(kl_logps, ref_kl_logps):
    """KTO's reference point: the KL to the reference, never below 0.

    kl_logps, ref_kl_logps [B], summed log-probabilities of responses that
    belong to other prompts of the batch. Returns reference_point, a scalar
    without gradient, nan for an empty batch.
    Ethayarajh et al., arXiv:2402.01306.
    """
    reference_point = (kl_logps - ref_kl_logps).mean().clip(0)
    return reference_point
    # --8<-- [end:kto_reference_point]


# --8<-- [start:kto_loss]
def kto_loss(
    logps,
    ref_logps,
    desirable,
    reference_point,
    beta=0.1,
    desirable_weight=1.0,
    undesirable_weight=1.0,
):
    """KTO: gains and losses against a reference point, both bounded.

    logps, ref_logps [B], summed; desirable [B], 1 for a good response;
    reference_point a scalar array.
    Returns loss, a scalar, the mean over examples, nan without one.
    Ethayarajh et al., arXiv:2402.01306.
    """
    gain = beta * (logps - ref_logps - reference_point)
    signed = np.where(desirable > 0, gain, -gain)
    loss = 0.5 - 0.5 * np.tanh(0.5 * signed)  # 1 - sigmoid, no overflow
    weighted = desirable_weight * loss, undesirable_weight * loss
    return np.where(desirable > 0, *weighted).mean()
    # --8<-- [end:kto_loss]


# --8<-- [start:simpo_loss]
def simpo_loss(
    chosen_logps,
    rejected_logps,
    chosen_lengths,
    rejected_lengths,
    beta=2.0,
    gamma=1.0,
):
    """SimPO: mean log-probabilities without a reference, and a target margin.

    chosen_logps, rejected_logps [B], summed; their lengths [B], at least 1.
    Returns loss, a scalar, the mean over pairs, nan without one.
    Meng et al., arXiv:2405.14734.
    """
    chosen = chosen_logps / chosen_lengths.astype(chosen_logps.dtype)
    rejected = rejected_logps / rejected_lengths.astype(rejected_logps.dtype)
    margin = beta * (chosen - rejected) - gamma
    return np.logaddexp(0.0, -margin).mean()
    # --8<-- [end:simpo_loss]
