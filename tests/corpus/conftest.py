"""The tests below `tree/` belong to an invented product: text to be searched, not to be run."""

collect_ignore = ["tree"]
