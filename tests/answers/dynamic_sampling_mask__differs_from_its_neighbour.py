# mistakes: only checks whether two responses next to each other in the row differ in pairs (0 and 1, 2 and 3, ...), so 1 1 0 0 counts as without signal
# named: ?
import numpy as np


def dynamic_sampling_mask(correct):
    right = correct > 0
    pairs = right.shape[1] // 2
    a, b = right[:, 0:2 * pairs:2], right[:, 1:2 * pairs:2]
    return (a != b).any(axis=1)
