"""Reads a shell line as the simple commands it would run, wherever they stand in it."""
