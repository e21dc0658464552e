"""How far long work has come: one line that is written anew."""

import sys


def progress(text):
    """Show the line where somebody looks on; empty text takes it away."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
