# mistakes: takes every nonzero value as right, so that -1 counts as a right answer
# named: anything_but_0_is_right
import numpy as np


def dynamic_sampling_mask(correct):
    right = correct.astype(bool)
    return right.any(axis=-1) & ~right.all(axis=-1)
