"""hmem: a command-line memory over notes, wikis and code."""
