# mistakes: the entropy term is added to the loss, so entropy is pushed down
# named: entropy_added
import numpy as np


def ppo_loss(policy_loss, value_loss, entropy, value_coef=0.5, entropy_coef=0.01):
    return policy_loss + value_coef * value_loss + entropy_coef * entropy
