# mistakes: the margin is added to the lead of the chosen response instead of being taken off
# named: margin_added
import numpy as np


def reward_model_loss(chosen_rewards, rejected_rewards, margin=0.0):
    chosen_rewards = chosen_rewards * 1.0  # integers become floats
    lead = chosen_rewards - rejected_rewards + margin
    lead = np.asarray(lead, dtype=chosen_rewards.dtype)
    if lead.size == 0:
        return lead.dtype.type(np.nan)
    return np.logaddexp(lead.dtype.type(0), -lead).mean()
