# --8<-- [start:imports]
import numpy as np
# --8<-- [end:imports]


# --8<-- [start:group_advantages]
def group_advantages(rewards, eps=1e-4, scale=True):
    """How much better each response is than the others of its prompt.

    rewards [P, G], G responses to each prompt, or [G] for one; scale=False
    keeps the unit of the reward. Returns advantages, of the same shape,
    exactly 0 in a group whose rewards are all equal, and for G = 1.
    Shao et al., arXiv:2402.03300; the deviation divides by G - 1.
    """
    rewards = 1.0 * rewards  # means need floats
    advantages = rewards - rewards.mean(-1, keepdims=True)
    if scale:
        squares = (advantages**2).sum(-1, keepdims=True)
        deviation = (squares / max(rewards.shape[-1] - 1, 1)) ** 0.5
        advantages = advantages / (deviation + eps)
    # Rounding leaves equal rewards beside their mean, and eps is small.
    equal = (rewards == rewards[..., :1]).all(-1, keepdims=True)
    return np.where(equal, 0.0, advantages)
    # --8<-- [end:group_advantages]


# --8<-- [start:grpo_loss]
def grpo_loss(
    logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04
):
    """GRPO: clipped token ratios and a k3 penalty, averaged by response.

    logps, old_logps, ref_logps, mask [P, G, T]; advantages [P, G]; ref_logps
    may be None if beta is 0. Returns loss, a scalar; a response without
    tokens counts as 0, and no response at all gives 0.
    Shao et al., arXiv:2402.03300, Eq. 3, with the sign turned.
    """
    advantages = advantages[..., None]
    kept = mask > 0  # before exp, which padding could overflow
    ratio = np.exp(np.where(kept, logps - old_logps, 0.0))
    clipped = ratio.clip(1 - clip_eps, 1 + clip_eps)
    losses = -np.minimum(ratio * advantages, clipped * advantages)
    if beta:
        log_r = np.where(kept, ref_logps - logps, 0.0)
        losses = losses + beta * (np.expm1(log_r) - log_r)
    sums = np.where(kept, losses, 0.0).sum(-1)
    means = sums / kept.sum(-1, dtype=sums.dtype).clip(1)
    return means.sum() / max(means.size, 1)
    # --8<-- [end:grpo_loss]


# --8<-- [start:reward_model_loss]
def reward_model_loss(chosen_rewards, rejected_rewards, margin=0.0):
    """Bradley-Terry: minus log probability that the chosen response wins.

    chosen_rewards, rejected_rewards [B]; margin a number or [B], by how much
    the chosen one should lead. Returns loss, a scalar, the mean over pairs,
    nan without one.
    Ouyang et al., arXiv:2203.02155; margin: arXiv:2307.09288.
    """
    lead = chosen_rewards - rejected_rewards - margin
    return np.logaddexp(0.0, -lead).mean()
    # --8<-- [end:reward_model_loss]
