"""The DPO family, in NumPy and in PyTorch."""
