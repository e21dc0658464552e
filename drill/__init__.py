"""What right means (claims), what wrong looks like (pitfalls), who judges."""
