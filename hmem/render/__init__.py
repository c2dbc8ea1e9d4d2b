"""From results to text: one file per format. Nothing here reads the store or decides what is shown."""
