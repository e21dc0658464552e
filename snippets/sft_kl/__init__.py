"""SFT and KL, in NumPy and in PyTorch."""
