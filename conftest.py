"""Lets pytest-codeblocks run the blocks of a page as they are displayed."""

import pytest_codeblocks.plugin

from tools.blocks import displayed_blocks

pytest_codeblocks.plugin.extract_from_file = displayed_blocks
