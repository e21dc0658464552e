# --8<-- [start:imports]
import numpy as np
# --8<-- [end:imports]


# --8<-- [start:log_softmax]
def log_softmax(logits):
    """Logarithm of the softmax over the last axis.

    logits [..., V]. Returns log_probs, [..., V].
    Source: the definition, with the largest logit taken off first.
    """
    # Every exponent is now at most 0, so none overflows.
    shifted = logits - np.amax(logits, -1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    # --8<-- [end:log_softmax]


# --8<-- [start:token_logps]
def token_logps(logits, labels, ignore_index=-100):
    """Log-probability that the model gave to each next token.

    logits [B, T, V], labels [B, T] int64, in [0, V) or ignore_index.
    Returns (logps, mask), each [B, T-1]; mask is bool, logps 0 where it is 0.
    Source: the chain rule; position t of the logits predicts token t+1.
    """
    logits, labels = logits[..., :-1, :], labels[..., 1:]
    mask = labels != ignore_index
    safe = np.where(mask, labels, 0)  # an index that exists
    shifted = logits - np.amax(logits, -1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    logps = np.take_along_axis(log_probs, safe[..., None], -1)[..., 0]
    return np.where(mask, logps, 0.0), mask
    # --8<-- [end:token_logps]


# --8<-- [start:sft_loss]
def sft_loss(logits, labels, ignore_index=-100, num_items=None):
    """Cross-entropy of the next token, averaged over the labelled tokens.

    logits [B, T, V], labels [B, T] int64, in [0, V) or ignore_index;
    num_items: the tokens to divide by, a number >= 1; None: those of this
    call, at least 1.
    Returns loss, a scalar in nats.
    Source: maximum likelihood; num_items spans the whole optimiser step.
    """
    logits, labels = logits[..., :-1, :], labels[..., 1:]
    mask = labels != ignore_index
    safe = np.where(mask, labels, 0)  # an index that exists
    shifted = logits - np.amax(logits, -1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    logps = np.take_along_axis(log_probs, safe[..., None], -1)[..., 0]
    if num_items is None:
        num_items = mask.sum(dtype=logps.dtype).clip(1)
    return np.where(mask, -logps, 0.0).sum() / num_items
    # --8<-- [end:sft_loss]


# --8<-- [start:masked_mean]
def masked_mean(x, mask):
    """Mean over the tokens that count; 0 if there are none.

    x, mask [..., T], mask 1 where a token counts. Returns mean, a scalar.
    Source: the definition.
    """
    kept = np.where(mask > 0, x, 0.0)
    return kept.sum() / (mask > 0).sum(dtype=kept.dtype).clip(1)
    # --8<-- [end:masked_mean]


# --8<-- [start:kl_k1]
def kl_k1(logps, ref_logps):
    """KL estimate k1: the log-ratio, unbiased, of either sign.

    logps, ref_logps [..., T], of tokens sampled from the policy.
    Returns kl, [..., T] in nats.
    Schulman, Approximating KL Divergence, 2020; see arXiv:2510.01555.
    """
    return logps - ref_logps
    # --8<-- [end:kl_k1]


# --8<-- [start:kl_k2]
def kl_k2(logps, ref_logps):
    """KL estimate k2: half the squared log-ratio, biased, never negative.

    logps, ref_logps [..., T], of tokens sampled from the policy.
    Returns kl, [..., T] in nats.
    Schulman, Approximating KL Divergence, 2020; see arXiv:2510.01555.
    """
    return 0.5 * (logps - ref_logps) ** 2
    # --8<-- [end:kl_k2]


# --8<-- [start:kl_k3]
def kl_k3(logps, ref_logps):
    """KL estimate k3: r - 1 - log r, unbiased, never negative.

    logps, ref_logps [..., T], of tokens sampled from the policy.
    Returns kl, [..., T] in nats.
    Schulman, Approximating KL Divergence, 2020; see arXiv:2510.01555.
    """
    log_r = ref_logps - logps
    return np.expm1(log_r) - log_r  # exp(x) - 1 loses small x
    # --8<-- [end:kl_k3]
