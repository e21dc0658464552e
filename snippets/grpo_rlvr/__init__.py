"""GRPO and RLVR, in NumPy and in PyTorch."""
