"""Notes that hmem itself writes: `hmem remember` and `hmem forget`."""
