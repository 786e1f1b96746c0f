"""Checks of words that a list of flags cannot describe.

Each check returns the files that a command reads, or None if the command may do more than read.
"""
