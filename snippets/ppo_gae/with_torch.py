# --8<-- [start:imports]
import torch
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
    advantages = torch.zeros_like(1.0 * values[..., 1:])  # never integers
    running = 0.0
    for t in reversed(range(T)):
        future = gamma * values[..., t + 1] * alive[..., t]
        delta = rewards[..., t] + future - values[..., t]
        running = delta + gamma * lam * running * alive[..., t]
        advantages[..., t] = running
    return advantages, advantages + values[..., :-1]
    # --8<-- [end:gae]
