# mistakes: none
# named: none
import numpy as np


def reward_model_loss(chosen_rewards, rejected_rewards, margin=0.0):
    chosen_rewards = chosen_rewards * 1.0  # integers become floats
    dt = chosen_rewards.dtype
    lead = (chosen_rewards - rejected_rewards - margin).astype(dt)
    per_pair = np.maximum(-lead, 0) + np.log1p(np.exp(-np.abs(lead)))
    with np.errstate(invalid="ignore", divide="ignore"):
        return per_pair.sum() / dt.type(len(per_pair))
