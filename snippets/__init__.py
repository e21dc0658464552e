"""The code that readers copy: one folder a page, one region a card."""
