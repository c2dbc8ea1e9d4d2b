"""Answers from a warm process: a server that has loaded everything forks a child for each command.

The child runs the very command line, with the caller's arguments, directory, environment and streams, over the store as
it is at that moment; so its answers are those of a process of its own, without the time to load. Where no server is
alive, or it is not of the caller's kind, or it does not answer in time, the command runs as ever.
"""
