"""One module a page: what its functions promise, as plain functions."""
