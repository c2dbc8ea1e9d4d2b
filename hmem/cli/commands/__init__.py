"""One file per command. Heavy imports stand inside the functions, so that `hmem --help` stays quick."""
