# --8<-- [start:imports]
import numpy as np
# --8<-- [end:imports]


# --8<-- [start:clip_higher_loss]
def clip_higher_loss(
    logps, old_logps, advantages, clip_low=0.2, clip_high=0.28
):
    """PPO's clipped loss with more room above than below, token by token.

    logps, old_logps [..., T]; advantages of a shape that broadcasts with
    them. Returns losses, [..., T]; mask them when averaging. Padding must
    hold numbers whose ratio does not overflow, or its gradient is nan.
    Yu et al., arXiv:2503.14476, with the sign turned.
    """
    ratio = np.exp(logps - old_logps)
    clipped = ratio.clip(1 - clip_low, 1 + clip_high)
    return -np.minimum(ratio * advantages, clipped * advantages)
    # --8<-- [end:clip_higher_loss]


# --8<-- [start:token_mean]
def token_mean(x, mask):
    """Mean over all valid tokens: every token weighs the same.

    x, mask [..., T], mask 1 where x counts.
    Returns mean, a scalar, 0 without valid tokens.
    Yu et al., arXiv:2503.14476.
    """
    kept = np.where(mask > 0, x, 0.0)
    return kept.sum() / (mask > 0).sum(dtype=kept.dtype).clip(1)
    # --8<-- [end:token_mean]


# --8<-- [start:sequence_mean]
def sequence_mean(x, mask):
    """Mean over each sequence, then over sequences: each weighs the same.

    x, mask [..., T], mask 1 where x counts. Returns mean, a scalar; a
    sequence without valid tokens counts as 0, and no sequence gives 0.
    Shao et al., arXiv:2402.03300.
    """
    sums = np.where(mask > 0, x, 0.0).sum(-1)
    means = sums / (mask > 0).sum(-1, dtype=sums.dtype).clip(1)
    return means.sum() / max(means.size, 1)
    # --8<-- [end:sequence_mean]


# --8<-- [start:dynamic_sampling_mask]
def dynamic_sampling_mask(correct):
    """Which prompts have a signal: some responses right, some wrong.

    correct [P, G], above 0 where the answer is right (flags, or +1 and -1).
    Returns keep, bool [P], False for a group of one.
    Yu et al., arXiv:2503.14476.
    """
    right = correct > 0
    return right.any(-1) & ~right.all(-1)
    # --8<-- [end:dynamic_sampling_mask]


# --8<-- [start:soft_overlong_penalty]
def soft_overlong_penalty(lengths, max_length, buffer):
    """What is added to the reward of a long response: from 0 down to -1.

    lengths in tokens, a number or an array of any shape; the penalty falls
    in the last buffer > 0 tokens before max_length.
    Returns penalty, of the shape of lengths.
    Yu et al., arXiv:2503.14476, Eq. 13.
    """
    lengths = 1.0 * lengths  # unsigned ones would wrap around
    room = (max_length - buffer - lengths) / buffer
    return np.asarray(room).clip(-1.0, 0.0)
    # --8<-- [end:soft_overlong_penalty]


# --8<-- [start:dapo_loss]
def dapo_loss(
    logps, old_logps, advantages, mask, clip_low=0.2, clip_high=0.28
):
    """DAPO: clip-higher, averaged over all tokens, without a KL penalty.

    logps, old_logps, mask [P, G, T]; advantages [P, G].
    Returns loss, a scalar, 0 without valid tokens.
    Yu et al., arXiv:2503.14476, with the sign turned.
    """
    advantages = advantages[..., None]
    kept = mask > 0  # before exp, which padding could overflow
    ratio = np.exp(np.where(kept, logps - old_logps, 0.0))
    clipped = ratio.clip(1 - clip_low, 1 + clip_high)
    losses = -np.minimum(ratio * advantages, clipped * advantages)
    losses = np.where(kept, losses, 0.0)
    return losses.sum() / kept.sum(dtype=losses.dtype).clip(1)
    # --8<-- [end:dapo_loss]
