# --8<-- [start:imports]
import numpy as np
# --8<-- [end:imports]


# --8<-- [start:gae]
def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    """Generalised advantage estimation: one pass backwards over time.

    rewards, dones [..., T]; values [..., T+1], the last is the bootstrap.
    Returns (advantages, returns), each [..., T], in the dtype of values
    (the default float if these are integers).
    ValueError if the shapes are others.
    Schulman et al., arXiv:1506.02438, Eq. 16.
    """
    *rows, T = rewards.shape
    if values.shape != (*rows, T + 1) or dones.shape != rewards.shape:
        raise ValueError("gae: rewards, dones [..., T], values [..., T+1]")
    alive = 1.0 * (dones == 0)  # a float, whatever kind dones are
    advantages = np.zeros_like(1.0 * values[..., 1:])  # never integers
    running = 0.0
    for t in reversed(range(T)):
        future = gamma * values[..., t + 1] * alive[..., t]
        delta = rewards[..., t] + future - values[..., t]
        running = delta + gamma * lam * running * alive[..., t]
        advantages[..., t] = running
    return advantages, advantages + values[..., :-1]
    # --8<-- [end:gae]


# --8<-- [start:gae_truncated]
def gae_truncated(
    rewards, values, next_values, terminated, truncated, gamma=0.99, lam=0.95
):
    """GAE for rollouts in which episodes end, or are cut off, anywhere.

    All arrays [..., T], else ValueError; next_values[t] is the value of the
    state that step t really reached, not of the one after a reset.
    Returns (advantages, returns), [..., T], in the float dtype of values.
    Schulman et al., arXiv:1506.02438; Pardo et al., arXiv:1712.00378.
    """
    others = (values, next_values, terminated, truncated)
    if any(each.shape != rewards.shape for each in others):
        raise ValueError("gae_truncated: all five arrays are [..., T]")
    alive = 1.0 * (terminated == 0)  # there is a next value
    linked = alive * (truncated == 0)  # the next step is of this episode
    deltas = rewards + gamma * next_values * alive - values
    advantages = np.zeros_like(1.0 * values)  # never integers
    running = 0.0
    for t in reversed(range(rewards.shape[-1])):
        running = deltas[..., t] + gamma * lam * running * linked[..., t]
        advantages[..., t] = running
    return advantages, advantages + values
    # --8<-- [end:gae_truncated]


# --8<-- [start:whiten]
def whiten(x, mask, shift_mean=True):
    """Give the valid tokens of a batch mean 0 and standard deviation 1.

    x, mask [..., T]; shift_mean=False keeps the mean and scales the rest.
    Returns whitened, [..., T], 0 where mask is 0.
    Source: the z-score, with the sample variance (n - 1, at least 1).
    """
    kept = mask > 0
    x = np.where(kept, x, 0.0)  # floats from here on
    count = kept.sum(dtype=x.dtype)
    mean = x.sum() / count.clip(1)
    # Take rounding out of the mean, or equal tokens get a spread.
    mean = mean + np.where(kept, x - mean, 0.0).sum() / count.clip(1)
    centred = np.where(kept, x - mean, 0.0)
    variance = (centred**2).sum() / (count - 1).clip(1)
    whitened = centred / (variance + 1e-8) ** 0.5
    if not shift_mean:
        whitened = np.where(kept, whitened + mean, 0.0)
    return whitened
    # --8<-- [end:whiten]


# --8<-- [start:ppo_policy_loss]
def ppo_policy_loss(logps, old_logps, advantages, mask, clip_eps=0.2):
    """PPO's clipped policy loss, averaged over the valid tokens.

    All arrays [..., T]; logps of the policy that learns, old_logps of the
    one that sampled. Returns loss, a scalar, 0 without valid tokens.
    Schulman et al., arXiv:1707.06347, Eq. 7, with the sign turned.
    """
    kept = mask > 0  # before exp, which padding could overflow
    ratio = np.exp(np.where(kept, logps - old_logps, 0.0))
    clipped = ratio.clip(1 - clip_eps, 1 + clip_eps)
    objective = np.minimum(ratio * advantages, clipped * advantages)
    losses = np.where(kept, -objective, 0.0)
    return losses.sum() / kept.sum(dtype=losses.dtype).clip(1)
    # --8<-- [end:ppo_policy_loss]


# --8<-- [start:dual_clip_policy_loss]
def dual_clip_policy_loss(
    logps, old_logps, advantages, mask, clip_eps=0.2, dual_clip=3.0
):
    """PPO's clipped loss, with a second bound where advantages are negative.

    All arrays [..., T]; dual_clip > 1 bounds a token's loss at
    dual_clip * |advantage|. Returns loss, a scalar, 0 without valid tokens.
    Ye et al., arXiv:1912.09729.
    """
    kept = mask > 0  # before exp, which padding could overflow
    ratio = np.exp(np.where(kept, logps - old_logps, 0.0))
    clipped = ratio.clip(1 - clip_eps, 1 + clip_eps)
    objective = np.minimum(ratio * advantages, clipped * advantages)
    bounded = np.maximum(objective, dual_clip * advantages)
    objective = np.where(advantages < 0, bounded, objective)
    losses = np.where(kept, -objective, 0.0)
    return losses.sum() / kept.sum(dtype=losses.dtype).clip(1)
    # --8<-- [end:dual_clip_policy_loss]


# --8<-- [start:ppo_value_loss]
def ppo_value_loss(values, old_values, returns, mask, clip_eps=0.2):
    """Half the squared error of the critic, the worse of two readings.

    All arrays [..., T]; clip_eps is in the units of the reward.
    Returns loss, a scalar, 0 without valid tokens.
    Source: OpenAI's baselines (ppo2); studied in arXiv:2005.12729.
    """
    change = (values - old_values).clip(-clip_eps, clip_eps)
    error = (values - returns) ** 2
    clipped_error = (old_values + change - returns) ** 2
    worse = np.maximum(error, clipped_error)
    losses = np.where(mask > 0, 0.5 * worse, 0.0)
    return losses.sum() / (mask > 0).sum(dtype=losses.dtype).clip(1)
    # --8<-- [end:ppo_value_loss]


# --8<-- [start:entropy]
def entropy(logits):
    """Entropy of the softmax over the last axis.

    logits [..., V]; one of -inf is an impossible token and adds 0.
    Returns entropy, [...], in nats.
    Source: the definition, -sum p log p.
    """
    shifted = logits - np.amax(logits, -1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    probs = np.exp(log_probs)
    # 0 times infinity is nan, in the value and in the gradient.
    surprise = np.where(probs > 0, -log_probs, 0.0)
    return (probs * surprise).sum(-1)
    # --8<-- [end:entropy]


# --8<-- [start:ppo_loss]
def ppo_loss(
    policy_loss, value_loss, entropy, value_coef=0.5, entropy_coef=0.01
):
    """What PPO minimises: policy and value loss, less the entropy bonus.

    Three scalars, each already a mean. Returns loss, a scalar.
    Schulman et al., arXiv:1707.06347, Eq. 9, with the sign turned.
    """
    return policy_loss + value_coef * value_loss - entropy_coef * entropy
    # --8<-- [end:ppo_loss]


# --8<-- [start:kl_shaped_rewards]
def kl_shaped_rewards(scores, logps, ref_logps, mask, beta=0.05):
    """A reward for each token: a KL penalty, and the score at the last one.

    scores [B], of whole responses; logps, ref_logps, mask [B, T].
    Returns rewards, [B, T], without gradient, 0 where mask is 0.
    Ziegler et al., arXiv:1909.08593; here token by token.
    """
    kept = mask > 0
    seen = kept.cumsum(-1)
    last = kept & (seen == seen[..., -1:])
    rewards = np.where(kept, beta * (ref_logps - logps), 0.0)
    rewards += np.where(last, scores[..., None], 0.0)
    return rewards
    # --8<-- [end:kl_shaped_rewards]


# --8<-- [start:adapt_kl_coef]
def adapt_kl_coef(beta, kl, target, horizon, num_steps):
    """The KL penalty's next coefficient: up if the KL is above its target.

    All Python numbers; num_steps were done since the last call, far less than
    5 * horizon. Returns beta.
    After Ziegler et al., arXiv:1909.08593, section 2.2, and its code.
    """
    error = min(max(kl / target - 1, -0.2), 0.2)  # no spike moves beta far
    return beta * (1 + error * num_steps / horizon)
    # --8<-- [end:adapt_kl_coef]
