"""DAPO, in NumPy and in PyTorch."""
