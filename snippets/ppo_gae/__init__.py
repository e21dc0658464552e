"""PPO and GAE, in NumPy and in PyTorch."""
