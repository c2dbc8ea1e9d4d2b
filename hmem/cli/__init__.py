"""The command line: a thin client of `hmem.library`. Nothing else in hmem imports it."""
