"""Shell completion: scripts made from the commands, and the words that they ask for at each TAB."""
